import { type Insertable, type RawBuilder, sql } from 'kysely';
import type {
  Proof,
  QualityGroup,
  ReturnReason,
  ReturnState,
} from '../../../../contract/campaigns/return-rules.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export async function insertReturns(tx: Tx, rows: Insertable<Schema['return_request']>[]): Promise<void> {
  await tx.insertInto('return_request').values(rows).execute();
}

/** Returns of these leads that the scope sees, by lead. */
export async function statesOf(tx: Tx, leadIds: readonly string[]): Promise<Map<string, ReturnState>> {
  const rows = await tx
    .selectFrom('return_request')
    .select(['lead_id', 'state'])
    .where('lead_id', '=', sql<string>`any(${[...leadIds]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.lead_id, row.state]));
}

/** Returns with the campaigns that are to be locked for them; `lock` prevents others from deciding them in the meantime. */
export async function returnsByIds(tx: Tx, ids: readonly string[], lock = false) {
  const query = tx
    .selectFrom('return_request as r')
    .select([
      'r.id',
      'r.root_id',
      'r.agency_id',
      'r.company_id',
      'r.campaign_id',
      'r.lead_id',
      'r.reason',
      'r.state',
    ])
    .where('r.id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('r.id');
  return (lock ? query.forUpdate() : query).execute();
}

/** Approves the open return of a lead; nothing happens if there is none. */
export async function approve(
  tx: Tx,
  leadId: string,
  set: { creditId: string; by: string | null; at: Date },
): Promise<void> {
  await tx
    .updateTable('return_request')
    .set({
      state: 'approved',
      credit_id: set.creditId,
      decided_by: set.by,
      is_automatic: set.by === null,
      decided_at: set.at,
    })
    .where('lead_id', '=', leadId)
    .where('state', '=', 'open')
    .execute();
}

/** How many leads a client got since an instant, up to a number, and how many of its returns were approved by themselves. */
export async function automaticOf(
  tx: Tx,
  companyId: string,
  since: Date,
  most: number,
): Promise<{ sold: number; approved: number }> {
  const { rows } = await sql<{ sold: number; approved: number }>`
    select (select count(*)::int from (select from lead where company_id = ${companyId} and created_at >= ${since}
        and not is_test limit ${most}) l) as sold,
      (select count(*)::int from return_request where company_id = ${companyId} and state = 'approved' and is_automatic
        and created_at >= ${since}) as approved`.execute(tx);
  return rows[0]!;
}

export async function decline(tx: Tx, id: string, set: { by: string; at: Date }): Promise<void> {
  await tx
    .updateTable('return_request')
    .set({ state: 'declined', decided_by: set.by, decided_at: set.at })
    .where('id', '=', id)
    .execute();
}

export async function setAnswer(tx: Tx, id: string, answer: string): Promise<void> {
  await tx.updateTable('return_request').set({ answer }).where('id', '=', id).execute();
}

/** What about leads decides whether they can be returned; ids that the scope does not see are missing. */
export async function leadsByIds(tx: Tx, ids: readonly string[]) {
  return tx
    .selectFrom('lead as l')
    .innerJoin('campaign as c', 'c.id', 'l.campaign_id')
    .select([
      'l.id',
      'l.root_id',
      'l.agency_id',
      'l.company_id',
      'l.campaign_id',
      'l.person_id',
      'l.confidence',
      'l.created_at',
      'c.number',
      'c.reidentify',
      sql<boolean>`c.updated_at > l.created_at`.as('is_changed'),
    ])
    .where('l.id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();
}

/** Services that refused the email addresses of leads for good, without their client's doing (delivery/refused.policy.ts). */
export async function refusals(tx: Tx, leadIds: readonly string[]) {
  return tx
    .selectFrom('delivery as d')
    .innerJoin('integration as i', 'i.id', 'd.integration_id')
    .select(['d.lead_id', 'i.kind'])
    .where('d.lead_id', '=', sql<string>`any(${[...leadIds]}::uuid[])`)
    .where('d.state', '=', 'failed')
    .where('d.refuses_email', '=', true)
    .execute();
}

/** A lead and everyone in the graph who is its person. */
export interface LeadPerson {
  leadId: string;
  personId: string;
}
const unnested = (people: readonly LeadPerson[]): RawBuilder<unknown> =>
  sql`unnest(${people.map((one) => one.leadId)}::uuid[], ${people.map((one) => one.personId)}::uuid[]) a (lead_id, person_id)`;

/** The last lead of the same person or email address at the same client before each of these, unless it was refunded. */
export async function earlierLeads(tx: Tx, leadIds: readonly string[], people: readonly LeadPerson[]) {
  const { rows } = await sql<{ lead_id: string; id: string; campaign_name: string; at: Date }>`
    with same as (
      select l.id as lead_id, e.id
      from ${unnested(people)} join lead l on l.id = a.lead_id
        join lead e on e.company_id = l.company_id and e.person_id = a.person_id
      union
      select l.id, y.lead_id
      from unnest(${[...leadIds]}::uuid[]) w (id) join lead l on l.id = w.id join lead_contact x on x.lead_id = l.id
        join lead_contact y on y.company_id = l.company_id and y.email = x.email)
    select distinct on (s.lead_id) s.lead_id, e.id, c.name as campaign_name, e.created_at as at
    from same s join lead l on l.id = s.lead_id join lead e on e.id = s.id join campaign c on c.id = e.campaign_id
    where (e.created_at, e.id) < (l.created_at, l.id) and not e.is_test
      and not exists (select from credit d where d.lead_id = e.id and d.company_id = e.company_id)
    order by s.lead_id, e.created_at desc, e.id desc`.execute(tx);
  return new Map(rows.map((row) => [row.lead_id, row]));
}

/** When the people of leads bought at the same client for the first time. */
export async function boughtAt(tx: Tx, people: readonly LeadPerson[]): Promise<Map<string, Date>> {
  if (people.length === 0) return new Map();
  const { rows } = await sql<{ lead_id: string; at: Date }>`
    select l.id as lead_id, min(g.converted_at) as at
    from ${unnested(people)} join lead l on l.id = a.lead_id
      join campaign c on c.company_id = l.company_id
      join campaign_conversion g on g.campaign_id = c.id and g.person_id = a.person_id
    group by l.id`.execute(tx);
  return new Map(rows.map((row) => [row.lead_id, row.at]));
}

/** When the do-not-call marks of leads' numbers were read, the first of each lead. */
export async function markedAt(tx: Tx, leadIds: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await sql<{ lead_id: string; at: Date }>`
    select x.lead_id, min(m.marked_at) as at
    from unnest(${[...leadIds]}::uuid[]) w (id) join lead_contact x on x.lead_id = w.id
      join do_not_call m on m.root_id = x.root_id and m.phone in (x.phone, x.phone2)
    group by x.lead_id`.execute(tx);
  return new Map(rows.map((row) => [row.lead_id, row.at]));
}

/** Whose returns: a client's own, those of an agency's clients, or those of a root. */
export interface Whose {
  kind: 'client' | 'agency' | 'root';
  id: string;
}
export interface Filter {
  reason?: ReturnReason | undefined;
  campaignId?: string | undefined;
  matchKind?: number | undefined;
  supplier?: string | undefined;
  from?: Date | undefined;
  before?: Date | undefined;
}

const OWNER = { client: 'company_id', agency: 'agency_id', root: 'root_id' } as const;
/** What identified the person of a lead, or else where the graph has them from. Only a root's scope sees the graph. */
const SOURCE = sql`coalesce(l.evidence->'keys'->0->>'source', p.source, '')`;

function matching(whose: Whose, filter: Filter): RawBuilder<unknown> {
  const { reason, campaignId, matchKind, supplier, from, before } = filter;
  const parts = [
    sql`${sql.ref(`r.${OWNER[whose.kind]}`)} = ${whose.id}::uuid`,
    ...(reason ? [sql`r.reason = ${reason}`] : []),
    ...(campaignId ? [sql`r.campaign_id = ${campaignId}::uuid`] : []),
    ...(matchKind === undefined ? [] : [sql`l.match_kind = ${matchKind}`]),
    ...(supplier === undefined ? [] : [sql`${SOURCE} = ${supplier}`]),
    ...(from ? [sql`l.created_at >= ${from}`] : []),
    ...(before ? [sql`l.created_at < ${before}`] : []),
  ];
  return sql.join(parts, sql` and `);
}

export interface ReturnRow {
  id: string;
  lead_id: string;
  /** The person's, or that of a company without a person. */
  lead_name: string | null;
  campaign_id: string;
  campaign_number: bigint;
  campaign_name: string;
  company_id: string;
  company_name: string;
  reason: ReturnReason;
  note: string;
  state: ReturnState;
  answer: string;
  is_automatic: boolean;
  is_proven: boolean;
  proofs: Proof[];
  source: string;
  price_micros: bigint;
  credited_micros: bigint | null;
  received_at: Date;
  created_at: Date;
  decided_at: Date | null;
}

const joins = sql`join lead l on l.id = r.lead_id left join person p on p.id = l.person_id`;
const columns = sql`r.id, r.lead_id, coalesce(nullif(trim(concat_ws(' ', x.first_name, x.last_name)), ''),
    case when l.company_domain is not null then x.company_name end) as lead_name, r.campaign_id,
  c.number as campaign_number, c.name as campaign_name, r.company_id, o.name as company_name, r.reason, r.note, r.state,
  r.answer, r.is_automatic, r.is_proven, r.proofs, ${SOURCE} as source, l.price_micros, d.amount_micros as credited_micros,
  l.created_at as received_at, r.created_at, r.decided_at`;
const more = sql`join campaign c on c.id = r.campaign_id join company o on o.id = r.company_id
  left join lead_contact x on x.lead_id = r.lead_id left join credit d on d.id = r.credit_id`;

/** A page of returns, the newest first, and how many there are in each state. */
export async function pageOf(
  tx: Tx,
  whose: Whose,
  state: ReturnState | undefined,
  filter: Filter,
  asked: { limit: number; offset: number },
) {
  const where = matching(whose, filter);
  const { rows: counted } = await sql<{ state: ReturnState; count: bigint }>`
    select r.state, count(*) as count from return_request r ${joins} where ${where} group by r.state`.execute(
    tx,
  );
  const { rows } = await sql<ReturnRow>`
    select ${columns} from return_request r ${joins} ${more}
    where ${where} ${state ? sql`and r.state = ${state}` : sql``}
    order by r.created_at desc, r.id desc limit ${asked.limit} offset ${asked.offset}`.execute(tx);
  const count = (of: ReturnState) => Number(counted.find((one) => one.state === of)?.count ?? 0);
  const counts = { open: count('open'), approved: count('approved'), declined: count('declined') };
  return {
    rows,
    counts,
    total: state ? counts[state] : counts.open + counts.approved + counts.declined,
  };
}

/** The return of a lead that the scope sees. */
export async function returnOf(tx: Tx, leadId: string): Promise<ReturnRow | undefined> {
  const { rows } = await sql<ReturnRow>`
    select ${columns} from return_request r ${joins} ${more} where r.lead_id = ${leadId}::uuid`.execute(tx);
  return rows[0];
}

export interface QualityRow {
  key: string;
  name: string;
  company_name: string | null;
  leads: bigint;
  returned: bigint;
  open: bigint;
  approved: bigint;
  declined: bigint;
  credited: bigint;
}

const GROUPS: Record<
  QualityGroup,
  { key: RawBuilder<unknown>; name: RawBuilder<unknown>; of?: RawBuilder<unknown> }
> = {
  campaign: { key: sql`l.campaign_id::text`, name: sql`min(c.name)`, of: sql`min(o.name)` },
  client: { key: sql`l.company_id::text`, name: sql`min(o.name)` },
  agency: { key: sql`l.agency_id::text`, name: sql`min(b.name)` },
  match: { key: sql`l.match_kind::text`, name: sql`min(l.match_kind)::text` },
  supplier: { key: SOURCE, name: sql`min(${SOURCE})` },
};
/** More groups than anyone reads. */
const MOST_GROUPS = 1_000;

/** The leads that came in from an instant to another, and what became of them, by group; those with most returns first. */
export async function quality(
  tx: Tx,
  whose: Whose,
  by: QualityGroup,
  span: { from: Date; before: Date },
): Promise<QualityRow[]> {
  const { key, name, of = sql`null` } = GROUPS[by];
  const state = (is: ReturnState) => sql`count(*) filter (where r.state = ${is})`;
  const { rows } = await sql<QualityRow>`
    select ${key} as key, ${name} as name, ${of} as company_name, count(*) as leads, count(r.id) as returned,
      ${state('open')} as open, ${state('approved')} as approved, ${state('declined')} as declined,
      coalesce(sum(d.amount_micros), 0)::bigint as credited
    from lead l join campaign c on c.id = l.campaign_id join company o on o.id = l.company_id
      join company b on b.id = l.agency_id
      left join return_request r on r.lead_id = l.id
      left join credit d on d.lead_id = l.id and d.company_id = l.company_id
      left join person p on p.id = l.person_id
    where ${sql.ref(`l.${OWNER[whose.kind]}`)} = ${whose.id}::uuid and l.created_at >= ${span.from}
      and l.created_at < ${span.before} and not l.is_test
    group by 1 order by count(r.id) desc, count(*) desc, 1 limit ${MOST_GROUPS}`.execute(tx);
  return rows;
}
