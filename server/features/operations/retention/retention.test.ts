import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RETENTION, type RetentionKind } from '../../../../contract/operations/retention.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { verifyLog } from '../../accounts/audit/index.ts';
import { auditLedger } from '../../money/ledger/index.ts';

const DAY_MS = 86_400_000;
let app: TestApp;
let root: Company;
let other: Company;
let agency: Company;
let client: Company;
afterAll(() => app?.close());

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  other = await app.make.root({ host: 'other.test' });
  agency = await app.make.agency(root, { host: 'agency.test' });
  client = await app.make.client(agency);
  await app.make.user(root, { email: 'owner@root.test', password: PASSWORD, role: 'owner' });
  await app.make.user(root, { email: 'admin@root.test', password: PASSWORD, role: 'administrator' });
  await app.make.user(other, { email: 'owner@other.test', password: PASSWORD, role: 'owner' });
  await app.features.visits.keepPartitions();
});

async function as(email: string) {
  const host = email.split('@')[1]!;
  const token = await app.signIn(email, host);
  return (method: 'GET' | 'POST', path: string, body?: object) =>
    app.call(method, `/api/retention${path}`, { host, token, ...(body ? { body } : {}) });
}
interface Row {
  kind: RetentionKind;
  days: number | null;
  default_days: number | null;
  is_changed: boolean;
  due: number;
  is_due_more: boolean;
  started_at: string | null;
  finished_at: string | null;
  removed: number;
}
async function rows(): Promise<Map<RetentionKind, Row>> {
  const { body } = await (await as('owner@root.test'))('GET', '?PerPage=100');
  return new Map((body.data as unknown as Row[]).map((row) => [row.kind, row]));
}
const keep = async (kind: RetentionKind, days: number | null) =>
  (await as('owner@root.test'))('POST', `/${kind}`, { kind, days });
const count = async (from: string): Promise<number> =>
  Number((await app.admin.query(`select count(*) as n from ${from}`)).rows[0].n);
