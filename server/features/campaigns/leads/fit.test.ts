import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NEW_RULES, rulesStored } from '../../../../contract/campaigns/campaign-rules.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { runs } from '../../../test/runs.ts';
import { fitOf } from './fit.policy.ts';

let app: TestApp;
let root: Company;
let client: Company;
let token: string;
const HOST = 'acme.test';
const USD = 1_000_000n;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  const agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  token = await app.signIn('client@x.test', HOST);
});
afterAll(() => app.close());

const call = (method: 'POST' | 'PUT' | 'GET', path: string, body?: object) =>
  app.call(method, `/api${path}`, { host: HOST, token, ...(body ? { body } : {}) });

/** What the campaign's ledger, leads, deliveries, and reasons say. */
async function booksOf(campaign: MadeCampaign) {
  const { rows } = await app.admin.query(
    `select (select count(*)::int from transfer where reference_id = $1 or reference_id in (select id from lead where campaign_id = $1)) as transfers,
       (select coalesce(sum(price_micros), 0)::text from lead where campaign_id = $1) as sold,
       array(select x.email from lead l join lead_contact x on x.lead_id = l.id where l.campaign_id = $1 order by 1) as emails,
       (select coalesce(jsonb_object_agg(reason, n), '{}') from (select reason, sum(count)::int as n from campaign_refusal where campaign_id = $1 group by 1) r) as refused`,
    [campaign.id],
  );
  return rows[0] as { sold: string; emails: string[]; refused: Record<string, number> };
}

test('[BEY-19] no one outside the filter is in the ledger or any output, and each is counted', async () => {
  const SENIORITY = ['VP', 'Manager', undefined];
  const AGE = ['35-44', '65+', '40-49', undefined];
  const HOME = ['Homeowner', 'Renter', undefined];
  const STATE = ['TX', 'LA', undefined];
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          seniority: fc.constantFrom(...SENIORITY),
          age_range: fc.constantFrom(...AGE),
          home_owner: fc.constantFrom(...HOME),
          state: fc.constantFrom(...STATE),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      fc.record({
        fit_seniorities: fc.constantFrom<string[]>([], ['Vice president'], ['Manager', 'Director']),
        fit_ages: fc.constantFrom<string[]>([], ['35 to 44'], ['55 to 64', '65 or older']),
        fit_home: fc.constantFrom('any' as const, 'owner' as const),
        fit_states: fc.constantFrom<string[]>([], ['TX']),
        fit_unknown: fc.constantFrom('take' as const, 'refuse' as const),
      }),
      async (facts, rules) => {
        const campaign = await app.make.campaign(client, {
          ...rules,
          reidentify: '1_week',
          price: USD,
          balance: 100n * USD,
        });
        const people = facts.map((one) => {
          const { state: _, ...person } = app.make.person();
          return { ...person, ...Object.fromEntries(Object.entries(one).filter(([, value]) => value)) };
        });
        await app.make.people(root, people);
        for (const person of people) await app.make.visit(campaign, { email: person.email });
        await app.features.leads.resolver.resolveAll();
        const judge = fitOf({ ...NEW_RULES, ...rules });
        const verdicts = facts.map(
          ({ state, ...one }) => judge?.refuses({ zip: null, ...one, state: state ?? null }) ?? false,
        );
        const fitting = people.filter((_, i) => !verdicts[i]).map(({ email }) => email);
        const books = await booksOf(campaign);
        expect(books.emails).toEqual(fitting.sort());
        expect(BigInt(books.sold)).toBe(USD * BigInt(fitting.length));
        const refused = verdicts.filter(Boolean).length;
        const counts = refused > 0 ? { misfit: refused } : {};
        expect(books.refused).toEqual(counts);
        const wire = (await call('GET', `/leadspeek/client/refusals/${campaign.id}`)).body.data as {
          reason: string;
        }[];
        expect(wire.map(({ reason }) => reason).sort()).toEqual(Object.keys(counts).sort());
      },
    ),
    { numRuns: runs(20) },
  );
});

