import type { Bill } from '../features/money/invoices/index.ts';
import { inScope, type Tx } from '../platform/db/scope.ts';
import { newId } from '../platform/ids.ts';
import type { SandboxGateway } from '../providers/sandbox-cards/index.ts';
import { PASSWORD, type TestApp } from './app.ts';
import type { Company, MadeCampaign } from './factories.ts';

/** A test card by its behavior. */
export const CARDS = {
  works: '4242424242424242',
  declined: '4000000000000341',
  insufficient: '4000008260003178',
  authenticate: '4000002760003184',
  disputed: '4000000000000259',
  refundFails: '4000000000005126',
  refundPending: '4000000000007726',
  declinedOnce: '4000000009000011',
  late: '4000000009000029',
  lost: '4000000009000037',
} as const;

export type Dues = ReturnType<typeof duesOf>;

/**
 * What collection tests need from an app: agencies that owe money, invoices, test cards, and the resulting jobs, run
 * immediately.
 */
export function duesOf(app: TestApp, root: Company) {
  let serial = 0;
  const owner = (company: Company) => ({
    root_id: company.root_id,
    agency_id: company.agency_id!,
    company_id: company.id,
  });
  const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(app.platform.db.app, { rootId: root.id }, work);
  const network = () => app.features.payments.gateway as SandboxGateway;
  const { payments, dunning } = app.features;

  return {
    owner,
    inRoot,
    network,

    /** An agency with an account that can charge, its owner signed in. */
    async agency(given: { timeZone?: string; card?: keyof typeof CARDS | null } = {}) {
      const host = `dues${++serial}.test`;
      const company = await app.make.agency(root, {
        host,
        ...(given.timeZone ? { timeZone: given.timeZone } : {}),
      });
      await app.features.billing.accounts.sandboxAccount(owner(company), 'approve');
      const { id: userId, email } = await app.make.user(company, { password: PASSWORD });
      if (given.card !== null) await this.card(company, given.card ?? 'works');
      return { company, host, userId, email, token: await app.signIn(email, host) };
    },
    /** A client with its owner signed in at the agency's host. */
    async client(of: { company: Company; host: string }, given: { card?: keyof typeof CARDS | null } = {}) {
      const company = await app.make.client(of.company);
      const { id: userId, email } = await app.make.user(company, { password: PASSWORD });
      if (given.card !== null) await this.card(company, given.card ?? 'works');
      return { company, host: of.host, userId, email, token: await app.signIn(email, of.host) };
    },

    /** Puts a test card on file, through the form. */
    async card(company: Company, card: keyof typeof CARDS): Promise<void> {
      const form = await payments.cards.start(owner(company));
      const entered = await network().enterCard(form.clientSecret, {
        number: CARDS[card],
        expMonth: 12,
        expYear: 30,
        cvc: '123',
      });
      if (entered.status === 'authenticate') await network().authenticateCard(form.clientSecret, true);
      await payments.cards.finish(owner(company), form.setup);
    },

    /** A lead in arrears: the client owes `price`, the agency `cost`. */
    async lead(campaign: MadeCampaign, price: bigint, cost: bigint): Promise<void> {
      const at = app.clock.now();
      const agency = { ...campaign.owner, company_id: campaign.owner.agency_id };
      const id = newId(at);
      const entry = (of: typeof agency, kind: 'agency_revenue' | 'agency_payable', amount: bigint) => ({
        account: { owner: of, kind },
        amount,
      });
      await inRoot((tx) =>
        app.features.ledger.post(
          tx,
          [
            {
              owner: campaign.owner,
              kind: 'lead',
              referenceId: id,
              campaignId: campaign.id,
              key: `lead:${id}`,
              entries: [
                {
                  account: { owner: campaign.owner, kind: 'client_unbilled', campaignId: campaign.id },
                  amount: -price,
                },
                entry(agency, 'agency_revenue', price),
                entry(agency, 'agency_payable', -cost),
                {
                  account: {
                    owner: { root_id: root.id, agency_id: null, company_id: root.id },
                    kind: 'root_revenue',
                  },
                  amount: cost,
                },
              ],
            },
          ],
          at,
        ),
      );
    },

    fee: (agency: Company, amount: bigint): Promise<void> => app.make.fee(agency, amount),
    bill: (payer: Company, given: Partial<Bill> = {}): Promise<string> => app.make.bill(payer, given),

    /** Runs the jobs of payments and collection until none are left, including follow-up jobs. */
    async jobs(): Promise<void> {
      for (;;) {
        const { rows } = await app.admin.query(
          `update pgboss.job set state = 'completed' where state = 'created'
             and name in ('payments.send', 'collection.follow', 'collection.tell', 'collection.mail', 'collection.give_back', 'collection.bill', 'payments.give_back')
           returning name, data`,
        );
        if (rows.length === 0) return;
        for (const { name, data } of rows) {
          // If a process dies here, the charge is left to be looked up.
          if (name === 'payments.send')
            await payments.core.ask(data.rootId, data.chargeId).catch((error: Error) => {
              if (error.name !== 'Killed') throw error;
            });
          if (name === 'collection.follow') await dunning.collector.follow(data);
          if (name === 'collection.tell') await dunning.collector.tell(data);
          if (name === 'collection.mail') await dunning.mails.send(data);
          if (name === 'collection.bill') await dunning.terms.billToDate(data);
          if (name === 'collection.give_back') await dunning.collector.giveBack(data);
          if (name === 'payments.give_back') await payments.giveBack(data);
        }
      }
    },
    /** Advances time: unknown charges are looked up, notices arrive, what is due is charged. */
    async passes(ms: number): Promise<void> {
      app.clock.advance(ms);
      await this.look();
    },
    async look(): Promise<void> {
      await payments.attendNotices();
      await payments.askDue();
      await dunning.collector.collect(root.id);
      await this.jobs();
    },

    async invoice(id: string) {
      const { rows } = await app.admin.query('select * from invoice where id = $1', [id]);
      return rows[0] as {
        status: string;
        total_micros: bigint;
        paid_micros: bigint;
        credited_micros: bigint;
        fee_micros: bigint;
        attempts: number;
        first_failed_at: Date | null;
        next_attempt_at: Date | null;
        last_failure: string | null;
      };
    },
    async flags(company: Company): Promise<[string, string]> {
      const { rows } = await app.admin.query(
        'select payment_status, access_module from company_billing where company_id = $1',
        [company.id],
      );
      return [rows[0]?.payment_status ?? '', rows[0]?.access_module ?? ''];
    },
    async states(...campaigns: MadeCampaign[]): Promise<string[]> {
      const { rows } = await app.admin.query(
        `select id, state || coalesce(':' || state_reason, '') as state from campaign where id = any($1)`,
        [campaigns.map((one) => one.id)],
      );
      return campaigns.map((one) => rows.find((row) => row.id === one.id).state);
    },
    /** Account totals of some companies, in micro-dollars, leaving out those that are zero. */
    async books(...companies: Company[]): Promise<Record<string, number>> {
      const { rows } = await app.admin.query(
        `select a.kind, sum(e.amount)::float8 as sum from entry e join account a on a.id = e.account_id
         where e.company_id = any($1) group by 1 having sum(e.amount) <> 0`,
        [companies.map((one) => one.id)],
      );
      return Object.fromEntries(rows.map((row) => [row.kind, row.sum]));
    },
    async mails(kind: string): Promise<{ to: string; subject: string; text: string }[]> {
      const { rows } = await app.admin.query(
        'select to_address as to, subject, body_sealed from mail where kind = $1 order by id',
        [kind],
      );
      return rows.map(({ body_sealed, ...mail }) => ({
        ...mail,
        text: JSON.parse(app.platform.vault.open(body_sealed, 'mail.body')).text,
      }));
    },
    /** What the card network took from a company and kept, in cents. */
    async taken(company: Company): Promise<number> {
      const { rows } = await app.admin.query(
        'select reference, account from payment_customer where company_id = $1',
        [company.id],
      );
      let sum = 0;
      for (const { reference, account } of rows)
        for (const one of await network().listCharges({
          since: new Date(0),
          ...(account ? { account } : {}),
        }))
          if (one.status === 'succeeded' && one.customer === reference)
            sum += one.amountCents - one.refundedCents;
      return sum;
    },
  };
}
