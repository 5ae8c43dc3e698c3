import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messages } from '../../../../contract/messages.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { NoTax } from '../../../platform/tax.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { auditLedger } from '../ledger/index.ts';
import { type BillEvents, createMinimumSpend, type MinimumSpend } from './index.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let other: Company;
let billed: Parameters<BillEvents>[1][];
let minimumSpend: MinimumSpend;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  // March 10, 2026, 10:00 in Chicago.
  root = await app.make.root({ host: 'root.test', isMaster: true });
  other = await app.make.root({ host: 'other.test' });
  billed = [];
  minimumSpend = createMinimumSpend(app.platform, {
    ...app.features,
    bill: async (_tx, given) => billed.push(given),
  });
  await app.make.user(root, { email: 'boss@x.test', password: PASSWORD });
  await app.make.user(other, { email: 'else@x.test', password: PASSWORD });
  await minimumSpend.closeMonths(root.id);
});
afterAll(() => app.close());

const within = <T>(work: (tx: Tx) => Promise<T>) => inScope(app.platform.db.app, { rootId: root.id }, work);
const ownerOf = (agency: Company) => ({ root_id: root.id, agency_id: agency.id, company_id: agency.id });

/** An agency with its owner, which has accepted the agreement now unless specified otherwise. */
async function agency(name: string, began = true) {
  const host = `${name}.root.test`;
  const company = await app.make.agency(root, { host, name });
  const email = `${name}@x.test`;
  const { id: userId } = await app.make.user(company, { email, password: PASSWORD });
  if (began) await app.make.accept(company, userId, 'default_agency');
  return { company, host, email, userId };
}
type Made = Awaited<ReturnType<typeof agency>>;
const asRoot = async (method: 'GET' | 'PUT' | 'POST', url: string, body?: unknown) => {
  const token = await app.signIn('boss@x.test', 'root.test');
  return app.call(method, `/api${url}`, { host: 'root.test', token, ...(body ? { body } : {}) });
};
/** Gives an agency its own plan; dollars. */
async function plan(company: Company, months: string[], flatMonth: string): Promise<void> {
  const made = await asRoot('POST', '/general/minimum-spend-config', {
    planName: `Plan ${++serial}`,
    months,
    flatMonth,
  });
  const { id } = made.body.data as unknown as { id: string };
  const chosen = await asRoot('PUT', '/configuration/setting/minimum-spend-plan', {
    companyID: company.id,
    planMinSpendId: id,
  });
  expect([made.status, chosen.status]).toEqual([200, 200]);
}
/** Posts an event between the agency and the root at the current time. */
const post = (
  company: Company,
  kind: 'platform_fee' | 'monthly_fee' | 'onboarding' | 'invoice' | 'adjustment',
  amount: bigint,
) =>
  within((tx) =>
    app.features.ledger.post(
      tx,
      [
        {
          owner: ownerOf(company),
          kind,
          referenceId: null,
          key: `test:${++serial}`,
          entries: [
            { account: { owner: ownerOf(company), kind: 'agency_payable' }, amount: -amount },
            kind === 'invoice'
              ? { account: { owner: ownerOf(company), kind: 'agency_invoiced' }, amount }
              : {
                  account: {
                    owner: { root_id: root.id, agency_id: null, company_id: root.id },
                    kind: 'root_revenue',
                  },
                  amount,
                },
          ],
        },
      ],
      app.clock.now(),
    ),
  );
/** Moves the clock to an instant, processing months on the way as the hourly job does. */
async function until(at: string): Promise<void> {
  app.clock.advance(new Date(at).getTime() - app.clock.now().getTime());
  await minimumSpend.closeMonths(root.id);
}
const months = async (company: Company) =>
  (
    await app.admin.query(
      `select to_char(month, 'YYYY-MM') as month, life, asked_micros, spent_micros, shortfall_micros, outcome
       from minspend_month where company_id = $1 order by month`,
      [company.id],
    )
  ).rows.map((row) => [
    row.month,
    row.life,
    Number(row.asked_micros) / 1e6,
    Number(row.spent_micros) / 1e6,
    Number(row.shortfall_micros) / 1e6,
    row.outcome,
  ]);

