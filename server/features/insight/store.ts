import { sql } from 'kysely';
import type { Tx } from '../../platform/db/scope.ts';

/** What the dashboard is asked with: instants [from, before) and the narrowing. */
export interface Span {
  from: Date;
  before: Date;
  zone: string;
  companyId?: string | undefined;
  campaignId?: string | undefined;
  module?: string | undefined;
}

const narrowing = (span: Span) => sql`
  h.hour >= ${span.from} and h.hour < ${span.before}
  and (${span.companyId ?? null}::uuid is null or h.company_id = ${span.companyId ?? null}::uuid)
  and (${span.campaignId ?? null}::uuid is null or h.campaign_id = ${span.campaignId ?? null}::uuid)
  ${span.module ? sql`and h.campaign_id in (select c.id from campaign c where c.module = ${span.module})` : sql``}`;

const sums = sql`coalesce(sum(h.visits), 0)::bigint as visits, coalesce(sum(h.matched), 0)::bigint as matched,
  coalesce(sum(h.leads), 0)::bigint as leads, coalesce(sum(h.spend_micros), 0)::bigint as spend`;

interface Sums {
  visits: bigint;
  matched: bigint;
  leads: bigint;
  spend: bigint;
}

export async function totals(tx: Tx, span: Span): Promise<Sums> {
  return (await sql<Sums>`select ${sums} from campaign_hour h where ${narrowing(span)}`.execute(tx)).rows[0]!;
}

/** Whether the scope sees a campaign, of whatever state: the figures of removed ones stay. */
export async function isVisible(tx: Tx, campaignId: string): Promise<boolean> {
  const found = await tx.selectFrom('campaign').select('id').where('id', '=', campaignId).executeTakeFirst();
  return found !== undefined;
}

/** Sums by calendar day in the span's time zone. */
export async function days(tx: Tx, span: Span) {
  return (
    await sql<Sums & { day: string }>`select (h.hour at time zone ${span.zone})::date as day, ${sums}
      from campaign_hour h where ${narrowing(span)} group by 1 order by 1`.execute(tx)
  ).rows;
}

/** Sums by campaign, most leads first. */
export async function campaigns(tx: Tx, span: Span, most: number) {
  return (
    await sql<
      Sums & {
        id: string;
        number: bigint;
        name: string;
        state: string;
        company_name: string;
        balance: bigint | null;
      }
    >`
      select c.id, c.number, c.name, c.state, k.name as company_name, b.balance, s.visits, s.matched, s.leads, s.spend
      from (select h.campaign_id, ${sums} from campaign_hour h where ${narrowing(span)} group by 1 order by leads desc, visits desc limit ${most}) s
      join campaign c on c.id = s.campaign_id
      join company k on k.id = c.company_id
      left join account a on a.campaign_id = c.id and a.kind = 'client_prepaid'
      left join account_balance b on b.account_id = a.id
      order by s.leads desc, s.visits desc, c.id`.execute(tx)
  ).rows;
}

/** Why events and visits did not become leads. */
export async function refusals(tx: Tx, span: Span) {
  return (
    await sql<{
      reason: string;
      count: bigint;
    }>`select h.reason, sum(h.count)::bigint as count from campaign_refusal h
      where ${narrowing(span)} group by 1 order by 2 desc`.execute(tx)
  ).rows;
}

/** When the first hour began in which anything happened; null: nothing has. */
export async function firstHour(tx: Tx, span: Span): Promise<Date | null> {
  const { rows } = await sql<{
    first: Date | null;
  }>`select min(h.hour) as first from campaign_hour h where ${narrowing(span)}`.execute(tx);
  return rows[0]?.first ?? null;
}
