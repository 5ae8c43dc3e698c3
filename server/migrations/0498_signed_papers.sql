-- Invoices, credit notes, and statements that were signed (docs/decisions/0494-signed-invoices.md). They are made anew for each
-- download. What is here makes the same bytes of the same document, and tells whoever checks a file that it is one of them.
create table signed_paper (
  id          uuid primary key,
  root_id     uuid not null,
  agency_id   uuid, -- none: a root's
  company_id  uuid not null, -- who issued it
  party_id    uuid not null, -- whom it is for
  title       text not null check (length(title) between 1 and 300),
  unsigned    text not null check (unsigned ~ '^[0-9a-f]{64}$'), -- SHA-256 before it was signed
  fingerprint text not null, -- of the certificate that it was signed with
  sha256      text check (sha256 ~ '^[0-9a-f]{64}$'), -- of the signed file; null: about to be signed
  signed_at   timestamptz not null,
  unique (company_id, unsigned, fingerprint),
  foreign key (root_id, company_id) references company (root_id, id)
);
create index signed_paper_by_hash on signed_paper (root_id, sha256);
call protect('signed_paper');
-- An issuer's files are checked on its host by anyone, and downloaded by the other party: always in the root's scope.
create policy by_root on signed_paper as restrictive to lead_agency, lead_client using (false) with check (false);
grant select, insert, update on signed_paper to lead_app;