describe('[PAY-07] what an agency spends in a month', () => {
  test('is leads and fees, by wallet or owed, less what was given back; nothing else', async () => {
    const { company, host, email } = await agency('spender');
    const client = await app.make.client(company);
    const campaign = await app.make.campaign(client, { price: 3n * USD, balance: 100n * USD });
    await app.make.leadCost(company, 2n * USD);
    const sale = (id: string) => ({
      id,
      rootId: root.id,
      agencyId: company.id,
      clientId: client.id,
      campaignId: campaign.id,
      priceMicros: 3n * USD,
      costMicros: 2n * USD,
    });
    const sell = (id: string) =>
      within((tx) => app.features.billing.sellLeads(tx, [sale(id)], app.clock.now()));
    const [first, second, third] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
    await sell(first!);
    await within((tx) =>
      app.features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: company.id, amountMicros: 50n * USD, key: 'one' },
        app.clock.now(),
      ),
    );
    await sell(second!);
    await sell(third!);
    await within((tx) => app.features.billing.returnLead(tx, sale(third!), 'wholesale', app.clock.now()));
    await post(company, 'platform_fee', 10n * USD);
    await post(company, 'monthly_fee', 5n * USD);
    // None of these counts as spending.
    await post(company, 'onboarding', 500n * USD);
    await post(company, 'adjustment', 7n * USD);
    await post(company, 'invoice', -12n * USD);
    const token = await app.signIn(email, host);
    const { status, body } = await app.call('GET', `/api/general/minimum-spend/${company.id}`, {
      host,
      token,
    });
    expect([status, body.spent_micros]).toEqual([200, 19_000_000]);
    expect(body).toMatchObject({ data: null, amount_micros: null, shortfall_micros: 0, month: '2026-03-01' });
  });
});

