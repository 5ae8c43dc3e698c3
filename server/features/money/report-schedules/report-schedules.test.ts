import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usd } from '../../../../contract/primitives.ts';
import { ManualClock } from '../../../platform/clock.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import type { Posting } from '../ledger/index.ts';
import { daysOf } from './policy.ts';
import { changeWords, reportPdf } from './report.pdf.ts';

const USD = 1_000_000n;
const URL = '/api/configuration/report-schedules';
let app: TestApp;
let root: Company;
let agency: Company;
let campaign: MadeCampaign;
const tokens: Record<string, string> = {};
const ids: Record<string, string> = {};
const HOSTS: Record<string, string> = {
  root: 'root.test',
  admin: 'root.test',
  boss: 'acme.test',
  helper: 'acme.test',
  rival: 'rival.test',
};

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const call = (who: string, method: Method, path = '', body?: object) =>
  app.call(method, `${URL}${path}`, { host: HOSTS[who]!, token: tokens[who]!, ...(body && { body }) });
const schedule = (more: object = {}) => ({
  ...{ report: 'month', period: 'month', compare: 'previous', every: 'month' },
  user_ids: [ids.boss],
  ...more,
});
async function add(who: string, more: object = {}): Promise<string> {
  const { status, body } = await call(who, 'POST', '', schedule(more));
  expect([status, body.errors]).toEqual([200, undefined]);
  return (body.data as { id: string }).id;
}
const listed = async (who: string) =>
  (await call(who, 'GET')).body as unknown as {
    data: {
      id: string;
      user_ids: string[];
      next_at: string;
      last_at: string | null;
      last_sent: number | null;
      is_paused: boolean;
    }[];
    people: { id: string }[];
  };
const one = async (who: string, id: string) => (await listed(who)).data.find((row) => row.id === id)!;
const due = () => app.features.reportSchedules.sendDue(root.id);
const mails = async () =>
  (await app.features.mail.outbox({ rootId: root.id }, 500)).filter(
    ({ kind }) => kind === 'report.scheduled',
  );
async function go(instant: string): Promise<void> {
  app.clock.advance(new Date(instant).getTime() - app.clock.now().getTime());
  for (const who of Object.keys(HOSTS)) tokens[who] = await app.signIn(`${who}@x.test`, HOSTS[who]!);
}
const textOf = async (file: Uint8Array): Promise<string> =>
  (await extractText(await getDocumentProxy(file), { mergePages: true })).text.replaceAll(/\s+/g, ' ');
const paperOf = async (mail: Awaited<ReturnType<typeof mails>>[number]): Promise<string> => {
  const { file } = mail.body!;
  expect([file!.type, file!.isBase64]).toEqual(['application/pdf', true]);
  return textOf(new Uint8Array(Buffer.from(file!.text, 'base64')));
};

let posted = 0;
/** A lead sold on a day: what the client, the agency, and the root paid for it. */
async function sale(day: string, [price, cost, supplier]: [bigint, bigint, bigint]): Promise<void> {
  const { owner } = campaign;
  const ofAgency = { root_id: root.id, agency_id: agency.id, company_id: agency.id };
  const ofRoot = { root_id: root.id, agency_id: null, company_id: root.id };
  const posting = {
    ...{ owner, kind: 'lead', referenceId: campaign.id, campaignId: campaign.id, key: `sale-${posted++}` },
    at: new Date(`${day}T18:00:00Z`),
    entries: [
      { account: { owner, kind: 'client_unbilled', campaignId: campaign.id }, amount: -price },
      { account: { owner: ofAgency, kind: 'agency_revenue' }, amount: price },
      { account: { owner: ofAgency, kind: 'agency_payable' }, amount: -cost },
      { account: { owner: ofRoot, kind: 'root_revenue' }, amount: cost },
      { account: { owner: ofRoot, kind: 'root_cost' }, amount: -supplier },
      { account: { owner: ofRoot, kind: 'supplier_due' }, amount: supplier },
    ],
  } as Posting;
  await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.features.ledger.post(tx, [posting], app.clock.now()),
  );
}

