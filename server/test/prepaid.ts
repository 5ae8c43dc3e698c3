import { vi } from 'vitest';
import { inScope } from '../platform/db/scope.ts';
import { newId } from '../platform/ids.ts';
import { PASSWORD, type TestApp } from './app.ts';
import type { Company, MadeCampaign } from './factories.ts';

/** The buyer and the seller in tests of prepaid balances. */
export interface PrepaidMade {
  agency: Company;
  client: Company;
  campaign: MadeCampaign;
  owner: { root_id: string; agency_id: string; company_id: string };
  host: string;
  emails: Record<'client' | 'agency', string>;
}

let serial = 0;

/**
 * The setup that tests of prepaid balances share: an agency that can charge, a client with a card, and a campaign with
 * a price.
 */
export function prepaidStage(app: TestApp, root: Company) {
  const run = <T>(work: Parameters<typeof inScope<T>>[2]): Promise<T> =>
    inScope(app.platform.db.app, { rootId: root.id }, work);
  const { features, clock } = app;
  const tokens = new Map<string, { token: Promise<string>; until: number }>();

  return {
    run,
    async made(given: { price?: bigint; card?: boolean; account?: boolean } = {}): Promise<PrepaidMade> {
      const host = `prepaid${++serial}.test`;
      const agency = await app.make.agency(root, { host });
      const client = await app.make.client(agency);
      const owner = { root_id: root.id, agency_id: agency.id, company_id: client.id };
      const { accounts } = features.billing;
      if (given.account ?? true)
        await accounts.sandboxAccount({ ...owner, company_id: agency.id }, 'approve');
      if (given.card ?? true) await accounts.sandboxCard(owner, 'works');
      const campaign = await app.make.campaign(client, { price: given.price ?? 1_000_000n });
      const email = async (company: Company) => (await app.make.user(company, { password: PASSWORD })).email;
      const emails = { client: await email(client), agency: await email(agency) };
      return { agency, client, campaign, owner, host, emails };
    },

    /** An access token of the client's or the agency's owner; a new one once the clock has advanced. */
    token(who: PrepaidMade, as: 'client' | 'agency'): Promise<string> {
      const known = tokens.get(who.emails[as]);
      if (known && known.until > clock.now().getTime()) return known.token;
      const token = app.signIn(who.emails[as], who.host);
      tokens.set(who.emails[as], { token, until: clock.now().getTime() + 600_000 });
      return token;
    },

    /** The texts of one kind of email that the client or the agency received. */
    async mails(who: PrepaidMade, to: 'client' | 'agency', kind: string): Promise<string[]> {
      const { rows } = await app.admin.query(
        'select body_sealed from mail where kind = $1 and to_address = $2 order by id',
        [kind, who.emails[to]],
      );
      return rows.map(
        ({ body_sealed }) => JSON.parse(app.platform.vault.open(body_sealed, 'mail.body')).text,
      );
    },

    /** Sets how a campaign pays from now on. */
    terms(who: PrepaidMade, given: Parameters<typeof features.pricing.changeCampaign>[2]) {
      clock.advance(1000);
      return run((tx) =>
        features.pricing.changeCampaign(tx, { id: who.campaign.id, module: 'local', ...who.owner }, given),
      );
    },

    /** Sells leads at the current price, as accepting them does; false if the balance does not cover them. */
    async sell(who: PrepaidMade, count = 1): Promise<boolean> {
      clock.advance(1000);
      const at = clock.now();
      const of = { rootId: root.id, agencyId: who.agency.id, clientId: who.client.id };
      return run(async (tx) => {
        const [row] = await features.campaigns.lock(tx, [who.campaign.id]);
        const till = await features.billing.openTill(tx, [{ id: who.campaign.id, ...of }], at);
        const { priceMicros } = (await features.billing.leadCosts(tx, [row!], at))(who.campaign.id);
        for (let i = 0; i < count; i++) {
          const sale = { ...of, campaignId: who.campaign.id, priceMicros, costMicros: 0n };
          if (till.refusal(sale)) {
            await features.campaigns.stop(tx, row!, 'balance_empty', at);
            await till.settle();
            return false;
          }
          till.take({ ...sale, id: newId(at) });
        }
        await till.settle();
        return true;
      });
    },

    /** What the queue does with charges in progress. */
    async send(who: PrepaidMade): Promise<void> {
      const { rows } = await app.admin.query(
        `select id from charge where company_id = $1 and state in ('intended', 'sent', 'unknown')`,
        [who.client.id],
      );
      for (const { id } of rows) await features.payments.core.ask(root.id, id);
    },
    /** Does what the workers do: handles what is due, and sends what is pending. */
    async work(who: PrepaidMade): Promise<void> {
      await features.prepaid.auto.run({ rootId: root.id, campaignId: who.campaign.id });
      await this.send(who);
    },
    card: (who: PrepaidMade, outcome: 'works' | 'declines') =>
      features.billing.accounts.sandboxCard(who.owner, outcome),
    /** Makes the next charge go through but loses its answer. */
    loseAnswer(): void {
      const { gateway } = features.payments;
      const charge = gateway.charge.bind(gateway);
      vi.spyOn(gateway, 'charge').mockImplementationOnce(async (request) => {
        await charge(request);
        return { status: 'unknown', why: 'lost' };
      });
    },

    /** Lets answers arrive again. */
    keepAnswers: () => vi.restoreAllMocks(),

    balance: async (who: PrepaidMade): Promise<bigint> =>
      (await run((tx) => features.billing.prepaidOf(tx, [who.campaign.id]))).get(who.campaign.id) ?? 0n,
    /** A company's total for a kind of account. */
    async sum(companyId: string, kind: string): Promise<bigint> {
      const { rows } = await app.admin.query(
        'select coalesce(sum(e.amount), 0)::bigint as sum from entry e join account a on a.id = e.account_id where a.company_id = $1 and a.kind = $2',
        [companyId, kind],
      );
      return BigInt(rows[0].sum);
    },
    async state(who: PrepaidMade) {
      const { rows } = await app.admin.query('select * from prepaid_auto where campaign_id = $1', [
        who.campaign.id,
      ]);
      return rows[0];
    },
    async campaignState(who: PrepaidMade): Promise<string> {
      const { rows } = await app.admin.query('select state, state_reason from campaign where id = $1', [
        who.campaign.id,
      ]);
      return rows[0].state_reason ? `${rows[0].state} ${rows[0].state_reason}` : rows[0].state;
    },
    async attempts(who: PrepaidMade): Promise<string[]> {
      const { rows } = await app.admin.query(
        'select state from prepaid_attempt where campaign_id = $1 order by created_at, id',
        [who.campaign.id],
      );
      return rows.map((row) => row.state);
    },
    async charges(who: PrepaidMade): Promise<{ id: string; state: string; amount_cents: number }[]> {
      const { rows } = await app.admin.query(
        'select id, state, amount_cents from charge where company_id = $1 order by created_at, id',
        [who.client.id],
      );
      return rows;
    },
    async failed(who: PrepaidMade): Promise<boolean> {
      const terms = await run((tx) => features.billing.accounts.terms(tx, who.client.id));
      return terms.payment_status === 'failed';
    },
  };
}
