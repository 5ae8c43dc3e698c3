import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INFORMATION_FIELDS } from '../../../../contract/audience/enrichment-fields.ts';
import { ManualClock } from '../../../platform/clock.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Company, type MadePerson, md5 } from '../../../test/factories.ts';

const HOST = 'data.test';
const ALL = INFORMATION_FIELDS.map((field) => field.id);
const without = (...ids: number[]) => ALL.filter((id) => !ids.includes(id));
const ID = Object.fromEntries(INFORMATION_FIELDS.map((field) => [field.key, field.id])) as Record<
  (typeof INFORMATION_FIELDS)[number]['key'],
  number
>;

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let other: Company;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  app = await testApp({ clock: new ManualClock(new Date('2026-03-10T15:00:00Z')) });
  root = await app.make.root({ host: 'root.data.test' });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  other = await app.make.client(agency);
  for (const [name, company] of Object.entries({ root, agency, client, other }))
    await app.make.user(company, { email: `${name}@data.test`, password: PASSWORD });
  tokens.root = await app.signIn('root@data.test', 'root.data.test');
  for (const name of ['agency', 'client', 'other'])
    tokens[name] = await app.signIn(`${name}@data.test`, HOST);
});
afterAll(() => app.close());

const call = (as: string, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  app.call(method, `/api/${path}`, {
    host: as === 'root' ? 'root.data.test' : HOST,
    token: tokens[as]!,
    ...(body ? { body } : {}),
  });
const choose = (as: string, companyID: string, information: number[], providers = ['embedded']) =>
  call(as, 'PUT', 'configuration/data-enrichment', { companyID, information, providers });
const choice = async (as: string, companyID: string) =>
  (await call(as, 'GET', `configuration/data-enrichment?companyID=${companyID}`)).body.data as unknown as {
    can_change: boolean;
    set_by: string | null;
    narrowed: boolean;
    fields: { id: number; offered: boolean; selected: boolean; campaigns: number }[];
    providers: { provider: string; offered: boolean; selected: boolean }[];
  };
const ids = async (as: string, path: string) =>
  ((await call(as, 'GET', path)).body.data as unknown as { id: number }[]).map((field) => field.id);
const allowed = (companyId: string, scope: { agencyId?: string; companyId?: string } = {}) =>
  inScope(app.platform.db.app, { rootId: root.id, ...scope }, (tx) =>
    app.features.enrichment.fieldsFor(tx, companyId),
  );
/** Sets what a campaign asks for, as its form saves it. */
const ask = (campaignId: string, advanced: number[], b2b: number[] = []) =>
  app.admin.query(`update campaign set advance_information = $2, b2b_information = $3 where id = $1`, [
    campaignId,
    advanced,
    b2b,
  ]);

describe('[CONF-04] the choice of data fields', () => {
  test('narrows downwards: root, agency, client; no one gives what is not offered to them', async () => {
    expect(await allowed(client.id)).toEqual(new Set(ALL));
    expect(await choice('client', client.id)).toBeUndefined(); // settings are not visible to clients
    expect((await choose('root', agency.id, without(ID.credit_range))).status).toBe(200);
    expect((await choose('agency', client.id, without(ID.credit_range, ID.gender))).status).toBe(200);
    const left = new Set(without(ID.credit_range, ID.gender));
    expect(await allowed(client.id)).toEqual(left);
    expect(await allowed(client.id, { agencyId: agency.id, companyId: client.id })).toEqual(left);
    expect(await allowed(other.id, { agencyId: agency.id })).toEqual(new Set(without(ID.credit_range)));
    // Outside the scope nothing is revealed: it reads as if there were no choice, and never as another tenant's.
    expect(await allowed(client.id, { agencyId: agency.id, companyId: other.id })).toEqual(new Set(ALL));

    const refused = await choose('agency', client.id, [ID.credit_range]);
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { information: ['includes Credit range, which is not available to this company'] },
    ]);
    expect((await choose('agency', client.id, [999])).body.errors).toEqual({
      information: ['includes the field 999, which does not exist'],
    });
    expect((await choose('agency', client.id, [ID.gender], ['pdl'])).body.errors).toEqual({
      providers: ['includes People Data Labs, which is not available to this company'],
    });
    expect(await choice('agency', client.id)).toMatchObject({
      can_change: true,
      set_by: null,
      narrowed: true,
    });
    const seen = (await choice('agency', client.id)).fields.filter((field) => !field.selected);
    expect(seen.map(({ id, offered }) => [id, offered])).toEqual([
      [ID.gender, true],
      [ID.credit_range, false],
    ]);

    // A company that was narrowed does not automatically get what is offered again above; one that has everything does.
    await choose('root', agency.id, ALL);
    expect(await allowed(client.id)).toEqual(left);
    expect(await allowed(other.id)).toEqual(new Set(ALL));
    await choose('agency', client.id, ALL);
    expect(await allowed(client.id)).toEqual(new Set(ALL));
    expect((await choice('agency', client.id)).narrowed).toBe(false);
  });

  test('is made by the company above, and each change is one row of the log without the values', async () => {
    const own = await choose('agency', agency.id, ALL);
    expect([own.status, own.body.errors]).toEqual([403, { companyID: ['is set by the platform'] }]);
    const below = await choose('root', client.id, ALL);
    expect([below.status, below.body.errors]).toEqual([
      403,
      { companyID: ['is set by the agency of this client'] },
    ]);
    expect((await choose('client', client.id, ALL)).status).toBe(403);
    expect(await choice('agency', agency.id)).toMatchObject({ can_change: false, set_by: 'root' });
    expect(await choice('root', root.id)).toMatchObject({ can_change: true, set_by: null });
    // The database enforces it, too.
    await expect(
      inScope(app.platform.db.app, { rootId: root.id, agencyId: agency.id }, (tx) =>
        tx
          .insertInto('data_choice')
          .values({
            root_id: root.id,
            agency_id: agency.id,
            company_id: agency.id,
            information: ALL,
            providers: [],
            updated_at: app.clock.now(),
          })
          .execute(),
      ),
    ).rejects.toThrow(/row-level security/);

    const logged = async () =>
      (
        await app.admin.query(
          `select d.description from user_log l join user_log_detail d on d.log_id = l.id
           where l.action = 'data.choose' and l.company_id = $1 order by l.created_at, l.id`,
          [other.id],
        )
      ).rows.map((row) => row.description as string);
    await choose('agency', other.id, without(ID.gender, ID.naics));
    app.clock.advance(1000);
    await choose('agency', other.id, ALL);
    expect(await logged()).toEqual([
      expect.stringMatching(/: removed Gender, NAICS code; sources: embedded$/),
      expect.stringMatching(/: added Gender, NAICS code; sources: embedded$/),
    ]);
  });

  test('a field that running or paused campaigns ask for is not taken away; archived ones do not hold it', async () => {
    const campaign = await app.make.campaign(client);
    await ask(campaign.id, [ID.gender, ID.age_range]);
    const { rows } = await app.admin.query('select number from campaign where id = $1', [campaign.id]);
    for (const [as, company] of [
      ['agency', client],
      ['root', agency],
      ['root', root],
    ] as const) {
      expect((await choose(as, company.id, without(ID.gender))).body.errors).toEqual({
        information: [
          `removes Gender, which is used by a campaign: #${rows[0].number}. Remove it there first`,
        ],
      });
    }
    expect((await choose('agency', other.id, without(ID.gender))).status).toBe(200);
    await choose('agency', other.id, ALL);
    expect((await choice('root', agency.id)).fields.find(({ id }) => id === ID.gender)!.campaigns).toBe(1);
    await app.admin.query(`update campaign set state = 'archived' where id = $1`, [campaign.id]);
    expect((await choose('agency', client.id, without(ID.gender))).status).toBe(200);
    // A copy of it, and the campaign itself once restored, ask for what is left, and are priced accordingly.
    const copy = await call('agency', 'POST', 'leadspeek/client/duplicate', { leadspeekID: campaign.id });
    expect(copy.body.data).toMatchObject({ advanceInformation: [ID.age_range] });
    const back = { leadspeekID: campaign.id, status: 'paused' };
    expect((await call('agency', 'POST', 'leadspeek/client/archive', back)).status).toBe(200);
    const { rows: asked } = await app.admin.query('select advance_information from campaign where id = $1', [
      campaign.id,
    ]);
    expect(asked).toEqual([{ advance_information: [ID.age_range] }]);
    await choose('agency', client.id, ALL);
  });

  test('no field is taken away beside a campaign that begins to ask for it', async () => {
    const campaign = await app.make.campaign(other);
    const scope = { rootId: root.id };
    let taken: ReturnType<typeof choose> | undefined;
    let isDone = false;
    await inScope(app.platform.db.app, scope, async (tx) => {
      expect(await app.features.enrichment.fieldsToAsk(tx, root.id, other.id)).toContain(ID.veteran);
      taken = app.outside(() => choose('agency', other.id, without(ID.veteran)));
      taken.then(() => {
        isDone = true;
      });
      // Until it is refused or waits.
      for (let waits = false; !waits && !isDone; )
        waits =
          ((
            await app.admin.query(`select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted
            and database = (select oid from pg_database where datname = current_database())`)
          ).rowCount ?? 0) > 0;
      await tx
        .updateTable('campaign')
        .set({ advance_information: [ID.veteran] })
        .where('id', '=', campaign.id)
        .execute();
    });
    expect((await taken!).status).toBe(422);
    expect(await allowed(other.id)).toContain(ID.veteran);
    await app.admin.query(`update campaign set state = 'removed' where id = $1`, [campaign.id]);
  });
});

