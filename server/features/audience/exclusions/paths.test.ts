import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Schema } from '../../../platform/db/schema.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Company, type MadeCampaign, type MadePerson, md5, sha256 } from '../../../test/factories.ts';
import { runs } from '../../../test/runs.ts';

/** Every path by which a person can become a lead or be disclosed to someone. */

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let email: string;
let endpoint: Server;
let hook: string;
let sent: string[] = [];
const HOST = 'paths.test';

beforeAll(async () => {
  endpoint = createServer((request, reply) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      sent.push(body);
      reply.writeHead(body.includes('retry-me') ? 500 : 204).end();
    });
  });
  await new Promise<void>((done) => endpoint.listen(0, '127.0.0.1', done));
  const { port } = endpoint.address() as AddressInfo;
  hook = `http://paths.localhost:${port}/hook`;
  app = await testApp({ outboundExceptions: [`paths.localhost:${port}`] });
  root = await app.make.root();
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  email = (await app.make.user(client, { password: PASSWORD })).email;
});
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await app?.close();
});
beforeEach(() => {
  sent = [];
});

const LEVELS = ['root', 'agency', 'client', 'campaign'] as const;
type Level = (typeof LEVELS)[number];
const resolve = () => app.features.leads.resolver.resolveAll();
const asRoot = <T>(work: Parameters<typeof inScope<T>>[2]) =>
  inScope(app.platform.db.app, { rootId: root.id }, work);

async function known(given: Partial<MadePerson> = {}): Promise<MadePerson> {
  const person = app.make.person(given);
  await app.make.people(root, [person]);
  return person;
}

/** Adds an exclusion at a level as an upload in force does; returns the list. */
async function exclude(level: Level, campaign: MadeCampaign, lines: string[]): Promise<string> {
  const { root_id, agency_id, company_id } = campaign.owner;
  const owner = {
    root: { root_id, agency_id: null, company_id: root_id },
    agency: { root_id, agency_id, company_id: agency_id },
    client: { root_id, agency_id, company_id },
    campaign: { root_id, agency_id, company_id },
  }[level];
  const ownerId = level === 'campaign' ? campaign.id : owner.company_id;
  const { id } = await asRoot((tx) =>
    app.features.exclusions.addList(tx, { owner, ownerId, level, name: 'x', lines }, app.clock.now()),
  );
  return id;
}
const lift = (id: string) =>
  app.admin.query(`update exclusion_list set state = 'removed' where id = $1`, [id]);
const outcomes = async (campaign: MadeCampaign): Promise<string[]> =>
  (
    await app.admin.query('select outcome from visit where campaign_id = $1 order by received_at, event_id', [
      campaign.id,
    ])
  ).rows.map((row) => row.outcome);
const leadsOf = async (campaign: MadeCampaign): Promise<{ id: string; email: string }[]> =>
  (
    await app.admin.query(
      'select l.id, x.email from lead l join lead_contact x on x.lead_id = l.id where l.campaign_id = $1',
      [campaign.id],
    )
  ).rows;

async function webhook(campaign: MadeCampaign): Promise<string> {
  const token = await app.signIn(email, HOST);
  const { body } = await app.call('POST', '/api/integrations/custom', {
    host: HOST,
    token,
    body: { leadspeekID: campaign.id, url: hook },
  });
  return (body.data as unknown as { id: string }).id;
}
/** Makes the attempts that are due, as the worker does. */
async function deliver(campaign: MadeCampaign): Promise<void> {
  const { rows } = await app.admin.query(
    `select id, integration_id, attempts from delivery where campaign_id = $1 and state = 'pending'`,
    [campaign.id],
  );
  for (const row of rows)
    await app.features.delivery.attempt({
      rootId: root.id,
      deliveryId: row.id,
      integrationId: row.integration_id,
      attempt: row.attempts,
    });
}

