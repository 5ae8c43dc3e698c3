-- What a webhook sends: our signed message, or one shaped by its client, and headers of the client's own. Their names are
-- shown, their values are sealed and gone when the webhook is removed.
alter table integration
  add column payload jsonb not null default '{"format": "standard", "fields": [], "template": ""}',
  add column header_names text[] not null default '{}',
  add column headers_sealed text,
  add constraint integration_payload_check check (
    payload ->> 'format' in ('standard', 'flat', 'form', 'template')
    and (kind = 'webhook' or payload ->> 'format' = 'standard')),
  add constraint integration_headers_check check (
    (headers_sealed is null) = (header_names = '{}') and (kind = 'webhook' or headers_sealed is null));