describe('[PAY-07] the end of a month', () => {
  test('charges what lacks of the plan, each month of life its own, once, on an invoice of its own', async () => {
    const { company, host, email } = await agency('growing');
    await plan(company, ['0', '250'], '349');
    await until('2026-04-15T15:00:00Z');
    // The rest of March does not count, April is free.
    expect(await months(company)).toEqual([]);
    await until('2026-05-20T15:00:00Z');
    await post(company, 'monthly_fee', 100_125_000n);
    const token = await app.signIn(email, host);
    const asked = await app.call('GET', `/api/general/minimum-spend/${company.id}`, { host, token });
    expect(asked.body).toMatchObject({
      company_name: 'growing',
      month: '2026-05-01',
      month_of_life: 2,
      amount_micros: 250_000_000,
      spent_micros: 100_125_000,
      shortfall_micros: 149_870_000,
      days_left: 12,
      time_zone: 'America/Chicago',
      exclude_minimum_spend: 0,
      minspend_setting: { status: true, isAgreementV2: false, isAgreementV3: false },
      history: [],
    });
    const check = await app.call('GET', '/api/user/retrieve', { host, token });
    expect(check.body.setup).toMatchObject({ minspend_setting: { status: true } });
    // Midnight of Chicago is at 05:00.
    await until('2026-06-01T04:59:00Z');
    expect(await months(company)).toEqual([]);
    await Promise.all([until('2026-06-01T05:04:00Z'), minimumSpend.closeMonths(root.id)]);
    await minimumSpend.closeMonths(root.id);
    expect(await months(company)).toEqual([['2026-05', 2, 250, 100.125, 149.87, 'charged']]);
    const mine = billed.filter((one) => one.owner.company_id === company.id);
    expect(mine).toEqual([
      {
        owner: ownerOf(company),
        side: 'wholesale',
        kind: 'minimum_spend',
        term: null,
        periodKey: 'minimum_spend:2026-05',
        from: new Date('2026-05-01T05:00:00Z'),
        to: new Date('2026-06-01T05:00:00Z'),
        events: { transferIds: [expect.any(String)] },
      },
    ]);
    const owed = await within((tx) =>
      app.features.ledger.balanceAsOf(tx, company.id, ['agency_payable'], new Date('2027-01-01')),
    );
    expect(owed).toBe(-100_125_000n - 149_870_000n);
    // Amounts charged as a shortfall are not spending; from the third month on, the flat amount applies; missed months
    // are made up.
    await post(company, 'monthly_fee', 349n * USD);
    await until('2026-08-02T12:00:00Z');
    expect((await months(company)).slice(1)).toEqual([
      ['2026-06', 3, 349, 349, 0, 'met'],
      ['2026-07', 4, 349, 0, 349, 'charged'],
    ]);
    const again = await app.signIn(email, host);
    const { body } = await app.call('GET', `/api/general/minimum-spend/${company.id}`, {
      host,
      token: again,
    });
    expect((body.history as unknown as { outcome: string }[]).map((one) => one.outcome)).toEqual([
      'charged',
      'met',
      'charged',
    ]);
  });

  test('asks nothing of an agency that has not begun, is excluded, or has cancelled', async () => {
    const waiting = await agency('waiting', false);
    const excluded = await agency('excluded');
    const cancelled = await agency('cancelled');
    for (const { company } of [waiting, excluded, cancelled]) await plan(company, [], '100');
    await within((tx) =>
      app.features.billing.accounts.setTerms(tx, ownerOf(cancelled.company), {
        cancelled_at: app.clock.now(),
        updated_at: app.clock.now(),
      }),
    );
    const token = await app.signIn('boss@x.test', 'root.test');
    const put = (id: string) =>
      app.call('PUT', '/api/configuration/exclude-include-mininum-spend', {
        host: 'root.test',
        token,
        body: { CompanyID: id },
      });
    const done = await put(excluded.company.id);
    expect([done.status, done.body.message, done.body.exclude_minimum_spend]).toEqual([
      200,
      messages.minSpendToggled,
      1,
    ]);
    await until('2026-10-01T06:00:00Z');
    expect(await months(waiting.company)).toEqual([]);
    expect(await months(cancelled.company)).toEqual([]);
    expect(await months(excluded.company)).toEqual([['2026-09', 1, 100, 0, 100, 'excluded']]);
    expect(billed.some((one) => one.owner.company_id === excluded.company.id)).toBe(false);
  });

  test('a failing invoice leaves nothing behind, keeps no one else waiting, and is made up for', async () => {
    const one = await agency('aaa');
    const two = await agency('bbb');
    for (const { company } of [one, two]) await plan(company, [], '100');
    await until('2026-11-10T12:00:00Z');
    const failing = createMinimumSpend(app.platform, {
      ...app.features,
      bill: async (_tx, given) => {
        if (given.owner.company_id === one.company.id) throw new Error('no number');
      },
    });
    app.clock.advance(25 * 86_400_000);
    await expect(failing.closeMonths(root.id)).rejects.toThrow('no number');
    expect(await months(one.company)).toEqual([]);
    expect(await months(two.company)).toEqual([['2026-11', 1, 100, 0, 100, 'charged']]);
    await minimumSpend.closeMonths(root.id);
    expect(await months(one.company)).toEqual([['2026-11', 1, 100, 0, 100, 'charged']]);
  });

  test('agencies without a plan have the root’s setting once they accepted it; a root that begins is charged nothing of the past', async () => {
    const { company, userId, host, email } = await agency('simple');
    const look = async () => {
      const token = await app.signIn(email, host);
      return (
        await app.call('GET', `/api/configuration/setting/minimum-spend/${company.id}`, { host, token })
      ).body;
    };
    // No own plan and no default plan: the plans above are the agencies' own.
    await app.admin.query('update minspend_plan set is_default = false');
    expect(await look()).toMatchObject({ data: null, minspend_setting: { status: false } });
    await asRoot('PUT', '/configuration/setting', {
      comsetname: 'rootminspend',
      comsetval: { status: 'T', first_month: '10', second_month: '20', monthly: '30' },
    });
    await app.make.accept(company, userId, 'minimum_spend_v2');
    // The agency begins with this agreement, so it is only notified now, and accepts.
    expect((await look()).offer).toBeNull();
    await minimumSpend.offers.announce(root.id);
    const offer = (await look()).offer as { id: string };
    expect(offer).toMatchObject({
      planName: 'Minimum spend',
      months: ['10.00', '20.00'],
      flatMonth: '30.00',
    });
    const token = await app.signIn(email, host);
    const accepted = await app.call(
      'POST',
      `/api/configuration/setting/minimum-spend-offer/${offer.id}/accept`,
      { host, token },
    );
    expect(accepted.status).toBe(200);
    expect(await look()).toMatchObject({
      data: null,
      offer: null,
      month_of_life: null,
      amount_micros: null,
      minspend_setting: { status: true, isAgreementV2: true, isAgreementV3: false },
    });
    await app.admin.query('delete from minspend_close');
    await until('2027-03-05T12:00:00Z');
    expect(await months(company)).toEqual([]);
    await until('2027-04-05T12:00:00Z');
    expect(await months(company)).toEqual([['2027-03', 3, 30, 0, 30, 'charged']]);
  });

  test('leaves the books in order', async () => {
    const { checks } = await auditLedger(app.admin);
    // The leads of the first test were sold without their own row.
    const wrong = checks.filter((one) => one.violations > 0 && !one.name.startsWith('every lead'));
    expect(wrong).toEqual([]);
  });
});

