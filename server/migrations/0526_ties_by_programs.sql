-- What was done in a session that the giving agency's program had opened as a user of the client counts as the agency's, not
-- as the client's own (docs/decisions/0366-users-of-a-moved-client.md): users whom it added, and destinations, connections,
-- and alerts that it set up. As in 0506 otherwise.
create or replace function cut_client_ties(client uuid, at timestamptz) returns jsonb
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  users uuid[];
  addresses text[];
  others uuid[];
  recipients bigint;
  destinations bigint;
  alerts bigint;
  trusted bigint;
  agreed uuid;
  held jsonb;
begin
  select t.client_user into agreed from client_transfer t
  where t.company_id = client and t.root_id = scope_root() and scope_agency() is null and t.state = 'settling';
  if not found then
    raise exception 'there is no such transfer to make' using errcode = 'insufficient_privilege';
  end if;
  with recursive own (id) as (
    select u.id from user_account u where u.company_id = client and (u.id = agreed or exists (
      select from user_log l where l.actor_id = u.id and l.action = 'register.confirm'))
    union
    select u.id from own o join user_log l on l.actor_id = o.id and l.via is null and l.action in ('user.create', 'user.restore')
      join user_account u on u.id::text = l.object_id and u.company_id = client),
  gone as (
    update user_account u set disabled_at = at, is_default_admin = false, version = u.version + 1
    where u.company_id = client and u.disabled_at is null and u.id not in (select id from own)
    returning u.id, u.name, u.email)
  select (select coalesce(array_agg(o.id), '{}') from own o),
    (select coalesce(array_agg(lower(u.email)), '{}') from own o join user_account u on u.id = o.id where u.disabled_at is null),
    (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'email', g.email) order by g.id), '[]') from gone g)
  into users, addresses, held;
  -- Someone has to get the notices that no one else gets.
  update user_account u set is_default_admin = true where u.id = agreed and u.company_id = client
    and not exists (select from user_account d where d.company_id = client and d.is_default_admin);

  with kept as (
    select r.campaign_id, cardinality(r.notify_to) + cardinality(r.report_to) as had,
      array(select a from unnest(r.notify_to) with ordinality n (a, place) where lower(a) = any(addresses) order by place) as notify_to,
      array(select a from unnest(r.report_to) with ordinality n (a, place) where lower(a) = any(addresses) order by place) as report_to
    from campaign_report r where r.company_id = client),
  cut as (
    update campaign_report r set notify_to = k.notify_to, report_to = k.report_to, updated_at = at,
      notify_every = case when cardinality(k.notify_to) > 0 then r.notify_every end,
      report_every = case when cardinality(k.report_to) > 0 then r.report_every end,
      covers_from = case when cardinality(k.report_to) > 0 then r.covers_from end,
      due_at = case when cardinality(k.report_to) > 0 then r.due_at end
    from kept k where k.campaign_id = r.campaign_id and k.had > cardinality(k.notify_to) + cardinality(k.report_to)
    returning k.had - cardinality(k.notify_to) - cardinality(k.report_to) as gone)
  select coalesce(sum(gone), 0) into recipients from cut;

  select coalesce(array_agg(distinct l.object_id::uuid), '{}') into others from user_log l
  where l.company_id = client and l.actor_id is not null and (l.actor_id <> all(users) or l.via is not null)
    and l.action in ('integration.create', 'integration.update', 'integration.payload', 'integration.document',
      'connection.create', 'connection.update', 'connection.sign_in', 'alert.create', 'alert.update');
  update integration i set state = 'disabled', updated_at = at,
    state_reason = 'Turned off when the account moved to another agency. Check where leads go, then enable it.'
  where i.company_id = client and i.state = 'enabled'
    and (i.id = any(others) or i.connection_id = any(others) or exists (
      select from destination_document d, unnest(d.recipients) a
      where d.integration_id = i.id and d.ended_at is null and lower(a) <> all(addresses)));
  get diagnostics destinations = row_count;
  update alert a set state = 'off', updated_at = at
  where a.company_id = client and a.state = 'on'
    and (((a.webhook_url is not null or cardinality(a.connection_ids) > 0) and a.id = any(others)) or a.connection_ids && others);
  get diagnostics alerts = row_count;
  delete from trusted_address t where t.company_id = client;
  get diagnostics trusted = row_count;
  update exclusion_list l set connection_id = null
  where l.company_id = client and l.connection_id is not null
    and not exists (select from connection c where c.id = l.connection_id and c.company_id = client);
  return jsonb_build_object('recipients', recipients, 'destinations', destinations, 'alerts', alerts, 'trusted', trusted, 'held', held);
end $$;
