import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let client: Company;
let asClient: string;
let asAgency: string;
const HOST = 'acme.test';
const fields = { campaignName: 'Tents', urlCode: 'https://shop.example.com/' };
interface Told {
  leadspeekID: string;
  version: number;
  [field: string]: unknown;
}

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', name: 'Base' });
  const agency = await app.make.agency(root, { host: HOST, name: 'Acme' });
  client = await app.make.client(agency, { name: 'Northwind' });
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  asClient = await app.signIn('client@x.test', HOST);
  asAgency = await app.signIn('agency@x.test', HOST);
});
afterAll(() => app.close());

const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, token = asClient) =>
  app.call(method, `/api/leadspeek/${path}`, { host: HOST, token, ...(body ? { body } : {}) });
const create = async (more: object = {}, token = asClient) =>
  (await call('POST', 'client/create', { ...fields, ...more }, token)).body.data as unknown as Told;
const get = async (id: string) => (await call('GET', `getcampaign/${id}`)).body as unknown as Told;
const update = async (id: string, more: object, token = asClient) =>
  call(
    'PUT',
    'client/update',
    { ...fields, leadspeekID: id, version: (await get(id)).version, ...more },
    token,
  );

/** Makes this many visits by known people; they become leads unless something prevents it. */
async function visits(campaign: Pick<MadeCampaign, 'siteKey'>, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const person = app.make.person();
    await app.make.people(root, [person]);
    await app.make.visit(campaign, { email: person.email! });
  }
  await app.features.leads.resolver.resolveAll();
}
const leadsOf = async (id: string): Promise<number> =>
  (await app.admin.query('select count(*)::int as n from lead where campaign_id = $1', [id])).rows[0].n;
const go = async (instant: string): Promise<void> => {
  app.clock.advance(new Date(instant).getTime() - app.clock.now().getTime());
  await app.features.visits.keepPartitions(2);
  // Access tokens live for 15 minutes.
  asClient = await app.signIn('client@x.test', HOST);
  asAgency = await app.signIn('agency@x.test', HOST);
};
/** Runs what is waiting in the queue of notices, twice each: a job may be delivered twice. */
async function tell(): Promise<void> {
  const { rows } = await app.admin.query(
    `delete from pgboss.job where name = 'reports.notice' returning data`,
  );
  for (const { data } of [...rows, ...rows]) await app.features.reports.tellOfLeads(data);
}
const due = () => app.features.reports.sendDue(root.id);
async function mails(kind: string) {
  const all = await app.features.mail.outbox({ rootId: root.id }, 200);
  // Emails created at the same instant have no order of their own.
  return all
    .filter((mail) => mail.kind === kind)
    .sort(
      (a, b) =>
        a.created_at.getTime() - b.created_at.getTime() ||
        (a.subject + a.to_address < b.subject + b.to_address ? -1 : 1),
    );
}