beforeAll(async () => {
  app = await testApp({ clock: new ManualClock('2025-01-01T12:00:00Z') });
  const { make } = app;
  root = await make.root({ host: 'root.test', name: 'Orchard Root' });
  agency = await make.agency(root, { host: 'acme.test', name: 'Acme' });
  const rival = await make.agency(root, { host: 'rival.test', name: 'Rival' });
  const client = await make.client(agency, { name: 'Ann' });
  campaign = await make.campaign(client, {
    name: 'Tents',
    price: 3n * USD,
    costs: { term: 'Weekly', setup_micros: 0n, month_micros: 0n },
  });
  for (const [name, company, role] of [
    ['root', root, 'owner'],
    ['admin', root, 'administrator'],
    ['boss', agency, 'owner'],
    ['helper', agency, 'administrator'],
    ['rival', rival, 'owner'],
  ] as const)
    ids[name] = (await make.user(company, { email: `${name}@x.test`, password: PASSWORD, role })).id;
  await go('2026-03-10T15:00:00Z');
  await sale('2026-02-05', [3n * USD, USD, USD / 4n]);
  await sale('2026-02-20', [3n * USD, USD, USD / 4n]);
  await sale('2026-03-02', [3n * USD, USD, USD / 4n]);
  await sale('2026-03-09', [7_500_000n, 2n * USD, USD / 2n]);
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});

describe('[CONF-07] a report’s days', () => {
  test('are whole weeks or months before it is sent, in the zone of the company', () => {
    const at = new Date('2026-03-02T14:00:00Z');
    expect(daysOf('week', at, 'America/Chicago')).toEqual({ starts_on: '2026-02-23', ends_on: '2026-03-01' });
    expect(daysOf('month', at, 'America/Chicago')).toEqual({
      starts_on: '2026-02-01',
      ends_on: '2026-02-28',
    });
    expect(daysOf('quarter', at, 'America/Chicago')).toEqual({
      starts_on: '2025-12-01',
      ends_on: '2026-02-28',
    });
    expect(daysOf('year', at, 'America/Chicago')).toEqual({ starts_on: '2025-03-01', ends_on: '2026-02-28' });
    // Still February there.
    const night = new Date('2026-03-01T03:00:00Z');
    expect(daysOf('month', night, 'America/Chicago').ends_on).toBe('2026-01-31');
    expect(daysOf('month', night, 'Europe/Berlin').ends_on).toBe('2026-02-28');
  });

  test('changes are shares of what was, and nothing is a share of nothing', () => {
    expect([changeWords(150, 100), changeWords(50, 100), changeWords(100, 100), changeWords(5, 0)]).toEqual([
      '+50%',
      '-50%',
      '0%',
      '',
    ]);
  });
});

describe('[CONF-07] a long list', () => {
  test('says of how many rows it has the first, and leads to all of them', async () => {
    const sums = { leads: 1, revenue_micros: 2_000_000, cost_micros: 1_000_000, margin_micros: 1_000_000 };
    const days = { starts_on: '2026-03-01', ends_on: '2026-03-31' };
    const page = 'https://acme.test/configuration/reports?by=client';
    const made = async (rows: number) => {
      const data = Array.from({ length: rows }, (_, at) => ({
        ...{ key: `${at}`, name: `Client ${at + 1}`, company_name: null, before: null, ...sums },
      }));
      const file = await reportPdf(
        {
          report: 'client',
          of: {
            ...days,
            before: days,
            time_zone: 'UTC',
            by: 'client',
            data,
            total: { ...sums, before: sums },
          },
        } as never,
        { name: 'Acme', isRoot: false, brand: { accent: null }, page },
        new Date('2026-04-01T13:00:00Z'),
      );
      const paper = await getDocumentProxy(new Uint8Array(file));
      const links = await (await paper.getPage(1)).getAnnotations();
      return {
        text: await textOf(new Uint8Array(file)),
        links: links.map(({ url }: { url: string }) => url),
      };
    };
    const long = await made(201);
    expect(long.text).toContain('First 200 of 201; the rest is in Reports');
    expect([long.text.includes('Client 200 '), long.text.includes('Client 201 ')]).toEqual([true, false]);
    expect(new Set(long.links)).toEqual(new Set([page]));
    const whole = await made(3);
    expect([whole.text.includes('First'), whole.links]).toEqual([false, []]);
  });
});

