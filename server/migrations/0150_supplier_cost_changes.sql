-- Roots set what a lead costs them by themselves. The same planned day can be set more than once, so a change has a number
-- and the instant it was made; of changes that count from the same instant the newest holds, as with wholesale_cost.
alter table supplier_cost drop constraint supplier_cost_pkey;
alter table supplier_cost add column serial bigint generated always as identity primary key;
alter table supplier_cost add column recorded_at timestamptz;
create index supplier_cost_at on supplier_cost (root_id, module, valid_from desc, serial desc);
