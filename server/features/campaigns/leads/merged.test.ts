import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CampaignRules } from '../../../../contract/campaigns/campaign-rules.ts';
import { ManualClock } from '../../../platform/clock.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { runs } from '../../../test/runs.ts';

const START = Date.parse('2026-03-10T15:00:00Z');
const USD = 1_000_000n;

let app: TestApp;
let clock: ManualClock;
let serial = 0;

beforeAll(async () => {
  clock = new ManualClock(new Date(START));
  app = await testApp({ clock });
});
afterAll(() => app.close());

interface World {
  root: Company;
  client: Company;
  campaigns: MadeCampaign[];
  call: (method: 'GET' | 'POST', url: string, body?: unknown) => ReturnType<TestApp['call']>;
}

async function world(reidentify: CampaignRules['reidentify'] = 'never'): Promise<World> {
  serial++;
  const host = `r${serial}.merged.test`;
  const root = await app.make.root({ host });
  const client = await app.make.client(await app.make.agency(root));
  const campaigns: MadeCampaign[] = [];
  for (let i = 0; i < 2; i++)
    campaigns.push(
      await app.make.campaign(client, { price: USD, balance: 1000n * USD, min_confidence: 0, reidentify }),
    );
  await app.make.user(root, { email: `r${serial}@merged.test`, password: PASSWORD });
  const token = await app.signIn(`r${serial}@merged.test`, host);
  return {
    root,
    client,
    campaigns,
    call: (method, url, body) =>
      app.call(method, `/api/identity${url}`, { host, token, ...(body ? { body } : {}) }),
  };
}

const importOne = (at: World, row: Record<string, string>) =>
  inScope(app.platform.db.app, { rootId: at.root.id }, (tx) =>
    app.features.people.addPeople(tx, at.root.id, [row], 'import: a.csv'),
  );
const exclude = (at: World, email: string) =>
  inScope(app.platform.db.app, { rootId: at.root.id }, (tx) =>
    app.features.exclusions.addList(
      tx,
      {
        owner: { root_id: at.root.id, agency_id: null, company_id: at.root.id },
        ownerId: at.root.id,
        level: 'root',
        name: 'x',
        lines: [email],
      },
      clock.now(),
    ),
  );
const idOf = async (at: World, name: string): Promise<string | undefined> =>
  (await app.admin.query('select id from person where root_id = $1 and last_name = $2', [at.root.id, name]))
    .rows[0]?.id;
const merge = async (at: World, kept: string, absorbed: string): Promise<string> => {
  const { status, body } = await at.call('POST', '/merges', {
    kept: await idOf(at, kept),
    absorbed: await idOf(at, absorbed),
  });
  expect(status).toBe(200);
  return (body.data as unknown as { id: string }).id;
};
const resolve = () => app.features.leads.resolver.resolveAll();
const outcomes = async (at: World): Promise<string[]> =>
  (
    await app.admin.query('select outcome from visit where root_id = $1 order by received_at, event_id', [
      at.root.id,
    ])
  ).rows.map((row) => row.outcome);

