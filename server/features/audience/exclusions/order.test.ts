import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Company, type MadeCampaign, type MadePerson, md5, sha256 } from '../../../test/factories.ts';

/** Uploads, purges, matches, deliveries, exports and reports in any order, through the same calls users make. */
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let endpoint: Server;
let hook: string;
let sent: string[] = [];
const tokens: Record<string, string> = {};
const HOST = 'order.test';
const ROOT = 'order-root.test';

beforeAll(async () => {
  endpoint = createServer((request, reply) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      sent.push(body);
      reply.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => endpoint.listen(0, '127.0.0.1', done));
  const { port } = endpoint.address() as AddressInfo;
  hook = `http://order.localhost:${port}/hook`;
  app = await testApp({ outboundExceptions: [`order.localhost:${port}`] });
  root = await app.make.root({ host: ROOT });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  for (const [name, company, host] of [
    ['root', root, ROOT],
    ['agency', agency, HOST],
    ['client', client, HOST],
  ] as const)
    tokens[name] = await app.signIn((await app.make.user(company, { password: PASSWORD })).email, host);
});
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await app?.close();
});

const LEVELS = ['root', 'agency', 'client', 'campaign'] as const;
type Level = (typeof LEVELS)[number];
const FORMS = ['plain', 'md5', 'sha256', 'phone', 'domain'] as const;
type Step =
  | { do: 'visit'; who: number; by: 'sha256' | 'md5' | 'browser' }
  | { do: 'match' | 'deliver' | 'load' | 'export' | 'report' }
  | { do: 'upload'; who: number; level: Level; as: (typeof FORMS)[number] }
  | { do: 'purge'; level: Level }
  | { do: 'undo'; which: number };
const who = fc.nat({ max: 2 });
const level = fc.constantFrom(...LEVELS);
const one = <T extends Step['do']>(...kinds: T[]) => fc.record({ do: fc.constantFrom(...kinds) });
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('visit'), who, by: fc.constantFrom('sha256', 'md5', 'browser') }),
  },
  { weight: 6, arbitrary: one('match', 'deliver', 'export', 'report') },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('upload'), who, level, as: fc.constantFrom(...FORMS) }),
  },
  { weight: 4, arbitrary: one('load') },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge'), level }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo'), which: fc.nat({ max: 4 }) }) },
) as fc.Arbitrary<Step>;

const hostOf = (name: string) => (name === 'root' ? ROOT : HOST);
const call = async (name: string, method: 'GET' | 'POST', url: string, body?: object) => {
  const answer = await app.call(method, url, {
    host: hostOf(name),
    token: tokens[name]!,
    ...(body ? { body } : {}),
  });
  expect([url, answer.status]).toEqual([url, 200]);
  return answer;
};

async function upload(at: Level, ownerId: string, line: string): Promise<string> {
  const name = at === 'root' ? 'root' : 'agency';
  const { statusCode, body } = await app.server.inject({
    method: 'POST',
    url:
      at === 'root'
        ? '/api/tools/optout/upload?file_name=x.csv'
        : `/api/exclusions/upload?file_name=x.csv&campaigntype=${at}&paramID=${ownerId}`,
    payload: Buffer.from(`${line}\n`),
    headers: {
      host: hostOf(name),
      'user-agent': 'test',
      authorization: `Bearer ${tokens[name]}`,
      'content-type': 'application/octet-stream',
    },
  });
  expect([at, statusCode]).toEqual([at, 200]);
  return JSON.parse(body).data.id;
}
const purge = (at: Level, ownerId: string) =>
  at === 'root'
    ? call('root', 'POST', '/api/tools/optout/purge', {})
    : call('agency', 'POST', '/api/leadspeek/suppressionlist/purge', { paramID: ownerId, campaignType: at });

/** Returns what a step gives to an outsider, as text. */
async function given(campaign: MadeCampaign, what: Step['do']): Promise<string> {
  if (what === 'export') {
    const path = `/api/leadspeek/report/lead/export?leadspeekID=${campaign.id}`;
    const { body } = await call('client', 'POST', '/api/general/download-token', { path });
    return (await app.call('GET', String(body.url), { host: HOST })).text;
  }
  if (what === 'report') {
    const span = { from: new Date(0), before: new Date(app.clock.now().getTime() + 1) };
    const made = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.leads.report(tx, root.id, campaign.id, span, 1000),
    );
    return made ? made.text : '';
  }
  sent = [];
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
  return sent.join();
}