describe('[PAY-07] a minimum spend by default', () => {
  const SETTING = { comsetname: 'rootminspend' };
  const ask = async (monthly: string, status: 'T' | 'F' = 'T') => {
    const done = await asRoot('PUT', '/configuration/setting', {
      ...SETTING,
      comsetval: { status, first_month: monthly, second_month: monthly, monthly },
    });
    expect(done.status).toBe(200);
    await minimumSpend.offers.announce(root.id);
  };
  const seen = async ({ company, host, email }: Made) => {
    const token = await app.signIn(email, host);
    const { body } = await app.call('GET', `/api/general/minimum-spend/${company.id}`, { host, token });
    return body as unknown as {
      offer: { id: string; flatMonth: string } | null;
      amount_micros: number | null;
    };
  };
  const agree = async (who: Made, id: string) => {
    const token = await app.signIn(who.email, who.host);
    return app.call('POST', `/api/configuration/setting/minimum-spend-offer/${id}/accept`, {
      host: who.host,
      token,
    });
  };
  const mails = async ({ email }: Made) => {
    const { rows } = await app.admin.query(
      "select body_sealed from mail where kind = 'minspend.offer' and to_address = $1 order by id",
      [email],
    );
    return rows.map(({ body_sealed }) => JSON.parse(app.platform.vault.open(body_sealed, 'mail.body')).text);
  };
  let first: Made;
  let second: Made;
  let own: Made;

  test('waits for the agencies of a platform that asks it from the start', async () => {
    const platform = await app.make.root({ host: 'asking.test' });
    const reseller = await app.make.agency(platform, { host: 'reseller.test' });
    const { id, email } = await app.make.user(reseller, { password: PASSWORD });
    await app.make.accept(reseller, id, 'default_agency');
    await app.make.minimumSpend(platform, { name: 'Standard', months: [0n], flat: 149_000_000n });
    const shown = await seen({ company: reseller, host: 'reseller.test', email, userId: id });
    expect(shown).toMatchObject({ offer: { flatMonth: '149.00' }, amount_micros: null });
  });

  test('is told each agency without a plan of its own, once, with the amount and the month', async () => {
    await app.admin.query('update minspend_plan set is_default = false');
    await app.admin.query("update company set removed_at = now() where kind = 'agency' and root_id = $1", [
      root.id,
    ]);
    await until('2027-05-10T15:00:00Z');
    [first, second, own] = [await agency('firstly'), await agency('secondly'), await agency('owned')];
    await plan(own.company, [], '500');
    await app.admin.query('update minspend_plan set is_default = false');
    await ask('100');
    await minimumSpend.offers.announce(root.id);
    for (const who of [first, second]) {
      const [mail, ...more] = await mails(who);
      expect(more).toEqual([]);
      expect(mail).toContain('$100.00 for the first month and every month after');
      expect(mail).toContain('the first month that counts starts on June 1, 2027');
    }
    expect(await mails(own)).toEqual([]);
    const { status, body } = await app.call('GET', '/api/user/retrieve', {
      host: first.host,
      token: await app.signIn(first.email, first.host),
    });
    expect([status, (body.setup as { minspend_setting: object }).minspend_setting]).toMatchObject([
      200,
      { status: true },
    ]);
  });

  test('is charged from the first whole month after the acceptance, and never without one', async () => {
    const { offer } = await seen(first);
    expect((await agree(second, offer!.id)).status).toBe(404);
    for (let n = 0; n < 2; n++) expect((await agree(first, offer!.id)).status).toBe(200);
    expect(await seen(first)).toMatchObject({ offer: null, amount_micros: null });
    await until('2027-06-02T15:00:00Z');
    // May had begun before the acceptance.
    expect(await months(first.company)).toEqual([]);
    expect(await seen(first)).toMatchObject({ amount_micros: 100_000_000 });
    await until('2027-07-02T15:00:00Z');
    expect(await months(first.company)).toEqual([['2027-06', 1, 100, 0, 100, 'charged']]);
    expect(await months(second.company)).toEqual([]);
    // A plan agreed with an agency itself applies as before.
    expect(await months(own.company)).toEqual([['2027-06', 1, 500, 0, 500, 'charged']]);
    const listed = await asRoot('GET', '/configuration/setting/minimum-spend-offers');
    const rows = listed.body.data as unknown as { company_name: string; accepted_at: string | null }[];
    expect(
      rows
        .filter((row) => ['firstly', 'secondly'].includes(row.company_name))
        .map((row) => [row.company_name, row.accepted_at !== null])
        .sort(),
    ).toEqual([
      ['firstly', true],
      ['secondly', false],
    ]);
  });

  test('a raise is announced again and the lower amount asked until then; a decrease holds by itself', async () => {
    await ask('250');
    expect(await mails(first)).toHaveLength(2);
    expect((await seen(first)).offer).toMatchObject({ flatMonth: '250.00' });
    await until('2027-08-02T15:00:00Z');
    expect((await months(first.company)).at(-1)).toEqual(['2027-07', 2, 100, 0, 100, 'charged']);
    await ask('40');
    // An offer that was not accepted is withdrawn; an agency that has accepted nothing is notified of the new amount.
    expect((await seen(first)).offer).toBeNull();
    expect(await mails(first)).toHaveLength(2);
    expect((await seen(second)).offer).toMatchObject({ flatMonth: '40.00' });
    await until('2027-09-02T15:00:00Z');
    expect((await months(first.company)).at(-1)).toEqual(['2027-08', 3, 40, 0, 40, 'charged']);
    // Raised again, but not above what was accepted.
    await ask('90');
    expect((await seen(first)).offer).toBeNull();
    await ask('90', 'F');
    expect((await seen(second)).offer).toBeNull();
    await until('2027-10-02T15:00:00Z');
    expect((await months(first.company)).map(([month]) => month)).toEqual(['2027-06', '2027-07', '2027-08']);
  });

  test('a root reminds who has not accepted, once a day; what was replaced is not accepted', async () => {
    await ask('60');
    const { offer } = await seen(second);
    const remind = () => asRoot('POST', `/configuration/setting/minimum-spend-offer/${offer!.id}/remind`);
    const before = (await mails(second)).length;
    expect((await remind()).status).toBe(429);
    app.clock.advance(86_400_000);
    expect((await remind()).status).toBe(200);
    expect((await remind()).status).toBe(429);
    expect(await mails(second)).toHaveLength(before + 1);
    await ask('70');
    expect((await agree(second, offer!.id)).status).toBe(409);
    expect((await remind()).status).toBe(409);
  });
});

