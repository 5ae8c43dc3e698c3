import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let token: string;
let agency: Company;
let client: Company;
beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: 'acme.test' });
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  const campaign = await app.make.campaign(client);
  token = await app.signIn('client@x.test', 'acme.test');
  const hour = (at: string, visits: number) =>
    app.admin.query(
      `insert into campaign_hour (campaign_id, hour, root_id, agency_id, company_id, visits, matched, leads, spend_micros) values ($1, $2, $3, $4, $5, $6, 1, 1, 2000000)`,
      [campaign.id, at, root.id, agency.id, client.id, visits],
    );
  await hour('2026-03-07T05:00:00Z', 100); // March 6 in Chicago
  await hour('2026-03-08T05:00:00Z', 1); // March 7, 23:00
  await hour('2026-03-08T06:00:00Z', 2); // March 8, midnight: the day the clocks change
  await hour('2026-03-09T04:00:00Z', 4); // March 8, 23:00
  await hour('2026-03-09T05:00:00Z', 8); // March 9, midnight
});
afterAll(() => app.close());

const root = (): string => agency.root_id;
const ask = (query: string, path = '/leadspeek/report/chart') =>
  app.call('GET', `/api${path}?${query}`, { host: 'acme.test', token });

test('[DASH-01] days are those of the company’s time zone, also when the clocks change', async () => {
  const { body } = await ask('startDate=2026-03-07&endDate=2026-03-09');
  expect(
    (body.days as unknown as { day: string; visits: number }[]).map(({ day, visits }) => [day, visits]),
  ).toEqual([
    ['2026-03-07', 1],
    ['2026-03-08', 6],
    ['2026-03-09', 8],
  ]);
  const totals = { visits: 15, leads: 4, spend_micros: 8_000_000 };
  expect(body).toMatchObject({ time_zone: 'America/Chicago', totals });
  const dashboard = await ask('startDate=2026-03-07&endDate=2026-03-09', '/dashboard');
  expect(dashboard.body).toMatchObject({
    time_zone: 'America/Chicago',
    totals,
    previous: { visits: 100 },
    campaigns: [{ visits: 15 }],
  });
});

test('[DASH-01] a single day comes by hour as well, with as many hours as it has', async () => {
  const hours = async (day: string) =>
    (
      (await ask(`startDate=${day}&endDate=${day}`)).body as unknown as {
        hours: { at: string; visits: number }[];
      }
    ).hours;
  const short = await hours('2026-03-08');
  expect([short.length, short[0]?.at]).toEqual([23, '2026-03-08T06:00:00.000Z']);
  expect(short.filter(({ visits }) => visits > 0).map(({ at, visits }) => [at, visits])).toEqual([
    ['2026-03-08T06:00:00.000Z', 2],
    ['2026-03-09T04:00:00.000Z', 4],
  ]);
  expect(await hours('2026-03-07')).toHaveLength(24);
  expect((await ask('startDate=2026-03-07&endDate=2026-03-08')).body.hours).toEqual([]);
});

test('defaults to the last 30 days, every day there', async () => {
  const { body } = await ask('');
  expect(body).toMatchObject({ start: '2026-02-09', end: '2026-03-10' });
  expect(body.days).toHaveLength(30);
});

test('refuses days that are none, or too many', async () => {
  for (const path of ['/leadspeek/report/chart', '/dashboard'])
    for (const [query, field] of [
      ['startDate=2026-02-30', 'startDate'],
      ['startDate=2026-03-10&endDate=2026-03-09', 'endDate'],
      ['startDate=2020-01-01&endDate=2026-03-09', 'endDate'],
      ['companyID=7', 'companyID'],
    ]) {
      const answer = await ask(query!, path);
      expect([query, answer.status, Object.keys(answer.body.errors as object)]).toEqual([
        query,
        422,
        [field],
      ]);
    }
});

test('[CAMP-08] a report is narrowed to a module, and begins at its first day', async () => {
  const days = 'startDate=2026-03-07&endDate=2026-03-09';
  for (const path of ['/leadspeek/report/chart', '/dashboard']) {
    expect((await ask(`${days}&moduleType=local`, path)).body).toMatchObject({ totals: { visits: 15 } });
    expect((await ask(`${days}&moduleType=locator`, path)).body).toMatchObject({ totals: { visits: 0 } });
    expect((await ask(`${days}&moduleType=bogus`, path)).status).toBe(422);
  }
  expect((await ask('', '/leadspeek/report/initdate')).body).toMatchObject({
    start: '2026-03-06',
    end: '2026-03-10',
  });
  expect((await ask('moduleType=locator', '/leadspeek/report/initdate')).body).toMatchObject({ start: null });
});

