import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { countryOf } from '../../../platform/geo.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { mustStayUnnamed } from './company.policy.ts';

const USD = 1_000_000n;
const HOST = 'companies.test';
const DAY = 86_400_000;
/** Addresses of the sandbox's networks (server/providers/sandbox-networks), and of none. */
const CEDAR = '198.18.1.7';
const MERIDIAN = '198.18.17.7';
const HALDEN_IN_GERMANY = '198.18.33.7';
const NOBODY = '198.51.100.9';
/** Addresses in Europe, by the data that ships with the product. */
const EUROPEAN = ['81.2.69.142', '91.198.174.192', '185.60.216.35', '195.148.124.1', '2a00:1450:4001::1'];
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let token: string;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'companies-root.test' });
  agency = await app.make.agency(root, { host: HOST });
  await app.make.leadCost(agency, 1n * USD, 200_000n);
});
afterAll(() => app.close());
beforeEach(async () => {
  app.clock.advance(DAY);
  await app.features.visits.keepPartitions(2);
  client = await app.make.client(agency);
  const { email } = await app.make.user(client, { password: PASSWORD });
  token = await app.signIn(email, HOST);
  campaign = await make();
});

const make = (more: object = {}, of = client) =>
  app.make.campaign(of, {
    price: 2n * USD,
    balance: 20n * USD,
    costs: { lead_company_micros: 500_000n },
    company_leads: true,
    ...more,
  });
async function known() {
  const person = app.make.person();
  await app.make.people(root, [person]);
  return { ...person, email: person.email! };
}
const visit = (ip: string, more: object = {}, of = campaign) =>
  app.make.visit(of, { ip, url: 'https://shop.example.com/pricing', ...more });
const resolve = () => app.features.leads.resolver.resolveAll();
const outcomes = async (of = campaign): Promise<string[]> =>
  (
    await app.admin.query('select outcome from visit where campaign_id = $1 order by received_at, event_id', [
      of.id,
    ])
  ).rows
    .map((row) => row.outcome)
    .sort();
const leads = async (of = campaign) =>
  (
    await app.admin.query(
      `select l.*, x.email, x.first_name, x.company_name, x.website, host(x.ip) as ip
       from lead l join lead_contact x on x.lead_id = l.id where l.campaign_id = $1 order by l.created_at, l.id`,
      [of.id],
    )
  ).rows;
const call = (path: string) => app.call('GET', `/api${path}`, { host: HOST, token });