describe('[PAY-07] who may', () => {
  test('clients ask nothing, agencies of themselves, roots of their own; only a root excludes, and it is recorded', async () => {
    const { company, host, email } = await agency('guarded');
    const client = await app.make.client(company);
    await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
    const tokens = {
      agency: [host, await app.signIn(email, host)],
      client: [host, await app.signIn('client@x.test', host)],
      root: ['root.test', await app.signIn('boss@x.test', 'root.test')],
      foreign: ['other.test', await app.signIn('else@x.test', 'other.test')],
    } as const;
    const get = async (who: keyof typeof tokens, id: string) => {
      const [at, token] = tokens[who];
      return (await app.call('GET', `/api/general/minimum-spend/${id}`, { host: at, token })).status;
    };
    expect(await Promise.all([get('agency', company.id), get('root', company.id)])).toEqual([200, 200]);
    expect(await get('client', company.id)).toBe(403);
    expect(await get('foreign', company.id)).toBe(404);
    expect(await get('agency', client.id)).toBe(404);
    expect(await get('root', root.id)).toBe(404);
    const toggle = async (who: keyof typeof tokens, id: string) => {
      const [at, token] = tokens[who];
      const path = '/api/configuration/exclude-include-mininum-spend';
      return app.call('PUT', path, { host: at, token, body: { CompanyID: id } });
    };
    expect((await toggle('agency', company.id)).status).toBe(403);
    expect((await toggle('foreign', company.id)).status).toBe(404);
    expect((await toggle('root', client.id)).status).toBe(404);
    const flags = [];
    for (let i = 0; i < 3; i++) flags.push((await toggle('root', company.id)).body.exclude_minimum_spend);
    expect(flags).toEqual([1, 0, 1]);
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.action = 'minspend.exclude' and l.company_id = $1`,
      [company.id],
    );
    expect(rows.map((row) => row.description).sort()).toEqual([
      'Excluded guarded from the minimum spend',
      'Excluded guarded from the minimum spend',
      'Included guarded in the minimum spend',
    ]);
    const [at, token] = tokens.agency;
    const check = await app.call('GET', '/api/user/retrieve', { host: at, token });
    expect(check.body.setup).toMatchObject({ minspend_setting: { status: false } });
  });
});

describe('[PAY-07] the end of a subscription', () => {
  test('an agency that ends over the turn of a month alone owes its minimum all the same; one that stays away does not', async () => {
    const [turning, away] = [await agency('turning'), await agency('away')];
    for (const { company } of [turning, away]) await plan(company, [], '100');
    const put = async (who: typeof turning, url: string, more: object = {}): Promise<number> => {
      const token = await app.signIn(who.email, who.host);
      const body = { companyID: who.company.id, ...more };
      return (await app.call('PUT', `/api/configuration/${url}`, { host: who.host, token, body })).status;
    };
    const back = (who: typeof turning) => put(who, 'setting/package', { packageID: 'standard' });
    await until('2027-11-30T23:00:00Z');
    for (const who of [turning, away]) expect(await put(who, 'cancel-subscription')).toBe(200);
    await until('2027-12-01T07:00:00Z');
    expect([await months(turning.company), await months(away.company)]).toEqual([[], []]);
    // Only once, no matter how often it is requested.
    expect([await back(turning), await back(turning)]).toEqual([200, 200]);
    expect(await months(turning.company)).toEqual([['2027-11', 1, 100, 0, 100, 'charged']]);
    const { rows } = await app.admin.query(
      `select total_micros::float8 as total from invoice where company_id = $1 and kind = 'minimum_spend'`,
      [turning.company.id],
    );
    expect(rows).toEqual([{ total: 100_000_000 }]);
    await until('2028-01-02T12:00:00Z');
    expect(await back(away)).toBe(200);
    expect(await months(away.company)).toEqual([]);
  });
});

test('[PAY-07] the months of others go on while one agency’s invoice waits for its tax, and it catches up month by month', async () => {
  await until('2030-12-10T12:00:00Z');
  const one = await agency('ccc');
  const two = await agency('ddd');
  for (const { company } of [one, two]) await plan(company, [], '100');
  const waiting = createMinimumSpend(app.platform, {
    ...app.features,
    bill: async (_tx, given) => {
      if (given.owner.company_id === one.company.id) throw new NoTax('It waits.', 'No address.');
    },
  });
  for (const day of ['2031-01-05', '2031-02-05', '2031-03-05']) {
    app.clock.advance(new Date(`${day}T12:00:00Z`).getTime() - app.clock.now().getTime());
    await waiting.closeMonths(root.id);
  }
  const charged = (month: string, life: number) => [month, life, 100, 0, 100, 'charged'];
  const all = [charged('2031-01', 1), charged('2031-02', 2)];
  expect(await months(two.company)).toEqual(all);
  expect(await months(one.company)).toEqual([]);
  const { rows } = await app.admin.query(`select cycle, reason from invoice_wait where company_id = $1`, [
    one.company.id,
  ]);
  expect(rows).toEqual([{ cycle: 'minimum_spend', reason: 'No address.' }]);
  const before = billed.length;
  await Promise.all([minimumSpend.closeMonths(root.id), minimumSpend.closeMonths(root.id)]);
  expect(await months(one.company)).toEqual(all);
  expect(billed.slice(before).map((given) => given.periodKey)).toEqual([
    'minimum_spend:2031-01',
    'minimum_spend:2031-02',
  ]);
  expect((await app.admin.query('select 1 from invoice_wait')).rows).toEqual([]);
});

describe('[PAY-07] months after an agency left', () => {
  const charged = (month: string, life: number) => [month, life, 100, 0, 100, 'charged'];
  const spared = (month: string, life: number) => [month, life, 100, 0, 100, 'excluded'];
  const go = (at: string) => app.clock.advance(new Date(at).getTime() - app.clock.now().getTime());
  const put = async (who: Made, url: string, more: object = {}) => {
    const token = await app.signIn(who.email, who.host);
    const body = { companyID: who.company.id, ...more };
    return (await app.call('PUT', `/api/configuration/${url}`, { host: who.host, token, body })).status;
  };

  test('are not charged while its invoice waits for an earlier one, whether it ended or was removed; the earlier one is', async () => {
    await until('2032-12-10T12:00:00Z');
    const made = [];
    for (const name of ['eee', 'fff', 'ggg', 'hhh']) made.push(await agency(name));
    const [removed, ended, back, stays] = made as [Made, Made, Made, Made];
    for (const { company } of made) await plan(company, [], '100');
    const waiting = createMinimumSpend(app.platform, {
      ...app.features,
      bill: async () => {
        throw new NoTax('It waits.', 'No address.');
      },
    });
    const run = async (at: string) => {
      go(at);
      await waiting.closeMonths(root.id);
    };
    await run('2033-02-05T12:00:00Z');
    await app.admin.query('update company set removed_at = $2 where id = $1', [
      removed.company.id,
      app.clock.now(),
    ]);
    for (const one of [ended, back]) expect(await put(one, 'cancel-subscription')).toBe(200);
    await run('2033-03-05T12:00:00Z');
    await run('2033-04-20T12:00:00Z');
    expect(await put(back, 'setting/package', { packageID: 'standard' })).toBe(200);
    await run('2033-05-05T12:00:00Z');
    for (let i = 0; i < 2; i++) await minimumSpend.closeMonths(root.id);
    expect(await months(removed.company)).toEqual([charged('2033-01', 1)]);
    expect(await months(ended.company)).toEqual([charged('2033-01', 1)]);
    expect(await months(back.company)).toEqual([
      charged('2033-01', 1),
      spared('2033-02', 2),
      spared('2033-03', 3),
      charged('2033-04', 4),
    ]);
    expect(await months(stays.company)).toEqual(
      ['2033-01', '2033-02', '2033-03', '2033-04'].map((month, at) => charged(month, at + 1)),
    );
  });

  test('are not charged to one that came back before they were decided', async () => {
    const one = await agency('iii');
    await plan(one.company, [], '100');
    await until('2033-07-02T12:00:00Z');
    go('2033-07-10T12:00:00Z');
    expect(await put(one, 'cancel-subscription')).toBe(200);
    // The job has not run for months.
    go('2033-09-20T12:00:00Z');
    expect(await put(one, 'setting/package', { packageID: 'standard' })).toBe(200);
    await until('2033-10-02T12:00:00Z');
    expect(await months(one.company)).toEqual([
      charged('2033-06', 1),
      spared('2033-07', 2),
      spared('2033-08', 3),
      charged('2033-09', 4),
    ]);
  });
});
