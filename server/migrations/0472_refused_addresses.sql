-- Whether a service refused a lead's own email address in the last attempt, where nothing that was sent with it was the
-- client's choice (docs/decisions/0340-returns.md). It is judged when the answer comes: mappings change later.
alter table delivery add column refuses_email boolean not null default false;
