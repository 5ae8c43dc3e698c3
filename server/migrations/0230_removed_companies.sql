-- A removed company sells nothing more: nothing of it can be activated, and what still ran stops.
create or replace function collection_bar(of_agency uuid, of_client uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select case
    when exists (select from company c
      where c.id in (of_agency, of_client) and c.root_id = scope_root() and c.removed_at is not null) then 'company_removed'
    when exists (select from company_billing b
      where b.company_id = of_agency and b.root_id = scope_root() and b.cancelled_at is not null) then 'cancelled'
    when exists (select from invoice i
      where i.company_id in (of_agency, of_client) and i.root_id = scope_root() and i.status = 'open'
        and i.first_failed_at is not null and i.next_attempt_at is null
        and i.total_micros - i.paid_micros - i.credited_micros >= 500000) then 'payment_failed'
  end
$$;

update campaign g set state = 'paused', state_reason = 'company_removed', version = g.version + 1, updated_at = now()
from company c where c.id = g.company_id and c.removed_at is not null and g.state = 'active';
