import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let client: Company;
let asClient: string;
let asAgency: string;
let asOther: string;
const HOST = 'acme.test';
const USD = 1_000_000n;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  const agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  await app.make.user(await app.make.client(agency), { email: 'other@x.test', password: PASSWORD });
  asClient = await app.signIn('client@x.test', HOST);
  asAgency = await app.signIn('agency@x.test', HOST);
  asOther = await app.signIn('other@x.test', HOST);
});
afterAll(() => app.close());

const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, token = asClient) =>
  app.call(method, `/api/${path}`, { host: HOST, token, ...(body ? { body } : {}) });
const send = (leadspeekID: string) => call('POST', 'leadspeek/client/send-test-lead', { leadspeekID });
const webhook = (campaign: { id: string; owner: object }) =>
  app.admin.query(
    `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
     select gen_random_uuid(), root_id, agency_id, company_id, id, 'webhook', 'https://crm.example/hook', '\\x00', 'enabled', now(), now()
     from campaign where id = $1`,
    [campaign.id],
  );

describe('[CAMP-09] a test lead', () => {
  test('goes to every webhook, marked, for nothing, and counts for nothing', async () => {
    const campaign = await app.make.campaign(client, { price: USD, dailyCap: 1, balance: USD });
    await webhook(campaign);
    const reports = { leadsAmountNotification: 1, adminNotifyTo: 'a@b.example' };
    const fields = { campaignName: 'Tents', urlCode: 'https://shop.example.com/', LimitLead: 1 };
    await call('PUT', 'leadspeek/client/update', {
      ...fields,
      ...reports,
      leadspeekID: campaign.id,
      version: (await call('GET', `leadspeek/getcampaign/${campaign.id}`)).body.version,
    });
    const { status, body } = await send(campaign.id);
    expect([status, body]).toMatchObject([200, { result: 'success', webhooks: 1 }]);
    const lead = (await call('GET', `leadspeek/report/lead/${body.lead_id}`)).body;
    expect(lead).toMatchObject({ is_test: true, price_micros: 0, first_name: 'Test', delivery: 'pending' });
    const { rows } = await app.admin.query('select is_test, state from delivery where lead_id = $1', [
      body.lead_id,
    ]);
    expect(rows).toEqual([{ is_test: true, state: 'pending' }]);
    const [{ data }] = (
      await app.admin.query(
        `select data from pgboss.job where name = 'delivery.send' and data->>'deliveryId' = (select id::text from delivery where lead_id = $1)`,
        [body.lead_id],
      )
    ).rows;
    expect(data).toMatchObject({ attempt: 0 });
    // The campaign still has its one lead of the day and its balance, and no one has been notified.
    const person = app.make.person();
    await app.make.people(root, [person]);
    expect((await call('GET', `dashboard?leadspeekID=${campaign.id}`)).body.totals).toMatchObject({
      leads: 0,
    });
    const told = `select counted::int from campaign_report where campaign_id = $1`;
    expect((await app.admin.query(told, [campaign.id])).rows).toEqual([{ counted: 0 }]);
    await app.make.visit(campaign, { email: person.email! });
    await app.features.leads.resolver.resolveAll();
    expect((await app.admin.query(told, [campaign.id])).rows).toEqual([{ counted: 1 }]);
    expect((await call('GET', `dashboard?leadspeekID=${campaign.id}`)).body.totals).toMatchObject({
      leads: 1,
      spend_micros: 1_000_000,
    });
  });

  test('once a minute a campaign, with the text of the specification; two at once are one', async () => {
    const campaign = await app.make.campaign(client);
    const both = await Promise.all([send(campaign.id), send(campaign.id)]);
    expect(both.map((one) => one.status).sort()).toEqual([200, 429]);
    app.clock.advance(59_999);
    const early = await send(campaign.id);
    expect([early.status, early.body.message, early.headers['retry-after']]).toEqual([
      429,
      'You can only attempt this test once every minute. Please try again later.',
      '1',
    ]);
    expect((await send((await app.make.campaign(client)).id)).status).toBe(200);
    app.clock.advance(1);
    expect((await send(campaign.id)).status).toBe(200);
  });

  test('of no one else’s campaign, and of none that is removed', async () => {
    const campaign = await app.make.campaign(client);
    const body = { leadspeekID: campaign.id };
    expect((await call('POST', 'leadspeek/client/send-test-lead', body, asOther)).status).toBe(404);
    await call('POST', 'leadspeek/client/remove', body);
    expect((await send(campaign.id)).status).toBe(404);
  });
});

