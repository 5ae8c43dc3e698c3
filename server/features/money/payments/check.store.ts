import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/** An item that a root has to look at; `row` is the id of the charge, refund, dispute or difference. */
export interface ProblemRow {
  kind: 'unknown' | 'mismatch' | 'refund' | 'dispute' | 'declined';
  row: string;
  id: string;
  company_name: string;
  company_kind: 'agency' | 'client';
  purpose: string;
  amount_cents: number;
  refunded_cents: number;
  state: string;
  card: string;
  what: string;
  attempts: number;
  next_ask_at: Date | null;
  provider_reference: string | null;
  created_at: Date;
  total: bigint;
}

/**
 * The payments of a root that are unknown, failed or different, newest first: charges and refunds whose outcome has
 * been unknown for 15 s, failed refunds, open disputes, differences, and declines of the last 30 days.
 */
const problems = (now: Date) => sql`
  select 'unknown' as kind, c.id::text as row, c.id as charge_id, c.state,
    case when c.state = 'intended' then 'has not been sent yet' else 'the provider has not told its outcome' end as what,
    c.attempts, c.next_ask_at, c.created_at
  from charge c where c.state in ('intended', 'sent', 'unknown') and c.created_at <= ${new Date(now.getTime() - 15_000)}
  union all
  select 'declined', c.id::text, c.id, c.state, coalesce(c.decline_message, ''), c.attempts, c.next_ask_at, c.created_at
  from charge c where c.state in ('declined', 'canceled') and c.created_at > ${new Date(now.getTime() - 30 * 86_400_000)}
  union all
  select 'refund', r.id::text, r.charge_id, r.state,
    case when r.state = 'failed' then 'refund failed: ' || coalesce(r.failure, '') else 'the provider has not told the outcome of the refund' end,
    0, r.next_ask_at, r.created_at
  from refund r where r.state in ('failed', 'unknown')
     or (r.state = 'intended' and r.created_at <= ${new Date(now.getTime() - 15_000)})
  union all
  select 'dispute', d.id, d.charge_id, d.state, 'disputed: ' || d.reason, 0, null, d.opened_at
  from payment_dispute d where d.state = 'open'
  union all
  select 'mismatch', m.id::text, m.charge_id, m.kind, 'here: ' || m.ours || '; at the provider: ' || m.theirs, 0, null, m.found_at
  from payment_mismatch m where m.resolved_at is null`;

export async function pageOfProblems(
  tx: Tx,
  now: Date,
  kind: string | undefined,
  limit: number,
  offset: number,
): Promise<ProblemRow[]> {
  const { rows } = await sql<ProblemRow>`
    select p.kind, p.row, coalesce(p.charge_id::text, p.row) as id, co.name as company_name, co.kind as company_kind,
      coalesce(c.purpose, '') as purpose, coalesce(c.amount_cents, 0) as amount_cents, coalesce(c.refunded_cents, 0) as refunded_cents,
      p.state, coalesce(c.brand || ' ' || c.last4, '') as card, p.what, p.attempts, p.next_ask_at,
      coalesce(c.provider_reference, m.provider_reference) as provider_reference, p.created_at, count(*) over () as total
    from (${problems(now)}) p
    left join charge c on c.id = p.charge_id
    left join payment_mismatch m on p.kind = 'mismatch' and m.id::text = p.row
    join company co on co.id = coalesce(c.company_id, m.company_id)
    where ${kind ?? null}::text is null or p.kind = ${kind ?? null}
    order by p.created_at desc, p.row desc limit ${limit} offset ${offset}`.execute(tx);
  return rows;
}

export async function countProblems(tx: Tx, now: Date): Promise<{ kind: ProblemRow['kind']; n: bigint }[]> {
  const { rows } = await sql<{ kind: ProblemRow['kind']; n: bigint }>`
    select kind, count(*) as n from (${problems(now)}) p group by kind`.execute(tx);
  return rows;
}

/** The charges on an account since an instant, by id, with how much of each has been refunded. */
export async function chargesSince(tx: Tx, account: string, provider: 'sandbox' | 'stripe', since: Date) {
  return tx
    .selectFrom('charge')
    .select([
      'id',
      'root_id',
      'agency_id',
      'company_id',
      'state',
      'amount_cents',
      'refunded_cents',
      'provider_reference',
      'sent_at',
      'created_at',
    ])
    .where('account', '=', account)
    .where('provider', '=', provider)
    .where('created_at', '>=', since)
    .execute();
}

/** Ends a difference; undefined if it does not exist (any more). */
export async function resolveMismatch(tx: Tx, id: string, resolution: string, at: Date) {
  return tx
    .updateTable('payment_mismatch')
    .set({ resolved_at: at, resolution })
    .where('id', '=', id)
    .where('resolved_at', 'is', null)
    .returning(['id', 'charge_id', 'root_id', 'agency_id', 'company_id', 'kind'])
    .executeTakeFirst();
}

/** Ends differences of an account that a comparison has not seen again. Returns how many. */
export async function resolveGone(tx: Tx, references: string[], seenBefore: Date, at: Date): Promise<number> {
  if (references.length === 0) return 0;
  const done = await tx
    .updateTable('payment_mismatch')
    .set({ resolved_at: at, resolution: 'provider and ledger agree again' })
    .where('provider_reference', 'in', references)
    .where('seen_at', '<', seenBefore)
    .where('kind', 'in', ['not_there', 'amount', 'state', 'refund'])
    .where('resolved_at', 'is', null)
    .executeTakeFirst();
  return Number(done.numUpdatedRows);
}
