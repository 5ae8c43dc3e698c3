import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { INVOICE_CHECKS } from './audit-invoices.store.ts';
import { quickAudit } from './audit-quick.store.ts';

/** The result of one invariant. */
export interface AuditCheck {
  name: string;
  /** The number of rows that violate it. */
  violations: number;
  /** The first of these rows, in words. */
  examples: string[];
}

const EXAMPLES = 20;

/** The sums that the checks work on when violations have to be located: by account, lot and day, and by transfer. */
const SUMS = `
  by_account as materialized (
    select account_id, account_code, company_id, agency_id, root_id, lot_id, created_at::date as day, sum(amount) as total
    from entry group by 1, 2, 3, 4, 5, 6, 7),
  by_transfer as materialized (
    select e.transfer_id, t.id, t.kind, t.reference_id, t.root_id, t.company_id, t.campaign_id, sum(e.amount) as total,
      -sum(e.amount) filter (where e.account_code in (1, 2)) as price,
      -sum(e.amount) filter (where e.account_code in (10, 11)) as cost,
      -sum(e.amount) filter (where e.account_code = 10 and e.amount < 0) as drawn,
      bool_or(e.root_id <> t.root_id or e.created_at <> t.created_at) as strays
    from entry e left join transfer t on t.id = e.transfer_id group by e.transfer_id, t.id)`;