describe('[CAMP-03] [CAMP-04] what forms ask', () => {
  test('the lists by type are those that the company may use', async () => {
    const advanced = INFORMATION_FIELDS.filter((field) => field.type === 'advanced').map((field) => field.id);
    const b2b = INFORMATION_FIELDS.filter((field) => field.type === 'b2b').map((field) => field.id);
    await choose('agency', client.id, without(ID.gender, ID.seniority));
    const path = 'configuration/list-advance-information';
    expect(await ids('client', path)).toEqual(advanced.filter((id) => id !== ID.gender));
    expect(await ids('client', `${path}/b2b`)).toEqual(b2b.filter((id) => id !== ID.seniority));
    expect(await ids('agency', `${path}/advanced?companyID=${client.id}`)).not.toContain(ID.gender);
    expect(await ids('agency', `${path}/b2b?companyID=${other.id}`)).toEqual(b2b);
    expect((await call('client', 'GET', `${path}?companyID=${other.id}`)).status).toBe(404);
    expect((await call('client', 'GET', `${path}/wrong`)).status).toBe(422);
    const config = (await call('client', 'GET', 'bigdbm/services/configdata')).body as Record<
      string,
      unknown[]
    >;
    expect(config.advanceInformation).toHaveLength(advanced.length - 1);
    expect(config.b2bInformation).toHaveLength(b2b.length - 1);
    expect(config).toMatchObject({ startDate: null, endDate: null });
    await choose('agency', client.id, ALL);
  });

  test('configdata tells from which to which day there are signals', async () => {
    const imports = app.features.people.files;
    const person = app.make.person();
    await app.make.people(root, [person]);
    const at = ['2026-03-04T00:00:00Z', '2026-03-06T12:00:00Z', '2026-03-09T23:59:59Z'];
    const text = `email,keyword,time\n${at.map((time) => `${person.email},tent,${time}`).join('\n')}\n`;
    const { id } = await imports.add(root.id, 's.csv', [Buffer.from(text)] as never, { kind: 'signals' });
    await imports.queue(root.id, id, {});
    await imports.run(root.id, id);
    expect((await call('client', 'GET', 'bigdbm/services/configdata')).body).toMatchObject({
      startDate: '2026-03-04',
      endDate: '2026-03-09',
    });
  });

  test('places are looked up by state, city and zip code', async () => {
    const look = async (query: string) =>
      (await call('client', 'GET', `general/enhance/location?${query}`)).body as unknown as {
        states: { code: string }[];
        cities: { name: string }[];
        zips: { zip: string; state: string }[];
      };
    expect((await look('')).states).toHaveLength(52);
    expect(await look('search=tex')).toMatchObject({ states: [{ code: 'TX', name: 'Texas' }], zips: [] });
    expect((await look('search=austin')).cities.map((city) => city.name)).toContain('Austin, TX');
    expect((await look('search=austin,%20mn')).cities).toEqual([{ name: 'Austin, MN', state: 'MN' }]);
    expect((await look('search=austin&state=mn')).cities.map((city) => city.name)).toEqual(['Austin, MN']);
    expect((await look('search=78701')).zips).toEqual([{ zip: '78701', state: 'TX' }]);
    expect((await look('search=78701&state=LA')).zips).toEqual([]);
    expect((await look('search=00001')).zips).toEqual([]);
    expect((await call('client', 'GET', 'general/enhance/location?state=XX')).status).toBe(422);
  });
});

