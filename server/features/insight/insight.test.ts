import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../test/app.ts';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test' });
  const agency = await app.make.agency(root, { host: 'acme.test' });
  const client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  const campaign = await app.make.campaign(client);
  token = await app.signIn('client@x.test', 'acme.test');
  const hour = (at: string, visits: number) =>
    app.admin.query(
      `insert into campaign_hour (campaign_id, hour, root_id, agency_id, company_id, visits, matched, leads, spend_micros) values ($1, $2, $3, $4, $5, $6, 1, 1, 2000000)`,
      [campaign.id, at, root.id, agency.id, client.id, visits],
    );
  await hour('2026-03-07T05:00:00Z', 100); // 6 March in Chicago
  await hour('2026-03-08T05:00:00Z', 1); // 7 March, 23:00
  await hour('2026-03-08T06:00:00Z', 2); // 8 March, midnight: the day the clocks change
  await hour('2026-03-09T04:00:00Z', 4); // 8 March, 23:00
  await hour('2026-03-09T05:00:00Z', 8); // 9 March, midnight
});
afterAll(() => app.close());

const ask = (query: string) => app.call('GET', `/api/dashboard?${query}`, { host: 'acme.test', token });

test('[DASH-01] days are those of the company’s time zone, also when the clocks change', async () => {
  const { body } = await ask('startDate=2026-03-07&endDate=2026-03-09');
  expect(
    (body.days as unknown as { day: string; visits: number }[]).map(({ day, visits }) => [day, visits]),
  ).toEqual([
    ['2026-03-07', 1],
    ['2026-03-08', 6],
    ['2026-03-09', 8],
  ]);
  expect(body).toMatchObject({
    time_zone: 'America/Chicago',
    totals: { visits: 15, leads: 4, spend_micros: 8_000_000 },
    previous: { visits: 100 },
    campaigns: [{ visits: 15 }],
  });
});

test('defaults to the last 30 days, every day there', async () => {
  const { body } = await ask('');
  expect(body).toMatchObject({ start: '2026-02-09', end: '2026-03-10' });
  expect(body.days).toHaveLength(30);
});

test('refuses days that are none, or too many', async () => {
  for (const [query, field] of [
    ['startDate=2026-02-30', 'startDate'],
    ['startDate=2026-03-10&endDate=2026-03-09', 'endDate'],
    ['startDate=2020-01-01&endDate=2026-03-09', 'endDate'],
    ['companyID=7', 'companyID'],
  ]) {
    const answer = await ask(query!);
    expect([query, answer.status, Object.keys(answer.body.errors as object)]).toEqual([query, 422, [field]]);
  }
});