describe('[CONF-07] reports by email', () => {
  test('have the numbers of the page’s call, and go to those chosen once, whoever else works at the same time', async () => {
    const id = await add('boss', { user_ids: [ids.boss, ids.helper] });
    expect(await one('boss', id)).toMatchObject({
      ...{ next_at: '2026-04-01T13:00:00.000Z', last_at: null, last_sent: null },
    });
    expect(await due()).toBe(0);
    await go('2026-04-01T13:00:00Z');
    const sent = await Promise.all([due(), due()]);
    expect(sent[0]! + sent[1]!).toBe(2);
    expect(await due()).toBe(0);
    const all = await mails();
    expect(all.map(({ to_address }) => to_address).toSorted()).toEqual(['boss@x.test', 'helper@x.test']);
    const { body } = await app.call(
      'GET',
      '/api/configuration/report-analytics?startDate=2026-03-01&endDate=2026-03-31&by=month&compare=previous',
      { host: 'acme.test', token: tokens.boss! },
    );
    const { total } = body as unknown as {
      total: Record<'leads' | 'revenue_micros' | 'cost_micros' | 'margin_micros', number> & {
        before: Record<'revenue_micros', number>;
      };
    };
    expect([total.revenue_micros, total.before.revenue_micros]).toEqual([10_500_000, 6_000_000]);
    const paper = await paperOf(all[0]!);
    expect(paper).toContain('Acme');
    expect(paper).toContain('Mar 1, 2026 to Mar 31, 2026');
    expect(paper).toContain(
      `Paid by clients ${usd(total.revenue_micros)} ${usd(total.before.revenue_micros)} +75%`,
    );
    expect(paper).toContain(
      `Total ${total.leads} ${usd(total.revenue_micros)} ${usd(total.cost_micros)} ${usd(total.margin_micros)} +75%`,
    );
    // Whoever reads the agency's file learns nothing of the platform.
    expect(paper).not.toContain('Orchard');
    expect(all[0]!.body!.text).toContain(`Paid by clients: ${usd(total.revenue_micros)} (+75%)`);
    expect(all[0]!.body!.text).toContain(
      'https://acme.test/configuration/reports?days=2026-03-01_2026-03-31\n',
    );
    expect(await one('boss', id)).toMatchObject({
      ...{ next_at: '2026-05-01T13:00:00.000Z', last_at: '2026-04-01T13:00:00.000Z', last_sent: 2 },
    });
    expect((await call('boss', 'DELETE', `/${id}`)).status).toBe(200);
  });

  test('of a root have its revenue as its statement has it', async () => {
    const id = await add('root', { report: 'revenue', user_ids: [ids.root] });
    await go('2026-05-01T12:00:00Z');
    await sale('2026-04-20', [3n * USD, 1_250_000n, USD / 4n]);
    await go('2026-05-01T13:30:00Z');
    const before = (await mails()).length;
    expect(await due()).toBe(1);
    const { body } = await app.call('GET', '/api/configuration/root-revenue/2026-04-01/2026-04-30', {
      host: 'root.test',
      token: tokens.root!,
    });
    const { total } = body as unknown as {
      total: Record<'revenue_micros' | 'cost_micros' | 'margin_micros', number>;
    };
    expect(total.revenue_micros).toBe(1_250_000);
    const all = await mails();
    expect(all.length).toBe(before + 1);
    const [mail] = all;
    expect(mail!.to_address).toBe('root@x.test');
    const paper = await paperOf(mail!);
    expect(paper).toContain(`Revenue ${usd(total.revenue_micros)}`);
    expect(paper).toContain(`Total ${usd(total.revenue_micros)} ${usd(total.cost_micros)}`);
    // Every day has a bar and a row.
    for (const day of ['Apr 1, 2026', 'Apr 14, 2026', 'Apr 30, 2026'])
      expect(paper.split(day).length - 1).toBeGreaterThanOrEqual(2);
    expect((await call('root', 'DELETE', `/${id}`)).status).toBe(200);
  });

  test('are refused for others’ reports and users, and are not found elsewhere', async () => {
    const errors = async (who: string, more: object) =>
      (await call(who, 'POST', '', schedule(more))).body.errors;
    expect(await errors('boss', { report: 'agency' })).toEqual({ report: ['must be a report of an agency'] });
    expect(await errors('boss', { report: 'revenue' })).toHaveProperty('report');
    const foreign = { user_ids: ['must be users of your company who may read reports'] };
    expect(await errors('boss', { user_ids: [ids.rival] })).toEqual(foreign);
    expect(await errors('boss', { user_ids: [ids.root] })).toEqual(foreign);
    // A root's administrator without the permission.
    expect(await errors('root', { user_ids: [ids.admin] })).toEqual(foreign);
    expect((await call('admin', 'GET')).status).toBe(403);
    expect((await call('boss', 'POST', '', schedule({ user_ids: [] }))).status).toBe(422);
    const id = await add('boss');
    for (const who of ['rival', 'root']) {
      expect((await listed(who)).data).toEqual([]);
      expect(
        (await call(who, 'PUT', `/${id}`, { ...schedule({ user_ids: [ids[who]] }), is_paused: true })).status,
      ).toBe(404);
      expect((await call(who, 'DELETE', `/${id}`)).status).toBe(404);
    }
    expect((await call('boss', 'DELETE', `/${id}`)).status).toBe(200);
  });

  test('are not sent to who lost the right, was disabled, or unsubscribed, nor while paused', async () => {
    const before = (await mails()).length;
    const to = async () =>
      (await mails()).slice(0, (await mails()).length - before).map((mail) => mail.to_address);
    const id = await add('boss', { every: 'week', period: 'week', user_ids: [ids.boss, ids.helper] });
    await app.admin.query('update user_account set disabled_at = now() where id = $1', [ids.helper]);
    app.clock.advance(new Date('2026-05-04T13:00:00Z').getTime() - app.clock.now().getTime());
    expect(await due()).toBe(1);
    expect(await to()).toEqual(['boss@x.test']);
    await app.admin.query('update user_account set disabled_at = null where id = $1', [ids.helper]);

    const [mail] = await mails();
    const token = mail!.body!.unsubscribe!.split('/').at(-1)!;
    const stop = (host: string, sealed: string) =>
      app.call('POST', `/unsubscribe/${sealed}`, { host, headers: { 'content-type': 'text/plain' } });
    expect((await stop('acme.test', token)).status).toBe(200);
    await go('2026-05-11T13:00:00Z');
    expect((await one('boss', id)).user_ids).toEqual([ids.helper]);
    expect(await due()).toBe(1);
    expect((await to())[0]).toBe('helper@x.test');

    // The role of an administrator no longer has costs.
    const { rows } = await app.admin.query(
      `insert into role (id, root_id, agency_id, company_id, name, created_at, updated_at)
       select gen_random_uuid(), root_id, agency_id, company_id, 'Nothing', now(), now() from user_account where id = $1 returning id`,
      [ids.helper],
    );
    await app.admin.query('update user_account set role_id = $2, permission_active = true where id = $1', [
      ids.helper,
      rows[0].id,
    ]);
    expect((await listed('boss')).people.map((person) => person.id)).toEqual([ids.boss]);
    await go('2026-05-18T13:00:00Z');
    expect(await due()).toBe(0);
    expect(await one('boss', id)).toMatchObject({ last_sent: 0, last_at: '2026-05-18T13:00:00.000Z' });

    const weekly = schedule({ every: 'week', period: 'week' });
    expect((await call('boss', 'PUT', `/${id}`, { ...weekly, is_paused: true })).status).toBe(200);
    await go('2026-06-01T13:00:00Z');
    expect(await due()).toBe(0);
    expect((await call('boss', 'PUT', `/${id}`, { ...weekly, is_paused: false })).status).toBe(200);
    // What was due meanwhile is not sent afterward.
    expect(await due()).toBe(0);
    expect((await one('boss', id)).next_at).toBe('2026-06-08T13:00:00.000Z');
    expect((await call('boss', 'DELETE', `/${id}`)).status).toBe(200);
  });

  test('are sent once, even if the worker was stopped in the middle, and one that fails holds up no other', async () => {
    const first = await add('boss', { every: 'week', period: 'week' });
    const second = await add('root', { every: 'week', period: 'week', user_ids: [ids.root] });
    await go('2026-06-08T13:00:00Z');
    const before = (await mails()).length;
    // The transaction that writes the email is undone: nothing was sent, and it is still due.
    await app.admin.query(
      `create function fail() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`,
    );
    await app.admin.query(
      `create trigger fail before insert on mail for each row when (new.to_address = 'boss@x.test') execute function fail()`,
    );
    await expect(due()).rejects.toThrow('stopped');
    expect((await mails()).length).toBe(before + 1);
    expect(await one('boss', first)).toMatchObject({ next_at: '2026-06-08T13:00:00.000Z', last_sent: null });
    expect(await one('root', second)).toMatchObject({ last_sent: 1 });
    await app.admin.query('drop trigger fail on mail');
    expect(await due()).toBe(1);
    expect(await due()).toBe(0);
    expect((await mails()).length).toBe(before + 2);
    // After a long silence, one email, not one for each week.
    await go('2026-07-01T13:00:00Z');
    expect(await due()).toBe(2);
    expect(await due()).toBe(0);
    for (const [who, id] of [
      ['boss', first],
      ['root', second],
    ] as const)
      expect((await call(who, 'DELETE', `/${id}`)).status).toBe(200);
  });

  test('can be looked at before they are sent, and a company has at most 20', async () => {
    const made: string[] = [];
    for (let at = 0; at < 20; at++) made.push(await add('boss'));
    const { body } = await call('boss', 'POST', '', schedule());
    expect(JSON.stringify(body.errors)).toContain('20');
    const pass = await app.call('POST', '/api/general/download-token', {
      host: 'acme.test',
      token: tokens.boss!,
      body: { path: `${URL}/${made[0]}/pdf` },
    });
    const file = await app.server.inject({ url: pass.body.url as string, headers: { host: 'acme.test' } });
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(await textOf(new Uint8Array(file.rawPayload))).toContain('Sales by month');
  });

  test('[BEY-30] are not sent to who was taken off while they were made, nor as something else than they are by then', async () => {
    await app.admin.query('delete from report_schedule');
    await go('2026-08-01T13:00:00Z');
    const { id: other } = await app.make.user(agency, { email: 'other@x.test', password: PASSWORD });
    const weekly = { every: 'week', period: 'week' };
    const id = await add('boss', { ...weekly, user_ids: [ids.boss, other] });
    const { calls } = app.features.reportAnalytics;
    const { report } = calls;
    /** Changes the report while it is made. */
    const during = (more: object) => {
      calls.report = async (ctx, input) => {
        calls.report = report;
        expect(
          (await call('boss', 'PUT', `/${id}`, schedule({ ...weekly, is_paused: false, ...more }))).status,
        ).toBe(200);
        return report(ctx, input);
      };
    };
    await go('2026-08-03T13:00:00Z');
    const before = (await mails()).length;
    during({});
    expect(await due()).toBe(1);
    await go('2026-08-10T13:00:00Z');
    during({ period: 'year' });
    expect(await due()).toBe(0);
    expect(await due()).toBe(1);
    const sent = (await mails()).slice(0, (await mails()).length - before);
    expect(sent.map((mail) => [mail.to_address, mail.subject.includes('2025-')])).toEqual([
      ['boss@x.test', true],
      ['boss@x.test', false],
    ]);
    expect((await call('boss', 'DELETE', `/${id}`)).status).toBe(200);
  });
});
