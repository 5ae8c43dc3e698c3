import { sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';

type ClientOwner = Owner & { agency_id: string };

/** Returns which of these senders are trusted by their clients' agencies, as indexes into the list. */
export async function trustedAmong(
  tx: Tx,
  asked: { companyId: string; campaignId: string; ip: string }[],
): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    select a.place::int as place
    from unnest(${asked.map((a) => a.companyId)}::uuid[], ${asked.map((a) => a.campaignId)}::uuid[], ${asked.map((a) => a.ip)}::inet[])
      with ordinality a (company_id, campaign_id, ip, place)
    where exists (select from trusted_address t where t.company_id = a.company_id and t.trusted_at is not null
      and (t.campaign_id is null or t.campaign_id = a.campaign_id) and t.network >>= a.ip)`.execute(tx);
  return new Set(rows.map((row) => row.place - 1));
}

/** Returns what is trusted, or requested, for a campaign and for all of its client's campaigns. */
export async function listTrusted(tx: Tx, companyId: string, campaignId: string) {
  return (
    await sql<{
      id: string;
      campaign_id: string | null;
      network: string;
      note: string;
      trusted_at: Date | null;
      created_at: Date;
    }>`
    select id, campaign_id, network::text as network, note, trusted_at, created_at from trusted_address
    where company_id = ${companyId} and (campaign_id is null or campaign_id = ${campaignId})
    order by trusted_at is null desc, network, campaign_id nulls first`.execute(tx)
  ).rows;
}

/** Prevents others from adding one to a client until this transaction ends. */
export async function lockTrusted(tx: Tx, companyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`trusted_address ${companyId}`}, 0))`.execute(tx);
}

/** Returns how many a client has, including requested ones. */
export async function countTrusted(tx: Tx, companyId: string): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from trusted_address where company_id = ${companyId}`.execute(tx);
  return rows[0]!.n;
}

/** Adds one, or trusts a requested one; returns whether anything changed. */
export async function addTrusted(
  tx: Tx,
  row: ClientOwner & {
    id: string;
    campaign_id: string | null;
    network: string;
    note: string;
    at: Date;
    by: string;
    isTrusted: boolean;
  },
): Promise<boolean> {
  const [trustedAt, trustedBy] = row.isTrusted ? [row.at, row.by] : [null, null];
  const { rows } = await sql`
    insert into trusted_address as t (id, root_id, agency_id, company_id, campaign_id, network, note, created_at, created_by, trusted_at, trusted_by)
    values (${row.id}, ${row.root_id}, ${row.agency_id}, ${row.company_id}, ${row.campaign_id}::uuid, ${row.network}::cidr, ${row.note},
      ${row.at}, ${row.by}, ${trustedAt}::timestamptz, ${trustedBy}::uuid)
    on conflict (company_id, campaign_id, network) do update set trusted_at = excluded.trusted_at, trusted_by = excluded.trusted_by,
      note = coalesce(nullif(excluded.note, ''), t.note)
      where t.trusted_at is null and excluded.trusted_at is not null
    returning id`.execute(tx);
  return rows.length > 0;
}

/** Returns what a client requests; undefined if it has been decided. */
export async function askedFor(tx: Tx, id: string) {
  return (
    await sql<{ agency_id: string; client: string; campaign: string | null; network: string; note: string }>`
    select t.agency_id, k.name as client, c.name as campaign, t.network::text as network, t.note
    from trusted_address t join company k on k.id = t.company_id left join campaign c on c.id = t.campaign_id
    where t.id = ${id} and t.trusted_at is null`.execute(tx)
  ).rows[0];
}

/** Removes one and returns it. */
export async function removeTrusted(tx: Tx, id: string) {
  return (
    await sql<ClientOwner & { campaign_id: string | null; network: string }>`
    delete from trusted_address where id = ${id} returning root_id, agency_id, company_id, campaign_id, network::text as network`.execute(
      tx,
    )
  ).rows[0];
}

/** Records that a client and its agency are being notified now; returns false if they were notified within 24 hours. */
export async function tellNow(tx: Tx, owner: ClientOwner, at: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into held_notice as n (company_id, root_id, agency_id, told_at)
    values (${owner.company_id}, ${owner.root_id}, ${owner.agency_id}, ${at})
    on conflict (company_id) do update set told_at = excluded.told_at
      where n.told_at <= excluded.told_at - interval '24 hours'
    returning company_id`.execute(tx);
  return rows.length > 0;
}

/** Returns the number of a client's held sign-ups waiting for a decision, by reason, highest first; of very many, the newest. */
export async function heldReasons(tx: Tx, companyId: string, most: number) {
  return (
    await sql<{ reason: string; count: bigint }>`
    select reason, count(*) as count from (
      select reason from held_visit where company_id = ${companyId} and state = 'held'
      order by received_at desc limit ${most}) h
    group by reason order by count(*) desc, reason`.execute(tx)
  ).rows;
}
