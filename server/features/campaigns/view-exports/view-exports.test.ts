import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import { BOUNDS } from '../../../platform/db/bounds.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { nextExport } from './policy.ts';

const HOST = 'views.test';
const CHICAGO = 'America/Chicago';
let app: TestApp;
let root: Company;
let client: Company;
let tents: MadeCampaign;
let stoves: MadeCampaign;
const tokens: Record<string, string> = {};

const call = (who: string, method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object) =>
  app.call(method, `/api/user/lists${path}`, { host: HOST, token: tokens[who]!, ...(body && { body }) });
async function save(who: string, view: object): Promise<string> {
  const { body } = await call(who, 'POST', '/view', {
    list: 'leads',
    name: 'Hot',
    is_shared: false,
    params: {},
    columns: null,
    ...view,
  });
  return (body as unknown as { id: string }).id;
}
async function leads(campaign: MadeCampaign, count: number): Promise<string[]> {
  const people = Array.from({ length: count }, () => app.make.person());
  await app.make.people(root, people);
  for (const { email } of people) await app.make.visit(campaign, { email });
  await app.features.leads.resolver.resolveAll();
  return people.map(({ email }) => email);
}
async function go(instant: string): Promise<void> {
  app.clock.advance(new Date(instant).getTime() - app.clock.now().getTime());
  await app.features.visits.keepPartitions(2);
  for (const name of ['owner', 'admin', 'boss', 'stranger'])
    tokens[name] = await app.signIn(`${name}@x.test`, HOST);
}
const due = () => app.features.viewExports.sendDue(root.id);
const mails = async () =>
  (await app.features.mail.outbox({ rootId: root.id }, 500)).filter(({ kind }) => kind === 'view.export');
/** The emails of the next time that is due. */
async function next(instant: string) {
  const before = (await mails()).length;
  await go(instant);
  // Two workers find the same.
  const sent = await Promise.all([due(), due()]);
  const now = (await mails()).slice(0, (await mails()).length - before);
  expect(sent[0] + sent[1]).toBe(now.length);
  return now;
}
const mine = async (who: string) =>
  (await call(who, 'GET', '/export')).body as unknown as {
    email: string;
    exports: { view_id: string; every: string; form: string; next_at: string; sent_at: string | null }[];
  };

beforeAll(async () => {
  app = await testApp({ clock: new ManualClock('2026-03-03T15:00:00Z') });
  root = await app.make.root({ host: 'root.test', name: 'Base' });
  const agency = await app.make.agency(root, { host: HOST, name: 'Acme' });
  client = await app.make.client(agency, { name: 'Northwind' });
  const other = await app.make.client(agency, { name: 'Contoso' });
  await app.admin.query('update company set time_zone = $2 where root_id = $1', [root.id, CHICAGO]);
  for (const [name, company, role] of [
    ['owner', client, 'owner'],
    ['admin', client, 'administrator'],
    ['boss', agency, 'owner'],
    ['stranger', other, 'owner'],
  ] as const) {
    await app.make.user(company, { email: `${name}@x.test`, password: PASSWORD, role });
  }
  await go('2026-03-03T15:00:00Z');
  tents = await app.make.campaign(client, { name: 'Tents', reidentify: 'never' });
  stoves = await app.make.campaign(client, { name: 'Stoves', reidentify: 'never' });
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});

describe('[BEY-33] when a view is emailed', () => {
  test('at 8:00 of the day, Monday, or first of the month, where the company is', () => {
    const at = (instant: string, every: 'day' | 'week' | 'month') =>
      nextExport(new Date(instant), every, CHICAGO).toISOString();
    expect(at('2026-03-03T13:59:59Z', 'day')).toBe('2026-03-03T14:00:00.000Z');
    expect(at('2026-03-03T14:00:00Z', 'day')).toBe('2026-03-04T14:00:00.000Z');
    // The clocks are put forward on March 8.
    expect(at('2026-03-03T14:00:00Z', 'week')).toBe('2026-03-09T13:00:00.000Z');
    expect(at('2026-03-03T14:00:00Z', 'month')).toBe('2026-04-01T13:00:00.000Z');
    expect(at('2026-12-31T14:00:00Z', 'month')).toBe('2027-01-01T14:00:00.000Z');
  });
});

