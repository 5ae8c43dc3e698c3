-- Documents, such as spreadsheets, that the platform made for a destination: the one that leads go to, and former ones.
create table destination_document (
  integration_id uuid not null,
  document_id    text not null check (length(document_id) <= 200),
  root_id        uuid not null,
  agency_id      uuid not null,
  company_id     uuid not null,
  url            text not null check (length(url) <= 500),
  recipients     text[] not null default '{}', -- with whom it is shared
  created_at     timestamptz not null,
  ended_at       timestamptz,                  -- another one took its place
  primary key (integration_id, document_id),
  foreign key (root_id, integration_id) references integration (root_id, id)
);
call protect('destination_document');
grant select, insert, update on destination_document to lead_app;
