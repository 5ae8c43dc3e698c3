import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import type { Bill } from './index.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let acme: Company;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'acme.root.test', name: 'Acme' });
});
afterAll(() => app.close());

const inRoot = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  inScope(app.platform.db.app, { rootId: root.id }, work);

/** A lead of a campaign in arrears, posted the way the till does it. */
async function lead(campaign: MadeCampaign, price: bigint, cost: bigint, at = app.clock.now()) {
  const { owner } = campaign;
  const agency = { ...owner, company_id: owner.agency_id };
  const rootOwner = { root_id: root.id, agency_id: null, company_id: root.id };
  const id = newId(at);
  const [transfer] = await inRoot((tx) =>
    app.features.ledger.post(
      tx,
      [
        {
          owner,
          kind: 'lead',
          referenceId: id,
          campaignId: campaign.id,
          key: `lead:${id}`,
          entries: [
            { account: { owner, kind: 'client_unbilled', campaignId: campaign.id }, amount: -price },
            { account: { owner: agency, kind: 'agency_revenue' }, amount: price },
            { account: { owner: agency, kind: 'agency_payable' }, amount: -cost },
            { account: { owner: rootOwner, kind: 'root_revenue' }, amount: cost },
          ],
        },
      ],
      at,
    ),
  );
  return transfer!;
}
const bill = (client: Company, given: Partial<Bill> = {}) =>
  inRoot((tx) =>
    app.features.invoices.bill(
      tx,
      {
        owner: { root_id: root.id, agency_id: client.agency_id!, company_id: client.id },
        side: 'retail',
        kind: 'period',
        term: 'Monthly',
        periodKey: `key-${++serial}`,
        from: null,
        to: null,
        events: { before: new Date('9999-01-01'), cycle: null },
        ...given,
      },
      app.clock.now(),
    ),
  );
const balances = async (...ids: string[]) => {
  const { rows } = await app.admin.query(
    `select a.kind, sum(e.amount)::int as sum from entry e join account a on a.id = e.account_id where e.company_id = any($1) group by 1`,
    [ids],
  );
  return Object.fromEntries(rows.map((row) => [row.kind, row.sum]));
};
const linesOf = async (id: string) =>
  (
    await app.admin.query(
      'select kind, description, quantity, unit_micros::int as unit, amount_micros::int as amount from invoice_line where invoice_id = $1 order by line',
      [id],
    )
  ).rows;

describe('[PAY-04] an invoice', () => {
  test('collects every open event once, in lines, whole cents, numbered without gaps', async () => {
    const client = await app.make.client(acme, { name: 'Client one' });
    const spring = await app.make.campaign(client, { name: 'Spring' });
    const autumn = await app.make.campaign(client, { name: 'Autumn' });
    await lead(spring, 1_005_000n, 0n);
    await lead(spring, 1_005_000n, 0n);
    await lead(spring, 2n * USD, 0n);
    await lead(autumn, 500_001n, 0n);
    const issued = await bill(client, { periodKey: 'once' });
    expect(issued).toMatchObject({ number: 'INV-000001', totalMicros: 4_510_000n });
    expect(await linesOf(issued!.id)).toEqual([
      { kind: 'leads', description: 'Leads: Autumn', quantity: 1, unit: 500_001, amount: 500_001 },
      { kind: 'leads', description: 'Leads: Spring', quantity: 1, unit: 2_000_000, amount: 2_000_000 },
      { kind: 'leads', description: 'Leads: Spring', quantity: 2, unit: 1_005_000, amount: 2_010_000 },
      { kind: 'rounding', description: 'Rounding to whole cents', quantity: 1, unit: -1, amount: -1 },
    ]);
    expect(await balances(client.id)).toEqual({ client_unbilled: 0, client_receivable: -4_510_000 });
    expect(await bill(client, { periodKey: 'once' })).toBeNull();
    expect(await bill(client)).toBeNull();
    await lead(spring, USD, 0n);
    expect((await bill(client))?.number).toBe('INV-000002');
  });

  test('waits while it is below 0.50 or not above zero', async () => {
    const client = await app.make.client(acme);
    const campaign = await app.make.campaign(client);
    await lead(campaign, 490_000n, 0n);
    expect(await bill(client)).toBeNull();
    await lead(campaign, 10_000n, 0n);
    expect(await bill(client)).toMatchObject({ totalMicros: 500_000n });
  });

  test('of several at once each gets a number of its own', async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, () => app.make.client(acme)));
    for (const client of clients) await lead(await app.make.campaign(client), USD, 0n);
    const twice = await Promise.all(
      [...clients, ...clients].map((client) => bill(client, { periodKey: 'same' })),
    );
    expect(twice.filter(Boolean)).toHaveLength(6);
    const { rows } = await app.admin.query(
      'select count(*)::int as n, max(seq) as last from invoice where issuer_id = $1',
      [acme.id],
    );
    expect(rows[0].n).toBe(rows[0].last);
  });
});