describe('[BEY-05] merged people become leads', () => {
  test('once: through either one’s keys, in one batch or later, and across the client’s campaigns', async () => {
    const at = await world();
    for (const name of ['A', 'B'])
      await importOne(at, { external_id: name, last_name: name, email: `${name}@x.example` });
    const id = await merge(at, 'A', 'B');
    await app.make.visit(at.campaigns[0]!, { email: 'b@x.example' });
    clock.advance(1000);
    await app.make.visit(at.campaigns[0]!, { email: 'a@x.example' });
    await resolve();
    clock.advance(1000);
    await app.make.visit(at.campaigns[1]!, { email: 'b@x.example' });
    await resolve();
    expect(await outcomes(at)).toEqual(['lead', 'seen_recently', 'duplicate']);
    const { rows } = await app.admin.query(
      'select l.person_id, x.last_name, x.email from lead l join lead_contact x on x.lead_id = l.id where l.root_id = $1',
      [at.root.id],
    );
    // The lead belongs to the person it names: after the merge is undone, the other person has not been sold to anyone.
    expect(rows).toEqual([{ person_id: await idOf(at, 'A'), last_name: 'A', email: 'a@x.example' }]);
    await at.call('POST', `/merges/${id}/undo`, {});
    clock.advance(1000);
    await app.make.visit(at.campaigns[0]!, { email: 'a@x.example' });
    clock.advance(1000);
    await app.make.visit(at.campaigns[0]!, { email: 'b@x.example' });
    await resolve();
    expect((await outcomes(at)).slice(3)).toEqual(['seen_recently', 'lead']);
  });

  test('not again when either was a lead before they were merged', async () => {
    const at = await world();
    for (const name of ['A', 'B'])
      await importOne(at, { external_id: name, last_name: name, email: `${name}@x.example` });
    await app.make.visit(at.campaigns[0]!, { email: 'b@x.example' });
    await resolve();
    await merge(at, 'A', 'B');
    clock.advance(1000);
    await app.make.visit(at.campaigns[0]!, { email: 'a@x.example' });
    await resolve();
    expect(await outcomes(at)).toEqual(['lead', 'seen_recently']);
  });

  test('not when either is excluded, and a lead of before is given to no one any more', async () => {
    const at = await world();
    for (const name of ['A', 'B', 'C', 'D'])
      await importOne(at, { external_id: name, last_name: name, email: `${name}@x.example` });
    await app.make.visit(at.campaigns[0]!, { email: 'c@x.example' });
    await resolve();
    const { rows } = await app.admin.query('select id from lead where root_id = $1', [at.root.id]);
    const leadId: string = rows[0].id;
    const withheld = () =>
      inScope(app.platform.db.app, { rootId: at.root.id }, (tx) =>
        app.features.leads.withheldIn(tx, at.root.id, [leadId]),
      );
    await exclude(at, 'b@x.example');
    await exclude(at, 'd@x.example');
    expect(await withheld()).toEqual(new Set());
    await merge(at, 'A', 'B');
    await merge(at, 'D', 'C');
    clock.advance(1000);
    await app.make.visit(at.campaigns[0]!, { email: 'a@x.example' });
    await resolve();
    expect(await outcomes(at)).toEqual(['lead', 'excluded']);
    expect(await withheld()).toEqual(new Set([leadId]));
  });
});

test('[BEY-31] a visit of someone with more keys than a person can have is judged', async () => {
  const at = await world();
  for (const name of ['A', 'B'])
    await importOne(at, { external_id: name, last_name: name, email: `${name}@x.example` });
  await app.admin.query(
    `update person set keys = keys || array(select '\\x01'::bytea || sha256(n::text::bytea) from generate_series(1, 100000) n)
     where root_id = $1`,
    [at.root.id],
  );
  await merge(at, 'A', 'B');
  await exclude(at, 'b@x.example');
  await app.make.visit(at.campaigns[0]!, { email: 'a@x.example' });
  await resolve();
  expect(await outcomes(at)).toEqual(['excluded']);
});

type Op =
  | { do: 'import'; who: number; email: number; phone: boolean }
  | { do: 'merge'; kept: number; absorbed: number }
  | { do: 'undo'; which: number }
  | { do: 'visit'; campaign: number; email: number | null; visitor: number; ip: number }
  | { do: 'exclude'; email: number };

const who = fc.nat({ max: 4 });
const mail = fc.nat({ max: 5 });
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('import' as const), who, email: mail, phone: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('merge' as const), kept: who, absorbed: who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), which: fc.nat({ max: 5 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('visit' as const),
      campaign: fc.nat({ max: 1 }),
      email: fc.option(mail),
      visitor: fc.nat({ max: 3 }),
      ip: fc.nat({ max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('exclude' as const), email: mail }) },
);

const visitorId = (n: number) => `0190a000-0000-7000-8000-00000000000${n}`;
const emailOf = (n: number) => `mail${n}@x.example`;