test('[EXCL-05] [BEY-08] no one excluded is in any output, whatever order uploads, purges, matches and deliveries come in', {
  timeout: 600_000,
}, async () => {
  let run = 0;
  const seen = { leads: 0, given: 0, excluded: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      run++;
      const campaign = await app.make.campaign(client);
      await call('client', 'POST', '/api/integrations/custom', { leadspeekID: campaign.id, url: hook });
      const people: MadePerson[] = [0, 1, 2].map((n) =>
        app.make.person({ email: `p${n}@run${run}-${n}.example` }),
      );
      await app.make.people(root, people);
      const browsers = people.map(() => newId(app.clock.now()));
      const ownerOf = { root: root.id, agency: agency.id, client: client.id, campaign: campaign.id };
      let lists: { id: string; who: number; level: Level; isActive: boolean }[] = [];
      const isOut = (n: number) => lists.some((list) => list.who === n && list.isActive);
      const leads = async () => {
        const { rows } = await app.admin.query('select email from lead_contact where campaign_id = $1', [
          campaign.id,
        ]);
        return new Set(rows.map((row) => row.email as string));
      };
      const act = async (now: Step): Promise<void> => {
        if (now.do === 'visit') {
          const { email } = people[now.who]!;
          await app.make.visit(campaign, {
            visitorId: browsers[now.who]!,
            // Addresses in the United States: visitors from Europe are never looked up.
            ip: `${66 + now.who}.${run}.2.1`,
            ...(now.by === 'sha256' ? { email } : {}),
            ...(now.by === 'md5' ? { hash: { m: md5(email) } } : {}),
          });
        } else if (now.do === 'upload') {
          const { email, phone } = people[now.who]!;
          const line = {
            plain: email,
            md5: md5(email),
            sha256: sha256(email),
            phone: phone!,
            domain: email.split('@')[1]!,
          };
          const id = await upload(now.level, ownerOf[now.level], line[now.as]);
          lists.push({ id, who: now.who, level: now.level, isActive: false });
        } else if (now.do === 'load') {
          for (const list of lists) {
            const row = await app.features.exclusions.loads.load({ rootId: root.id, listId: list.id });
            list.isActive = row!.state === 'active';
          }
        } else if (now.do === 'purge') {
          await purge(now.level, ownerOf[now.level]);
          const gone = lists.filter((list) => list.level === now.level);
          lists = lists.filter((list) => list.level !== now.level);
          // A list that is purged while it waits, or was already cleared, never comes back.
          for (const { id } of gone) {
            const which = { rootId: root.id, listId: id };
            expect((await app.features.exclusions.loads.load(which))!.state).toBe('removed');
            await app.features.exclusions.loads.clear(which);
          }
        } else if (now.do === 'undo') {
          const [list] = lists.splice(now.which, 1);
          if (list)
            await call(
              list.level === 'root' ? 'root' : 'agency',
              'POST',
              `/api/exclusions/lists/${list.id}/undo`,
              {},
            );
        } else if (now.do === 'match') {
          const before = await leads();
          await app.features.leads.resolver.resolveAll();
          const after = await leads();
          seen.leads += after.size - before.size;
          people.forEach(({ email }, n) => {
            if (isOut(n)) expect([email, after.has(email)]).toEqual([email, before.has(email)]);
          });
        } else {
          const text = await given(campaign, now.do);
          people.forEach(({ email, phone, last_name }, n) => {
            if (text.includes(email)) seen.given++;
            if (!isOut(n)) return;
            seen.excluded++;
            for (const value of [email, phone!, last_name]) expect(text).not.toContain(value);
          });
        }
      };
      for (const now of steps) await act(now);
      for (const last of ['match', 'deliver', 'export', 'report'] as const) await act({ do: last });
      for (const at of LEVELS) await act({ do: 'purge', level: at });
    }),
    { numRuns: 15 },
  );
  // The test has covered enough cases.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});
