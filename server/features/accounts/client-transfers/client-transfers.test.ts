import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { actingOwner } from '../../../test/acting.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { duesOf } from '../../../test/dues.ts';
import type { Company } from '../../../test/factories.ts';
import { type PrepaidMade, prepaidStage } from '../../../test/prepaid.ts';
import { auditLedger } from '../../money/ledger/index.ts';
import { MOVED } from './tables.ts';

let app: TestApp;
let root: Company;
let stage: ReturnType<typeof prepaidStage>;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  stage = prepaidStage(app, root);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app?.close());

/** The sides of a transfer: the client with its agency, and another agency. */
interface Sides {
  who: PrepaidMade;
  to: PrepaidMade;
}
type As = 'giving' | 'receiving' | 'client';
const call = async (
  { who, to }: Sides,
  as: As,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: any call's answer
): Promise<{ status: number; body: any }> => {
  app.clock.advance(1000);
  const at = as === 'receiving' ? to : who;
  return app.call(method, `/api${path}`, {
    host: at.host,
    token: await stage.token(at, as === 'client' ? 'client' : 'agency'),
    body,
  });
};
const sides = async (): Promise<Sides> => ({ who: await stage.made(), to: await stage.made() });
const start = (all: Sides, as: As = 'giving', given: object = {}) =>
  call(all, as, 'POST', '/client-transfers', {
    ...(as === 'giving' ? { client_id: all.who.client.id } : {}),
    to_email: all.to.emails.agency,
    ...given,
  });
const started = async (all: Sides, as: As = 'giving', given: object = {}): Promise<string> => {
  const { status, body } = await start(all, as, given);
  expect([status, body.message]).toEqual([200, 'The transfer has started. It waits until everyone agrees.']);
  return body.data.id;
};
const agree = async (all: Sides, as: As, id: string, body: object = {}) => {
  const { status, body: answer } = await call(all, as, 'POST', `/client-transfers/${id}/agree`, body);
  expect([status, answer.message]).toEqual([200, 'You agreed.']);
};
/** A transfer that everyone has agreed to. */
const whole = async (all: Sides, given: object = {}): Promise<string> => {
  const id = await started(all, 'giving', given);
  await agree(all, 'receiving', id);
  await agree(all, 'client', id);
  return id;
};
const one = async (all: Sides, as: As, id: string) =>
  (await call(all, as, 'GET', `/client-transfers/${id}`)).body;
const run = (id: string) => app.features.clientTransfers.run({ rootId: root.id, transferId: id });
const row = async (id: string) =>
  (await app.admin.query('select * from client_transfer where id = $1', [id])).rows[0];
const buy = async (all: Sides, as: As = 'client') =>
  (
    await call(all, as, 'POST', '/leadspeek/client/topup-card', {
      ...{ leadspeekID: all.who.campaign.id, leadsbuy: 10, amount: '10.00' },
      idempotencyKey: `transfer-${++serial}`,
    })
  ).body.result;
const leads = async ({ who }: Sides, count: number) => {
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(root, people);
  for (const { email } of people) await app.make.visit(who.campaign, { email });
  await app.features.leads.resolver.resolveAll();
};
const listed = async (all: Sides, as: As) =>
  (await call(all, as, 'GET', '/leadspeek/client/list')).body.data as {
    leadspeekID: string;
    status: string;
  }[];
/** What the giving agency's report says of its clients' sales. */
const report = async (all: Sides) => {
  const { body } = await call(all, 'giving', 'GET', '/configuration/clients-report');
  return (body.data as { leads: number; price_micros: number; cost_micros: number }[]).map(
    ({ leads, price_micros, cost_micros }) => ({ leads, price_micros, cost_micros }),
  );
};
/** The rows of a company in every table that moves. */
const counted = async (companyId: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      MOVED.map(async ({ name }) => [
        name,
        (await app.admin.query(`select count(*)::int as n from ${name} where company_id = $1`, [companyId]))
          .rows[0].n,
      ]),
    ).then((rows) => (rows as [string, number][]).filter(([, n]) => n > 0)),
  );
const ledgerHolds = async () => {
  const { checks } = await auditLedger(app.admin);
  // What the stage sells has no lead.
  expect(checks.filter(({ violations }) => violations > 0)).toEqual([]);
};
const mails = async (email: string): Promise<string[]> =>
  (
    await app.admin.query(
      `select subject from mail where to_address = $1 and kind like 'transfer.%' order by id`,
      [email],
    )
  ).rows.map(({ subject }) => subject);