describe('[CAMP-06] the limit of leads', () => {
  test('fields travel there and back; what is left out of a change stays', async () => {
    const made = await create({
      LimitLead: 20,
      LimitLeadFreq: 'week',
      LimitLeadStart: '2026-03-01',
      LimitLeadEnd: '2026-03-31',
      leadsAmountNotification: 5,
      adminNotifyTo: 'One@Shop.example, two@shop.example\none@shop.example',
      reportType: 'CSV',
      reportFreq: 'month',
      reportSentTo: ['boss@shop.example'],
    });
    const expected = {
      LimitLead: 20,
      LimitLeadFreq: 'week',
      LimitLeadStart: '2026-03-01',
      LimitLeadEnd: '2026-03-31',
      enableMinimumLimitLeads: 'F',
      minimumLimitLeads: null,
      leadsAmountNotification: 5,
      adminNotifyTo: ['one@shop.example', 'two@shop.example'],
      reportType: 'CSV',
      reportFreq: 'month',
      reportSentTo: ['boss@shop.example'],
      next_report_at: '2026-04-01T05:05:00.000Z',
    };
    expect(made).toMatchObject(expected);
    expect((await update(made.leadspeekID, { LimitLead: 20 })).body.data).toMatchObject(expected);
    const off = await update(made.leadspeekID, {
      LimitLead: 20,
      reportType: 'none',
      leadsAmountNotification: '',
    });
    expect(off.body.data).toMatchObject({
      reportType: 'none',
      next_report_at: null,
      leadsAmountNotification: null,
    });
  });

  test.each([
    ['LimitLeadFreq', { LimitLeadFreq: 'year' }],
    ['LimitLeadStart', { LimitLeadStart: '2026-02-30' }],
    ['LimitLeadEnd', { LimitLeadStart: '2026-03-02', LimitLeadEnd: '2026-03-01' }],
    ['minimumLimitLeads', { enableMinimumLimitLeads: 'T' }],
    ['leadsAmountNotification', { leadsAmountNotification: 0 }],
    ['adminNotifyTo', { leadsAmountNotification: 1 }],
    ['adminNotifyTo.0', { adminNotifyTo: 'nobody' }],
    ['reportSentTo', { reportType: 'CSV' }],
    ['reportSentTo', { reportSentTo: Array.from({ length: 11 }, (_, i) => `a${i}@shop.example`) }],
    ['reportType', { reportType: 'PDF' }],
  ])('refuses a wrong %s', async (field, more) => {
    const { status, body } = await call('POST', 'client/create', { ...fields, ...more });
    expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
  });

  test('the minimum is the agency’s, and holds for the client: below, at and above it', async () => {
    const floor = { companyID: client.id, enableMinimumLimitLeads: 'T', minimumLimitLeads: 10 };
    const { leadspeekID } = await create({ ...floor, LimitLead: 10 }, asAgency);
    const below = await update(leadspeekID, { LimitLead: 9 });
    expect([below.status, below.body.errors]).toEqual([422, { LimitLead: ['must be at least 10'] }]);
    for (const LimitLead of [10, 11, null])
      expect((await update(leadspeekID, { LimitLead })).body.data).toMatchObject({
        LimitLead,
        enableMinimumLimitLeads: 'T',
        minimumLimitLeads: 10,
      });
    for (const more of [{ minimumLimitLeads: 5 }, { enableMinimumLimitLeads: 'F' }]) {
      const refused = await update(leadspeekID, { LimitLead: 10, ...more });
      expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([
        403,
        ['minimumLimitLeads'],
      ]);
    }
    const low = await call('POST', 'client/create', { ...fields, ...floor, LimitLead: 9 }, asAgency);
    expect(Object.keys(low.body.errors as object)).toEqual(['LimitLead']);
    const lifted = await update(leadspeekID, { LimitLead: 1, enableMinimumLimitLeads: 'F' }, asAgency);
    expect(lifted.body.data).toMatchObject({
      LimitLead: 1,
      enableMinimumLimitLeads: 'F',
      minimumLimitLeads: null,
    });
  });

  test('a week’s limit counts from Monday, in the client’s time zone, within its span only', async () => {
    await go('2026-03-20T15:00:00Z'); // a Friday
    const campaign = await app.make.campaign(client);
    expect(
      (await update(campaign.id, { LimitLead: 2, LimitLeadFreq: 'week', LimitLeadEnd: '2026-03-23' })).status,
    ).toBe(200);
    await visits(campaign, 1);
    expect(await leadsOf(campaign.id)).toBe(1); // below
    await go('2026-03-23T04:59:00Z'); // Sunday evening in Chicago
    await visits(campaign, 2);
    expect(await leadsOf(campaign.id)).toBe(2); // at the limit, and one above it refused
    await go('2026-03-23T05:01:00Z'); // Monday in Chicago
    await visits(campaign, 3);
    expect(await leadsOf(campaign.id)).toBe(4);
    await go('2026-03-24T05:01:00Z'); // the limit’s span is over
    await visits(campaign, 3);
    expect(await leadsOf(campaign.id)).toBe(7);
  });
});

