import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const USD = 1_000_000n;
const DAY = 86_400_000;
let app: TestApp;
let root: Company;
let acme: Company;

beforeAll(async () => {
  // A Tuesday; the root is in Chicago.
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'acme.root.test', name: 'Acme' });
  await app.make.leadCost(acme, 900_000n);
});
afterAll(() => app.close());

async function visit(campaign: MadeCampaign, count: number) {
  await app.features.visits.keepPartitions();
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(root, people);
  for (const { email } of people) await app.make.visit(campaign, { email });
  await app.features.leads.resolver.resolveAll();
}
const invoicesOf = async (company: Company) =>
  (
    await app.admin.query(
      'select side, term, period_key, total_micros::int as total, period_from, period_to from invoice where company_id = $1 order by finalised_at, seq',
      [company.id],
    )
  ).rows;
const linesOf = async (company: Company) =>
  (
    await app.admin.query(
      `select l.kind, l.description, l.quantity, l.amount_micros::int as amount from invoice_line l join invoice i on i.id = l.invoice_id
       where l.company_id = $1 order by i.seq, l.line`,
      [company.id],
    )
  ).rows;
const close = () => app.features.invoices.close(root.id);
const account = async (company: Company, kind: string) =>
  (
    await app.admin.query(
      `select coalesce(sum(e.amount), 0)::int as sum from entry e join account a on a.id = e.account_id where e.company_id = $1 and a.kind = $2`,
      [company.id, kind],
    )
  ).rows[0].sum;

describe('[PAY-04] credits', () => {
  /** A credit without a campaign, as for an overpayment that the card did not take back. */
  const credit = async (client: Company, amount: bigint, key: string) => {
    const { root_id, agency_id, id: company_id } = client;
    const [side, settled] =
      company_id !== agency_id
        ? (['client_unbilled', 'client_receivable'] as const)
        : (['agency_payable', 'agency_invoiced'] as const);
    const owner = { root_id, agency_id: agency_id!, company_id };
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.ledger.post(
        tx,
        [
          {
            owner,
            kind: 'adjustment',
            referenceId: null,
            memo: 'From INV-000001, could not be refunded to the card',
            key,
            entries: [
              { account: { owner, kind: side }, amount },
              { account: { owner, kind: settled }, amount: -amount },
            ],
          },
        ],
        app.clock.now(),
      ),
    );
  };
  const totals = async (company: Company) => (await invoicesOf(company)).map(({ total }) => total / 1e6);
  const weeks = async (count: number, work: () => Promise<unknown>) => {
    for (let i = 0; i < count; i++) {
      await work();
      app.clock.advance(7 * DAY);
      await close();
    }
  };

  test('of no campaign reduce the next weekly invoices, never below zero, as a line; the same for an agency', async () => {
    const beta = await app.make.agency(root, { host: 'beta.root.test' });
    await app.make.leadCost(beta, 5n * USD);
    const client = await app.make.client(beta);
    const campaign = await app.make.campaign(client, {
      name: 'W',
      price: 15n * USD,
      costs: { term: 'Weekly' },
    });
    await credit(client, 10n * USD, 'small');
    await credit(beta, 8n * USD, 'of an agency');
    await weeks(1, () => visit(campaign, 1));
    expect(await totals(client)).toEqual([5]);
    expect(
      (await linesOf(client)).map(({ kind, description, amount }) => [kind, description, amount]),
    ).toEqual([
      ['adjustment', 'From INV-000001, could not be refunded to the card', -10_000_000],
      ['leads', 'Leads: W', 15_000_000],
    ]);
    expect(await account(client, 'client_unbilled')).toBe(0);
    // What is left after a credit that exceeds two weeks is on the invoice of the third.
    await credit(client, 40n * USD, 'large');
    await weeks(2, () => visit(campaign, 1));
    expect(await totals(client)).toEqual([5]);
    await weeks(2, () => visit(campaign, 1));
    expect(await totals(client)).toEqual([5, 5, 15]);
    expect(await totals(beta)).toEqual([2 * 5 - 8, 5, 5, 5]);
    expect(await account(beta, 'agency_payable')).toBe(0);
  });

  test('that the charges of their own cycle use up stay there', async () => {
    const client = await app.make.client(acme);
    const weekly = await app.make.campaign(client, { price: 15n * USD, costs: { term: 'Weekly' } });
    const monthly = await app.make.campaign(client, { price: 20n * USD, costs: { term: 'Monthly' } });
    await visit(monthly, 1);
    await credit(client, 20n * USD, 'used up');
    await weeks(1, () => visit(weekly, 1));
    expect(await totals(client)).toEqual([15]);
  });

  test('for a lead of a campaign that has changed its term', async () => {
    const client = await app.make.client(acme);
    const costs = { term: 'Weekly' as const };
    const [changed, stays] = [
      await app.make.campaign(client, { price: 6n * USD, costs }),
      await app.make.campaign(client, { price: 15n * USD, costs }),
    ];
    await weeks(1, () => visit(changed, 1));
    const lead = (await app.admin.query('select id from lead where campaign_id = $1', [changed.id])).rows[0];
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.pricing.changeCampaign(
        tx,
        { id: changed.id, module: 'local', ...changed.owner },
        { term: 'Monthly' },
      ),
    );
    app.clock.advance(3_600_000);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.billing.returnLead(
        tx,
        {
          id: lead.id,
          rootId: root.id,
          agencyId: acme.id,
          clientId: client.id,
          campaignId: changed.id,
        },
        'retail',
        app.clock.now(),
      ),
    );
    await weeks(1, () => visit(stays, 1));
    expect(await totals(client)).toEqual([6, 9]);
  });
});
