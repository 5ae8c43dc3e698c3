-- Transfers of clients between the agencies of a root (docs/decisions/0476-client-transfers.md). A client arrives as a new company
-- with new campaigns. The company and campaigns that it had stay as what the money of the past names: the ledger, invoices,
-- charges, and prices are never rewritten.

-- ─── accounts/client-transfers ───────────────────────────────────────────────────────────────────────────────────────

create table client_transfer (
  id             uuid primary key,
  root_id        uuid not null,
  agency_id      uuid not null, -- the giving agency
  company_id     uuid not null, -- the client
  -- Whoever starts a transfer knows an address, never an agency. Null: it belongs to no one who can receive a client,
  -- which no one is told.
  to_email       text not null check (length(to_email) between 3 and 70),
  to_agency_id   uuid,
  state          text not null check (state in ('offered', 'settling', 'done', 'declined', 'withdrawn', 'expired', 'canceled')),
  keeps_balance  boolean, -- what no card gets back stays as the client's credit with the giving agency; null: it has not said
  client_name    text not null,
  from_name      text not null,
  to_name        text not null default '',
  started_by     text not null check (started_by in ('giving', 'client')),
  giving_at      timestamptz,
  giving_user    uuid,
  receiving_at   timestamptz,
  receiving_user uuid,
  client_at      timestamptz,
  client_user    uuid,
  problem        text not null default '' check (length(problem) <= 500), -- why the last run did not do more
  started_at     timestamptz not null,
  expires_at     timestamptz not null,
  ended_at       timestamptz,
  successor_id   uuid, -- what the client is with the receiving agency
  moved          jsonb, -- rows by table
  unique (root_id, id),
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, to_agency_id) references company (root_id, id),
  foreign key (root_id, successor_id) references company (root_id, id),
  check (to_agency_id <> agency_id),
  check ((state in ('offered', 'settling')) = (ended_at is null)),
  check (state not in ('settling', 'done') or num_nulls(giving_at, receiving_at, client_at, keeps_balance, to_agency_id) = 0),
  check ((state = 'done') = (successor_id is not null and moved is not null))
);
-- One at a time for each client.
create unique index client_transfer_open on client_transfer (company_id) where state in ('offered', 'settling');
create index client_transfer_by_agency on client_transfer (agency_id, started_at desc, id);
create index client_transfer_by_receiver on client_transfer (to_agency_id, started_at desc, id) where to_agency_id is not null;
create index client_transfer_by_company on client_transfer (company_id, started_at desc, id);
create index client_transfer_running on client_transfer (root_id, id) where ended_at is null;
create index client_transfer_late on client_transfer (root_id, ended_at) where state = 'done';
call protect('client_transfer');
-- The receiving agency's people answer what was offered to it, and see what came of it.
create policy receiving on client_transfer for select to lead_agency using (to_agency_id = scope_agency() and root_id = scope_root());
grant select, insert, update on client_transfer to lead_app;

-- What a client and its campaigns are called with the receiving agency.
create table client_transfer_id (
  transfer_id uuid not null,
  old_id      uuid not null,
  new_id      uuid not null,
  root_id     uuid not null,
  agency_id   uuid not null,
  company_id  uuid not null,
  primary key (transfer_id, old_id),
  foreign key (root_id, transfer_id) references client_transfer (root_id, id)
);
call protect('client_transfer_id');
grant select, insert on client_transfer_id to lead_app;

-- What was paid for a lead that has moved. The lead is free of money with the receiving agency, which neither sees what it
-- cost the giving one, nor can refund it.
create table lead_bill (
  lead_id      uuid primary key,
  root_id      uuid not null,
  agency_id    uuid not null,
  company_id   uuid not null,
  campaign_id  uuid not null,
  transfer_id  uuid,
  price_micros bigint not null,
  cost_micros  bigint not null,
  created_at   timestamptz not null,
  foreign key (root_id, company_id) references company (root_id, id),
  foreign key (root_id, campaign_id) references campaign (root_id, id)
);
create index lead_bill_by_company on lead_bill (company_id, created_at desc, lead_id);
call protect('lead_bill');
create policy between_others on lead_bill as restrictive to lead_client using (false) with check (false);
call append_only('lead_bill');
grant select, insert on lead_bill to lead_app;

-- The two append-only tables that go with a client: nothing in them changes except whose they are.
create function refuse_rewrite() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_user = 'lead_owner' then
    if to_jsonb(new) - '{agency_id,company_id,campaign_id}'::text[] = to_jsonb(old) - '{agency_id,company_id,campaign_id}'::text[] then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;
drop trigger append_only on delivery_attempt;
create trigger append_only before update or delete on delivery_attempt for each row execute function refuse_rewrite();
drop trigger append_only on campaign_report_sent;
create trigger append_only before update or delete on campaign_report_sent for each row execute function refuse_rewrite();