describe('[CAMP-06] people are told of leads', () => {
  test('each time so many have come: not below, once at, once for many', async () => {
    const campaign = await app.make.campaign(client, { name: 'Notices' });
    await update(campaign.id, {
      leadsAmountNotification: 3,
      adminNotifyTo: ['boss@shop.example', 'desk@shop.example'],
    });
    await visits(campaign, 2);
    await tell();
    expect(await mails('campaign.leads')).toEqual([]);
    await visits(campaign, 1);
    await tell();
    expect((await mails('campaign.leads')).map((mail) => [mail.to_address, mail.subject])).toEqual([
      ['boss@shop.example', '3 new leads: Tents'],
      ['desk@shop.example', '3 new leads: Tents'],
    ]);
    app.clock.advance(1000);
    await visits(campaign, 7); // 7: two notices of 3, and one lead that waits
    await tell();
    const all = await mails('campaign.leads');
    expect(all.map((mail) => mail.subject).slice(2)).toEqual(['6 new leads: Tents', '6 new leads: Tents']);
    // An agency without a brand of its own appears under its name, not its root's.
    expect(all[2]!.from_name).toBe('Acme');
    // No person is named.
    for (const mail of all) expect(mail.body?.text).not.toMatch(/people\.example|Last\d/);
    await visits(campaign, 2);
    await tell();
    expect(await mails('campaign.leads')).toHaveLength(6);
  });
});

