/** Two primes below 2^31: the product of two remainders fits a bigint. */
const P = 2_147_483_647;
const Q = 2_147_483_629;

/**
 * The fingerprint of amounts by the hashes of what they belong to, modulo both primes. If every transfer sums to zero,
 * so does `amount x hash of the transfer` over all entries; if one does not, neither does the total, except by a chance
 * of one in 2^61. So nothing has to be grouped by transfer.
 */
const print = (name: string, ...terms: [amount: string, hash: string][]): string => {
  const sum = (prime: number, part: (hash: string) => string): string =>
    `coalesce(sum(${terms.map(([amount, hash]) => `(${amount} % ${prime}) * (${part(hash)} & ${P})`).join(' + ')}), 0) % ${prime}`;
  return `${sum(P, (hash) => `(${hash} >> 32)`)} as ${name}_p, ${sum(Q, (hash) => hash)} as ${name}_q`;
};

/** The same for rows that are already sums. */
const again = (name: string): string =>
  `coalesce(sum(${name}_p), 0) % ${P} as ${name}_p, coalesce(sum(${name}_q), 0) % ${Q} as ${name}_q`;

const hashOf = (seed: bigint, ...columns: string[]): string =>
  columns.reduce((inner, column) => `uuid_hash_extended(${column}, ${inner})`, `(${seed})::bigint`);

/** Hashes what ties a lead to its transfer, from either side. */
const tie = (seed: bigint, row: string, transfer: string, lead: string): string =>
  hashOf(
    seed,
    transfer,
    lead,
    `${row}.root_id`,
    `${row}.company_id`,
    `coalesce(${row}.campaign_id, ${row}.root_id)`,
  );

/**
 * The ledger's invariants (audit.store.ts) as one query: one pass over entries, one over transfers, one over leads, and
 * everything else on sums by account, lot and day. Returns one row: `ok`, and how many rows there are of each kind.
 * `seed`: chosen again each time, so that no one can craft rows that cancel out.
 */
