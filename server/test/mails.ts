import { microsOf, usd } from '../../contract/dollars.ts';
import type { TestApp } from './app.ts';

/** An email from the outbox, decrypted. */
interface Mail {
  kind: string;
  company_id: string;
  created_at: Date;
  subject: string;
  text: string;
}

/** The amounts an email may contain: each of them is one of `any`, and all of `all` are present. */
interface Right {
  all: bigint[];
  any?: bigint[];
}

const AMOUNT = /-?\$([\d,]+\.\d{2,6})/g;

/** The amounts in a text. */
const amountsIn = (text: string): bigint[] =>
  [...text.matchAll(AMOUNT)].map(([whole, digits]) => {
    const micros = microsOf(digits!.replaceAll(',', ''));
    return whole.startsWith('-') ? -micros : micros;
  });

/**
 * Compares each amount in each email of the outbox with the ledger's own entries. A kind of email without a rule here
 * must not contain an amount. Returns those that differ and how many were compared. The test clock stands still between
 * steps, so if several events share a timestamp, any running total in the order of their posting (ctid: rows are only
 * added) is accepted.
 */
export async function compareMails(app: TestApp): Promise<{ compared: number; differing: string[] }> {
  const { admin, platform } = app;
  const ask = async (text: string, values: unknown[]): Promise<bigint[]> =>
    (await admin.query(text, values)).rows.map((row) => BigInt(row.micros));
  const one = async (text: string, values: unknown[]): Promise<bigint> => (await ask(text, values))[0] ?? 0n;

  /**
   * The amount due on an invoice after each of its events (of some kinds) up to an email, starting with the total. The
   * email is to its payer or its issuer: an agency is both, of invoices that may have the same number.
   */
  async function duesOf(mail: Mail, to: 'payer' | 'issuer', kinds = '.*'): Promise<bigint[]> {
    const rows = await ask(
      `select sum(e.amount)::text as micros from invoice i join transfer t on t.id = i.transfer_id or t.reference_id = i.id
       join entry e on e.transfer_id = t.id and e.company_id = i.company_id and e.account_code in (3, 12)
       where i.number = $1 and ${to === 'payer' ? 'i.company_id' : 'i.issuer_id'} = $2 and t.created_at <= $3
         and t.kind ~ $4
       group by t.id, t.created_at, t.ctid order by t.created_at, t.ctid`,
      [numberIn(mail), mail.company_id, mail.created_at, kinds],
    );
    let due = 0n;
    return rows.map((change) => {
      due -= change;
      return due;
    });
  }
  /**
   * Balances that an account may have had at the time of an email: after any number of the events with that timestamp.
   */
  async function balances(mail: Mail, codes: number[], more = '', values: unknown[] = []): Promise<bigint[]> {
    const from = `from entry e join transfer t on t.id = e.transfer_id
      where e.company_id = $1 and e.account_code = any($2) ${more}`;
    const given = [mail.company_id, codes, mail.created_at, ...values];
    let balance = await one(
      `select coalesce(sum(e.amount), 0)::text as micros ${from} and e.created_at < $3`,
      given,
    );
    const changes = await ask(
      `select sum(e.amount)::text as micros ${from} and e.created_at = $3 group by t.id, t.ctid order by t.ctid`,
      given,
    );
    return [balance, ...changes.map((change) => (balance += change))];
  }
  /** What events of some kinds gave a company up to the time of an email. */
  const given = (mail: Mail, kinds: string[], codes: number[]): Promise<bigint[]> =>
    ask(
      `select sum(e.amount)::text as micros from transfer t join entry e on e.transfer_id = t.id
       where e.company_id = $1 and t.kind = any($2) and e.account_code = any($3) and t.created_at <= $4 group by t.id`,
      [mail.company_id, kinds, codes, mail.created_at],
    );
  const numberIn = (mail: Mail): string => /\b(?:INV|CN)-\d+/.exec(mail.subject)?.[0] ?? '';
  const dueOf =
    (to: 'payer' | 'issuer') =>
    async (mail: Mail): Promise<Right> => ({ all: [], any: await duesOf(mail, to) });

  /**
   * Nothing was bought: the amount the card was asked for, or, if it was not asked, the amount that was to be bought.
   */
  const renewal = async (mail: Mail): Promise<Right> => ({
    all: [],
    any: await ask(
      `select coalesce(c.amount_cents * 10000::bigint, a.amount_micros)::text as micros from prepaid_attempt a
       left join charge c on c.purpose = 'prepaid_top_up' and c.details ->> 'attempt' = a.id::text
       where $1 in (a.company_id, a.agency_id) and a.state in ('declined', 'refused') and a.ended_at <= $2`,
      [mail.company_id, mail.created_at],
    ),
  });
  /**
   * Limits by who set them, where the ledger's leads have reached the soft ones and have not exceeded the hard ones.
   */
  const limit = async (mail: Mail): Promise<Right> => ({
    all: [],
    any: await ask(
      `select said.micros::text from cap l join company c on c.id = l.company_id
       cross join lateral (select case $3 when 'cap.hard' then l.hard_micros else l.soft_micros end as micros) said
       cross join lateral (
         select coalesce(-sum(e.amount), 0) as spent from entry e join transfer t on t.id = e.transfer_id
         where (t.kind = 'lead' or l.subject = 'wallet' and t.kind like '%fee%') and t.created_at <= $2
           and date_trunc(l.period, t.created_at at time zone c.time_zone) = date_trunc(l.period, $2 at time zone c.time_zone)
           and case l.subject when 'wallet' then e.company_id = l.subject_id and e.account_code = 10
                 when 'client' then e.company_id = l.subject_id and e.account_code in (1, 2)
                 else t.campaign_id = l.subject_id and e.company_id = l.company_id and e.account_code in (1, 2) end) ledger
       where case l.set_by when 'agency' then l.agency_id else l.company_id end = $1
         and case $3 when 'cap.hard' then ledger.spent <= said.micros else ledger.spent >= said.micros end`,
      [mail.company_id, mail.created_at, mail.kind],
    ),
  });

  const rules: Record<string, (mail: Mail) => Promise<Right>> = {
    'invoice.new': async (mail) => {
      const dues = await duesOf(mail, 'payer');
      return { all: dues.slice(0, 1), any: dues };
    },
    'invoice.failed': dueOf('payer'),
    'invoice.first_failed': dueOf('issuer'),
    'invoice.unpaid': dueOf('issuer'),
    'invoice.receipt': async (mail) => {
      // For a purchase, the receipt's own transfer is the payment.
      const bought = await ask(
        `select e.amount::text as micros from invoice i join entry e on e.transfer_id = i.transfer_id and e.company_id = i.company_id
         where i.number = $1 and i.company_id = $2 and i.kind = 'receipt' and e.account_code in (1, 2)`,
        [numberIn(mail), mail.company_id],
      );
      if (bought.length > 0) return { all: [bought.reduce((all, part) => all + part, 0n)] };
      // What the card paid, less what was returned to it; excluding what was credited or written off.
      const dues = await duesOf(mail, 'payer', '^(payment|refund|dispute|dispute_reversal)$');
      return { all: [], any: dues.map((due) => -due) };
    },
    'credit.lead': async (mail) => ({ all: [], any: await given(mail, ['lead_return'], [1, 2, 10, 11]) }),
    'credit.grant': async (mail) => ({
      all: [],
      any: await given(mail, ['client_grant', 'wallet_grant'], [1, 2, 10]),
    }),
    // Nothing has been posted yet: the amounts announced to the agency.
    'minspend.offer': async (mail) => ({
      all: [],
      any: await ask(
        `select unnest(months || flat)::text as micros from minspend_offer where company_id = $1 and announced_at <= $2`,
        [mail.company_id, mail.created_at],
      ),
    }),
    'wallet.low': async (mail) => ({ all: [], any: await balances(mail, [10]) }),
    'wallet.empty': async (mail) => ({ all: [], any: await balances(mail, [10]) }),
    'wallet.auto_topup': async (mail) => ({
      all: [],
      any: [
        ...(await given(mail, ['wallet_top_up'], [10])),
        ...(await balances(mail, [10])),
        // A top-up that failed has no entry: its charge has the requested amount.
        ...(await ask(
          `select (amount_cents * 10000)::text as micros from charge where company_id = $1 and purpose = 'wallet_top_up'`,
          [mail.company_id],
        )),
      ],
    }),
    'wallet.expiry': async (mail) => ({
      all: [],
      any: await ask(
        `select sum(e.amount)::text as micros from entry e where e.company_id = $1 and e.lot_id is not null
           and e.created_at <= $2 group by e.lot_id`,
        [mail.company_id, mail.created_at],
      ),
    }),
    'prepaid.low': async (mail) => {
      const { rows: own } = await admin.query('select id from campaign where company_id = $1', [
        mail.company_id,
      ]);
      const left: bigint[] = [];
      for (const { id } of own) left.push(...(await balances(mail, [1], 'and t.campaign_id = $4', [id])));
      return { all: [], any: left };
    },
    'prepaid.renewal': renewal,
    'prepaid.renewal_of_client': renewal,
    'cap.soft': limit,
    'cap.hard': limit,
    // Nothing was sold: the prices of the campaigns that it names, and what a lead costs their agency.
    'margin.below_cost': async (mail) => ({
      all: [],
      any: await ask(
        `select lead_price(r.lead_micros, r.lead_advanced_micros, r.lead_b2b_micros, c.advance_information, c.b2b_information)::text as micros
         from campaign c join retail_cost r on r.campaign_id = c.id where c.agency_id = $1 and c.number = any($2::bigint[])
         union all select unnest(array[lead_micros, lead_advanced_micros])::text from wholesale_cost where company_id = $1`,
        [mail.company_id, [...mail.text.matchAll(/^\W*#(\d+) /gm)].map(([, number]) => number)],
      ),
    }),
    'payment.disputed': async (mail) => ({
      all: [],
      // Of the own books: what the card network took back.
      any: await given(mail, ['dispute'], [30]),
    }),
  };

  const { rows } = await admin.query(
    'select kind, company_id, created_at, subject, body_sealed from mail where body_sealed is not null order by created_at, id',
  );
  const differing: string[] = [];
  let compared = 0;
  for (const { body_sealed, ...row } of rows) {
    const { text } = JSON.parse(platform.vault.open(body_sealed, 'mail.body'));
    const mail: Mail = { ...row, text };
    const said = amountsIn(`${mail.subject}\n${mail.text}`);
    if (said.length === 0) continue;
    compared += said.length;
    const right = await rules[mail.kind]?.(mail);
    const where = `mail ${mail.kind} "${mail.subject}"`;
    if (!right)
      differing.push(`${where}: says ${usd(said[0]!)}, and no rule says where that is in the ledger`);
    for (const amount of said)
      if (right && ![...right.all, ...(right.any ?? [])].includes(amount))
        differing.push(
          `${where}: says ${usd(amount)}, the ledger ${[...right.all, ...(right.any ?? [])].map(usd).join(' or ') || 'nothing'}`,
        );
    for (const amount of right?.all ?? [])
      if (!said.includes(amount)) differing.push(`${where}: does not say ${usd(amount)}`);
  }
  return { compared, differing };
}