describe('[CAMP-06] reports', () => {
  test('at a day’s end each address gets its leads once, and no lead is in two reports', async () => {
    await go('2026-05-04T16:00:00Z');
    const campaign = await app.make.campaign(client, { name: 'Daily' });
    const quiet = await app.make.campaign(client, { name: 'Quiet' });
    const on = { reportType: 'CSV', reportFreq: 'day', reportSentTo: ['a@shop.example', 'b@shop.example'] };
    await update(campaign.id, { ...on, campaignName: 'Daily' });
    await update(quiet.id, { ...on, campaignName: 'Quiet' });
    await visits(campaign, 2);
    expect(await due()).toBe(0);
    await go('2026-05-05T05:04:59Z');
    expect(await due()).toBe(0);
    await go('2026-05-05T05:05:00Z');
    await visits(campaign, 1); // of the next day
    // Two workers at once, and once more: one report each.
    const made = await Promise.all([due(), due()]);
    expect(made[0]! + made[1]! + (await due())).toBe(2);
    const first = await mails('campaign.report');
    expect(first.map((mail) => [mail.to_address, mail.subject])).toEqual([
      ['a@shop.example', '2 leads, 2026-05-04: Daily'],
      ['b@shop.example', '2 leads, 2026-05-04: Daily'],
    ]);
    const { file } = first[0]!.body!;
    expect(file!.name).toMatch(/^leads-\d+-2026-05-04\.csv$/);
    const lines = file!.text.replace(/\r\n$/, '').split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\ufeffDate,Campaign ID,Campaign,Client,First Name/);
    expect(lines[0]).not.toMatch(/Price/);
    // Away for two days: what was missed is sent immediately, and nothing else.
    await go('2026-05-08T12:00:00Z');
    expect(await due()).toBe(2);
    const later = (await mails('campaign.report')).slice(2);
    expect(later.map((mail) => mail.subject)).toEqual(
      Array(2).fill('1 lead, 2026-05-05 to 2026-05-07: Daily'),
    );
    const { rows } = await app.admin.query(
      `select leads, recipients from campaign_report_sent where campaign_id = any($1) order by campaign_id = $2 desc, covers_from`,
      [[campaign.id, quiet.id], campaign.id],
    );
    expect(rows).toEqual([
      { leads: 2, recipients: 2 },
      { leads: 1, recipients: 2 },
      { leads: 0, recipients: 0 },
      { leads: 0, recipients: 0 },
    ]);
    const { rows: logged } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'report.sent'`,
    );
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toMatch(/@/);
  });

  test('switched off and on again, a report begins where the last one ended', async () => {
    await go('2026-06-01T12:00:00Z');
    const campaign = await app.make.campaign(client, { name: 'Again' });
    const on = { reportType: 'CSV', reportFreq: 'day', reportSentTo: ['again@shop.example'] };
    await update(campaign.id, on);
    await visits(campaign, 1);
    await go('2026-06-02T06:00:00Z');
    await due();
    await update(campaign.id, { reportType: 'none' });
    await go('2026-06-02T07:00:00Z');
    await visits(campaign, 1);
    await update(campaign.id, { ...on, reportFreq: 'month' });
    await go('2026-07-02T07:00:00Z');
    await due();
    const sent = (await mails('campaign.report')).filter((mail) => mail.to_address === 'again@shop.example');
    expect(sent.map((mail) => mail.subject)).toEqual([
      '1 lead, 2026-06-01: Tents',
      '1 lead, 2026-06-02 to 2026-06-30: Tents',
    ]);
  });

  test('[INTG-06] as leads come in: within minutes one email of what came together, and none without leads', async () => {
    await go('2026-06-10T12:00:20Z');
    const campaign = await app.make.campaign(client, { name: 'Prompt' });
    const on = { reportType: 'details', reportFreq: 'lead', reportSentTo: ['prompt@shop.example'] };
    await update(campaign.id, { ...on, campaignName: 'Prompt' });
    const sent = async () =>
      (await mails('campaign.report')).filter((mail) => mail.to_address === 'prompt@shop.example');
    const next = async () => (await get(campaign.id)).next_report_at;
    // Turned on, it looks once, and then waits for leads.
    await go('2026-06-10T12:01:20Z');
    expect([await due(), await sent(), await next()]).toEqual([1, [], null]);
    await go('2026-06-10T13:00:00Z');
    expect(await due()).toBe(0);
    await visits(campaign, 2);
    expect(await next()).toBe('2026-06-10T13:01:00.000Z');
    await go('2026-06-10T13:00:59Z');
    expect(await due()).toBe(0);
    await visits(campaign, 1);
    await go('2026-06-10T13:01:00.500Z');
    expect(await due()).toBe(1);
    const [first, ...others] = await sent();
    expect([first!.subject, others]).toEqual(['2 new leads: Prompt', []]);
    const { rows } = await app.admin.query<{ email: string }>(
      'select email from lead_contact where campaign_id = $1 order by created_at',
      [campaign.id],
    );
    const named = rows.map(({ email }) => first!.body!.text.includes(email));
    expect(named).toEqual([true, true, false]);
    expect(first!.body!.file).toBeUndefined();
    expect(first!.body!.text).toContain(`/site-id/leads-management?campaign=${campaign.id}`);
    // The third came too late for it, and has its own email.
    expect(await next()).not.toBeNull();
    await go('2026-06-10T13:03:00Z');
    expect(await due()).toBe(1);
    expect((await sent()).map((mail) => mail.subject)).toEqual(['2 new leads: Prompt', '1 new lead: Prompt']);
    await go('2026-06-10T13:05:00Z');
    expect([await due(), await next()]).toEqual([0, null]);
  });

  test('[INTG-06] every hour with leads, a link by default: nothing about people is in the email', async () => {
    await go('2026-06-11T12:20:00Z');
    const campaign = await app.make.campaign(client, { name: 'Hourly' });
    const created = await update(campaign.id, {
      campaignName: 'Hourly',
      reportType: 'link',
      reportFreq: 'hour',
      reportSentTo: ['hour@shop.example'],
    });
    expect(created.status).toBe(200);
    await visits(campaign, 1);
    await go('2026-06-11T13:04:59Z');
    expect(await due()).toBe(0);
    await go('2026-06-11T13:05:00Z');
    expect(await due()).toBe(1);
    const sent = (await mails('campaign.report')).filter((mail) => mail.to_address === 'hour@shop.example');
    expect(sent.map((mail) => mail.subject)).toEqual(['1 new lead: Hourly']);
    expect(sent[0]!.body!.text).not.toMatch(/people\.example|Last\d/);
    await go('2026-06-11T15:05:00Z');
    expect(await due()).toBe(0);
    for (const [field, body] of [
      ['reportFreq', { reportFreq: 'minute' }],
      ['reportType', { reportType: 'PDF' }],
    ] as const)
      expect(Object.keys((await update(campaign.id, body)).body.errors ?? {})).toEqual([field]);
  });

  test('[INTG-06] one click takes an address off, for reports and notices apart; the last one ends them', async () => {
    await go('2026-06-12T12:00:00Z');
    const campaign = await app.make.campaign(client, { name: 'Off' });
    const to = ['off@shop.example', 'stays@shop.example'];
    await update(campaign.id, {
      campaignName: 'Off',
      reportType: 'CSV',
      reportFreq: 'day',
      reportSentTo: to,
      leadsAmountNotification: 1,
      adminNotifyTo: to,
    });
    await visits(campaign, 1);
    await tell();
    await go('2026-06-13T06:00:00Z');
    await due();
    const linkOf = async (kind: string, address: string) =>
      (await mails(kind)).findLast((mail) => mail.to_address === address)!.body!.unsubscribe!;
    const pathOf = (link: string) => new URL(link).pathname;
    const oneClick = async (link: string, host = HOST) =>
      (
        await app.server.inject({
          method: 'POST',
          url: pathOf(link),
          headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
          payload: 'List-Unsubscribe=One-Click',
        })
      ).statusCode;
    const first = await linkOf('campaign.report', 'off@shop.example');
    expect(first).toMatch(/^https:\/\/acme\.test\/unsubscribe\/v1\./);
    // Elsewhere, or altered, it does nothing.
    expect(await oneClick(`${first}x`)).toBe(410);
    await app.make.root({ host: 'elsewhere.test' });
    expect(await oneClick(first, 'elsewhere.test')).toBe(200);
    expect((await get(campaign.id)).reportSentTo).toEqual(to);
    expect([await oneClick(first), await oneClick(first)]).toEqual([200, 200]);
    expect(await get(campaign.id)).toMatchObject({
      reportSentTo: ['stays@shop.example'],
      adminNotifyTo: to,
      reportType: 'CSV',
    });
    const last = pathOf(await linkOf('campaign.report', 'stays@shop.example'))
      .split('/')
      .at(-1);
    const answer = await app.call('POST', '/api/general/unsubscribe', { host: HOST, body: { token: last } });
    expect([answer.status, answer.body.message]).toEqual([200, 'You will not get these emails anymore.']);
    expect(await get(campaign.id)).toMatchObject({
      reportSentTo: [],
      reportType: 'none',
      next_report_at: null,
    });
    expect(await oneClick(await linkOf('campaign.leads', 'off@shop.example'))).toBe(200);
    expect((await get(campaign.id)).adminNotifyTo).toEqual(['stays@shop.example']);
    // The sender cannot add them again, here or with another client of the agency; they can themselves.
    const other = await app.make.campaign(
      await app.make.client({ ...client, id: client.agency_id! } as Company),
    );
    for (const [id, field] of [
      [campaign.id, 'adminNotifyTo'],
      [other.id, 'reportSentTo'],
    ] as const) {
      const more = { campaignName: 'Off', reportType: 'CSV', reportSentTo: ['stays@other.example'] };
      const given = { ...more, leadsAmountNotification: 1, adminNotifyTo: ['n@other.example'] };
      const again = await update(
        id,
        { ...given, [field]: ['new@other.example', 'off@shop.example'] },
        asAgency,
      );
      expect([again.status, again.body.errors]).toEqual([
        422,
        { [field]: [ownMessages.addressUnsubscribed('off@shop.example')] },
      ]);
    }
    await app.make.user(client, { email: 'off@shop.example', password: PASSWORD });
    const asThem = await app.signIn('off@shop.example', HOST);
    const back = { campaignName: 'Off', leadsAmountNotification: 1, adminNotifyTo: ['off@shop.example'] };
    expect((await update(campaign.id, back, asThem)).status).toBe(200);
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'report.unsubscribed'`,
    );
    expect(rows.map((row) => row.description)).toEqual([
      expect.stringMatching(/^off@shop\.example unsubscribed from the reports of campaign #\d+ Off$/),
      expect.stringMatching(/^stays@shop\.example unsubscribed from the reports/),
      expect.stringMatching(/^off@shop\.example unsubscribed from the lead notifications/),
    ]);
  });

  test('what fails in one system holds up no other, whichever is asked first', async () => {
    await go('2026-08-03T12:00:00Z');
    const second = await app.make.root({ host: 'second.test' });
    const theirs = await app.make.client(await app.make.agency(second));
    const broken = async (which: Company, other: Company) => {
      const [bad, good] = [await app.make.campaign(which), await app.make.campaign(other)];
      for (const { id, owner } of [bad, good])
        await app.admin.query(
          `insert into campaign_report (campaign_id, root_id, agency_id, company_id, report_every, report_to, covers_from, due_at, updated_at)
           values ($1, $2, $3, $4, 'day', '{a@x.test}', $5, $6, $5)`,
          [
            id,
            owner.root_id,
            owner.agency_id,
            owner.company_id,
            new Date(app.clock.now().getTime() - 2 * 86_400_000),
            app.clock.now(),
          ],
        );
      await app.admin.query('alter table company disable trigger company_zone');
      await app.admin.query(`update company set time_zone = 'No/Where' where id = $1`, [which.id]);
      await app.admin.query('alter table company enable trigger company_zone');
      await expect(app.features.reports.sendAllDue()).rejects.toThrow();
      await app.admin.query(`update company set time_zone = 'America/Chicago' where id = $1`, [which.id]);
      const { rows } = await app.admin.query(
        'select campaign_id from campaign_report_sent where campaign_id = any($1)',
        [[bad.id, good.id]],
      );
      expect(rows).toEqual([{ campaign_id: good.id }]);
      await app.features.reports.sendAllDue();
    };
    await broken(client, theirs);
    await broken(theirs, client);
  });

  test("a name that tells strangers to go somewhere says so in the agency's name neither in subject nor in text", async () => {
    const campaignName = 'Locked. Sign in at https://acme-login.evil.example/reset';
    const campaign = await app.make.campaign(client, { name: campaignName });
    await update(campaign.id, {
      campaignName,
      leadsAmountNotification: 1,
      adminNotifyTo: ['lured@shop.example'],
    });
    await visits(campaign, 1);
    await app.features.reports.tellOfLeads({ rootId: root.id, campaignId: campaign.id });
    const sent = (await mails('campaign.leads')).filter((mail) => mail.to_address === 'lured@shop.example');
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(sent)).not.toMatch(/evil\.example/);
  });

  test('a name that looks like HTML, a header or a formula is only a name, in the mail and in its file', async () => {
    await go('2026-08-10T12:00:00Z');
    const campaignName = '=cmd|calc!A1 <img src=x onerror=alert(1)> Bcc: a@x.test \u2028 ünï';
    const campaign = await app.make.campaign(client, { name: campaignName });
    await update(campaign.id, {
      campaignName,
      reportType: 'CSV',
      reportSentTo: ['names@shop.example'],
      leadsAmountNotification: 1,
      adminNotifyTo: ['names@shop.example'],
    });
    await visits(campaign, 1);
    await app.features.reports.tellOfLeads({ rootId: root.id, campaignId: campaign.id });
    await go('2026-08-11T06:00:00Z');
    await due();
    const sent = [...(await mails('campaign.report')), ...(await mails('campaign.leads'))].filter(
      (mail) => mail.to_address === 'names@shop.example',
    );
    expect(sent).toHaveLength(2);
    for (const mail of sent) {
      expect(mail.subject).toContain('=cmd|calc!A1 <img src=x onerror=alert(1)> Bcc ');
      expect(mail.subject).not.toMatch(/[\r\n]/);
      expect(JSON.stringify(mail.body!.html)).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(JSON.stringify(mail.body!.html)).not.toContain('<img src=x');
    }
    const { file } = sent[0]!.body!;
    expect(file!.name).toMatch(/^leads-\d+-2026-08-10\.csv$/);
    expect(file!.text).toContain("'=cmd|calc!A1");
    expect(file!.text).not.toMatch(/(^|,)"?=cmd/m);
  });
});
