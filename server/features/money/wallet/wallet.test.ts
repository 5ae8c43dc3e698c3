import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../../../../contract/errors.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
const DAY_MS = 86_400_000;
let app: TestApp;
let root: Company;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root();
});
afterAll(() => app.close());

const run = <T>(work: Parameters<typeof inScope<T>>[2]) =>
  inScope(app.platform.db.app, { rootId: root.id }, work);
const of = (agency: Company) => ({ rootId: root.id, agencyId: agency.id });
const topUp = (agency: Company, amountMicros: bigint, key = newId(app.clock.now())) =>
  run((tx) => app.features.wallet.topUp(tx, { ...of(agency), amountMicros, key }, app.clock.now()));
const debit = (agency: Company, amountMicros: bigint, key = newId(app.clock.now())) =>
  run((tx) => app.features.wallet.debit(tx, { ...of(agency), amountMicros, key }, app.clock.now()));
const balance = (agency: Company) => run((tx) => app.features.wallet.balance(tx, agency.id, app.clock.now()));
const saleOn = (campaign: MadeCampaign, priceMicros: bigint, costMicros: bigint, supplierMicros = 0n) => ({
  id: newId(app.clock.now()),
  rootId: root.id,
  agencyId: campaign.owner.agency_id,
  clientId: campaign.owner.company_id,
  campaignId: campaign.id,
  priceMicros,
  costMicros,
  supplierMicros,
});
const entriesOf = async (transferId: string): Promise<[string, bigint][]> =>
  (
    await app.admin.query(
      'select a.kind, e.amount from entry e join account a on a.id = e.account_id where transfer_id = $1 order by line',
      [transferId],
    )
  ).rows.map((row) => [row.kind, row.amount]);
/** Leads sold here have no row in `lead`; all other invariants must hold. */
async function audit(): Promise<void> {
  const { checks } = await auditLedger(app.admin);
  expect(
    checks.filter((c) => c.violations > 0 && !c.name.startsWith('every lead with')).map((c) => c.examples),
  ).toEqual([]);
}