/** Each returns one row per violation, in words. */
const CHECKS: Record<string, string> = {
  'every transfer has entries, and they sum to zero': `
    select 'transfer ' || transfer_id || case when id is null then ' is missing' else ' sums to ' || total end
    from by_transfer where id is null or total <> 0
    union all
    select 'transfer ' || t.id || ' has no entries' from transfer t where not exists (select from by_transfer b where b.transfer_id = t.id)`,
  'every entry has the root and the time of its transfer': `
    select 'transfer ' || transfer_id || ' has entries of another root or time' from by_transfer where strays`,
  'every entry is on an account of its root, company and kind': `
    select 'account ' || s.account_id || case when a.id is null then ' is missing' when a.root_id <> s.root_id then ' has entries of another root'
      else ' has entries of another owner or kind' end
    from (select distinct account_id, account_code, company_id, agency_id, root_id from by_account) s left join account a on a.id = s.account_id
    where a.id is null or a.root_id <> s.root_id or a.company_id <> s.company_id or a.agency_id is distinct from s.agency_id
      or account_code(a.kind) is distinct from s.account_code`,
  'balances are the sums of their entries, and never below zero': `
    select 'account ' || coalesce(b.account_id, s.account_id) || ' holds ' || coalesce(b.balance::text, 'nothing') || ', its entries ' || coalesce(s.total, 0)
    from account_balance b full join (select account_id, sum(total) as total from by_account where account_code in (1, 10) group by 1) s
      on s.account_id = b.account_id
    where b.balance is distinct from coalesce(s.total, 0) or b.balance < 0`,
  'accounts that can refuse have a balance, the others none': `
    select 'account ' || a.id || ' (' || a.kind || ')' from account a left join account_balance b on b.account_id = a.id
    where (a.kind in ('client_prepaid', 'agency_wallet')) <> (b.account_id is not null)`,
  'what is left of each lot is the sum of its entries, between zero and what it was': `
    select 'lot ' || coalesce(l.id, s.lot_id) || ' has ' || coalesce(l.remaining::text, 'nothing') || ' left, its entries ' || coalesce(s.total, 0)
    from wallet_lot l full join (select lot_id, account_id, sum(total) as total from by_account where lot_id is not null group by 1, 2) s
      on s.lot_id = l.id and s.account_id = l.account_id
    where l.remaining is distinct from coalesce(s.total, 0) or l.remaining < 0 or l.remaining > l.amount`,
  'lots sum to their wallet, and every change of a wallet names its lot': `
    select 'wallet ' || b.account_id || ' holds ' || b.balance || ', its lots ' || coalesce(l.total, 0)
    from account_balance b join account a on a.id = b.account_id and a.kind = 'agency_wallet'
    left join (select account_id, sum(remaining) as total from wallet_lot group by 1) l on l.account_id = b.account_id
    where b.balance <> coalesce(l.total, 0)
    union all select 'account ' || account_id || case when lot_id is null then ' has entries without a lot' else ' has entries with a lot' end
    from by_account where (account_code = 10) <> (lot_id is not null)`,
  'every lead with a price or cost has exactly one transfer, of both amounts, and each such transfer its lead': `
    select case when l.id is null then 'transfer ' || t.id || ' has no lead' when t.id is null then 'lead ' || l.id || ' has no transfer'
        else 'lead ' || l.id || ' and transfer ' || t.id || ' differ' end
    from (select id, root_id, company_id, campaign_id, transfer_id, price_micros, cost_micros from lead s
          where transfer_id is not null or price_micros <> 0 or cost_micros <> 0 or not exists (select from lead_bill b where b.lead_id = s.id)
          union all
          -- A lead that moved to another agency leaves its money behind (docs/decisions/0476-client-transfers.md).
          select lead_id, root_id, company_id, campaign_id, transfer_id, price_micros, cost_micros from lead_bill) l
    full join (select * from by_transfer where kind = 'lead') t on t.reference_id = l.id
    where l.id is null or t.id is null and (l.price_micros > 0 or l.cost_micros > 0 or l.transfer_id is not null)
      or l.transfer_id is distinct from t.id or l.price_micros <> coalesce(t.price, 0) or l.cost_micros <> coalesce(t.cost, 0)
      or l.root_id <> t.root_id or l.company_id <> t.company_id or l.campaign_id is distinct from t.campaign_id`,
  'no lead is paid, and no side of one refunded, twice': `
    select kind || ' ' || reference_id || ' is there ' || count(*) || ' times' from by_transfer
    where kind in ('lead', 'lead_return') group by kind, reference_id having count(price) > 1 or count(cost) > 1`,
  'no key is used twice in a root': `
    select 'key ' || idempotency_key || ' is there ' || count(*) || ' times' from transfer
    -- As long as its unique index is in place there is nothing to look for.
    where not exists (select from pg_constraint c join pg_index i on i.indexrelid = c.conindid and i.indisvalid and i.indisunique
      where c.conrelid = 'transfer'::regclass and c.contype = 'u' and c.conname = 'transfer_root_id_idempotency_key_key')
    group by root_id, idempotency_key having count(*) > 1`,
  'no side of an event is collected twice, nor across roots': `
    select 'event ' || c.transfer_id || ' (' || c.side || ') crosses roots' from transfer_cover c
    left join transfer t on t.id = c.transfer_id left join transfer b on b.id = c.covered_by
    where t.root_id is distinct from c.root_id or b.root_id is distinct from c.root_id
    union all select 'event ' || transfer_id || ' (' || side || ') twice' from transfer_cover group by transfer_id, side having count(*) > 1`,
  'no removed company has an active campaign': `
    select 'campaign #' || g.number || ' of ' || c.name || ', removed ' || to_char(c.removed_at at time zone 'UTC', 'YYYY-MM-DD')
    from campaign g join company c on c.id = g.company_id where g.state = 'active' and c.removed_at is not null`,
  'what limits have counted is what was spent': `
    with retail as materialized (
      select campaign_id, company_id, sum(price) as total from by_transfer where kind in ('lead', 'ad_spend') and price > 0 group by 1, 2),
    spent as (
      select 'campaign' as subject, campaign_id as id, sum(total) as total from retail group by 2
      union all
      select 'client', company_id, sum(total) from retail group by 2
      union all
      select 'wallet', coalesce(c.agency_id, b.company_id), sum(b.drawn) from by_transfer b
      left join campaign c on c.id = b.campaign_id and b.kind in ('lead', 'ad_spend')
      where b.drawn > 0 and b.kind in ('lead', 'ad_spend', 'wallet_charge', 'platform_fee', 'monthly_fee', 'minimum_spend', 'onboarding') group by 2),
    counted as (select subject, subject_id as id, sum(micros) as total from spend_day group by 1, 2)
    select coalesce(o.subject, c.subject) || ' ' || coalesce(o.id, c.id) || ' spent ' || coalesce(o.total, 0) || ', counted ' || coalesce(c.total, 0)
    from spent o full join counted c on c.subject = o.subject and c.id = o.id
    where coalesce(o.total, 0) <> coalesce(c.total, 0)`,
  'snapshots are the sums up to them': `
    with changes as (
      select company_id, account_code, upto, balance - coalesce(lag(balance) over w, 0) as change
      from account_snapshot window w as (partition by company_id, account_code order by upto)),
    days as (
      select company_id, account_code, (day + 1)::timestamptz as upto, sum(total) as change
      from by_account group by 1, 2, 3),
    last as (select company_id, account_code, max(upto) as upto from account_snapshot group by 1, 2)
    select 'snapshot of company ' || coalesce(c.company_id, d.company_id) || ', accounts ' || coalesce(c.account_code, d.account_code) || ', at '
      || coalesce(c.upto, d.upto) || ' changes by ' || coalesce(c.change::text, 'nothing') || ', the entries by ' || coalesce(d.change::text, 'nothing')
    from changes c full join (select d.* from days d join last l on l.company_id = d.company_id and l.account_code = d.account_code and d.upto <= l.upto) d
      on d.company_id = c.company_id and d.account_code = c.account_code and d.upto = c.upto
    where c.change is distinct from d.change`,
};

