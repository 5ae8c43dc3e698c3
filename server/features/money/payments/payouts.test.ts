import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';

const USD = 1_000_000n;
const DAY_MS = 86_400_000;
let app: TestApp;
let root: Company;
let dues: ReturnType<typeof duesOf>;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  await app.make.user(root, { email: 'boss@root.test', password: PASSWORD });
  dues = duesOf(app, root);
});
afterAll(() => app.close());

const get = async (who: { host: string; email: string }, path = '') =>
  app.call('GET', `/api/payment/payouts${path}`, {
    host: who.host,
    token: await app.signIn(who.email, who.host),
  });
// biome-ignore lint/suspicious/noExplicitAny: the rows of an answer
const rows = ({ body }: Awaited<ReturnType<typeof get>>) => body.data as any[];

test('[PAY-01] an agency sees what was sent to its bank and what each payout is made of; no one else does', async () => {
  const agency = await dues.agency();
  const other = await dues.agency();
  const client = await dues.client(agency);
  const campaign = await app.make.campaign(client.company);
  expect((await get(agency)).body).toEqual({ data: [], paymentgateway: 'sandbox' });
  await dues.lead(campaign, 30n * USD, 12n * USD);
  await dues.bill(client.company);
  await dues.jobs();
  expect(await dues.taken(client.company)).toBe(3000);
  app.clock.advance(DAY_MS);
  const [payout, ...more] = rows(await get(agency));
  expect(more).toEqual([]);
  // What the client paid, less the part that went to the platform.
  expect(payout).toMatchObject({ amount_micros: 18_000_000, status: 'pending' });
  const made = rows(await get(agency, `/${payout.id}`));
  expect(made).toEqual([
    expect.objectContaining({
      kind: 'charge',
      amount_micros: 30_000_000,
      fee_micros: 12_000_000,
      net_micros: 18_000_000,
    }),
  ]);
  const { rows: named } = await app.admin.query('select name from company where id = $1', [
    client.company.id,
  ]);
  expect(made[0].company_name).toBe(named[0].name);
  app.clock.advance(2 * DAY_MS);
  expect(rows(await get(agency))[0]).toMatchObject({ id: payout.id, status: 'paid' });
  expect(rows(await get(other))).toEqual([]);
  expect((await get(other, `/${payout.id}`)).status).toBe(404);
  expect((await get(client)).status).toBe(403);
  expect((await get(agency, '/not%20an%20id')).status).toBe(422);
});

test('[PAY-01] the account of the installation is its own root’s to see, not another root’s', async () => {
  const second = await app.make.root({ host: 'second.test' });
  await app.make.user(second, { email: 'boss@second.test', password: PASSWORD });
  const agency = await dues.agency();
  await dues.fee(agency.company, 20n * USD);
  await dues.bill(agency.company);
  await dues.jobs();
  app.clock.advance(DAY_MS);
  const boss = { host: 'root.test', email: 'boss@root.test' };
  const [payout] = rows(await get(boss));
  expect(payout).toMatchObject({ amount_micros: 20_000_000 });
  expect(rows(await get(boss, `/${payout.id}`))).toHaveLength(1);
  const stranger = { host: 'second.test', email: 'boss@second.test' };
  expect(rows(await get(stranger))).toEqual([]);
  expect((await get(stranger, `/${payout.id}`)).status).toBe(404);
});