describe('[PAY-05] wholesale', () => {
  test('goes along with a retail invoice once the agency can charge its client, and is never collected twice', async () => {
    const agency = await app.make.agency(root, { name: 'Charging' });
    const client = await app.make.client(agency);
    const campaign = await app.make.campaign(client);
    const owner = { root_id: root.id, agency_id: agency.id, company_id: agency.id };
    await lead(campaign, 3n * USD, 1_006_000n);
    const before = await bill(client);
    const { rows: none } = await app.admin.query('select fee_micros::int as fee from invoice where id = $1', [
      before!.id,
    ]);
    expect(none[0].fee).toBe(0);
    await app.features.billing.accounts.sandboxAccount(owner, 'approve');
    await app.features.billing.accounts.sandboxCard({ ...owner, company_id: client.id }, 'works');
    await lead(campaign, 3n * USD, 1_006_000n);
    const after = await bill(client);
    const { rows: some } = await app.admin.query('select fee_micros::int as fee from invoice where id = $1', [
      after!.id,
    ]);
    expect(some[0].fee).toBe(1_000_000);
    // If the wholesale amount is more than the invoice, none of it is collected with the invoice.
    await lead(campaign, USD, 2n * USD);
    await bill(client);
    const wholesale = await bill(agency, { side: 'wholesale', owner });
    expect(wholesale).toMatchObject({ totalMicros: 3_000_000n });
    expect(await balances(agency.id)).toMatchObject({ agency_payable: 0, agency_invoiced: -4_000_000 });
    expect(await bill(agency, { side: 'wholesale', owner })).toBeNull();
  });

  test('of a retail invoice that was given up is billed to the agency', async () => {
    const agency = await app.make.agency(root, { name: 'Unlucky' });
    const owner = { root_id: root.id, agency_id: agency.id, company_id: agency.id };
    await app.features.billing.accounts.sandboxAccount(owner, 'approve');
    const client = await app.make.client(agency);
    await app.features.billing.accounts.sandboxCard({ ...owner, company_id: client.id }, 'works');
    const campaign = await app.make.campaign(client);
    await lead(campaign, 3n * USD, USD);
    const retail = await bill(client);
    expect(await bill(agency, { side: 'wholesale', owner })).toBeNull();
    for (let i = 0; i < 2; i++)
      await inRoot(async (tx) =>
        app.features.invoices.releaseFee(
          tx,
          await app.features.invoices.locked(tx, retail!.id),
          app.clock.now(),
        ),
      );
    const wholesale = await bill(agency, { side: 'wholesale', owner });
    expect(await linesOf(wholesale!.id)).toMatchObject([{ kind: 'wholesale_unpaid', amount: 1_000_000 }]);
    expect(await balances(agency.id)).toMatchObject({ agency_payable: 0, agency_invoiced: -1_000_000 });
  });
});

test('nobody but the root’s scope writes invoices, and no one changes what they say', async () => {
  const client = await app.make.client(acme);
  await lead(await app.make.campaign(client), USD, 0n);
  const issued = await bill(client);
  const scope = { rootId: root.id, agencyId: acme.id };
  const done = await inScope(app.platform.db.app, scope, (tx) =>
    tx.updateTable('invoice').set({ status: 'paid' }).where('id', '=', issued!.id).executeTakeFirst(),
  );
  expect(done.numUpdatedRows).toBe(0n);
  await expect(
    inRoot((tx) =>
      tx
        .updateTable('invoice')
        .set({ total_micros: 0n } as never)
        .execute(),
    ),
  ).rejects.toThrow(/permission denied/);
  await expect(inRoot((tx) => tx.updateTable('invoice_line').set({ quantity: 9 }).execute())).rejects.toThrow(
    /permission denied/,
  );
});