/** Everything that a graph holds except the ids, which differ in another root. */
async function graphOf(at: World) {
  const people = await app.admin.query(
    `select last_name, email, phone, array(select encode(k, 'hex') from unnest(keys) k order by 1) as keys, updated_at
     from person where root_id = $1 order by last_name`,
    [at.root.id],
  );
  const keys = await app.admin.query(
    `select p.last_name, k.kind, case when k.source = 'visit' then 'of a client' else encode(k.value, 'hex') end as value, k.source, k.seen_at
     from identity_key k join person p on p.root_id = k.root_id and p.id = k.person_id where k.root_id = $1 order by 1, 2, 3, 5`,
    [at.root.id],
  );
  return { people: people.rows, keys: keys.rows };
}

test('[BEY-05] random merges, undoings, imports and visits: one lead of one human, no one excluded, and undone the graph is as without', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 8, maxLength: 22 }), async (ops) => {
      const [merged, plain] = [await world(), await world()];
      const names = new Map<number, string>();
      const emails = new Map<string, Set<string>>();
      const excluded = new Set<string>();
      const links: { id: string; kept: string; absorbed: string }[] = [];
      const topOf = (name: string): string => {
        const link = links.find((one) => one.absorbed === name);
        return link ? topOf(link.kept) : name;
      };
      const told: { campaign: string; name: string }[] = [];
      for (const one of ops) {
        clock.advance(20_000); // an access token lives longer than a run
        if (one.do === 'import') {
          const name = `P${one.who}`;
          names.set(one.who, name);
          emails.set(name, (emails.get(name) ?? new Set()).add(emailOf(one.email)));
          for (const at of [merged, plain])
            await importOne(at, {
              external_id: name,
              last_name: name,
              email: emailOf(one.email),
              ...(one.phone ? { phone: `+1504555010${one.who}` } : {}),
            });
        } else if (one.do === 'exclude') {
          excluded.add(emailOf(one.email));
          for (const at of [merged, plain]) await exclude(at, emailOf(one.email));
        } else if (one.do === 'undo') {
          const link = links[one.which % Math.max(1, links.length)];
          if (!link) continue;
          links.splice(links.indexOf(link), 1);
          expect((await merged.call('POST', `/merges/${link.id}/undo`, {})).status).toBe(200);
        } else if (one.do === 'merge') {
          const [kept, absorbed] = [names.get(one.kept), names.get(one.absorbed)];
          if (!kept || !absorbed || topOf(kept) !== kept || topOf(absorbed) !== absorbed || kept === absorbed)
            continue;
          links.push({ id: await merge(merged, kept, absorbed), kept, absorbed });
        } else {
          for (const at of [merged, plain])
            await app.make.visit(at.campaigns[one.campaign]!, {
              ...(one.email === null ? {} : { email: emailOf(one.email) }),
              visitorId: visitorId(one.visitor),
              ip: `8.8.4.${one.ip}`,
            });
          await resolve();
          const { rows } = await app.admin.query(
            `select l.campaign_id, p.last_name from lead l join person p on p.root_id = l.root_id and p.id = l.person_id
             where l.root_id = $1 order by l.created_at`,
            [merged.root.id],
          );
          expect(rows.length - told.length).toBeLessThanOrEqual(1);
          for (const { campaign_id: campaign, last_name: name } of rows.slice(told.length)) {
            expect(topOf(name)).toBe(name);
            const group = [...names.values()].filter((other) => topOf(other) === name);
            // No one who is excluded under any of their addresses, and no one who already was this client's lead under
            // any of their rows.
            for (const member of group) {
              for (const email of emails.get(member)!) expect(excluded).not.toContain(email);
              expect(told.map((lead) => lead.name)).not.toContain(member);
            }
            told.push({ campaign, name });
          }
        }
      }
      for (const link of ops.length % 2 ? links : [...links].reverse())
        expect((await merged.call('POST', `/merges/${link.id}/undo`, {})).status).toBe(200);
      const left = await app.admin.query(
        'select from person_merge where root_id = $1 and undone_at is null',
        [merged.root.id],
      );
      expect(left.rowCount).toBe(0);
      expect(await graphOf(merged)).toEqual(await graphOf(plain));
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
});
