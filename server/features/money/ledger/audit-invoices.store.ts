/**
 * Invariants of invoices (decision 0051). Each returns one row per violation, in words, and reads only what it needs.
 */
export const INVOICE_CHECKS: Record<string, string> = {
  'every invoice is the sum of its lines and its tax': `
    select 'invoice ' || i.id || ' says ' || i.total_micros || ', its lines and tax ' || coalesce(l.total, 0) + i.tax_micros
    from invoice i left join (select invoice_id, sum(amount_micros) as total from invoice_line group by 1) l on l.invoice_id = i.id
    where i.subtotal_micros <> coalesce(l.total, 0) or i.total_micros <> coalesce(l.total, 0) + i.tax_micros`,
  'every invoice has posted its total, and the part that goes on to the root': `
    select 'invoice ' || i.id || ' says ' || i.total_micros || ' and ' || i.fee_micros || ', its transfer ' || coalesce(p.own, 0) || ' and ' || coalesce(p.fee, 0)
    from invoice i left join lateral (
      select sum(case when i.kind = 'receipt' then e.amount else -e.amount end)
          filter (where e.company_id = i.company_id and e.account_code = any(case when i.kind = 'receipt' then '{1}'::int[] when i.side = 'retail' then '{3}' else '{12}' end)) as own,
        -sum(e.amount) filter (where e.account_code = 12 and i.side = 'retail') as fee
      from entry e where e.transfer_id = i.transfer_id) p on true
    where coalesce(p.own, 0) <> i.total_micros or coalesce(p.fee, 0) <> i.fee_micros`,
  'the events under each line of an invoice come to what it says': `
    with under as (
      select v.covered_by, v.line, count(distinct v.transfer_id) as count, -sum(e.amount) as total, bool_or(v.company_id <> i.company_id or v.side <> i.side) as strays
      from transfer_cover v join invoice i on i.transfer_id = v.covered_by
      join entry e on e.transfer_id = v.transfer_id and e.company_id = i.company_id and e.account_code = case when i.side = 'retail' then 2 else 11 end
      where v.line is not null group by 1, 2)
    select 'line ' || l.line || ' of invoice ' || l.invoice_id || ' says ' || l.quantity || ' and ' || l.amount_micros || ', its events '
      || coalesce(u.count, 0) || ' and ' || coalesce(u.total, 0)
    from invoice_line l join invoice i on i.id = l.invoice_id left join under u on u.covered_by = i.transfer_id and u.line = l.line
    where i.kind <> 'receipt' and l.kind <> 'rounding'
      and (u.count is distinct from l.quantity or u.total is distinct from l.amount_micros or u.strays)`,
  'no invoice or credit note is missing in its series': `
    select 'series of ' || coalesce(s.issuer_id, d.issuer_id) || ' (' || coalesce(s.document, d.document) || ') ends with ' || coalesce(s.last, 0)
      || ' and has ' || coalesce(d.count, 0) || ' up to ' || coalesce(d.last, 0)
    from invoice_series s full join (
      select issuer_id, 'invoice' as document, count(*) as count, max(seq) as last from invoice group by 1
      union all select issuer_id, 'credit_note', count(*), max(seq) from credit_note group by 1) d
      on d.issuer_id = s.issuer_id and d.document = s.document
    where s.last is distinct from d.last or s.last is distinct from d.count`,
  'no invoice is paid and credited beyond its total, and its status says what is due': `
    select 'invoice ' || i.id || ' (' || i.status || ') of ' || i.total_micros || ' is paid by ' || i.paid_micros || ' and credited by '
      || i.credited_micros || ', its credit notes ' || coalesce(n.total, 0)
    from invoice i left join (select invoice_id, sum(amount_micros) as total from credit_note group by 1) n on n.invoice_id = i.id
    where i.paid_micros + i.credited_micros > i.total_micros or i.credited_micros <> coalesce(n.total, 0)
      or i.status <> 'uncollectible' and (i.status = 'open') <> (i.paid_micros + i.credited_micros < i.total_micros)`,
  'what clients owe is what is due of their open invoices': `
    select 'client ' || coalesce(o.company_id, d.company_id) || ' owes ' || coalesce(o.total, 0) || ', its open invoices ' || coalesce(d.total, 0)
    from (select company_id, -sum(amount) as total from entry where account_code = 3 group by 1) o
    full join (select company_id, sum(total_micros - paid_micros - credited_micros) as total from invoice
               where side = 'retail' and status = 'open' group by 1) d on d.company_id = o.company_id
    where coalesce(o.total, 0) <> coalesce(d.total, 0)`,
  'the tax that is set aside is what invoices say, less what was credited': `
    select 'company ' || coalesce(d.company_id, i.issuer_id) || ' has set aside ' || coalesce(d.total, 0) || ', its invoices say ' || coalesce(i.total, 0)
    from (select company_id, sum(amount) as total from entry where account_code = 33 group by 1) d
    full join (select issuer_id, sum(tax_micros - trunc(tax_micros::numeric * credited_micros / total_micros / 10000) * 10000) as total
               from invoice where tax_micros > 0 group by 1) i on i.issuer_id = d.company_id
    where coalesce(d.total, 0) <> coalesce(i.total, 0)`,
  'no event is overlooked: what is before a mark is on an invoice': `
    select 'event ' || t.id || ' of company ' || m.company_id || ' (' || m.side || ') is on no invoice'
    from billing_mark m join entry e on e.company_id = m.company_id and e.account_code = case when m.side = 'retail' then 2 else 11 end
      and e.created_at < m.clear_to
    join transfer t on t.id = e.transfer_id and t.kind not in ('invoice', 'credit_note', 'payment', 'refund', 'write_off')
    where not exists (select from transfer_cover c where c.transfer_id = t.id and c.side = m.side)`,
  'what the fees of campaigns were is what was posted': `
    with posted as (
      select t.reference_id as campaign_id, t.kind, coalesce(-sum(e.amount) filter (where e.account_code = 2), 0) as retail,
        coalesce(-sum(e.amount) filter (where e.account_code in (10, 11)), 0) as wholesale
      from transfer t join entry e on e.transfer_id = t.id
      where t.kind in ('platform_fee', 'monthly_fee') and t.campaign_id is not null group by 1, 2),
    noted as (select campaign_id, kind, sum(retail_micros) as retail, sum(wholesale_micros) as wholesale from campaign_fee group by 1, 2)
    select coalesce(n.kind, p.kind) || ' of campaign ' || coalesce(n.campaign_id, p.campaign_id) || ' is ' || coalesce(n.retail, 0) || ' and '
      || coalesce(n.wholesale, 0) || ', posted ' || coalesce(p.retail, 0) || ' and ' || coalesce(p.wholesale, 0)
    from noted n full join posted p on p.campaign_id = n.campaign_id and p.kind = n.kind
    where coalesce(n.retail, 0) <> coalesce(p.retail, 0) or coalesce(n.wholesale, 0) <> coalesce(p.wholesale, 0)`,
};
