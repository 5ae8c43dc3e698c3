import { afterAll, beforeAll, expect, it } from 'vitest';
import { googleSheetsStub } from '../../../integrations/google-sheets/stub.ts';
import { type RunningStub, startStub } from '../../../integrations/stub.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import type { SendPayload } from './queue.ts';

/** `npm run models` runs the whole. */
const LEADS = process.env.RUNS === 'whole' ? 5_000 : 1_100;
const QUOTA = 60;
const MINUTE_MS = 60_000;

let app: TestApp;
const stub = googleSheetsStub();
let running: RunningStub;
let root: Company;
const campaigns: MadeCampaign[] = [];

beforeAll(async () => {
  running = await startStub(stub, 'sheets');
  app = await testApp({
    outboundExceptions: [running.host],
    standIns: { 'google-sheets': { base: running.base } },
  });
  root = await app.make.root();
  const client = await app.make.client(await app.make.agency(root, { host: 'batches.test' }));
  await app.make.user(client, { password: PASSWORD });
  // Two connections of the same account, each with a campaign.
  for (let at = 0; at < 2; at++) {
    const campaign = await app.make.campaign(client);
    campaigns.push(campaign);
    await app.make.connection(client, {
      vendor: 'google-sheets',
      account: 'owner@example.com',
      credentials: { ...stub.credentials(running.base) },
      campaignId: campaign.id,
      settings: { ...stub.settings, sheet: `Leads ${at}` },
    });
  }
});
afterAll(async () => {
  await running?.stop();
  await app?.close();
});

async function accept(count: number): Promise<void> {
  const owner = campaigns[0]!.owner;
  const now = app.clock.now();
  const leads = Array.from({ length: count }, (_, at) => ({
    id: newId(now),
    campaignId: campaigns[at % 2]!.id,
    owner,
  }));
  const ids = [leads.map(({ id }) => id), leads.map(({ campaignId }) => campaignId)];
  const own = 'c.root_id, c.agency_id, c.company_id, c.id';
  const from = 'from unnest($1::uuid[], $2::uuid[]) as l (id, campaign) join campaign c on c.id = l.campaign';
  await app.admin.query(
    `insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, evidence, price_micros,
       cost_micros, created_at) select l.id, ${own}, 1, 95, '[]', 0, 0, $3 ${from}`,
    [...ids, now],
  );
  await app.admin.query(
    `insert into lead_contact (lead_id, root_id, agency_id, company_id, campaign_id, first_name, email, created_at)
     select l.id, ${own}, 'Ada', 'ada' || l.id || '@example.com', $3 ${from}`,
    [...ids, now],
  );
  await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.platform.events.emit(tx, 'leads.accepted', { leads, isTest: false }),
  );
}

/** The deliveries and jobs that are left, to tell why nothing goes on. */
async function waiting(): Promise<string> {
  const deliveries = await app.admin.query(
    `select id, state, attempts, next_at from delivery where state in ('pending', 'unknown') limit 10`,
  );
  const jobs = await app.admin.query(
    `select state, data from pgboss.job where name = 'delivery.send' limit 10`,
  );
  return JSON.stringify({ now: app.clock.now(), deliveries: deliveries.rows, jobs: jobs.rows });
}

/** Makes every attempt when it is due, until nothing waits. `called` is told the time of each call to Google. */
async function workOff(called: (at: number) => void = () => {}): Promise<void> {
  for (let idle = 0; ; ) {
    // Those of a campaign that went along with another's batch have nothing left to do.
    const { rows } = await app.admin.query(
      `delete from pgboss.job j using delivery d where d.id = (j.data->>'deliveryId')::uuid and j.name = 'delivery.send'
         and (d.next_at <= $1 or d.state = 'delivered') returning j.data, d.state = 'delivered' as done`,
      [app.clock.now()],
    );
    for (const { data, done } of rows) {
      const before = running.requests.length;
      if (!done) await app.features.delivery.attempt(data as SendPayload);
      for (let one = before; one < running.requests.length; one++) called(app.clock.now().getTime());
    }
    const next = await app.admin.query(
      `select min(next_at) as at from delivery where state = 'pending' or state = 'unknown'`,
    );
    const at = next.rows[0].at as Date | null;
    if (!at) return;
    if (rows.length > 0) idle = 0;
    else if (++idle > 100) throw new Error(`Deliveries wait for jobs that are not there: ${await waiting()}`);
    app.clock.advance(Math.max(1, at.getTime() - app.clock.now().getTime()));
  }
}

it(`[INTG-03] [INTG-04] ${LEADS} leads of one account become as many rows, within Google's quota of calls a minute`, async () => {
  await accept(LEADS);
  const calls: number[] = [];
  await workOff((at) => calls.push(at));
  const most = Math.max(
    ...calls.map((start) => calls.filter((at) => at >= start && at < start + MINUTE_MS).length),
  );
  expect(most).toBeLessThanOrEqual(QUOTA);
  const { rows } = await app.admin.query(`select state, count(*)::int as n from delivery group by state`);
  expect(rows).toEqual([{ state: 'delivered', n: LEADS }]);
  const ids = stub.records().map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([LEADS, LEADS]);
  // Few calls for each batch: at one a lead, the quota would let 60 leads a minute through.
  expect(calls.length).toBeLessThan(LEADS / 10);
});

it('[INTG-04] a batch whose answer was lost, or whose process died, adds no row twice and leaves none out', async () => {
  const before = stub.records().length;
  await accept(40);
  running.loseNextAnswer();
  await workOff();
  expect(stub.records()).toHaveLength(before + 40);

  // A process marks what it sends, sends it, and dies: neither its outcome nor the end of its turn is recorded.
  app.clock.advance(MINUTE_MS);
  await accept(8);
  const { rows } = await app.admin.query(
    `select j.data from pgboss.job j join delivery d on d.id = (j.data->>'deliveryId')::uuid
     where j.name = 'delivery.send' and d.state = 'pending' limit 1`,
  );
  const { queues } = app.features.connections;
  const give = queues.give;
  queues.give = () => Promise.reject(new Error('died'));
  await expect(app.features.delivery.attempt(rows[0].data)).rejects.toThrow('died');
  queues.give = give;
  expect(stub.records()).toHaveLength(before + 44);
  const unknown = await app.admin.query(`select from delivery where state = 'unknown'`);
  expect(unknown.rowCount).toBe(4);
  const diedAt = app.clock.now().getTime();
  await workOff();
  // The account's turn is over when whoever had it must be dead.
  expect(app.clock.now().getTime() - diedAt).toBeGreaterThanOrEqual(120_000);
  const ids = stub.records().map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([before + 48, before + 48]);
});