describe('[BEY-33] a saved view by email', () => {
  let view: string;

  test('is scheduled by who can use the view, and by no one else', async () => {
    view = await save('owner', {
      name: 'Tents of the week <b>',
      is_shared: true,
      params: { campaign: tents.id, days: '7', sort: 'email', dir: 'asc' },
    });
    const secret = await save('owner', { name: 'Secret' });
    const schedule = { every: 'week', form: 'CSV' };
    expect((await call('owner', 'PUT', `/view/${view}/export`, schedule)).status).toBe(200);
    expect((await call('admin', 'PUT', `/view/${view}/export`, { ...schedule, form: 'link' })).status).toBe(
      200,
    );
    expect((await call('admin', 'PUT', `/view/${secret}/export`, schedule)).status).toBe(404);
    for (const who of ['boss', 'stranger']) {
      expect((await call(who, 'PUT', `/view/${view}/export`, schedule)).status).toBe(404);
      expect((await call(who, 'POST', `/view/${view}/export/send`, { form: 'link' })).status).toBe(404);
      expect((await call(who, 'DELETE', `/view/${view}/export`)).status).toBe(404);
      expect((await mine(who)).exports).toEqual([]);
    }
    expect((await mine('owner')).exports).toEqual([
      { view_id: view, ...schedule, next_at: '2026-03-09T13:00:00.000Z', sent_at: null },
    ]);
    const wrong = await call('owner', 'PUT', `/view/${view}/export`, { every: 'hour', form: 'PDF' });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      { every: ['must be day, week, or month'], form: ['must be CSV or link'] },
    ]);
    const campaigns = await save('owner', { list: 'campaigns', name: 'Campaigns' });
    expect((await call('owner', 'PUT', `/view/${campaigns}/export`, schedule)).status).toBe(404);
  });

  test('has the leads of its filter at that time, once, as a file or a link', async () => {
    await go('2026-03-05T15:00:00Z');
    const emails = await leads(tents, 3);
    await leads(stoves, 2);
    expect(await next('2026-03-09T12:59:00Z')).toEqual([]);
    const sent = await next('2026-03-09T13:00:00Z');
    expect(sent.map(({ to_address }) => to_address).sort()).toEqual(['admin@x.test', 'owner@x.test']);
    const mail = sent.find(({ to_address }) => to_address === 'owner@x.test')!;
    expect(mail.subject).toBe('Tents of the week <b>: 3 leads');
    expect(mail.body!.html).not.toContain('<b>');
    const rows = mail.body!.file!.text.trim().split('\r\n').slice(1);
    expect(rows.map((row) => emails.find((email) => row.includes(email)))).toEqual(emails.sort());
    expect(mail.body!.text).toContain(`https://${HOST}/leads?`);
    expect(mail.body!.text).toContain(`view=${view}`);
    const link = sent.find(({ to_address }) => to_address === 'admin@x.test')!;
    expect(link.body!.file).toBeUndefined();
    expect(link.body!.text).toContain('has 3 leads.');
    expect((await mine('owner')).exports[0]).toMatchObject({
      next_at: '2026-03-16T13:00:00.000Z',
      sent_at: '2026-03-09T13:00:00.000Z',
    });
    const { rows: log } = await app.admin.query(
      `select object_id from user_log where action = 'view.exported'`,
    );
    expect(log).toEqual([{ object_id: view }]);
  });

  test('is not sent while it is empty, nor to who may not see it anymore', async () => {
    // No lead in the last seven days.
    expect(await next('2026-03-16T13:00:00Z')).toEqual([]);
    await leads(tents, 1);
    await app.admin.query(`update user_account set mail_off = true where email = 'owner@x.test'`);
    expect((await next('2026-03-23T12:00:00Z')).length).toBe(0);
    await go('2026-03-22T15:00:00Z');
    await leads(tents, 1);
    expect((await next('2026-03-23T13:00:00Z')).map(({ to_address }) => to_address)).toEqual([
      'admin@x.test',
    ]);
    const off = await call('owner', 'POST', `/view/${view}/export/send`, { form: 'link' });
    expect([off.status, off.body.message]).toEqual([
      422,
      'Your company has turned off emails to you. Ask its owner to turn them on.',
    ]);
    await app.admin.query(`update user_account set mail_off = false where email = 'owner@x.test'`);
    expect((await call('owner', 'PUT', `/view/${view}`, { is_shared: false })).status).toBe(200);
    await go('2026-03-26T15:00:00Z');
    await leads(tents, 1);
    expect((await next('2026-03-30T13:00:00Z')).map(({ to_address }) => to_address)).toEqual([
      'owner@x.test',
    ]);
  });

  test('is emailed at once on request, and stops with its link, its switch, and the view itself', async () => {
    const now = await call('owner', 'POST', `/view/${view}/export/send`, { form: 'CSV' });
    expect(now.body.message).toBe('The view is on its way to owner@x.test.');
    const [mail] = await mails();
    expect(mail!.body!.file!.name).toBe('leads-2026-03-30.csv');
    const stop = (token: string) =>
      app.call('POST', `/unsubscribe/${token}`, { host: HOST, headers: { 'content-type': 'text/plain' } });
    expect((await stop(mail!.body!.unsubscribe!.split('/').at(-1)!)).status).toBe(200);
    expect((await mine('owner')).exports).toEqual([]);
    const schedule = { every: 'day', form: 'link' };
    expect((await call('owner', 'PUT', `/view/${view}/export`, schedule)).status).toBe(200);
    expect((await call('owner', 'DELETE', `/view/${view}/export`)).status).toBe(200);
    expect((await call('owner', 'DELETE', `/view/${view}/export`)).status).toBe(404);
    expect((await call('owner', 'PUT', `/view/${view}/export`, schedule)).status).toBe(200);
    expect((await call('owner', 'DELETE', `/view/${view}`)).status).toBe(200);
    expect((await mine('owner')).exports).toEqual([]);
  });

  test('with a filter that is not valid is refused in words, and one that becomes so holds up no other', async () => {
    const wrong = [
      { campaign: 'x' },
      { client: 'x' },
      { from: '2026-02-31', to: '2026-03-31' },
      { q: 'x'.repeat(250) },
    ];
    for (const params of wrong) {
      const bad = await save('owner', { name: 'Bad' });
      await app.admin.query(`update list_view set params = $2 where id = $1`, [bad, JSON.stringify(params)]);
      for (const [method, path, body] of [
        ['POST', 'export/send', { form: 'link' }],
        ['PUT', 'export', { every: 'day', form: 'link' }],
      ] as const) {
        const { status, body: told } = await call('owner', method, `/view/${bad}/${path}`, body);
        expect([params, status, told.message]).toEqual([
          params,
          422,
          'A filter of this view is not valid. Open the view, change its filters, and save it again.',
        ]);
      }
    }
    const [fine, bad] = [await save('owner', { name: 'Fine' }), await save('owner', { name: 'Turned' })];
    await go('2026-04-02T15:00:00Z');
    await leads(tents, 1);
    for (const id of [bad, fine])
      expect((await call('owner', 'PUT', `/view/${id}/export`, { every: 'day', form: 'link' })).status).toBe(
        200,
      );
    await app.admin.query(`update list_view set params = '{"campaign":"x"}' where id = $1`, [bad]);
    expect((await next('2026-04-03T13:00:00Z')).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Fine: /),
    ]);
  });

  test('[BEY-30] no more than a few can be had by one user, and by all users of a company', async () => {
    const schedule = { every: 'month', form: 'link' };
    const shared = await save('owner', { name: 'One more', is_shared: true });
    const had = (await mine('owner')).exports;
    const before = { ...BOUNDS.viewExports };
    const ofCompany = { ...BOUNDS.viewExportsOfCompany };
    const refused = async (who: string) =>
      (await call(who, 'PUT', `/view/${shared}/export`, schedule)).body.errors;
    try {
      Object.assign(BOUNDS.viewExports, { most: had.length });
      expect(await refused('owner')).toEqual({
        every: [expect.stringContaining('views emailed to one user')],
      });
      Object.assign(BOUNDS.viewExports, before);
      const { rows } = await app.admin.query('select from view_export where company_id = $1', [client.id]);
      Object.assign(BOUNDS.viewExportsOfCompany, { most: rows.length });
      expect(await refused('admin')).toEqual({
        every: [expect.stringContaining('emailed views per company')],
      });
      // What there is can still be changed.
      for (const { view_id } of had) {
        const { body } = await call('owner', 'PUT', `/view/${view_id}/export`, schedule);
        expect(body.errors ?? {}).not.toHaveProperty('every');
      }
    } finally {
      Object.assign(BOUNDS.viewExports, before);
      Object.assign(BOUNDS.viewExportsOfCompany, ofCompany);
    }
  });

  test('[BEY-30] is not sent with what was read for someone who was disabled meanwhile', async () => {
    await app.admin.query('delete from view_export');
    const late = await save('owner', { name: 'Late' });
    const weekly = { every: 'week', form: 'CSV' };
    expect((await call('owner', 'PUT', `/view/${late}/export`, weekly)).status).toBe(200);
    const { next_at } = (await mine('owner')).exports.find(({ view_id }) => view_id === late)!;
    await go(next_at);
    const before = (await mails()).length;
    const { exportLines } = app.features.leads;
    app.features.leads.exportLines = async (...given) => {
      app.features.leads.exportLines = exportLines;
      await app.admin.query(`update user_account set disabled_at = now() where email = 'owner@x.test'`);
      return exportLines(...given);
    };
    expect([await due(), await due()]).toEqual([0, 0]);
    expect((await mails()).length).toBe(before);
    await app.admin.query(`update user_account set disabled_at = null where email = 'owner@x.test'`);
    await go(new Date(new Date(next_at).getTime() + 7 * 86_400_000).toISOString());
    expect(await due()).toBe(1);
    expect((await mails())[0]).toMatchObject({
      to_address: 'owner@x.test',
      subject: expect.stringContaining('Late'),
    });
  });
});