const logs = async (agencyId: string): Promise<string[]> =>
  (
    await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.agency_id = $1 and l.action like 'transfer.%' order by l.id`,
      [agencyId],
    )
  ).rows.map(({ description }) => description);

describe('[BEY-13] transfer of a client', () => {
  test('moves everything but the money once all three agree: one sees nothing after, the other all, the ledger holds', async () => {
    const all = await sides();
    const { who, to } = all;
    expect(await buy(all)).toBe('success');
    await leads(all, 3);
    await app.make.exclusionList(who.client, 'client', ['someone@else.test']);
    await app.make.connection(who.client, { campaignId: who.campaign.id });
    const before = await counted(who.client.id);
    expect(before).toMatchObject({
      lead: 3,
      lead_contact: 3,
      visit: 3,
      user_account: 1,
      integration: 1,
      exclusion: 2,
    });
    const ledger = async () =>
      (
        await app.admin.query(
          `select count(*)::int as n, md5(string_agg(e::text, ',' order by transfer_id, line)) as sum from entry e where agency_id = $1 and created_at <= $2`,
          [who.agency.id, app.clock.now()],
        )
      ).rows[0];

    const id = await started(all);
    // Until it agrees, no one learns who the receiving agency is, and the client is not asked.
    expect((await one(all, 'client', id)).data).toMatchObject({
      to_name: '',
      to_email: '',
      may_agree: false,
    });
    expect((await one(all, 'giving', id)).data).toMatchObject({
      to_name: '',
      waits_for: ['receiving', 'client'],
    });
    const early = await call(all, 'client', 'POST', `/client-transfers/${id}/agree`, {});
    expect([early.status, early.body.message]).toEqual([409, 'The receiving agency has to agree first.']);
    const offered = await one(all, 'receiving', id);
    expect(offered).toMatchObject({
      data: { side: 'receiving', may_agree: true, client_id: null },
      campaigns: [{ price_micros: 1_000_000, cost_micros: 0 }],
    });
    await agree(all, 'receiving', id);
    await run(id);
    expect((await row(id)).state).toBe('offered');
    await agree(all, 'client', id);
    const past = await ledger();
    const reported = await report(all);
    expect(reported[0]).toMatchObject({ leads: 3 });
    app.clock.advance(1000);
    await run(id);
    const done = await row(id);
    expect([done.state, done.problem]).toEqual(['done', '']);

    // Nothing of it is left with the giving agency, and the receiving one has as much as there was.
    expect(await counted(who.client.id)).toEqual({});
    expect(await counted(done.successor_id)).toMatchObject(before);
    expect(done.moved).toMatchObject({ lead: 3, visit: 3 });
    expect(await listed(all, 'giving')).toEqual([]);
    const theirs = (await listed(all, 'receiving')).filter((row) => row.status === 'paused');
    expect(theirs).toHaveLength(1);
    const seen = await call(all, 'receiving', 'GET', `/leadspeek/client/list?companyID=${done.successor_id}`);
    expect(seen.status).toBe(200);
    // The unused $7 went back to the card, and what was posted before is as it was.
    const { rows: refunds } = await app.admin.query(
      `select sum(amount_cents)::int as cents from refund where company_id = $1`,
      [who.client.id],
    );
    expect(refunds[0].cents).toBe(700);
    expect(
      (
        await app.admin.query(
          'select sum(price_micros)::int as price, count(transfer_id)::int as paid from lead where company_id = $1',
          [done.successor_id],
        )
      ).rows[0],
    ).toEqual({ price: 0, paid: 0 });
    expect(
      (
        await app.admin.query(
          'select count(*)::int as n, sum(price_micros)::int as price from lead_bill where agency_id = $1',
          [who.agency.id],
        )
      ).rows[0],
    ).toEqual({ n: 3, price: 3_000_000 });
    expect((await ledger()).n).toBeGreaterThan(past.n - 1);
    await ledgerHolds();
    // A bill that someone alters behind the ledger's back is found.
    const tamper = (by: number) =>
      app.admin.query(
        `update lead_bill set price_micros = price_micros + $2 where lead_id = (select lead_id from lead_bill where agency_id = $1 order by 1 limit 1)`,
        [who.agency.id, by],
      );
    await app.admin.query('set session_replication_role = replica');
    await tamper(1);
    const { checks } = await auditLedger(app.admin);
    expect(checks.filter(({ violations }) => violations > 0).map(({ name }) => name)).toEqual([
      expect.stringMatching(/^every lead with a price/),
    ]);
    await tamper(-1);
    await app.admin.query('set session_replication_role = origin');
    await ledgerHolds();
    // Its reports of the past say the same.
    expect(await report(all)).toEqual(reported);

    // The site's key goes on working, for the successor.
    const site = await app.admin.query('select company_id, state from campaign where site_key = $1', [
      who.campaign.siteKey,
    ]);
    expect(site.rows).toEqual([{ company_id: done.successor_id, state: 'paused' }]);

    // Its users are signed out, and sign in at the receiving agency's address only.
    expect((await call(all, 'client', 'GET', '/client-transfers')).status).toBe(401);
    const login = (host: string) =>
      app.call('POST', '/api/login', { host, body: { username: who.emails.client, password: PASSWORD } });
    expect((await login(who.host)).status).not.toBe(200);
    expect((await login(to.host)).status).toBe(200);
    expect(await mails(who.emails.client)).toEqual([
      expect.stringMatching(/would like to transfer your account$/),
      expect.stringMatching(/agreed: your account can move$/),
      expect.stringMatching(/^Your account has moved to /),
    ]);
    expect(await logs(to.agency.id)).toEqual([
      expect.stringMatching(/offered the client/),
      expect.stringMatching(/agreed to the transfer/),
      expect.stringMatching(/agreed to the transfer/),
      expect.stringMatching(/^Received the client/),
    ]);
    expect(await logs(who.agency.id)).toHaveLength(4);

    // It sells again there, once it is paid for, at the price that it had.
    const campaign = theirs[0]!.leadspeekID;
    const topUp = { leadspeekID: campaign, amount: '5.00', idempotencyKey: `transfer-${++serial}` };
    expect((await call(all, 'receiving', 'POST', '/leadspeek/client/topup', topUp)).status).toBe(200);
    const begun = await call(all, 'receiving', 'POST', '/leadspeek/client/activepause', {
      leadspeekID: campaign,
      status: 'active',
    });
    expect([begun.status, begun.body.message]).toEqual([200, expect.any(String)]);
    app.clock.advance(60_000);
    await leads(all, 2);
    const sold = await app.admin.query(
      'select count(*)::int as n, sum(price_micros)::int as price, count(distinct agency_id)::int as agencies from lead where company_id = $1',
      [done.successor_id],
    );
    expect(sold.rows[0]).toEqual({ n: 5, price: 2_000_000, agencies: 1 });
    expect(
      (await call(all, 'giving', 'GET', `/leadspeek/client/list?companyID=${done.successor_id}`)).body.data ??
        [],
    ).toEqual([]);
    await ledgerHolds();
  });

  test('both scopes: row level security shows each moved row to the receiving agency alone', async () => {
    const all = await sides();
    await buy(all);
    await leads(all, 2);
    const id = await whole(all);
    await run(id);
    const { successor_id } = await row(id);
    const before = await counted(successor_id);
    const visible = (agencyId: string) =>
      inScope(app.platform.db.app, { rootId: root.id, agencyId }, async (tx) => {
        const seen: Record<string, number> = {};
        for (const name of Object.keys(before)) {
          const { rows } = await sql<{ n: number }>`
            select count(*)::int as n from ${sql.table(name)} where company_id in (${successor_id}, ${all.who.client.id})`.execute(
            tx,
          );
          seen[name] = rows[0]!.n;
        }
        return seen;
      });
    expect(await visible(all.to.agency.id)).toEqual(before);
    expect(Object.values(await visible(all.who.agency.id)).every((n) => n === 0)).toBe(true);
  });

  test('a transfer while a charge is under way waits for its outcome, refunds it, and moves after', async () => {
    const all = await sides();
    stage.loseAnswer();
    await buy(all);
    const id = await whole(all);
    await run(id);
    const { steps, data } = await one(all, 'giving', id);
    const charges = steps.find((one: { step: string }) => one.step === 'charges');
    expect([data.state, charges]).toEqual([
      'settling',
      expect.objectContaining({ state: 'waits', words: expect.stringMatching(/^1 payment is under way/) }),
    ]);
    expect((await counted(all.who.client.id)).user_account).toBe(1);
    stage.keepAnswers();
    app.clock.advance(3_600_000);
    await stage.send(all.who);
    await run(id);
    expect((await row(id)).state).toBe('done');
    const { rows } = await app.admin.query(
      `select sum(amount_cents)::int as cents from refund where company_id = $1 and state = 'succeeded'`,
      [all.who.client.id],
    );
    expect(rows[0].cents).toBe(1000);
    await ledgerHolds();
  });

  test('two consents at once, and two runs at once, do it once', async () => {
    const all = await sides();
    const id = await started(all);
    await agree(all, 'receiving', id);
    const token = await stage.token(all.who, 'client');
    const again = () =>
      app.call('POST', `/api/client-transfers/${id}/agree`, { host: all.who.host, token, body: {} });
    const answers = await Promise.all([again(), again(), again()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    await Promise.all([run(id), run(id), run(id)]);
    await run(id);
    expect((await row(id)).state).toBe('done');
    const { rows } = await app.admin.query(
      `select count(*)::int as n from company where agency_id = $1 and kind = 'client'`,
      [all.to.agency.id],
    );
    expect(rows[0].n).toBe(2);
    await ledgerHolds();
  });

  test('the answer is the same whether or not there is such an agency, and it expires after 14 days', async () => {
    const all = await sides();
    const other = await sides();
    const nobody = await start(all, 'giving', { to_email: 'nobody@elsewhere.test' });
    const somebody = await start(other);
    // Neither is a client's owner, nor an agency's administrator, an address that receives clients.
    expect([nobody.status, nobody.body.message]).toEqual([somebody.status, somebody.body.message]);
    const shown = ({ data, steps }: { data: object; steps: object }) => ({
      ...data,
      id: '',
      client_id: '',
      client_name: '',
      from_name: '',
      to_email: '',
      started_at: '',
      expires_at: '',
      steps,
    });
    expect(shown(await one(all, 'giving', nobody.body.data.id))).toEqual(
      shown(await one(other, 'giving', somebody.body.data.id)),
    );
    const own = await start(all, 'giving', { to_email: all.who.emails.agency });
    expect([own.status, own.body.message]).toEqual([422, 'to_email: is of your own agency']);
    const second = await start(all);
    expect([second.status, second.body.message]).toEqual([
      409,
      expect.stringMatching(/already has a transfer/),
    ]);
    app.clock.advance(14 * 86_400_000);
    const late = await call(
      other,
      'receiving',
      'POST',
      `/client-transfers/${somebody.body.data.id}/agree`,
      {},
    );
    expect([late.status, late.body.message]).toEqual([409, 'This transfer is expired. Start another.']);
    await app.features.clientTransfers.sweep(root.id);
    expect([(await row(nobody.body.data.id)).state, (await row(somebody.body.data.id)).state]).toEqual([
      'expired',
      'expired',
    ]);
    expect((await mails(other.to.emails.agency)).at(-1)).toMatch(/has expired$/);
    // And it can be started anew.
    await started(all);
  });

  test('a transfer of others is not found, and only the sides of one see it', async () => {
    const all = await sides();
    const other = await sides();
    const id = await started(all);
    for (const as of ['giving', 'receiving', 'client'] as const) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/agree'],
        ['POST', '/end'],
        ['POST', '/resume'],
      ] as const)
        expect(
          (
            await call(
              other,
              as,
              method,
              `/client-transfers/${id}${path}`,
              method === 'POST' ? {} : undefined,
            )
          ).status,
        ).toBe(404);
      expect((await call(other, as, 'GET', '/client-transfers')).body.data).toEqual([]);
    }
    const foreign = await start(other, 'giving', { client_id: all.who.client.id });
    expect(foreign.status).toBe(404);
    // An address in another root is one of no agency.
    const elsewhere = await app.make.root({ host: `elsewhere${++serial}.test` });
    const theirs = await app.make.agency(elsewhere);
    const { email } = await app.make.user(theirs);
    const { body } = await start(other, 'giving', { to_email: email });
    expect((await row(body.data.id)).to_agency_id).toBeNull();
  });

  test('[ROLE-01] a role that allows settings alone neither stops campaigns nor refunds money by way of a transfer', async () => {
    const all = await sides();
    const { who } = all;
    expect(await buy(all)).toBe('success');
    const role = await call(all, 'giving', 'POST', '/configuration/role-module/add', {
      roleName: 'Office',
      roleModule: ['Campaign', 'LeadsPeek', 'Settings'].map((module_name) => ({
        module_name,
        ...Object.fromEntries(
          ['enable', 'create', 'update', 'delete'].map((action) => [
            `${action}_permission`,
            module_name === 'Settings' ? 'T' : 'F',
          ]),
        ),
      })),
    });
    const admin = await app.make.user(who.agency, {
      role: 'administrator',
      roleId: role.body.roleID,
      password: PASSWORD,
    });
    const token = await app.signIn(admin.email, who.host);
    const asked = async (path: string, body: object = {}) =>
      (await app.call('POST', `/api/client-transfers${path}`, { host: who.host, token, body })).status;
    expect(await asked('', { client_id: who.client.id, to_email: all.to.emails.agency })).toBe(403);
    // Nor by agreeing with what the client began, by going on with what someone else began, or once a role is narrowed.
    const offered = await started(all, 'client');
    expect(await asked(`/${offered}/agree`, { keep_balance: false })).toBe(403);
    expect((await call(all, 'client', 'POST', `/client-transfers/${offered}/end`, {})).status).toBe(200);
    const id = await whole(all);
    expect(await asked(`/${id}/resume`)).toBe(403);
    await app.admin.query('update client_transfer set giving_user = $2 where id = $1', [id, admin.id]);
    await run(id);
    expect(await row(id)).toMatchObject({ state: 'settling', problem: expect.stringContaining('Resume it') });
    expect(await stage.balance(who)).toBe(10n * 1_000_000n);
    expect(await listed(all, 'giving')).toMatchObject([{ leadspeekID: who.campaign.id }]);
    // By someone who may do all of it, it goes on.
    expect((await call(all, 'giving', 'POST', `/client-transfers/${id}/resume`, {})).status).toBe(200);
    await run(id);
    expect((await row(id)).state).toBe('done');
  });

  test('[BEY-30] leaves the giving agency no way back: links, codes, new addresses, its connections, and its people in alerts', async () => {
    const all = await sides();
    const { who } = all;
    const own = await app.make.connection(who.client, { campaignId: who.campaign.id });
    const theirs = await app.make.connection(who.client, { campaignId: who.campaign.id });
    const sql = (text: string, ...values: unknown[]) => app.admin.query(text, values);
    await sql('update connection set company_id = agency_id where id = $1', theirs.id);
    const { rows: people } = await sql(
      `select u.id, u.company_id, u.agency_id, u.root_id from user_account u where u.company_id in ($1, $2) and u.role = 'owner'`,
      who.client.id,
      who.agency.id,
    );
    const user = people.find(({ company_id }) => company_id === who.client.id);
    const staff = people.find(({ company_id }) => company_id === who.agency.id);
    const at = app.clock.now();
    const later = new Date(at.getTime() + 100 * 3_600_000);
    await sql(
      `insert into password_reset (id, root_id, agency_id, company_id, user_id, tenant_id, origin, created_at, expires_at)
       values (gen_random_uuid(), $1, $2, $3, $4, $2, 'https://a.test', $5, $6)`,
      ...[user.root_id, user.agency_id, user.company_id, user.id, at, later],
    );
    await sql(
      `insert into email_change (id, root_id, agency_id, company_id, user_id, email, created_at, expires_at)
       values (gen_random_uuid(), $1, $2, $3, $4, 'evil@agency.test', $5, $6)`,
      ...[user.root_id, user.agency_id, user.company_id, user.id, at, later],
    );
    await sql(
      `insert into alert (id, root_id, agency_id, company_id, name, state, trigger, min_score, pages, fit, user_ids, connection_ids, cooldown_hours, most_per_hour, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, $3, 'Hot', 'on', 'lead', 0, '{}', 'any', $4, $5, 24, 10, $6, $6)`,
      ...[user.root_id, user.agency_id, user.company_id, [user.id, staff.id], [own.id, theirs.id], at],
    );
    const id = await whole(all);
    await run(id);
    const { state, successor_id } = await row(id);
    expect(state).toBe('done');
    const count = async (table: string) =>
      (await sql(`select count(*)::int as n from ${table} where user_id = $1`, user.id)).rows[0].n;
    expect([
      await count('password_reset'),
      await count('email_change'),
      await count('login_challenge'),
    ]).toEqual([0, 0, 0]);
    const { rows: destinations } = await sql(
      'select id, state from integration where company_id = $1',
      successor_id,
    );
    expect(new Map(destinations.map((one) => [one.id, one.state]))).toEqual(
      new Map([
        [own.destinationId, 'enabled'],
        [theirs.destinationId, 'removed'],
      ]),
    );
    const { rows: alerts } = await sql(
      'select state, user_ids, connection_ids from alert where company_id = $1',
      successor_id,
    );
    expect(alerts).toEqual([{ state: 'off', user_ids: [user.id], connection_ids: [own.id] }]);
  });

  test('[BEY-30] users whom the giving agency may have added are out until the client restores them, with what they set up', async () => {
    const all = await sides();
    const { who, to } = all;
    const sql = (text: string, ...values: unknown[]) => app.admin.query(text, values);
    const { id: by } = (await sql('select id from user_account where email = $1', who.emails.client)).rows[0];
    const create = (name: string) =>
      call(all, 'client', 'POST', '/configuration/user/create', {
        ...{ companyID: who.client.id, userType: 'administrator', ClientRole: 'owner', ClientFullName: name },
        ...{ ClientEmail: `${name.toLowerCase()}@client.example`, ClientPhone: '5125550100' },
        ...{ ClientPhoneCountryCode: 'US', ClientPhoneCountryCallingCode: '+1' },
      });
    const added = await create('Colleague');
    expect([added.status, added.body.errors ?? {}]).toEqual([200, {}]);
    const planted = await app.make.user(who.client, { password: PASSWORD });
    const token = await app.signIn(planted.email, who.host);
    const connection = await app.make.connection(who.client, { campaignId: who.campaign.id });
    await sql(
      `insert into campaign_report (campaign_id, root_id, agency_id, company_id, notify_every, notify_to, report_every, report_to, covers_from, due_at, updated_at)
       select id, root_id, agency_id, company_id, 1, $2, null, '{}', null, null, $3 from campaign where id = $1`,
      ...[who.campaign.id, [planted.email, who.emails.client], app.clock.now()],
    );
    const made = await app.call('POST', '/api/integrations/custom', {
      ...{ host: who.host, token },
      body: { leadspeekID: who.campaign.id, url: 'https://collect.planted.example/leads' },
    });
    expect([made.status, made.body.message]).toEqual([200, expect.any(String)]);
    const id = await whole(all);
    await run(id);
    const { state, successor_id } = await row(id);
    expect(state).toBe('done');
    const { rows } = await sql(
      'select id, email, disabled_at is not null as out, is_default_admin from user_account where company_id = $1 order by created_at, email',
      successor_id,
    );
    expect(rows.map(({ email, out }) => [email, out]).toSorted()).toEqual(
      [
        [who.emails.client, false],
        ['colleague@client.example', false],
        [planted.email, true],
      ].toSorted(),
    );
    expect(rows.find(({ is_default_admin }) => is_default_admin)?.id).toBe(by);
    const destinations = await sql('select id, state from integration where company_id = $1', successor_id);
    expect(new Map(destinations.rows.map((one) => [one.id, one.state]))).toEqual(
      new Map([
        [(made.body.data as unknown as { id: string }).id, 'disabled'],
        [connection.destinationId, 'enabled'],
      ]),
    );
    const report = await sql('select notify_to from campaign_report where company_id = $1', successor_id);
    expect(report.rows).toEqual([{ notify_to: [who.emails.client] }]);
    const [told] = await stage.mails(who, 'client', 'transfer.done');
    expect(told).toContain('1 user whom none of yours had added themselves can no longer sign in');
    const signsIn = () =>
      app.call('POST', '/api/login', {
        host: to.host,
        body: { username: planted.email, password: PASSWORD },
      });
    expect((await signsIn()).status).toBe(401);
    // One click on the list of administrators lets them in again.
    const restored = await app.call('PUT', '/api/configuration/user/update', {
      ...{ host: to.host, token: await app.signIn(who.emails.client, to.host) },
      body: {
        ...{ companyID: successor_id, userType: 'administrator', ClientID: planted.id, action: 'restore' },
      },
    });
    expect([restored.status, restored.body.errors ?? {}]).toEqual([200, {}]);
    expect((await signsIn()).status).toBe(200);
  });

  test('[BEY-30] what the giving agency’s program did as the client’s owner is not the client’s own', async () => {
    const all = await sides();
    const { who } = all;
    const sql = (text: string, ...values: unknown[]) => app.admin.query(text, values);
    const { auth } = app.features;
    const { id: owner } = (await sql('select id from user_account where email = $1', who.emails.client))
      .rows[0];
    const enter = async () => {
      const { token } = await auth.sso.mint(actingOwner(app.clock, root.id, who.agency.id), owner);
      const answer = await app.call('POST', '/api/v1/developer/sso/validation', {
        host: who.host,
        body: { token },
      });
      return String(answer.body.access_token);
    };
    const token = await enter();
    const ask = (path: string, body: object, as = token) =>
      app.call('POST', `/api/${path}`, { host: who.host, token: as, body });
    expect((await ask('user/confirm', { password: PASSWORD })).status).toBe(200);
    const added = await ask('configuration/user/create', {
      ...{
        companyID: who.client.id,
        userType: 'administrator',
        ClientRole: 'owner',
        ClientFullName: 'Puppet',
      },
      ...{ ClientEmail: `puppet${++serial}@agency.example`, ClientPhone: '5125550100' },
      ...{ ClientPhoneCountryCode: 'US', ClientPhoneCountryCallingCode: '+1' },
    });
    expect([added.status, added.body.errors ?? {}]).toEqual([200, {}]);
    const hook = async (as: string, url: string) => {
      const { status, body } = await ask('integrations/custom', { leadspeekID: who.campaign.id, url }, as);
      expect([status, body.message]).toEqual([200, expect.any(String)]);
      return (body.data as unknown as { id: string }).id;
    };
    const own = await stage.token(who, 'client');
    const destinations = [
      await hook(token, 'https://collect.agency.example/leads'),
      await hook(own, 'https://own.client.example/leads'),
    ];
    // Nor does it agree for an owner who has no password, and so cannot be asked.
    const id = await started(all);
    await agree(all, 'receiving', id);
    await sql('create temp table kept as select id, password_hash from user_account where id = $1', owner);
    await sql('update user_account set password_hash = null where id = $1', owner);
    const bare = await enter();
    const agreed = await ask(`client-transfers/${id}/agree`, {}, bare);
    expect([agreed.status, agreed.body.message]).toEqual([403, ownMessages.passwordFirst]);
    await sql('update user_account u set password_hash = k.password_hash from kept k where k.id = u.id');
    await agree(all, 'client', id);
    await run(id);
    const { state, successor_id } = await row(id);
    expect(state).toBe('done');
    const { rows } = await sql(
      `select name, disabled_at is not null as out from user_account where company_id = $1 and role = 'owner' order by name = 'Puppet'`,
      successor_id,
    );
    expect(rows.map(({ out }) => out)).toEqual([false, true]);
    expect(rows[1].name).toBe('Puppet');
    const kept = await sql('select id, state from integration where company_id = $1', successor_id);
    expect(destinations.map((one) => kept.rows.find((row) => row.id === one)?.state)).toEqual([
      'disabled',
      'enabled',
    ]);
  });

  test('[BEY-30] the giving agency gets no notices about the client any more: low balances, silent sites, digests, alerts', async () => {
    const all = await sides();
    const { who } = all;
    expect(await buy(all)).toBe('success');
    await stage.work(who);
    const id = await whole(all);
    await run(id);
    await run(id);
    expect((await row(id)).state).toBe('done');
    const since = (await app.admin.query('select max(id::text) as id from mail')).rows[0].id;
    const { prepaid, silences, digests, alerts } = app.features;
    await prepaid.auto.run({ rootId: root.id, campaignId: who.campaign.id });
    for (let days = 0; days < 8; days++) {
      app.clock.advance(24 * 3_600_000);
      await silences.sendDue(root.id);
      for (const companyId of [who.client.id, who.agency.id])
        await digests.sendTo({ rootId: root.id, companyId });
      await alerts.tell({ rootId: root.id, companyId: who.client.id });
    }
    const { rows } = await app.admin.query(
      `select kind, to_address from mail where id::text > $1 and (agency_id = $2 or to_address = $3)`,
      [since, who.agency.id, who.emails.agency],
    );
    expect(rows).toEqual([]);
  });

  test('[BEY-30] leads go to no address that the giving agency set up, and nothing is read from its connections', async () => {
    const all = await sides();
    const { who } = all;
    const sql = (text: string, ...values: unknown[]) => app.admin.query(text, values);
    const [client, staff] = [who.emails.client, who.emails.agency];
    const set = (as: As, path: string, body: object) => call(all, as, 'POST', path, body);
    const webhook = async (as: As, url: string): Promise<string> => {
      const { status, body } = await set(as, '/integrations/custom', { leadspeekID: who.campaign.id, url });
      expect([status, body.message]).toEqual([200, expect.any(String)]);
      return body.data.id;
    };
    const ours = await webhook('client', 'https://crm.client.example/leads');
    const theirs = await webhook('giving', 'https://collect.agency.example/leads');
    const connection = await app.make.connection(who.client, { campaignId: who.campaign.id });
    await sql(
      `update connection set company_id = agency_id where id = $1`,
      (await app.make.connection(who.client)).id,
    );
    await sql(
      `insert into destination_document (integration_id, document_id, root_id, agency_id, company_id, url, recipients, created_at)
       select id, 'doc', root_id, agency_id, company_id, 'https://sheet.example', $2, created_at from integration where id = $1`,
      connection.destinationId,
      [client, staff],
    );
    await sql(
      `insert into campaign_report (campaign_id, root_id, agency_id, company_id, notify_every, notify_to, report_every, report_to, covers_from, due_at, updated_at)
       select id, root_id, agency_id, company_id, 1, $2, 'day', $3, $4, $4, $4 from campaign where id = $1`,
      who.campaign.id,
      [staff],
      [client, 'somebody@agency.example'],
      app.clock.now(),
    );
    await sql(
      `insert into trusted_address (id, root_id, agency_id, company_id, network, note, created_at, created_by, trusted_at, trusted_by)
       select gen_random_uuid(), root_id, agency_id, id, '203.0.113.0/24', '', $2, $3, $2, $3 from company where id = $1`,
      ...[who.client.id, app.clock.now(), who.client.id],
    );
    const list = await app.make.exclusionList(who.client, 'client', ['someone@else.test']);
    await sql(
      `update exclusion_list set use = 'customers', connection_id = (select id from connection where company_id = $2 limit 1) where id = $1`,
      ...[list.id, who.agency.id],
    );
    const id = await whole(all);
    await run(id);
    const { state, successor_id } = await row(id);
    expect(state).toBe('done');
    const { rows } = await sql('select id, state from integration where company_id = $1', successor_id);
    expect(new Map(rows.map((one) => [one.id, one.state]))).toEqual(
      new Map([
        [ours, 'enabled'],
        [theirs, 'disabled'],
        [connection.destinationId, 'disabled'],
      ]),
    );
    const reports = await sql(
      'select notify_every, notify_to, report_every, report_to from campaign_report where company_id = $1',
      successor_id,
    );
    expect(reports.rows).toEqual([
      { notify_every: null, notify_to: [], report_every: 'day', report_to: [client] },
    ]);
    for (const [table, where] of [
      ['trusted_address', 'true'],
      ['exclusion_list', 'connection_id is not null'],
    ])
      expect(
        (await sql(`select from ${table} where company_id = $1 and ${where}`, successor_id)).rowCount,
      ).toBe(0);
    const [told] = await stage.mails(who, 'client', 'transfer.done');
    expect(told).toContain('2 destinations that');
    expect(told).toContain('2 email addresses that no user of yours has');
  });

  test('[BEY-30] a client’s name is no message to another agency', async () => {
    const all = await sides();
    const long = `Your Data Wallet was closed: sign in at evil.example/now ${'to keep it open '.repeat(8)}`;
    await app.admin.query('update company set name = $2 where id = $1', [all.who.client.id, long.trim()]);
    await started(all);
    const [subject] = await mails(all.to.emails.agency);
    expect(subject).toBe(
      'Your Data Wallet was closed  sign in at evil example now to would like to become your client',
    );
  });

  test('the client’s owner starts one: its agency has to agree and say what happens with the balance; anyone can end it', async () => {
    const all = await sides();
    const id = await started(all, 'client');
    await agree(all, 'receiving', id);
    const missing = await call(all, 'giving', 'POST', `/client-transfers/${id}/agree`, {});
    expect([missing.status, missing.body.message]).toEqual([422, 'keep_balance: is required']);
    expect((await one(all, 'giving', id)).data).toMatchObject({
      to_email: all.to.emails.agency,
      waits_for: ['giving'],
    });
    await agree(all, 'giving', id, { keep_balance: true });
    expect((await row(id)).state).toBe('settling');
    // Until it has moved, the receiving agency can still cancel.
    expect((await call(all, 'receiving', 'POST', `/client-transfers/${id}/end`)).status).toBe(200);
    expect((await row(id)).state).toBe('canceled');
    await run(id);
    expect((await counted(all.who.client.id)).user_account).toBe(1);
    for (const [as, state] of [
      ['client', 'withdrawn'],
      ['receiving', 'declined'],
      ['giving', 'declined'],
    ] as const) {
      const next = await started(all, 'client');
      expect((await call(all, as, 'POST', `/client-transfers/${next}/end`)).status).toBe(200);
      expect((await row(next)).state).toBe(state);
      expect((await call(all, as, 'POST', `/client-transfers/${next}/end`)).status).toBe(409);
    }
  });

  test('money that no card paid stays as credit, or someone has to decide; nothing moves while something is under way', async () => {
    const all = await sides();
    const topUp = {
      leadspeekID: all.who.campaign.id,
      amount: '5.00',
      idempotencyKey: `transfer-${++serial}`,
    };
    expect((await call(all, 'giving', 'POST', '/leadspeek/client/topup', topUp)).status).toBe(200);
    const id = await whole(all);
    await run(id);
    expect(
      (await one(all, 'giving', id)).steps.find((one: { step: string }) => one.step === 'balance').state,
    ).toBe('you');
    expect((await row(id)).state).toBe('settling');
    const second = id;
    // No one else decides about it.
    await call(all, 'receiving', 'POST', `/client-transfers/${id}/resume`, { keep_balance: true });
    expect((await row(id)).keeps_balance).toBe(false);
    const kept = await call(all, 'giving', 'POST', `/client-transfers/${id}/resume`, { keep_balance: true });
    expect([kept.status, (await row(id)).keeps_balance]).toEqual([200, true]);
    // An export is being made, a list imported: both are waited for.
    await app.admin.query(
      `insert into company_export (id, root_id, agency_id, company_id, company_kind, state, asked_by, created_at)
       values (gen_random_uuid(), $1, $2, $3, 'client', 'queued', gen_random_uuid(), now())`,
      [root.id, all.who.agency.id, all.who.client.id],
    );
    await run(second);
    const { steps, data } = await one(all, 'giving', second);
    expect([data.state, steps.find((one: { step: string }) => one.step === 'busy').words]).toEqual([
      'settling',
      'A full export is being made.',
    ]);
    await app.admin.query(`update company_export set state = 'removed' where company_id = $1`, [
      all.who.client.id,
    ]);
    await run(second);
    expect((await row(second)).state).toBe('done');
    expect((await logs(all.who.agency.id)).at(-1)).toMatch(/with \$5\.00 kept as credit$/);
    expect(await stage.sum(all.who.client.id, 'client_prepaid')).toBe(5_000_000n);
    await ledgerHolds();
    // So is a credit toward the next invoice.
    const owed = await sides();
    await stage.terms(owed.who, { term: 'Weekly' });
    const credit = await call(owed, 'giving', 'POST', '/credits', {
      ...{ companyID: owed.who.client.id, leadspeekID: owed.who.campaign.id, amount: '50.00', note: '' },
      ...{ reason: 'goodwill', idempotencyKey: `credit-${++serial}` },
    });
    expect(credit.status).toBe(200);
    const third = await whole(owed);
    await run(third);
    const left = (await one(owed, 'giving', third)).steps.find(
      (step: { step: string }) => step.step === 'balance',
    );
    expect([left.state, left.words]).toEqual(['you', expect.stringMatching(/^\$50\.00 cannot be refunded/)]);
    await call(owed, 'giving', 'POST', `/client-transfers/${third}/resume`, { keep_balance: true });
    await run(third);
    expect((await row(third)).state).toBe('done');
    expect(await logs(owed.who.agency.id)).toContainEqual(
      expect.stringMatching(/with \$50\.00 kept as credit$/),
    );
    // A payment that its cardholder could still confirm is canceled before.
    const asked = await sides();
    await duesOf(app, root).card(asked.who.client, 'authenticate');
    expect(await buy(asked)).toBe('authenticate');
    const fourth = await whole(asked);
    await run(fourth);
    expect((await row(fourth)).state).toBe('done');
    const { rows } = await app.admin.query(
      'select needs_authentication as open from charge where company_id = $1',
      [asked.who.client.id],
    );
    expect(rows).toEqual([{ open: false }]);
    // An offboarding refuses it.
    const leaving = await sides();
    await call(leaving, 'giving', 'POST', `/offboarding/${leaving.who.client.id}`, {
      keep_balance: false,
      delete_on: '2027-01-31',
    });
    const refused = await start(leaving);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'This client is being offboarded. Cancel that first.',
    ]);
  });

  test('a campaign that would cost the receiving agency more than the client pays is named, and does not start', async () => {
    const all = await sides();
    await app.make.leadCost(all.to.agency, 2_000_000n);
    const id = await started(all);
    expect((await one(all, 'receiving', id)).campaigns).toMatchObject([
      { price_micros: 1_000_000, cost_micros: 2_000_000 },
    ]);
    // The agency that gives learns nothing of it.
    expect((await one(all, 'giving', id)).campaigns).toMatchObject([{ cost_micros: null }]);
    await agree(all, 'receiving', id);
    await agree(all, 'client', id);
    await run(id);
    const { rows } = await app.admin.query(
      `select body_sealed from mail where kind = 'transfer.done' and to_address = $1`,
      [all.to.emails.agency],
    );
    expect(JSON.parse(app.platform.vault.open(rows[0].body_sealed, 'mail.body')).text).toContain(
      'needs a new price',
    );
    const moved = (await listed(all, 'receiving')).find((row) => row.status === 'paused')!;
    const begun = await call(all, 'receiving', 'POST', '/leadspeek/client/activepause', {
      leadspeekID: moved.leadspeekID,
      status: 'active',
    });
    expect([begun.status, begun.body.errors]).toEqual([409, { status: ['needs a new price'] }]);
  });

  test('what a process wrote under the old name meanwhile is moved after; a run that is cut off begins anew', async () => {
    const all = await sides();
    const id = await whole(all);
    const forget = vi.spyOn(app.features.companies, 'takeOff').mockRejectedValueOnce(new Error('killed'));
    await expect(run(id)).rejects.toThrow('killed');
    forget.mockRestore();
    expect([(await row(id)).state, (await counted(all.who.client.id)).user_account]).toEqual(['settling', 1]);
    await run(id);
    const { successor_id } = await row(id);
    await app.admin.query(
      `insert into visit (day, event_id, root_id, agency_id, company_id, campaign_id, received_at) values ('2026-03-10', gen_random_uuid(), $1, $2, $3, $4, now())`,
      [root.id, all.who.agency.id, all.who.client.id, all.who.campaign.id],
    );
    await app.features.clientTransfers.sweep(root.id);
    expect([(await counted(all.who.client.id)).visit, (await counted(successor_id)).visit]).toEqual([
      undefined,
      1,
    ]);
  });
});