test('[DASH-01] people that keywords found are told apart from visits, so that a match rate is of visits and a waterfall adds up', async () => {
  const search = await app.make.campaign(client, { search: { keywords: ['tents'] } });
  const of = [root(), agency.id, client.id];
  await app.admin.query(
    `insert into campaign_hour (campaign_id, hour, root_id, agency_id, company_id, visits, matched, leads, spend_micros)
     values ($1, '2026-03-08T12:00:00Z', $2, $3, $4, 0, 30, 20, 0)`,
    [search.id, ...of],
  );
  await app.admin.query(
    `insert into campaign_refusal (campaign_id, hour, reason, root_id, agency_id, company_id, count, last_at)
     values ($1, '2026-03-08T12:00:00Z', 'excluded', $2, $3, $4, 10, now())`,
    [search.id, ...of],
  );
  await app.admin.query(
    `insert into campaign_refusal (campaign_id, hour, reason, root_id, agency_id, company_id, count, last_at)
     select campaign_id, '2026-03-08T12:00:00Z', 'excluded', root_id, agency_id, company_id, 11, now()
     from campaign_hour where visits = 100`,
  );
  const { body } = await ask('startDate=2026-03-07&endDate=2026-03-09', '/dashboard');
  expect(body).toMatchObject({
    totals: { visits: 15, matched: 34, leads: 24, found: 30, found_leads: 20 },
    previous: { visits: 100, found: 0 },
    waterfall: [
      { reason: 'excluded', of: 'visits', count: 11 },
      { reason: 'excluded', of: 'people', count: 10 },
    ],
    campaigns: [{ leadspeek_type: 'locator' }, { leadspeek_type: 'local' }],
  });
  await app.admin.query('delete from campaign_hour where campaign_id = $1', [search.id]);
  await app.admin.query('delete from campaign_refusal');
  await app.admin.query(`update campaign set state = 'archived' where id = $1`, [search.id]);
});

test('[CAMP-11] clients with their campaigns and figures: own ones alone, sorted by each, found by name, page by page', async () => {
  const other = await app.make.client(agency, { name: '100% Zelt' });
  await app.make.campaign(other, { balance: 5_000_000n, price: 1_000_000n });
  await app.make.campaign(other, { state: 'paused' });
  await app.make.campaign(other, { state: 'archived' });
  const foreign = await app.make.client(
    await app.make.agency(
      { id: agency.root_id, root_id: agency.root_id, agency_id: null },
      { host: 'b.test' },
    ),
    { name: 'Foreign' },
  );
  await app.make.campaign(foreign);
  const asAgency = await app.signIn('agency@x.test', 'acme.test');
  const list = async (query: string) => {
    const { status, body } = await app.call('GET', `/api/leadspeek/report/clients?${query}`, {
      host: 'acme.test',
      token: asAgency,
    });
    expect([query, status]).toEqual([query, 200]);
    return body as unknown as { total: number; data: { id: string }[] };
  };
  const all = await list('');
  expect(all).toMatchObject({
    total: 2,
    data: [
      {
        company_name: '100% Zelt',
        active: 1,
        campaigns: 2,
        leads_30d: 0,
        spend_30d_micros: 0,
        balance_micros: 5_000_000,
      },
      {
        id: client.id,
        active: 1,
        campaigns: 1,
        leads_30d: 5,
        spend_30d_micros: 10_000_000,
        balance_micros: 0,
      },
    ],
  });
  for (const [sortby, first] of [
    ['leads_30d', client.id],
    ['spend_30d', client.id],
    ['balance', other.id],
    ['active', undefined],
  ] as const) {
    const { data } = await list(`sortby=${sortby}&order=desc`);
    expect(data).toHaveLength(2);
    if (first) expect([sortby, data[0]!.id]).toEqual([sortby, first]);
  }
  expect(await list('searchQuery=0%25')).toMatchObject({ total: 1, data: [{ id: other.id }] });
  expect(await list('searchQuery=%25%25')).toMatchObject({ total: 0 });
  expect((await list('PerPage=1&Page=2')).data).toMatchObject([{ id: client.id }]);
  // A client has no clients.
  const own = await app.call('GET', '/api/leadspeek/report/clients', { host: 'acme.test', token });
  expect(own.body).toMatchObject({ total: 0, data: [] });
});