/** Checks that the quick pass does not cover: none of them needs the sums of entries. */
const OWN_PASS = [
  'no key is used twice in a root',
  'no side of an event is collected twice, nor across roots',
  'no removed company has an active campaign',
];

/** Returns the violations of the checks, computed over sums that they all share. */
async function violations(client: pg.ClientBase, sums: string, checks: Record<string, string>) {
  const { rows } = await client.query<{ name: string; line: string; all: string }>(
    `with ${sums}found as (
       ${Object.entries(checks)
         .map(([name, query]) => `select '${name}' as name, line from (${query}) x (line)`)
         .join('\nunion all\n')}),
     numbered as (select name, line, count(*) over (partition by name) as all, row_number() over (partition by name) as place from found)
     select name, line, "all" from numbered where place <= ${EXAMPLES}`,
  );
  return rows;
}

/**
 * Proves the ledger's invariants over everything in the database, all in one snapshot: safe to run on a live system,
 * since nothing is written or locked. One pass shows whether all is well (audit-quick.store.ts); only if it is not,
 * each check is run to find the violations. `client` is connected as a user who may become lead_owner.
 * @param seconds the limit for the whole run (statement timeout)
 */
export async function auditLedger(
  client: pg.ClientBase,
  seconds = 3600,
): Promise<{ checks: AuditCheck[]; counts: Record<string, number> }> {
  await client.query('begin isolation level repeatable read read only');
  try {
    // The planner can't know how few rows the sums have: force hashing instead of sorting, and parallel workers for the
    // passes.
    await client.query(
      `select set_config('role', 'lead_owner', true), set_config('statement_timeout', $1, true),
              set_config('lock_timeout', '5s', true), set_config('work_mem', '256MB', true), set_config('jit', 'off', true),
              set_config('timezone', 'UTC', true), set_config('enable_sort', 'off', true),
              set_config('parallel_tuple_cost', '0.02', true), set_config('parallel_setup_cost', '0', true)`,
      [`${seconds}s`],
    );
    const { rows: passed } = await client.query<{ ok: boolean } & Record<string, string>>(
      quickAudit(randomBytes(8).readBigInt64BE()),
    );
    const { ok, ...counts } = passed[0]!;
    const own = Object.fromEntries(Object.entries(CHECKS).filter(([name]) => OWN_PASS.includes(name)));
    const sums = ok ? await violations(client, '', own) : await violations(client, `${SUMS}, `, CHECKS);
    if (!ok && sums.length === 0) throw new Error('The quick pass and the checks do not agree');
    const found = [...sums, ...(await violations(client, '', INVOICE_CHECKS))];
    return {
      checks: Object.keys({ ...CHECKS, ...INVOICE_CHECKS }).map((name) => {
        const mine = found.filter((row) => row.name === name);
        return {
          name,
          violations: Number(mine[0]?.all ?? 0),
          examples: mine.map((row) => row.line),
        };
      }),
      counts: Object.fromEntries(Object.entries(counts).map(([what, count]) => [what, Number(count)])),
    };
  } finally {
    await client.query('rollback');
  }
}