test('[BEY-19] a filter tells nothing about people who could not become leads anyway, nor by which part it refuses', async () => {
  const [rich, poor, first] = ['$200,000 or more', 'Under $25,000', '$200,000 or more'].map(
    (income_range) => ({
      ...app.make.person(),
      income_range,
      age_range: '35-44',
    }),
  );
  await app.make.people(root, [rich!, poor!, first!]);
  const isRich = { fit_incomes: ['$200,000 or more'], price: USD };
  const asked = {
    // A campaign that has not begun, or whose money is gone, would be asked for free.
    early: await app.make.campaign(client, { ...isRich, balance: 9n * USD }),
    full: await app.make.campaign(client, { ...isRich, balance: 9n * USD, dailyCap: 1 }),
    // Of a part that no one fits, and another, the answer must not be which.
    never: await app.make.campaign(client, {
      ...isRich,
      balance: 9n * USD,
      fit_ages: ['65 or older'],
    }),
  };
  await app.admin.query("update campaign set starts_on = '2099-01-01' where id = $1", [asked.early.id]);
  const outcomes = async (campaign: MadeCampaign, people = [rich!, poor!]) => {
    for (const { email } of people) {
      app.clock.advance(1000);
      await app.make.visit(campaign, { email });
      await app.features.leads.resolver.resolveAll();
    }
    const { rows } = await app.admin.query(
      'select outcome from visit where campaign_id = $1 and hash is not null order by received_at',
      [campaign.id],
    );
    return rows.map(({ outcome }) => outcome as string);
  };
  expect(await outcomes(asked.full, [first!])).toEqual(['lead']);
  for (const campaign of Object.values(asked)) {
    const [one, other] = (await outcomes(campaign)).slice(-2);
    expect(one).not.toBe('lead');
    expect(other).toBe(one);
  }
  // The first whom it cannot pay stops a campaign, whether they fit or not.
  for (const who of [rich!, poor!])
    expect(await outcomes(await app.make.campaign(client, isRich), [who])).toEqual(['balance_empty']);

  // Nor about a lead that was bought, whatever its campaign asks for now.
  const open = await app.make.campaign(client, { price: USD, balance: 9n * USD });
  expect(await outcomes(open)).toEqual(['lead', 'lead']);
  await app.admin.query('update campaign set fit_incomes = $2 where id = $1', [open.id, isRich.fit_incomes]);
  expect((await outcomes(open)).slice(2)).toEqual(['seen_recently', 'seen_recently']);
});

test('[BEY-19] a filter is set, bounded, tidied, kept by other changes and copies, and shown to programs', async () => {
  const fields = { campaignName: 'Owners', urlCode: 'https://shop.example.com/', leadspeekType: 'local' };
  const wrong = await call('POST', '/leadspeek/client/create', {
    ...fields,
    fitAge: ['12 to 17'],
    fitZip: ['78701', '78'],
    fitHome: 'tent',
  });
  expect([wrong.status, wrong.body.errors]).toEqual([
    422,
    {
      'fitAge.0': ['cannot be selected'],
      'fitZip.1': ['must be a ZIP code or its first three or four digits'],
      fitHome: [expect.any(String)],
    },
  ]);
  const made = await call('POST', '/leadspeek/client/create', {
    ...fields,
    fitJobTitles: ['  Head   of Sales', 'head of sales', '--'],
    fitState: ['TX', 'CA', 'TX'],
    fitUnknown: 'refuse',
  });
  const set = {
    fitJobTitles: ['head of sales'],
    fitState: ['CA', 'TX'],
    fitUnknown: 'refuse',
    fitHome: 'any',
  };
  expect(made.body.data).toMatchObject(set);
  const { leadspeekID } = made.body.data as unknown as { leadspeekID: string };
  const renamed = await call('PUT', '/leadspeek/client/update', { leadspeekID, campaignName: 'Owners 2' });
  expect(renamed.body.data).toMatchObject(set);
  const copy = await call('POST', '/leadspeek/client/duplicate', { leadspeekID });
  expect(copy.body.data).toMatchObject(set);
  // B2B ID has its audience for what people do at work.
  expect(rulesStored({ fit_titles: ['nurse'], fit_ages: ['35 to 44'] }, 'b2b')).toEqual({
    fit_ages: ['35 to 44'],
  });
});