describe('[EXCL-05] [BEY-08] no excluded person becomes a lead', () => {
  test('a visit as it comes, and one of the backlog that came before the list', async () => {
    const campaign = await app.make.campaign(client);
    const person = await known();
    await app.make.visit(campaign, { email: person.email });
    await exclude('agency', campaign, [md5(person.email)]);
    await resolve();
    await app.make.visit(campaign, { email: person.email });
    await resolve();
    expect(await outcomes(campaign)).toEqual(['excluded', 'excluded']);
    expect(await leadsOf(campaign)).toEqual([]);
  });

  test('somebody else recognized by the address of an excluded visitor', async () => {
    const campaign = await app.make.campaign(client);
    const person = await known();
    const ip = '198.51.100.77';
    await app.make.visit(campaign, { email: person.email, ip });
    await resolve();
    // What a site says about an address is believed only for its own client.
    const other = await app.make.campaign(client, { min_confidence: 0 });
    await exclude('root', campaign, ['stranger@visit.example']);
    await app.make.visit(other, { hash: { m: md5('stranger@visit.example') }, ip });
    await app.make.visit(other, { hash: { m: md5('unlisted@visit.example') }, ip });
    await resolve();
    // The address alone does recognize the person; that they are a lead elsewhere is said before anything about lists.
    expect(await outcomes(other)).toEqual(['duplicate', 'duplicate']);
  });

  test('a campaign that buys no one does not say who is on its lists', async () => {
    const person = await known();
    for (const rules of [{ min_confidence: 100 }, { balance: 0n, price: 5_000_000n }]) {
      const campaign = await app.make.campaign(client, rules);
      await exclude('campaign', campaign, [person.email]);
      await app.make.visit(campaign, { email: person.email });
      await resolve();
      expect(await outcomes(campaign)).toEqual([
        'min_confidence' in rules ? 'low_confidence' : 'balance_empty',
      ]);
    }
  });

  test('people who are imported after the list, and rows that an import merges into one person', async () => {
    const campaign = await app.make.campaign(client);
    await exclude('client', campaign, ['old@merge.example', 'late@merge.example']);
    const files = app.features.people.files;
    const run = async (text: string) => {
      const { id } = await files.add(
        root.id,
        'people.csv',
        (async function* () {
          yield Buffer.from(text);
        })(),
      );
      await files.queue(root.id, id, {});
      expect((await files.run(root.id, id))!.state).toBe('done');
    };
    const header = 'external_id,first_name,email\n';
    await run(`${header}1,Ann,new@merge.example\n2,Lou,late@merge.example\n`);
    await app.make.visit(campaign, { email: 'late@merge.example' });
    await resolve();
    // The same person under a second, excluded address: a later import joins the two.
    await run(`${header}1,Ann,old@merge.example\n`);
    await run(`${header}1,Ann,new@merge.example\n`);
    await app.make.visit(campaign, { email: 'new@merge.example' });
    await resolve();
    expect(await outcomes(campaign)).toEqual(['excluded', 'excluded']);
  });

  test('one look-up a batch, however many visits and lists there are', async () => {
    const campaign = await app.make.campaign(client);
    for (const level of LEVELS)
      await exclude(level, campaign, [`nobody@${level}.example`, '+15045550123', `${level}.example`]);
    const people = await Promise.all(Array.from({ length: 20 }, () => known()));
    for (const person of people) await app.make.visit(campaign, { email: person.email });
    const statements: string[] = [];
    await asRoot(async (tx) => {
      const asked = people.map((person) => ({
        owners: [root.id, agency.id, client.id, campaign.id],
        sha256: [Buffer.from(sha256(person.email), 'hex')],
        md5: [Buffer.from(md5(person.email), 'hex')],
        phones: [person.phone!],
        emails: [person.email],
      }));
      const watched = (tx as never as Kysely<Schema>).withPlugin({
        transformQuery: ({ node }) => {
          statements.push(node.kind);
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      await app.features.exclusions.check(watched as never, asked);
    });
    expect(statements).toHaveLength(2); // what is in force, and the keys
    await resolve();
    expect(await outcomes(campaign)).toEqual(Array(20).fill('lead'));
  });
});

describe('[BEY-08] no one excluded since is given to anyone', () => {
  test.each(LEVELS)(
    'a webhook that waits, is tried again or is sent again: list of the %s',
    async (level) => {
      const campaign = await app.make.campaign(client);
      const hookId = await webhook(campaign);
      const [first, second] = [await known(), await known({ last_name: 'retry-me' })];
      for (const person of [first, second]) await app.make.visit(campaign, { email: person.email });
      await resolve();
      const ids = new Map((await leadsOf(campaign)).map((lead) => [lead.email, lead.id]));
      expect(ids.size).toBe(2);
      // The second is tried once and will be retried; the first waits.
      const waiting = await app.admin.query(`select id, integration_id from delivery where lead_id = $1`, [
        ids.get(second.email),
      ]);
      const payload = { rootId: root.id, deliveryId: waiting.rows[0].id, integrationId: hookId };
      await app.features.delivery.attempt({ ...payload, attempt: 0 });
      expect(sent).toHaveLength(1);
      const list = await exclude(level, campaign, [first.email, second.phone!]);
      await deliver(campaign);
      expect(sent).toHaveLength(1);
      const { rows } = await app.admin.query(
        `select d.state, a.error from delivery d join delivery_attempt a on a.delivery_id = d.id and a.number = d.attempts
       where d.campaign_id = $1`,
        [campaign.id],
      );
      expect(rows).toEqual(
        Array(2).fill({ state: 'failed', error: 'Not sent: the person is on an exclusion list.' }),
      );
      const replay = async () => {
        const token = await app.signIn(email, HOST);
        await app.call('POST', `/api/integrations/custom/${hookId}/replay`, { host: HOST, token, body: {} });
        await deliver(campaign);
      };
      await replay();
      expect(sent).toHaveLength(1);
      // Once the list is removed, what was held is sent on request.
      await lift(list);
      await replay();
      expect(sent).toHaveLength(3);
    },
  );

  test('an export tells of the sale, and nothing of the person, to a client that does not see the list', async () => {
    const campaign = await app.make.campaign(client);
    const [gone, stays] = [await known(), await known()];
    for (const person of [gone, stays]) await app.make.visit(campaign, { email: person.email });
    await resolve();
    await exclude('root', campaign, [sha256(gone.email)]);
    const token = await app.signIn(email, HOST);
    const path = `/api/leadspeek/report/lead/export?leadspeekID=${campaign.id}`;
    const { body } = await app.call('POST', '/api/general/download-token', {
      host: HOST,
      token,
      body: { path },
    });
    const { text, status } = await app.call('GET', String(body.url), { host: HOST });
    expect(status).toBe(200);
    const rows = parse(text, { columns: true, bom: true }) as Record<string, string>[];
    expect(rows.map((row) => row['First Name']).sort()).toEqual(['(excluded)', stays.first_name].sort());
    for (const value of [gone.email, gone.phone!, gone.last_name, gone.address!])
      expect(text).not.toContain(value);
    expect(text).toContain(stays.email);
  });
});

describe('[BEY-08] whatever the order', () => {
  /** What may happen to a few people and lists, in any order. */
  type Step =
    | { do: 'visit'; who: number; by: 'sha256' | 'md5' | 'browser' }
    | { do: 'resolve' | 'deliver' }
    | { do: 'exclude'; who: number; level: Level; as: 'plain' | 'md5' | 'sha256' | 'phone' | 'domain' }
    | { do: 'undo'; which: number };
  const who = fc.nat({ max: 3 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('visit' as const),
        who,
        by: fc.constantFrom('sha256', 'md5', 'browser'),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('resolve' as const, 'deliver' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('exclude' as const),
        who,
        level: fc.constantFrom(...LEVELS),
        as: fc.constantFrom('plain', 'md5', 'sha256', 'phone', 'domain'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const), which: fc.nat({ max: 5 }) }) },
  );

  test('nobody becomes a lead or is delivered while on a list in force', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
        run++;
        const campaign = await app.make.campaign(client);
        await webhook(campaign);
        const people = await Promise.all(
          [0, 1, 2, 3].map((n) => known({ email: `p${n}@run${run}-${n}.example` })),
        );
        const browsers = people.map(() => newId(app.clock.now()));
        const lists: { id: string; who: number }[] = [];
        const isOut = (n: number) => lists.some((list) => list.who === n);
        const leads = async () => new Set((await leadsOf(campaign)).map((lead) => lead.email));
        const guarded = async (work: () => Promise<unknown>) => {
          const before = await leads();
          sent = [];
          await work();
          const after = await leads();
          people.forEach((person, n) => {
            if (!isOut(n)) return;
            expect([person.email, after.has(person.email)]).toEqual([person.email, before.has(person.email)]);
            expect(sent.join()).not.toContain(person.email);
          });
        };
        for (const one of steps) {
          if (one.do === 'visit') {
            const person = people[one.who]!;
            await app.make.visit(campaign, {
              visitorId: browsers[one.who]!,
              ip: `192.0.2.${1 + one.who}`,
              ...(one.by === 'sha256' ? { email: person.email } : {}),
              ...(one.by === 'md5' ? { hash: { m: md5(person.email) } } : {}),
            });
          } else if (one.do === 'exclude') {
            const person = people[one.who]!;
            const line = {
              plain: person.email,
              md5: md5(person.email),
              sha256: sha256(person.email),
              phone: person.phone!,
              domain: person.email.split('@')[1]!,
            }[one.as];
            lists.push({ id: await exclude(one.level, campaign, [line]), who: one.who });
          } else if (one.do === 'undo') {
            const [list] = lists.splice(one.which, 1);
            if (list) await lift(list.id);
          } else if (one.do === 'resolve') await guarded(resolve);
          else await guarded(() => deliver(campaign));
        }
        await guarded(resolve);
        await guarded(() => deliver(campaign));
        for (const list of lists) await lift(list.id);
      }),
      { numRuns: runs(25) },
    );
  });
});
