import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { TEST_PURPOSE, walletPurpose } from '../../../test/wallet-purpose.ts';

const HOST = 'tries.test';
const GOOD = '4242424242424242';
const DECLINED = '4000000000000002';

let app: TestApp;
let root: Company;
let agency: Company;

beforeAll(async () => {
  app = await testApp({ cards: { wait: async () => {} } });
  app.features.payments.charges.onSettled(TEST_PURPOSE, walletPurpose(app.features.wallet));
  root = await app.make.root({ host: 'platform.test' });
  agency = await app.make.agency(root, { host: HOST });
  await app.make.user(agency, { email: 'boss@x.test', password: PASSWORD });
  await app.features.billing.accounts.sandboxAccount(ownerOf(agency), 'approve');
});
afterAll(() => app?.close());

const ownerOf = (company: Company) => ({
  root_id: root.id,
  agency_id: agency.id,
  company_id: company.id,
});
async function customer({ hasCard = false } = {}) {
  const client = await app.make.client(agency);
  const { email } = await app.make.user(client, { password: PASSWORD });
  const token = await app.signIn(email, HOST);
  const post = (url: string, body: object = {}) => app.call('POST', url, { host: HOST, token, body });
  const who = {
    client,
    open: () => post('/api/payment/card/start'),
    /** Enters a card into a form, and asks whether it works. */
    async enter(form: { setup: string; client_secret: string }, number: string) {
      await post('/api/payment/sandbox/card', {
        client_secret: form.client_secret,
        number,
        exp_month: 12,
        exp_year: 2030,
        cvc: '123',
      });
      return post('/api/payment/customer-direct', { setup: form.setup });
    },
  };
  if (hasCard) await who.enter((await who.open()).body as never, GOOD);
  return who;
}
let count = 0;
const pay = (client: Company, by: string | null = '00000000-0000-7000-8000-000000000000') => {
  count += 1;
  return app.features.payments.charges
    .charge({
      owner: ownerOf(client),
      purpose: TEST_PURPOSE,
      referenceId: client.id,
      amountMicros: 1_000_000n,
      key: `tries ${count}`,
      description: 'A test',
      userId: by,
    })
    .then(
      ({ status }) => status,
      (error) => error.code,
    );
};
const told = async () =>
  Number((await app.admin.query(`select count(*) as n from mail where kind = 'card.paused'`)).rows[0].n);

test('[BEY-30] a company that opens card form after card form has to wait, and its agency is told once', async () => {
  const thief = await customer();
  const before = await told();
  const answers = await Promise.all(Array.from({ length: 20 }, thief.open));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(15);
  const paused = await thief.open();
  expect([paused.status, Number(paused.headers['retry-after']) > 0]).toEqual([429, true]);
  expect(await told()).toBe(before + 1);
  const { rows } = await app.admin.query(
    `select subject, to_address from mail where kind = 'card.paused' order by created_at desc limit 1`,
  );
  expect(rows[0]).toMatchObject({ subject: 'Someone may be testing cards', to_address: 'boss@x.test' });
  // Another client is not held up.
  expect((await (await customer()).open()).status).toBe(200);
  app.clock.advance(301_000);
  expect((await thief.open()).status).toBe(200);
});

test('[BEY-30] declined cards and payments are counted before they are tried; what succeeds is not counted', async () => {
  const thief = await customer({ hasCard: true });
  const form = async () => (await thief.open()).body as { setup: string; client_secret: string };
  for (let i = 0; i < 8; i += 1) expect((await thief.enter(await form(), DECLINED)).status).toBe(422);
  expect((await thief.enter(await form(), GOOD)).status).toBe(429);
  expect(await pay(thief.client)).toBe('too_many');
  // An automatic payment tells no one.
  expect(await pay(thief.client, null)).toBe('succeeded');

  const honest = await customer({ hasCard: true });
  for (let i = 0; i < 10; i += 1) expect(await pay(honest.client)).toBe('succeeded');
});

test('[BEY-30] clients that have never paid share a limit, which holds up no one who has', async () => {
  const [known, fresh] = [await customer({ hasCard: true }), await customer({ hasCard: true })];
  expect(await pay(known.client)).toBe('succeeded');
  const { limits } = app.features;
  const rule = { name: 'card.declines.new', max: 40, base: 300, cap: 3600, window: 3600 };
  for (let i = 0; i < 40; i += 1) await limits.take(rule, agency.id).catch(() => {});
  expect(await pay(fresh.client)).toBe('too_many');
  expect(await pay(known.client)).toBe('succeeded');
});
