-- A subdomain that an agency gave up stays its own for a while: saved links and sign-ins must not end at someone else's.
alter table domain
  add column reserved_until timestamptz,
  drop constraint domain_kind_check,
  add constraint domain_kind_check check (kind in ('own', 'subdomain', 'custom', 'former')),
  add constraint domain_former_check check ((kind = 'former') = (reserved_until is not null)),
  add constraint domain_former_unserved_check check (kind <> 'former' or (verified_at is null and not is_primary));
create index domain_former on domain (root_id, reserved_until) where kind = 'former';