-- Rows that name each other together with their company (a person and their role, a group and its campaigns) change their
-- company in two statements.
do $$
declare
  one record;
begin
  for one in
    select k.conrelid::regclass as tbl, k.conname from pg_constraint k
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.confrelid <> 'company'::regclass and k.conparentid = 0
      and exists (select from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey) and a.attname in ('company_id', 'agency_id'))
  loop
    execute format('alter table %s alter constraint %I deferrable initially immediate', one.tbl, one.conname);
  end loop;
end $$;

-- Gives rows of a client that has moved to its successor. `moved`: name, the columns with ids that changed (maps), with
-- texts in which such ids may occur (texts), with money (zero), with a reference to money (none), and with when a program
-- last saw a change (now). Which tables: features/accounts/client-transfers/tables.ts. Returns the rows by table.
create function move_client_rows(wanted uuid, moved jsonb, at timestamptz) returns jsonb
language plpgsql set search_path = public, pg_temp as $$
declare
  t client_transfer;
  successor uuid;
  one record;
  sets text;
  part text;
  count bigint;
  counts jsonb := '{}';
begin
  select * into strict t from client_transfer where id = wanted;
  select new_id into strict successor from client_transfer_id where transfer_id = wanted and old_id = t.company_id;
  for one in select * from jsonb_to_recordset(moved) m (name text, maps text[], texts text[], zero text[], none text[], now text[]) loop
    sets := 'company_id = $1, agency_id = $2';
    foreach part in array one.maps loop
      sets := sets || format(', %1$I = coalesce((select m.new_id from client_transfer_id m where m.transfer_id = $4 and m.old_id = x.%1$I), x.%1$I)', part);
    end loop;
    foreach part in array one.zero loop sets := sets || format(', %I = 0', part); end loop;
    foreach part in array one.none loop sets := sets || format(', %I = null', part); end loop;
    foreach part in array one.now loop sets := sets || format(', %I = $5', part); end loop;
    execute format('update %I x set %s where x.company_id = $3 and x.root_id = $6', one.name, sets)
      using successor, t.to_agency_id, t.company_id, wanted, at, t.root_id;
    get diagnostics count = row_count;
    foreach part in array one.texts loop
      execute format(
        'update %1$I x set %2$I = (replace(x.%2$I::text, m.old_id::text, m.new_id::text))::jsonb
         from client_transfer_id m where m.transfer_id = $2 and x.company_id = $1 and strpos(x.%2$I::text, m.old_id::text) > 0', one.name, part)
        using successor, wanted;
    end loop;
    if count > 0 then counts := counts || jsonb_build_object(one.name, count); end if;
  end loop;
  return counts;
end $$;

-- Moves a client, with everything that is not money of the past, in the transaction of its caller. It is called in a
-- root's scope, with client_transfer_id filled: the client's successor, an empty client of the receiving agency, and a new
-- id for each campaign.
create function move_client(wanted uuid, moved jsonb, at timestamptz) returns jsonb
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t client_transfer;
  successor uuid;
  one campaign;
  made uuid;
  fields text;
  prices text;
  counts jsonb;
begin
  select * into t from client_transfer
  where id = wanted and root_id = scope_root() and scope_agency() is null and state = 'settling' for update;
  if not found then
    raise exception 'there is no such transfer to make' using errcode = 'insufficient_privilege';
  end if;
  select c.id into successor from client_transfer_id m join company c on c.id = m.new_id
  where m.transfer_id = wanted and m.old_id = t.company_id
    and c.root_id = t.root_id and c.agency_id = t.to_agency_id and c.kind = 'client' and c.removed_at is null
    and not exists (select from campaign k where k.company_id = c.id)
    and not exists (select from user_account u where u.company_id = c.id);
  if successor is null then
    raise exception 'the successor must be an empty client of the receiving agency' using errcode = 'check_violation';
  end if;
  set constraints all deferred;

  update company n set legal_name = o.legal_name, short_name = o.short_name, address = o.address, city = o.city, zip = o.zip,
    state_code = o.state_code, country_code = o.country_code, phone = o.phone, email = o.email, external_id = o.external_id,
    time_zone = o.time_zone, industry = o.industry, phones_off = o.phones_off, sheet_editor = o.sheet_editor,
    factor_people = o.factor_people, factor_owners = o.factor_owners, factor_from = o.factor_from
  from company o where o.id = t.company_id and n.id = successor;

  select string_agg(quote_ident(attname), ', ') into fields from pg_attribute
  where attrelid = 'campaign'::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '';
  select string_agg(quote_ident(attname), ', ') into prices from pg_attribute
  where attrelid = 'retail_cost'::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '';
  for one in select c.* from campaign c where c.company_id = t.company_id and c.module <> 'simplifi' order by c.id for update loop
    select m.new_id into strict made from client_transfer_id m where m.transfer_id = wanted and m.old_id = one.id;
    -- The site keeps its key. What stays behind has one that no site has.
    update campaign set site_key = 'moved-' || one.id, state = 'removed', state_reason = null, updated_at = at where id = one.id;
    execute format('insert into campaign (%1$s) select %1$s from jsonb_populate_record($1, $2)', fields)
      using one, jsonb_build_object('id', made, 'company_id', successor, 'agency_id', t.to_agency_id, 'updated_at', at,
        'state', case when one.state = 'active' then 'paused' else one.state end,
        'state_reason', case when one.state in ('active', 'paused') then 'person' end);
    -- The client’s price stays until the receiving agency sets its own. A loss that the giving agency has accepted does not.
    execute format('insert into retail_cost (%1$s) select %1$s from (
        select (jsonb_populate_record(r, $3)).* from retail_cost r where r.campaign_id = $1 and r.valid_from <= $2
        order by r.valid_from desc, r.serial desc limit 1) p', prices)
      using one.id, at, jsonb_build_object('campaign_id', made, 'company_id', successor, 'agency_id', t.to_agency_id,
        'valid_from', at, 'recorded_at', at, 'topup', 'onetime', 'accepted_loss_micros', 0);
    -- What was charged once is not charged again.
    insert into campaign_fee (campaign_id, kind, period, root_id, agency_id, company_id, term, retail_micros, wholesale_micros, created_at)
    select made, f.kind, f.period, f.root_id, t.to_agency_id, successor, f.term, 0, 0, at from campaign_fee f where f.campaign_id = one.id;
  end loop;

  insert into lead_bill (lead_id, root_id, agency_id, company_id, campaign_id, transfer_id, price_micros, cost_micros, created_at)
  select id, root_id, agency_id, company_id, campaign_id, transfer_id, price_micros, cost_micros, created_at from lead
  where company_id = t.company_id and (transfer_id is not null or price_micros <> 0 or cost_micros <> 0);

  -- What the giving agency could still reach its former client by: links and codes that its host or mail server has seen,
  -- a new address that it asked for, destinations on its own connections, and alerts to its own people.
  delete from password_reset p where p.user_id in (select u.id from user_account u where u.company_id = t.company_id);
  delete from login_challenge c where c.user_id in (select u.id from user_account u where u.company_id = t.company_id);
  delete from email_change e where e.used_at is null and e.user_id in (select u.id from user_account u where u.company_id = t.company_id);
  update integration i set state = 'removed', state_reason = null, updated_at = at
  where i.company_id = t.company_id and i.state <> 'removed' and i.connection_id is not null
    and not exists (select from connection c where c.id = i.connection_id and c.company_id = t.company_id);
  update alert a set state = case when a.state = 'on' and n.fewer then 'off' else a.state end, user_ids = n.users,
    connection_ids = n.connections, updated_at = at
  from (select b.id, k.users, k.connections,
          cardinality(k.users) + cardinality(k.connections) < cardinality(b.user_ids) + cardinality(b.connection_ids) as fewer
        from alert b cross join lateral (select
          array(select u.id from user_account u where u.id = any(b.user_ids) and u.company_id = t.company_id) as users,
          array(select c.id from connection c where c.id = any(b.connection_ids) and c.company_id = t.company_id) as connections) k
        where b.company_id = t.company_id) n
  where a.id = n.id and n.fewer;

  counts := move_client_rows(wanted, moved, at);

  -- They sign in anew, at the receiving agency's address.
  update session s set revoked_at = at, revoked_why = 'ended'
  where s.revoked_at is null and s.user_id in (select u.id from user_account u where u.company_id = successor);
  call keep_company_owner(successor);
  call keep_company_owner(t.company_id);
  update client_transfer set state = 'done', ended_at = at, successor_id = successor, moved = counts, problem = '' where id = wanted;
  return counts;
end $$;

-- What a process that still knew the client by its old name has written since: visits under way, attempts at deliveries.
create function move_client_late(wanted uuid, moved jsonb, at timestamptz) returns jsonb
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from client_transfer where id = wanted and root_id = scope_root() and scope_agency() is null and state = 'done' for update;
  if not found then
    raise exception 'there is no such transfer that is done' using errcode = 'insufficient_privilege';
  end if;
  return move_client_rows(wanted, moved, at);
end $$;

-- Who receives a client at an address: the agency of this root whose owner has it. Asked in the root's scope only.
create function agency_of_owner(wanted text) returns uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select c.id from user_account u join company c on c.id = u.company_id
  where u.root_id = scope_root() and scope_agency() is null and u.email = wanted and u.role = 'owner' and u.disabled_at is null
    and c.kind = 'agency' and c.removed_at is null
$$;

revoke execute on function refuse_rewrite, move_client_rows, move_client, move_client_late, agency_of_owner from public;
grant execute on function refuse_rewrite, move_client, move_client_late, agency_of_owner to lead_app;
