-- A payment was refunded or disputed: the automatic top-up, which would charge that money again at once, stays off until
-- someone buys again.
alter table prepaid_auto add column gave_back boolean not null default false;
alter table wallet_setting add column gave_back boolean not null default false;
