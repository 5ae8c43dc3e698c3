-- Why no campaign of a client may run at the moment; null: nothing of the kind. 'cancelled': the agency has ended its
-- subscription. 'payment_failed': the client or its agency owes an invoice that is not charged by itself any more
-- (docs/decisions/0053-collection.md). A client may not see its agency's rows, and is told only this much of them.
create function collection_bar(of_agency uuid, of_client uuid) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select case
    when exists (select from company_billing b
      where b.company_id = of_agency and b.root_id = scope_root() and b.cancelled_at is not null) then 'cancelled'
    when exists (select from invoice i
      where i.company_id in (of_agency, of_client) and i.root_id = scope_root() and i.status = 'open'
        and i.first_failed_at is not null and i.next_attempt_at is null
        and i.total_micros - i.paid_micros - i.credited_micros >= 500000) then 'payment_failed'
  end
$$;
revoke execute on function collection_bar(uuid, uuid) from public;
grant execute on function collection_bar(uuid, uuid) to lead_app;

-- Campaigns that go on by themselves when everything due is paid.
create index campaign_unpaid on campaign (agency_id) where state = 'paused' and state_reason = 'payment_failed';
-- Agencies whose package is charged each month.
create index company_billing_package on company_billing (root_id) where package_id <> '';