describe('[BEY-02] the wallet', () => {
  test('takes a top-up once per key, as a lot with its own end', async () => {
    const agency = await app.make.agency(root);
    const first = await topUp(agency, 250n * USD, 'order-1');
    expect(first).toMatchObject({ posted: true, expiresAt: new Date('2027-03-11T06:00:00Z') });
    expect(await topUp(agency, 250n * USD, 'order-1')).toEqual({ ...first, posted: false });
    await expect(topUp(agency, 251n * USD, 'order-1')).rejects.toThrow(/a different amount/);
    expect(await balance(agency)).toBe(250n * USD);
    expect(await entriesOf(first.transferId)).toEqual([
      ['agency_wallet', 250n * USD],
      ['card_clearing', -250n * USD],
    ]);
    for (const wrong of [0n, -USD]) await expect(topUp(agency, wrong)).rejects.toThrow(Refusal);
    await audit();
  });

  test('200 parallel debits of a dollar on 100 dollars: exactly 100', async () => {
    const agency = await app.make.agency(root);
    for (let lot = 0; lot < 4; lot++) await topUp(agency, 25n * USD);
    // No more at a time than there are connections: anyone who waits for one longer than 5 s is rejected.
    const outcomes: PromiseSettledResult<unknown>[] = [];
    const spender = async (): Promise<void> => {
      for (let n = 0; n < 20; n++) outcomes.push(...(await Promise.allSettled([debit(agency, USD)])));
    };
    await Promise.all(Array.from({ length: 10 }, spender));
    expect(outcomes).toHaveLength(200);
    expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(100);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Refusal);
    expect(await balance(agency)).toBe(0n);
    await audit();
  });

  test('[BEY-01] a lead is paid from the wallet when that covers it, soonest lot first, else it is owed: once', async () => {
    const agency = await app.make.agency(root);
    const client = await app.make.client(agency);
    const campaign = await app.make.campaign(client, { price: 3n * USD, balance: 100n * USD });
    const first = await topUp(agency, 2n * USD);
    app.clock.advance(DAY_MS);
    await topUp(agency, 2n * USD);
    const sales = [0, 1, 2].map(() => saleOn(campaign, 3n * USD, 1_500_000n, 400_000n));
    const ids = await run((tx) => app.features.billing.sellLeads(tx, sales, app.clock.now()));
    const retail: [string, bigint][] = [
      ['client_prepaid', -3n * USD],
      ['agency_revenue', 3n * USD],
    ];
    const own: [string, bigint][] = [
      ['root_revenue', 1_500_000n],
      ['root_cost', -400_000n],
      ['supplier_due', 400_000n],
    ];
    expect(await entriesOf(ids[0]!)).toEqual([...retail, ['agency_wallet', -1_500_000n], ...own]);
    // The second takes the rest of the first lot and some of the next.
    expect(await entriesOf(ids[1]!)).toEqual([
      ...retail,
      ['agency_wallet', -500_000n],
      ['agency_wallet', -1_000_000n],
      ...own,
    ]);
    // The dollar that is left does not cover the third, so all of it is owed.
    expect(await entriesOf(ids[2]!)).toEqual([...retail, ['agency_payable', -1_500_000n], ...own]);
    expect(await balance(agency)).toBe(USD);
    // Returned money goes back to where it came from: the original lots, even if the first is used up.
    const back = await run((tx) =>
      app.features.billing.returnLead(tx, sales[1]!, 'wholesale', app.clock.now()),
    );
    expect((await entriesOf(back!.id)).filter(([kind]) => kind === 'agency_wallet')).toEqual([
      ['agency_wallet', 500_000n],
      ['agency_wallet', 1_000_000n],
    ]);
    expect(
      await run((tx) => app.features.billing.returnLead(tx, sales[1]!, 'wholesale', app.clock.now())),
    ).toBeNull();
    const { rows } = await app.admin.query('select remaining from wallet_lot where id = $1', [first.lotId]);
    expect(rows[0].remaining).toBe(500_000n);
    await audit();
  });

  test('what is not used ends: booked as of its end, told 30, 7 and 1 days before, each once', async () => {
    const agency = await app.make.agency(root, { host: 'notice.test' });
    await app.make.user(agency, { email: 'owner@notice.test' });
    await app.make.user(agency, { email: 'sales@notice.test', role: 'sales' });
    const { lotId, expiresAt } = await topUp(agency, 40n * USD);
    await debit(agency, 15n * USD);
    const before = app.clock.now().getTime();
    const mails = async (): Promise<string[]> =>
      (
        await app.admin.query(
          `select to_address || ': ' || subject as line from mail where kind = 'wallet.expiry' and company_id = $1 order by created_at, id`,
          [agency.id],
        )
      ).rows.map((row) => row.line);
    const day = async (daysBefore: number) => {
      app.clock.advance(expiresAt.getTime() - daysBefore * DAY_MS + 3_600_000 - app.clock.now().getTime());
      await app.features.wallet.sweep(root.id);
      await app.features.wallet.sweep(root.id);
      return mails();
    };
    const soon = 'owner@notice.test: Data Wallet balance will expire soon';
    expect(await day(32)).toEqual([]);
    expect(await day(30)).toEqual([soon]);
    expect(await day(20)).toEqual([soon]);
    expect(await day(7)).toEqual([soon, soon]);
    expect(await day(1)).toEqual([soon, soon, 'owner@notice.test: Data Wallet balance expires today']);
    expect(await balance(agency)).toBe(25n * USD);
    // Expired: nothing can be drawn from that exact moment on, whether booked or not.
    app.clock.advance(expiresAt.getTime() - app.clock.now().getTime());
    expect(await balance(agency)).toBe(0n);
    await expect(debit(agency, USD)).rejects.toThrow(/does not cover/);
    app.clock.advance(3 * DAY_MS);
    await app.features.wallet.sweep(root.id);
    await app.features.wallet.sweep(root.id);
    const { rows } = await app.admin.query(
      `select t.created_at, e.amount from transfer t join entry e on e.transfer_id = t.id and e.account_code = 22 where t.reference_id = $1`,
      [lotId],
    );
    expect(rows).toEqual([{ created_at: expiresAt, amount: 25n * USD }]);
    const asOf = (at: number) => run((tx) => app.features.wallet.balanceAsOf(tx, agency.id, new Date(at)));
    expect(await asOf(before + 1)).toBe(25n * USD);
    expect(await asOf(expiresAt.getTime())).toBe(25n * USD);
    expect(await asOf(expiresAt.getTime() + 1)).toBe(0n);
    expect(await mails()).toHaveLength(3);
    await audit();
  });

  test('refunds and disputes stay with their lot; what a dispute does not find there is owed', async () => {
    const agency = await app.make.agency(root);
    const { wallet } = app.features;
    const lot = await topUp(agency, 100n * USD);
    app.clock.advance(1000);
    const other = await topUp(agency, 50n * USD);
    await debit(agency, 70n * USD); // Taken from the first lot, since it came first.
    const at = app.clock.now();
    const ask = { ...of(agency), lotId: lot.lotId, key: 'x' };
    await expect(run((tx) => wallet.refund(tx, { ...ask, amountMicros: 31n * USD }, at))).rejects.toThrow(
      /remaining amount of the lot/,
    );
    await run((tx) => wallet.refund(tx, { ...ask, amountMicros: 10n * USD }, at));
    expect(await run((tx) => wallet.refund(tx, { ...ask, amountMicros: 10n * USD }, at))).toBeNull();
    await run((tx) => wallet.dispute(tx, { ...ask, amountMicros: 90n * USD }, at));
    const rows = async () =>
      (
        await app.admin.query('select id, remaining from wallet_lot where company_id = $1 order by id', [
          agency.id,
        ])
      ).rows.map((row) => row.remaining);
    expect(await rows()).toEqual([0n, 50n * USD]);
    const owed = () =>
      run((tx) =>
        app.features.ledger.balanceAsOf(tx, agency.id, ['agency_payable'], new Date(at.getTime() + 1)),
      );
    expect(await owed()).toBe(-70n * USD);
    expect(await run((tx) => wallet.reverseDispute(tx, ask, at))).toEqual(expect.any(String));
    expect(await run((tx) => wallet.reverseDispute(tx, ask, at))).toBeNull();
    expect(await rows()).toEqual([20n * USD, 50n * USD]);
    expect(await owed()).toBe(0n);
    await expect(
      run((tx) => wallet.refund(tx, { ...ask, lotId: newId(at), amountMicros: USD }, at)),
    ).rejects.toThrow(Refusal);
    const stranger = await app.make.agency(root);
    await expect(
      run((tx) =>
        wallet.refund(tx, { ...of(stranger), lotId: other.lotId, amountMicros: USD, key: 'y' }, at),
      ),
    ).rejects.toThrow(Refusal);
    await audit();
  });

  test('[WALL-07] the history of a month, where the agency is: top-ups with their end, and each event with the balance that the statement says', async () => {
    const agency = await app.make.agency(root, { host: 'wallet.localhost' });
    const client = await app.make.client(agency);
    const campaign = await app.make.campaign(client, { name: 'Shop', price: USD, balance: 100n * USD });
    const to = (text: string) => app.clock.advance(new Date(text).getTime() - app.clock.now().getTime());
    to('2028-03-01T05:59:00Z'); // February 29 in Chicago.
    await topUp(agency, 20n * USD);
    to('2028-03-01T06:01:00Z');
    const sell = (count: number) =>
      run((tx) =>
        app.features.billing.sellLeads(
          tx,
          Array.from({ length: count }, () => saleOn(campaign, USD, 2n * USD)),
          app.clock.now(),
        ),
      );
    await sell(2);
    to('2028-03-01T18:00:00Z');
    await sell(1);
    to('2028-03-02T18:00:00Z');
    await sell(1);
    const month = (name: string) => run((tx) => app.features.wallet.history(tx, agency.id, name));
    expect(await month('2028-02')).toMatchObject([
      { transaction_type: 'topup', amountMicros: 20n * USD, expired_at: '2029-02-28' },
    ]);
    // Between leads of the same day: each event has its own line and balance, in the order in which they happened.
    app.clock.advance(1000);
    await topUp(agency, 5n * USD);
    app.clock.advance(1000);
    await sell(1);
    const lead = { transaction_type: 'charge', kind: 'lead', campaign: 'Shop', amountMicros: -2n * USD };
    const march = await month('2028-03');
    expect(march).toMatchObject([
      { ...lead, balanceMicros: 15n * USD, expired_at: null },
      { transaction_type: 'topup', balanceMicros: 17n * USD },
      { ...lead, balanceMicros: 12n * USD },
      { ...lead, balanceMicros: 14n * USD },
      { ...lead, balanceMicros: 16n * USD },
      { ...lead, balanceMicros: 18n * USD },
    ]);
    await app.make.user(agency, { email: 'o@wallet.test', password: PASSWORD });
    const token = await app.signIn('o@wallet.test', 'wallet.localhost');
    const { body } = await app.call('GET', '/api/ledger/statement?view=wallet', {
      host: 'wallet.localhost',
      token,
    });
    const same = (row: { id: string; amountMicros: bigint; balanceMicros: bigint }) => ({
      id: row.id,
      amount_micros: Number(row.amountMicros),
      balance_micros: Number(row.balanceMicros),
    });
    expect(body.data).toMatchObject([...march, ...(await month('2028-02'))].map(same));
    // When reading continues from a line, the balances continue as well.
    const [first, second, third] = march;
    expect(
      await run((tx) =>
        app.features.wallet.history(tx, agency.id, '2028-03', { at: second!.created_at, id: second!.id }, 1),
      ),
    ).toEqual([third]);
    expect(first!.id).not.toBe(second!.id);
    expect((await run((tx) => app.features.wallet.days(tx, agency.id, '2028-03'))).slice(0, 2)).toEqual([
      { day: '2028-03-01', balanceMicros: 14n * USD, topUpMicros: 0n },
      { day: '2028-03-02', balanceMicros: 15n * USD, topUpMicros: 5n * USD },
    ]);
    expect(await month('2028-04')).toEqual([]);
    // Expired lots are booked when someone views the history, as of the moment they ended.
    to('2029-03-01T12:00:00Z');
    expect(await month('2029-03')).toMatchObject([
      { transaction_type: 'other', kind: 'wallet_expiry', amountMicros: -10n * USD, balanceMicros: 5n * USD },
    ]);
  });
});