describe('[CAMP-04] the data of leads', () => {
  const known = {
    gender: 'F',
    age_range: '35-44',
    credit_range: '700 to 749',
    seniority: 'VP',
    job_title: 'Baker',
    company_phone: '+12025550199',
  } satisfies Partial<MadePerson>;

  async function leadOf(asked: { advanced: number[]; b2b?: number[] }, given: Partial<MadePerson> = known) {
    const campaign = await app.make.campaign(client);
    await ask(campaign.id, asked.advanced, asked.b2b);
    const person = app.make.person(given);
    await app.make.people(root, [person]);
    await app.make.visit(campaign, { email: person.email });
    await app.features.leads.resolver.resolveAll();
    const { rows } = await app.admin.query('select id from lead where campaign_id = $1', [campaign.id]);
    return { campaign, person, leadId: rows[0].id as string };
  }
  const shown = async (leadId: string) => {
    const { information } = (await call('client', 'GET', `leadspeek/report/lead/${leadId}`))
      .body as unknown as {
      information: { key: string; value: string | null }[];
    };
    return Object.fromEntries(information.map(({ key, value }) => [key, value]));
  };
  const message = async (leadId: string) =>
    (
      await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.leads.message(tx, [leadId]),
      )
    ).get(leadId)!;
  async function file(campaignId: string): Promise<string[][]> {
    const { body } = await call('client', 'POST', 'general/download-token', {
      path: `/api/leadspeek/report/lead/export?leadspeekID=${campaignId}`,
    });
    const { text } = await app.call('GET', String(body.url), { host: HOST });
    return parse(text, { bom: true });
  }

  test('is what the campaign asks for and nothing else, on screen, in files and in webhooks', async () => {
    const { leadId, campaign } = await leadOf({
      advanced: [ID.gender, ID.net_worth_range],
      b2b: [ID.seniority, ID.job_title],
    });
    const given = { gender: 'F', net_worth_range: null, job_title: 'Baker', seniority: 'VP' };
    expect(await shown(leadId)).toEqual(given);
    expect((await message(leadId)).information).toEqual(given);
    const [head, row] = await file(campaign.id);
    expect(head!.slice(-4)).toEqual([
      'Data: Gender',
      'Data: Net worth range',
      'Data: Job title',
      'Data: Seniority',
    ]);
    expect(row!.slice(-4)).toEqual(['F', '', 'Baker', 'VP']);
    const report = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.leads.report(
        tx,
        root.id,
        campaign.id,
        { from: new Date(0), before: new Date(app.clock.now().getTime() + 1000) },
        10,
      ),
    );
    expect(report!.text).toContain('Data: Seniority');
    for (const text of [
      report!.text,
      (await file(campaign.id)).join(),
      JSON.stringify(await message(leadId)),
    ]) {
      expect(text).not.toContain('700 to 749');
      expect(text).not.toContain('35-44');
    }
  });

  test('a campaign that asks for nothing has none, and no columns for it', async () => {
    const { leadId, campaign } = await leadOf({ advanced: [] });
    expect(await shown(leadId)).toEqual({});
    expect((await message(leadId)).information).toEqual({});
    expect((await file(campaign.id))[0]!.filter((name) => name.startsWith('Data:'))).toEqual([]);
    const { rows } = await app.admin.query(
      'select count(*)::int as n from lead_data where campaign_id = $1',
      [campaign.id],
    );
    expect(rows[0].n).toBe(0);
  });

  test('a field that its company may not use any more is not given, whatever the campaign says', async () => {
    await app.admin.query(
      `insert into data_choice (root_id, agency_id, company_id, information, providers, updated_at) values ($1, $2, $3, $4, '{}', now())`,
      [root.id, agency.id, client.id, without(ID.gender)],
    );
    const { leadId } = await leadOf({ advanced: [ID.gender, ID.age_range] });
    expect(await shown(leadId)).toEqual({ age_range: '35-44' });
    await app.admin.query('delete from data_choice');
  });

  test('goes where the contact goes: away when it is erased, and withheld from who is excluded', async () => {
    const { leadId, campaign, person } = await leadOf({ advanced: [ID.gender] });
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: { root_id: root.id, agency_id: null, company_id: root.id },
          ownerId: root.id,
          level: 'root',
          name: 'x',
          lines: [md5(person.email)],
        } as never,
        app.clock.now(),
      ),
    );
    const [, row] = await file(campaign.id);
    expect([row![4], row!.at(-1)]).toEqual(['(excluded)', '']);
    await app.admin.query('delete from lead_contact where lead_id = $1', [leadId]);
    const { rows } = await app.admin.query('select count(*)::int as n from lead_data where lead_id = $1', [
      leadId,
    ]);
    expect(rows[0].n).toBe(0);
    expect(await file(campaign.id)).toHaveLength(1);
  });

  test('a client that is told no phone numbers is not told the company’s either', async () => {
    const { leadId } = await leadOf({ advanced: [], b2b: [ID.company_phone, ID.seniority] });
    expect(await shown(leadId)).toEqual({ company_phone: '+12025550199', seniority: 'VP' });
    await app.admin.query('update company set phones_off = true where id = $1', [client.id]);
    expect(await shown(leadId)).toEqual({ seniority: 'VP' });
    expect((await message(leadId)).information).toEqual({ seniority: 'VP' });
    await app.admin.query('update company set phones_off = false where id = $1', [client.id]);
  });

  test('a test lead has made-up values of the fields that a real one would have', async () => {
    const campaign = await app.make.campaign(client);
    await ask(campaign.id, [ID.age_range], [ID.seniority]);
    const sent = await call('client', 'POST', 'leadspeek/client/send-test-lead', {
      leadspeekID: campaign.id,
    });
    expect(await shown(String(sent.body.lead_id))).toEqual({ age_range: '35-44', seniority: 'Manager' });
  });
});