describe('a company without a person', () => {
  test('[BEY-21] becomes a lead at its own price on both sides, without any person', async () => {
    await visit(CEDAR);
    await resolve();
    expect(await outcomes()).toEqual(['lead']);
    const [lead] = await leads();
    expect(lead).toMatchObject({
      person_id: null,
      company_domain: 'cedarridge.example',
      company_name: 'Sandbox: Cedar Ridge Builders',
      website: 'https://cedarridge.example',
      price_micros: 500_000n,
      cost_micros: 200_000n,
      email: null,
      first_name: null,
      ip: null,
    });
    const { rows } = await app.admin.query(
      `select a.kind, sum(e.amount)::bigint as amount from entry e join account a on a.id = e.account_id
       where e.transfer_id = $1 group by a.kind order by a.kind`,
      [lead.transfer_id],
    );
    const posted = Object.fromEntries(rows.map(({ kind, amount }) => [kind, BigInt(amount)]));
    expect(posted.client_prepaid).toBe(-500_000n);
    expect(rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(0n);
  });

  test('[BEY-21] shows in list, detail, file, and message, and is filtered by kind', async () => {
    const person = await known();
    await visit(MERIDIAN);
    await visit(CEDAR, { email: person.email });
    await resolve();
    const ids = async (query: string) =>
      (
        (await call(`/leadspeek/report/lead?leadspeekID=${campaign.id}${query}`)).body as unknown as {
          data: { id: string; company: string | null; company_domain: string | null }[];
        }
      ).data;
    const [company] = await ids('&kind=company');
    expect(company).toMatchObject({
      company: 'Sandbox: Meridian Dental Group',
      company_domain: 'meridiandental.example',
      match_type: 'company',
      first_name: null,
    });
    expect(await ids('&kind=person')).toMatchObject([{ company: null, email: person.email }]);
    for (const sort of ['created_at', 'last_name', 'email', 'score'])
      expect(await ids(`&kind=company&sortby=${sort}`)).toHaveLength(1);
    expect(await ids('')).toHaveLength(2);
    const { body } = await call(`/leadspeek/report/lead/${company!.id}`);
    expect(body).toMatchObject({ ip: null, evidence: [{ key: 'company', source: 'Sandbox' }] });
    const message = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.leads.message(tx, [company!.id]),
    );
    expect(message.get(company!.id)).toMatchObject({
      match: { type: 'company' },
      person: { company_name: 'Sandbox: Meridian Dental Group', email: null, first_name: null },
    });
  });

  test('[BEY-21] is off by default, and an unknown network is nothing', async () => {
    const plain = await make({ company_leads: undefined });
    await visit(CEDAR, {}, plain);
    await visit(NOBODY);
    await resolve();
    expect(await outcomes(plain)).toEqual(['unmatched']);
    expect(await outcomes()).toEqual(['unmatched']);
    expect(await leads(plain)).toEqual([]);
    const asked = await call(`/leadspeek/report/lead?leadspeekID=${campaign.id}`);
    expect((asked.body as unknown as { total: number }).total).toBe(0);
  });

  test('[BEY-21] is sold once in a window, over all its networks and with two workers', async () => {
    const again = await make({ reidentify: '1_week' });
    for (const of of [campaign, again]) for (let n = 0; n < 3; n++) await visit(`198.18.1.${n}`, {}, of);
    await Promise.all([resolve(), resolve()]);
    await resolve();
    expect(await outcomes()).toEqual(['lead', 'seen_recently', 'seen_recently']);
    // Of the same client in another campaign, it is a duplicate.
    expect(await outcomes(again)).toEqual(['duplicate', 'duplicate', 'duplicate']);
    const other = await app.make.client(agency);
    const weekly = await make({ reidentify: '1_week' }, other);
    await visit(CEDAR, {}, weekly);
    await resolve();
    app.clock.advance(8 * DAY);
    await app.features.visits.keepPartitions(2);
    await visit(CEDAR, {}, weekly);
    await resolve();
    expect(await outcomes(weekly)).toEqual(['lead', 'lead']);
  });

  test('[BEY-21] counts toward the lead limit, and is refused by domain, balance, and a price below cost', async () => {
    const capped = await make({ dailyCap: 1 });
    const poor = await make({ balance: 100_000n }, await app.make.client(agency));
    const cheap = await make({ costs: { lead_company_micros: 100_000n } }, await app.make.client(agency));
    const listed = await make({}, await app.make.client(agency));
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: listed.owner,
          ownerId: listed.id,
          level: 'campaign',
          name: 'x',
          lines: ['cedarridge.example'],
        },
        app.clock.now(),
      ),
    );
    for (const of of [capped, poor, cheap, listed]) await visit(CEDAR, {}, of);
    await visit(MERIDIAN, {}, capped);
    await visit(MERIDIAN, {}, listed);
    await resolve();
    expect(await outcomes(capped)).toEqual(['daily_cap', 'lead']);
    expect(await outcomes(poor)).toEqual(['balance_empty']);
    expect(await outcomes(cheap)).toEqual(['below_cost']);
    expect(await outcomes(listed)).toEqual(['excluded', 'lead']);
    // A company that does not pay off does not stop the campaign for people.
    const { rows } = await app.admin.query('select state from campaign where id = $1', [cheap.id]);
    expect(rows[0].state).toBe('active');
  });

  test('[BEY-21] put on a list later, it is withheld', async () => {
    await visit(CEDAR);
    await resolve();
    const [lead] = await leads();
    expect((await app.features.leads.withheld(root.id, [lead.id])).size).toBe(0);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: campaign.owner,
          ownerId: campaign.id,
          level: 'campaign',
          name: 'x',
          lines: ['cedarridge.example'],
        },
        app.clock.now(),
      ),
    );
    expect((await app.features.leads.withheld(root.id, [lead.id])).size).toBe(1);
  });

  test('[BEY-21] whom the graph knows stays a person, unless their browser asked for privacy', async () => {
    const person = await known();
    await visit(CEDAR, { email: person.email });
    await visit(MERIDIAN, { gpc: true });
    await resolve();
    expect(await outcomes()).toEqual(['lead', 'privacy_signal']);
    expect(await leads()).toMatchObject([
      { email: person.email, company_domain: null, price_micros: 2n * USD },
    ]);
  });
});

describe('a visitor from Europe', () => {
  test('[BEY-21] is never named, no matter who they are and what the campaign says', async () => {
    const learned = async () =>
      (
        await app.admin.query(
          `select count(*)::int as n from identity_key where source = 'visit' and root_id = $1`,
          [root.id],
        )
      ).rows[0].n;
    const before = await learned();
    const plain = await make({ company_leads: undefined });
    const visitorId = '0195a1f0-0000-7000-8000-0000000000e5';
    for (const [i, ip] of [...EUROPEAN, HALDEN_IN_GERMANY].entries()) {
      const person = await known();
      for (const of of ip === HALDEN_IN_GERMANY ? [campaign] : [campaign, plain]) {
        await visit(ip, { email: person.email, visitorId }, of);
        await visit(ip, { email: person.email, event: i % 2 ? 'identify' : 'thanks' }, of);
        await visit(ip, { visitorId }, of);
      }
    }
    await resolve();
    const { rows } = await app.admin.query(
      'select outcome, person_id from visit where campaign_id = any($1::uuid[])',
      [[campaign.id, plain.id]],
    );
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.every(({ person_id }) => person_id === null)).toBe(true);
    // Sign-ups in bursts wait for someone to release them, and are not looked up either.
    const refused = await outcomes(plain);
    expect(refused.filter((one) => one !== 'held' && one !== 'unnamed_country')).toEqual([]);
    expect(refused).toContain('unnamed_country');
    const made = await leads();
    expect(made.map(({ company_domain, person_id }) => [company_domain, person_id])).toEqual([
      ['halden.example', null],
    ]);
    // Nothing was learned that would recognize them later.
    expect(await learned()).toBe(before);
  });

  test('[BEY-21] is told by the country of their address; an unknown one is not Europe', () => {
    for (const ip of EUROPEAN) expect([ip, mustStayUnnamed(countryOf(ip))]).toEqual([ip, true]);
    for (const ip of ['8.8.8.8', NOBODY, '127.0.0.1', ''])
      expect([ip, mustStayUnnamed(countryOf(ip))]).toEqual([ip, false]);
    expect(mustStayUnnamed(null, 'DE')).toBe(true);
    expect(mustStayUnnamed('US', null, undefined)).toBe(false);
  });
});
