-- Why a delivery failed, beside it: listing what was not delivered reads one index, not the attempts of each.
alter table delivery add column cause text check (length(cause) <= 300);
update delivery d set cause = left(a.error, 300) from delivery_attempt a
  where a.delivery_id = d.id and a.number = d.attempts and d.state = 'failed';
drop index delivery_failed;
create index delivery_failed on delivery (company_id, integration_id, cause, created_at) where state = 'failed' and not is_test;

-- An id is looked up and shown; nothing longer is one.
update delivery set remote_id = null where length(remote_id) > 500;
alter table delivery add constraint delivery_remote_id_length check (length(remote_id) <= 500);