export const quickAudit = (seed: bigint): string => `
  with passed as materialized (
    select account_id, lot_id, day, count(*) as entries, sum(amount) as total,
      -sum(amount) filter (where amount < 0 and code in (1, 2) and event in ('lead', 'ad_spend')) as sold,
      -sum(amount) filter (where amount < 0 and code = 10
        and event in ('lead', 'ad_spend', 'wallet_charge', 'platform_fee', 'monthly_fee', 'minimum_spend', 'onboarding')) as drawn,
      bool_or(is_stray) as strays,
      ${print('zero', ['amount', 'hash'])},
      ${print('side', ['-amount', 'side'])},
      sum(hash) filter (where line = 1) as firsts, sum(tie) as ties
    from (
      select e.account_id, e.lot_id, (e.created_at at time zone 'UTC')::date as day, e.amount, e.line, e.account_code as code,
        t.kind as event, ${hashOf(seed, 'e.transfer_id')} as hash,
        case when t.kind <> 'lead' then null when e.account_code in (1, 2) then ${hashOf(seed, 'e.transfer_id')}
          when e.account_code in (10, 11) then ${hashOf(seed, 'e.transfer_id', 'e.transfer_id')} end as side,
        case when e.line = 1 and t.kind = 'lead' then ${tie(seed, 't', 't.id', 't.reference_id')} end as tie,
        (t.id is null or a.id is null or e.root_id <> t.root_id or e.created_at <> t.created_at or e.root_id <> a.root_id
          or e.company_id <> a.company_id or e.agency_id is distinct from a.agency_id or e.account_code is distinct from a.code
          or (e.account_code = 10) <> (e.lot_id is not null)) as is_stray
      from entry e left join transfer t on t.id = e.transfer_id
      left join (select *, account_code(kind) as code from account) a on a.id = e.account_id) x
    group by account_id, lot_id, day),
  sums as (
    select p.*, a.company_id, a.campaign_id, account_code(a.kind) as code from passed p join account a on a.id = p.account_id),
  entries as (
    select ${again('zero')}, ${again('side')}, coalesce(sum(firsts), 0) as firsts, coalesce(sum(ties), 0) as ties,
      coalesce(sum(entries), 0) as entries from passed),
  transfers as (select coalesce(sum(${hashOf(seed, 'id')}), 0) as firsts, count(*) as transfers from transfer),
  leads as (
    select ${print('side', ['price_micros', 'hash'], ['cost_micros', 'cost_hash'])}, coalesce(sum(tie), 0) as ties,
      count(*) filter (where is_lead) as leads, count(*) filter (where hash is null and (price_micros > 0 or cost_micros > 0)) as unpaid
    from (select price_micros, cost_micros, ${hashOf(seed, 'transfer_id')} as hash, ${hashOf(seed, 'transfer_id', 'transfer_id')} as cost_hash,
            case when transfer_id is not null then ${tie(seed, 'sold', 'transfer_id', 'id')} end as tie, is_lead from (
        select id, root_id, company_id, campaign_id, transfer_id, price_micros, cost_micros, true as is_lead from lead
        union all
        select lead_id, root_id, company_id, campaign_id, transfer_id, price_micros, cost_micros, false from lead_bill) sold) x),
  totals as (select account_id, code, lot_id, sum(total) as total from sums group by 1, 2, 3),
  spent as (
    select 'campaign' as subject, campaign_id as id, sum(sold) as total from sums where sold > 0 group by 2
    union all select 'client', company_id, sum(sold) from sums where sold > 0 group by 2
    union all select 'wallet', company_id, sum(drawn) from sums where drawn > 0 group by 2),
  counted as (select subject, subject_id as id, sum(micros) as total from spend_day group by 1, 2),
  last as (select company_id, account_code, max(upto) as upto from account_snapshot group by 1, 2),
  changes as (
    select company_id, account_code, upto, balance - coalesce(lag(balance) over w, 0) as change
    from account_snapshot window w as (partition by company_id, account_code order by upto)),
  days as (
    select p.company_id, p.code as account_code, (p.day + 1)::timestamptz as upto, sum(p.total) as change
    from sums p join last l on l.company_id = p.company_id and l.account_code = p.code and (p.day + 1)::timestamptz <= l.upto group by 1, 2, 3)
  select not (
    exists (select from entries where zero_p <> 0 or zero_q <> 0)
    or (select firsts from entries) <> (select firsts from transfers)
    or exists (select from passed where strays)
    or exists (select from account_balance b full join (select account_id, sum(total) as total from totals where code in (1, 10) group by 1) s
        on s.account_id = b.account_id where b.balance is distinct from coalesce(s.total, 0) or b.balance < 0)
    or exists (select from account a left join account_balance b on b.account_id = a.id
        where (a.kind in ('client_prepaid', 'agency_wallet')) <> (b.account_id is not null))
    or exists (select from wallet_lot l full join (select * from totals where lot_id is not null) s on s.lot_id = l.id and s.account_id = l.account_id
        where l.remaining is distinct from coalesce(s.total, 0) or l.remaining < 0 or l.remaining > l.amount)
    or exists (select from account_balance b join account a on a.id = b.account_id and a.kind = 'agency_wallet'
        left join (select account_id, sum(remaining) as total from wallet_lot group by 1) l on l.account_id = b.account_id
        where b.balance <> coalesce(l.total, 0))
    or exists (select from entries e, leads l where (e.side_p - l.side_p) % ${P} <> 0 or (e.side_q - l.side_q) % ${Q} <> 0 or e.ties <> l.ties or l.unpaid > 0)
    or exists (select from transfer t cross join lateral (
        select bool_or(e.account_code in (1, 2)) as retail, bool_or(e.account_code in (10, 11)) as wholesale
        from entry e where e.transfer_id = t.id) s
      where t.kind = 'lead_return' group by t.reference_id
      having count(*) filter (where s.retail) > 1 or count(*) filter (where s.wholesale) > 1)
    or exists (select from spent o full join counted c on c.subject = o.subject and c.id = o.id
        where coalesce(o.total, 0) <> coalesce(c.total, 0))
    or exists (select from changes c full join days d on d.company_id = c.company_id and d.account_code = c.account_code and d.upto = c.upto
        where c.change is distinct from d.change)
  ) as ok, (select transfers from transfers), (select entries from entries), (select count(*) from account) as accounts,
    (select count(*) from wallet_lot) as lots, (select leads from leads)`;