describe('[CAMP-08] reports', () => {
  test('leads by module, chart, first day and invoices answer with their parameters', async () => {
    const campaign = await app.make.campaign(client, { name: 'Reported' });
    const person = app.make.person();
    await app.make.people(root, [person]);
    await app.make.visit(campaign, { email: person.email! });
    await app.features.leads.resolver.resolveAll();
    const leads = (query: string) =>
      call('GET', `leadspeek/report/lead?Page=1&PerPage=10&sortby=created_at&order=desc&${query}`);
    const of = `leadspeekID=${campaign.id}`;
    expect((await leads(`${of}&moduleType=local&searchQuery=${person.last_name}`)).body.total).toBe(1);
    expect((await leads(`${of}&moduleType=local`)).body.total).toBe(1);
    expect((await leads(`${of}&moduleType=b2b`)).body.total).toBe(0);
    expect((await leads(`${of}&moduleType=nothing`)).status).toBe(422);
    const byName = `leadspeek/report/lead?sortby=last_name&moduleType=local&${of}`;
    expect((await call('GET', byName)).body.total).toBe(1);
    const chart = (await call('GET', `leadspeek/report/chart?${of}&startDate=2026-03-09`)).body;
    expect(chart).toMatchObject({ time_zone: 'America/Chicago', start: '2026-03-09', totals: { leads: 1 } });
    expect(chart.days).toContainEqual(expect.objectContaining({ day: '2026-03-10', leads: 1, visits: 1 }));
    const other = `leadspeek/report/chart?${of}&moduleType=b2b`;
    expect((await call('GET', other)).body.totals).toMatchObject({ leads: 0 });
    expect((await call('GET', `leadspeek/report/initdate?${of}`)).body).toEqual({
      time_zone: 'America/Chicago',
      start: '2026-03-10',
      end: '2026-03-10',
    });
    expect((await call('GET', `leadspeek/report/initdate?moduleType=b2b`)).body.start).toBeNull();
    expect((await call('GET', `leadspeek/report/invoice?${of}`)).body).toMatchObject({
      total: 0,
      sides: ['retail'],
    });
  });
});

describe('[CAMP-13] what a campaign begins with, changing it, copying it', () => {
  test('the resource of a client, for itself and its agency', async () => {
    await app.make.campaign(client, { price: 2n * USD });
    app.clock.advance(1);
    const mine = await call('GET', 'leadspeek/getcampaignresource');
    expect(mine.body).toMatchObject({ company_id: client.id, PaymentTerm: 'Prepaid', LimitLead: null });
    const theirs = await call(
      'GET',
      `leadspeek/getcampaignresource?companyID=${client.id}`,
      undefined,
      asAgency,
    );
    expect(theirs.body).toEqual(mine.body);
    expect((await call('GET', 'leadspeek/getcampaignresource', undefined, asAgency)).status).toBe(404);
    const foreign = `leadspeek/getcampaignresource?companyID=${client.id}`;
    expect((await call('GET', foreign, undefined, asOther)).status).toBe(404);
  });

  test('a draft waits for a person; local/update changes it; a copy is paused and its own', async () => {
    const fields = { campaignName: 'Draft', urlCode: 'https://shop.example.com/' };
    const made = (
      await call('POST', 'leadspeek/client/create', {
        ...fields,
        draft: 'T',
        LimitLead: 5,
        LimitLeadFreq: 'week',
      })
    ).body.data as { leadspeekID: string; version: number };
    expect(made).toMatchObject({ status: 'paused', statusReason: 'person' });
    const changed = await call('PUT', 'leadspeek/client/local/update', {
      ...fields,
      campaignName: 'Changed',
      LimitLead: 6,
      leadspeekID: made.leadspeekID,
      version: made.version,
    });
    expect(changed.body.data).toMatchObject({ campaignName: 'Changed', LimitLead: 6, LimitLeadFreq: 'week' });
    await app.admin.query(`update campaign set module = 'b2b' where id = $1`, [made.leadspeekID]);
    const other = await call('PUT', 'leadspeek/client/local/update', {
      ...fields,
      leadspeekID: made.leadspeekID,
      version: 2,
    });
    expect(other.status).toBe(404);
    await app.admin.query(`update campaign set module = 'local' where id = $1`, [made.leadspeekID]);
    const copy = (await call('POST', 'leadspeek/client/duplicate', { leadspeekID: made.leadspeekID })).body
      .data as Record<string, unknown>;
    expect(copy).toMatchObject({
      campaignName: 'Copy of Changed',
      status: 'paused',
      LimitLead: 6,
      LimitLeadFreq: 'week',
      version: 1,
      balance_micros: 0,
    });
    expect(copy.leadspeekID).not.toBe(made.leadspeekID);
    const { rows } = await app.admin.query(
      'select count(distinct site_key)::int as n from campaign where id = any($1)',
      [[copy.leadspeekID, made.leadspeekID]],
    );
    expect(rows).toEqual([{ n: 2 }]);
  });
});