const mail = (company: Company) =>
  inScope(app.platform.db.app, { rootId: company.root_id }, (tx) =>
    app.features.mail.enqueue(tx, {
      kind: 'test',
      owner: { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
      to: { name: 'Ona Owner', address: 'ona@people.test' },
      sender: { name: 'Acme', host: 'agency.test' },
      subject: 'Hello',
      text: 'Hello',
      html: 'Hello',
    }),
  );

/** Sells a campaign that many leads of people of its root. */
async function leads(campaign: MadeCampaign, n: number): Promise<void> {
  await app.features.visits.keepPartitions();
  for (let i = 0; i < n; i++) {
    const person = app.make.person();
    await app.make.people(root, [person]);
    await app.make.visit(campaign, { email: person.email });
  }
  await app.features.leads.resolver.resolveAll();
}

test('[BEY-07] every kind of data that can be changed is removed by a feature, and says how long and why', async () => {
  const seen = await rows();
  expect([...seen.keys()]).toEqual(Object.keys(RETENTION));
  for (const [kind, row] of seen) {
    const { days, min, max } = RETENTION[kind];
    expect([kind, row.days, row.default_days, row.is_changed]).toEqual([kind, days, days, false]);
    expect(days === null || (days >= min && days <= max)).toBe(true);
  }
});

test('[BEY-07] visits are kept as long as the operator’s setting says, until the owner changes it', async () => {
  const it = await testApp({ settings: { visitRetentionDays: 60 } });
  try {
    const { data } = await it.features.retention.horizons();
    expect(data.find(({ kind }) => kind === 'visits')).toMatchObject({ days: 60 });
  } finally {
    await it.close();
  }
});

describe('[BEY-07] how long data is kept', () => {
  test('is changed by the master root’s owner alone, within its limits, with a row in the log', async () => {
    for (const [email, status] of [
      ['admin@root.test', 403],
      ['owner@other.test', 404],
    ] as const) {
      const call = await as(email);
      expect((await call('GET', '')).status).toBe(status);
      expect((await call('GET', '/emails/preview?days=30')).status).toBe(status);
      expect((await call('POST', '/emails', { kind: 'emails', days: 60 })).status).toBe(status);
    }
    for (const days of [RETENTION.privacy_requests.min - 1, RETENTION.privacy_requests.max + 1])
      expect(await keep('privacy_requests', days)).toMatchObject({
        status: 422,
        body: { errors: { days: ['must be from 731 to 3650'] } },
      });
    expect((await keep('emails', 60)).status).toBe(200);
    expect((await rows()).get('emails')).toMatchObject({ days: 60, default_days: 30, is_changed: true });
    const { rows: logged } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'retention.change'`,
    );
    expect(logged).toEqual([{ description: 'Emails are kept for 60 days instead of 30 days' }]);
    expect((await keep('emails', null)).status).toBe(200);
    expect((await rows()).get('emails')).toMatchObject({ days: 30, is_changed: false });
  });

  test('is told to everyone, for the privacy policy', async () => {
    await keep('leads', 400);
    const { status, body } = await app.call('GET', '/api/privacy-policy/retention', { host: 'agency.test' });
    expect(status).toBe(200);
    const data = body.data as unknown as { kind: string; days: number | null }[];
    expect(data.find(({ kind }) => kind === 'leads')).toEqual({
      kind: 'leads',
      title: 'Contents of leads',
      days: 400,
    });
    expect(data.find(({ kind }) => kind === 'user_log')).toMatchObject({ days: null });
    await keep('leads', null);
  });
});

describe('[BEY-07] a run', () => {
  test('removes what is older in every root, and nothing else, and says how much', async () => {
    await mail(root);
    await mail(other);
    await app.admin.query(`update mail set state = 'sent'`);
    app.clock.advance(20 * DAY_MS);
    await mail(root);
    await app.admin.query(`update mail set state = 'sent'`);
    await mail(root); // Still waiting.
    const all = await count('mail');
    expect((await rows()).get('emails')).toMatchObject({ due: 0, started_at: null });
    const preview = await (await as('owner@root.test'))('GET', '/emails/preview?days=10');
    expect(preview.body).toMatchObject({ due: 2, is_due_more: false });
    app.clock.advance(11 * DAY_MS);
    expect((await rows()).get('emails')).toMatchObject({ due: 2 });
    await app.features.retention.run();
    expect(await count('mail')).toBe(all - 2);
    const at = app.clock.now().toISOString();
    expect((await rows()).get('emails')).toMatchObject({
      due: 0,
      started_at: at,
      finished_at: at,
      removed: 2,
    });
    app.clock.advance(20 * DAY_MS);
    await app.features.retention.run();
    expect((await rows()).get('emails')).toMatchObject({ removed: 1 });
    expect(await count(`mail where state = 'queued'`)).toBeGreaterThan(0);
  });

  test('that is cut off is gone on with by the next, a step at a time', async () => {
    const write = `insert into mail (id, root_id, company_id, kind, to_address, to_name, from_address, from_name, subject, state, created_at)
      select gen_random_uuid(), $1, $1, 'test', 'a@b.test', 'A', 'c@d.test', 'C', 'Old', 'sent', $2
      from generate_series(1, 2500)`;
    await app.admin.query(write, [root.id, new Date(app.clock.now().getTime() - 40 * DAY_MS)]);
    const old = () => count(`mail where subject = 'Old'`);
    const began = app.clock.now().toISOString();
    // The process is told to stop after its first step.
    const stop = new AbortController();
    await app.features.retention.run('emails', { signal: stop.signal, advanced: () => stop.abort() });
    expect(await old()).toBe(1500);
    expect((await rows()).get('emails')).toMatchObject({
      started_at: began,
      finished_at: null,
      removed: 1000,
      due: 1500,
    });
    app.clock.advance(60_000);
    await app.features.retention.run('emails');
    expect(await old()).toBe(0);
    expect((await rows()).get('emails')).toMatchObject({
      started_at: began,
      finished_at: app.clock.now().toISOString(),
      removed: 2500,
    });
  });

  test('of one kind that fails does not keep the others from theirs', async () => {
    await app.admin.query(`alter table delivery_exchange rename to broken_exchange`);
    const at = app.clock.now().toISOString();
    await expect(app.features.retention.run()).rejects.toThrow(/delivery_exchange/);
    await app.admin.query(`alter table broken_exchange rename to delivery_exchange`);
    const seen = await rows();
    expect(seen.get('deliveries')).toMatchObject({ finished_at: null });
    expect(seen.get('privacy_requests')).toMatchObject({ finished_at: at });
  });

  test('drops days of visits a few at a time', async () => {
    const days = () => count(`pg_inherits where inhparent = 'visit'::regclass`);
    await app.features.visits.keepPartitions(60);
    const before = await days();
    await keep('visits', 31);
    const { due } = (await rows()).get('visits')!;
    expect(due).toBeGreaterThan(20);
    await app.features.retention.run('visits');
    expect(await days()).toBe(before - due);
    expect((await rows()).get('visits')).toMatchObject({ due: 0, removed: due });
    await keep('visits', null);
  });
});

describe('[BEY-07] contents of leads and of the log', () => {
  test('are kept for good unless someone changes that; then the books and the chain still verify', async () => {
    await app.make.leadCost(agency, 1_000_000n);
    const campaign = await app.make.campaign(client, { price: 2_000_000n, balance: 100_000_000n });
    await leads(campaign, 3);
    await app.features.logChain.seal();
    app.clock.advance(800 * DAY_MS);
    await leads(campaign, 1);
    const { rows: sold } = await app.admin.query('select id from lead order by created_at');
    const [old, fresh] = [sold[0].id, sold[3].id];
    await app.features.retention.run();
    expect(await count('lead_contact')).toBe(4);
    const details = await count('user_log_detail');
    const entries = await count('user_log');

    await keep('leads', 365);
    await keep('user_log', 731);
    const due = await rows();
    expect(due.get('leads')).toMatchObject({ due: 3 });
    expect(due.get('user_log')!.due).toBeGreaterThan(0);
    await app.features.retention.run();

    const { rows: left } = await app.admin.query('select lead_id from lead_contact');
    expect(left).toEqual([{ lead_id: fresh }]);
    const { rows: kept } = await app.admin.query(
      'select evidence, price_micros::int as price from lead where id = $1',
      [old],
    );
    expect(kept).toEqual([{ evidence: {}, price: 2_000_000 }]);
    expect(await count('lead')).toBe(4);
    expect(await count('user_log_detail')).toBeLessThan(details);
    expect(await count('user_log_detail')).toBeGreaterThan(0);
    expect(await count('user_log')).toBeGreaterThanOrEqual(entries);

    await app.features.logChain.seal();
    const verdicts = await verifyLog(app.databaseUrl, [app.platform.config.appKey], app.clock);
    const own = verdicts.find(({ rootId }) => rootId === root.id)!;
    expect(own.breaks).toEqual([]);
    expect(own.erased).toBeGreaterThan(0);
    const { checks } = await auditLedger(app.admin);
    expect(checks.filter(({ violations }) => violations > 0)).toEqual([]);
  });
});
