-- What the home page tells an agency that someone has to see to.
create index campaign_needs_someone on campaign (agency_id, state_reason)
  where state = 'paused' and state_reason in ('balance_empty', 'below_cost');
create index invoice_failing on invoice (agency_id, side) where status = 'open' and first_failed_at is not null;
