import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hubspotStub } from '../../../integrations/hubspot/stub.ts';
import { type RunningStub, startStub, stubRequest } from '../../../integrations/stub.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { MOST_CUSTOMERS } from '../../audience/exclusions/quota.policy.ts';

const HOST = 'customers.test';
const HOUR = 3_600_000;
const SHOP = 'https://shop.example.com';
const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let owner: { id: string; email: string };
let token: string;
let crm: ReturnType<typeof hubspotStub>;
let running: RunningStub;

beforeAll(async () => {
  crm = hubspotStub();
  running = await startStub(crm, 'hubspot');
  app = await testApp({
    outboundExceptions: [running.host],
    standIns: { hubspot: { base: running.base } },
  });
  root = await app.make.root({ isMaster: true, host: 'customers-root.test' });
  agency = await app.make.agency(root, { host: HOST });
  await app.make.leadCost(agency, 1n * USD);
  const { id } = await app.make.user(agency);
  await app.make.setUp(agency, id);
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await running.stop();
  await app.close();
});
beforeEach(async () => {
  client = await app.make.client(agency);
  owner = await app.make.user(client, { password: PASSWORD });
  await app.make.setUp(client, owner.id);
  campaign = await app.make.campaign(client, { price: 2n * USD, balance: 20n * USD });
  await pass(HOUR);
});

async function pass(ms: number): Promise<void> {
  app.clock.advance(ms);
  await app.features.visits.keepPartitions(2);
  token = await app.signIn(owner.email, HOST);
}
const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  app.call(method, `/api${path}`, { host: HOST, token, ...(body ? { body } : {}) });
async function known(more: object = {}) {
  const person = app.make.person(more);
  await app.make.people(root, [person]);
  return { ...person, email: person.email! };
}
const visit = (email: string, path = '/', of = campaign) => app.make.visit(of, { email, url: SHOP + path });
const resolve = () => app.features.leads.resolver.resolveAll();

/** Uploads a list of customers and loads it. */
async function upload(text: string, place: string = client.id, level = 'client') {
  const query = new URLSearchParams({
    paramID: place,
    campaigntype: level,
    file_name: 'customers.csv',
    use: 'customers',
  });
  const answer = await app.server.inject({
    method: 'POST',
    url: `/api/exclusions/upload?${query}`,
    payload: Buffer.from(text),
    headers: {
      host: HOST,
      'user-agent': 'test',
      authorization: `Bearer ${token}`,
      'content-type': 'text/csv',
    },
  });
  const body = answer.json();
  if (answer.statusCode !== 200) return { status: answer.statusCode, body, id: '' };
  const row = await app.features.exclusions.loads.load({ rootId: root.id, listId: body.data.id });
  return { status: 200, body, id: body.data.id as string, row };
}
const alert = async (more: object = {}) => {
  const { status, body } = await call('POST', '/alerts', {
    name: 'Customers',
    trigger: 'customer',
    user_ids: [owner.id],
    ...more,
  });
  expect([status, body]).toEqual([200, expect.anything()]);
  return (body as unknown as { id: string }).id;
};
/** Runs the jobs of alerts, each by two workers at once. */
async function work(): Promise<void> {
  const done = new Set<string>();
  for (;;) {
    const { rows } = await app.admin.query(
      `select id, name, data from pgboss.job where name in ('alerts.judge', 'alerts.message') and data ->> 'rootId' = $1
       order by created_on, id`,
      [root.id],
    );
    const open = rows.filter(({ id }) => !done.has(id));
    for (const { id, name, data } of open) {
      done.add(id);
      const times = (list: { at: string }[]) => list.map((one) => ({ ...one, at: new Date(one.at) }));
      const once = () =>
        name === 'alerts.judge'
          ? app.features.alerts.decide(
              data.rootId,
              times(data.happened) as never,
              data.companies,
              times(data.customers) as never,
            )
          : app.features.alerts.attempt(data);
      await Promise.all([once(), once()]);
    }
    await app.features.alerts.enqueueDue(root.id);
    const { rows: due } = await app.admin.query(
      `delete from pgboss.job where name = 'alerts.company' returning data`,
    );
    for (const { data } of due)
      await Promise.all([app.features.alerts.tell(data), app.features.alerts.tell(data)]);
    if (open.length === 0) return;
  }
}
const mails = async (): Promise<{ subject: string; text: string }[]> =>
  (
    await app.admin.query(
      `select subject, body_sealed from mail where kind = 'lead.alert' and company_id = $1 order by created_at, id`,
      [client.id],
    )
  ).rows.map(({ subject, body_sealed }) => ({
    subject,
    text: JSON.parse(app.platform.vault.open(body_sealed, 'mail.body')).text,
  }));
const outcomes = async (of = campaign): Promise<string[]> =>
  (
    await app.admin.query('select outcome from visit where campaign_id = $1 order by received_at, event_id', [
      of.id,
    ])
  ).rows.map((row) => row.outcome);
const count = async (sql: string): Promise<number> =>
  Number((await app.admin.query(`select count(*) as n from ${sql}`)).rows[0].n);
const seen = async (place = client.id, level = 'client') =>
  (await call('GET', `/customers/visits?paramID=${place}&campaignType=${level}`)) as unknown as {
    status: number;
    body: { total: number; data: { customer: string; page_url: string; campaign_name: string }[] };
  };

describe('a known customer', () => {
  test('[BEY-20] is not charged and told once, by the name on the list, whichever of two workers is first', async () => {
    const person = await known({ first_name: 'Graph', last_name: 'Name' });
    await alert({ pages: ['pricing'] });
    await upload(`name,email\nOur Ada,${person.email}\n`);
    const before = await count('entry');
    await visit(person.email, '/');
    await pass(1000);
    await visit(person.email, '/pricing');
    await Promise.all([resolve(), resolve()]);
    await work();
    await visit(person.email, '/pricing');
    await resolve();
    await work();
    expect(await count('entry')).toBe(before);
    expect(await count(`lead where campaign_id = '${campaign.id}'`)).toBe(0);
    expect(await outcomes()).toEqual(['customer', 'customer', 'customer']);
    const told = await mails();
    expect(told.map(({ subject }) => subject)).toEqual([`Customer on the site: Our Ada (${person.email})`]);
    expect(told[0]!.text).toContain('viewed /pricing');
    // Of the graph's data nothing is told.
    for (const secret of ['Graph', person.phone!, person.address!])
      expect(told[0]!.text).not.toContain(secret);
    const { body } = await seen();
    expect(body.data).toEqual([
      expect.objectContaining({ customer: `Our Ada (${person.email})`, page_url: `${SHOP}/pricing` }),
    ]);
  });

  test('[BEY-20] is told again only after the cooldown, and only on the pages that are asked for', async () => {
    const person = await known();
    await alert({ pages: ['pricing'], cooldown_hours: 2 });
    await upload(`${person.email}\n`);
    const at = async (path: string, ms: number) => {
      await visit(person.email, path);
      await resolve();
      await work();
      await pass(ms);
      return (await mails()).length;
    };
    expect(await at('/about', HOUR)).toBe(0);
    expect(await at('/pricing', HOUR)).toBe(1);
    expect(await at('/pricing', 2 * HOUR)).toBe(1);
    expect(await at('/pricing', HOUR)).toBe(2);
    expect((await seen()).body.total).toBe(4);
  });

  test('[BEY-20] is known to that client alone, or to that campaign', async () => {
    const person = await known();
    const other = await app.make.client(agency);
    const theirs = await app.make.campaign(other, { price: 2n * USD, balance: 20n * USD });
    const second = await app.make.campaign(client, { price: 2n * USD, balance: 20n * USD });
    await upload(`${person.email}\n`, campaign.id, 'campaign');
    for (const of of [campaign, second, theirs]) await visit(person.email, '/', of);
    await resolve();
    expect(await outcomes(campaign)).toEqual(['customer']);
    expect(await outcomes(second)).toEqual(['lead']);
    expect(await outcomes(theirs)).toEqual(['lead']);
    expect((await seen(campaign.id, 'campaign')).body.total).toBe(1);
    expect((await seen(second.id, 'campaign')).body.total).toBe(0);
    const stranger = await app.make.user(other, { password: PASSWORD });
    token = await app.signIn(stranger.email, HOST);
    expect((await seen(client.id)).status).toBe(404);
    expect((await seen(campaign.id, 'campaign')).status).toBe(404);
    expect((await upload('a@b.example\n')).status).toBe(404);
  });

  test('[BEY-20] is not for agencies to list', async () => {
    const { email } = await app.make.user(agency, { password: PASSWORD });
    token = await app.signIn(email, HOST);
    const { status, body } = await upload('a@b.example\n', agency.id, 'agency');
    expect([status, body.message]).toEqual([
      422,
      'campaigntype: must be client or campaign for known customers',
    ]);
  });

  test('[BEY-20] is a step of its own, and the counts of visits add up', async () => {
    const people = await Promise.all([known(), known(), known()]);
    await upload(`${people[0]!.email}\n${people[1]!.email}\n`);
    for (const { email } of people) await visit(email);
    await app.make.visit(campaign, {});
    await resolve();
    const hours = (
      await app.admin.query(
        'select sum(visits)::int as visits, sum(leads)::int as leads from campaign_hour where campaign_id = $1',
        [campaign.id],
      )
    ).rows[0];
    const refused = Object.fromEntries(
      (
        await app.admin.query(
          'select reason, sum(count)::int as n from campaign_refusal where campaign_id = $1 group by reason',
          [campaign.id],
        )
      ).rows.map(({ reason, n }) => [reason, n]),
    );
    expect(refused).toEqual({ customer: 2, unmatched: 1 });
    expect(hours).toEqual({ visits: 4, leads: 1 });
  });

  test('[BEY-20] who is excluded stays excluded, and is not told', async () => {
    const person = await known();
    await alert();
    await upload(`${person.email}\n`);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: { root_id: root.id, agency_id: null, company_id: root.id },
          ownerId: root.id,
          level: 'root',
          name: 'opt-outs',
          lines: [person.email],
        },
        app.clock.now(),
      ),
    );
    await visit(person.email);
    await resolve();
    await work();
    expect(await outcomes()).toEqual(['excluded']);
    expect(await mails()).toEqual([]);
    expect((await seen()).body.total).toBe(0);
  });

  test('[BEY-20] a campaign that buys nothing, and a match that is not sure enough, name no one', async () => {
    const person = await known();
    await upload(`${person.email}\n`);
    const poor = await app.make.campaign(client, { price: 2n * USD, balance: 0n });
    const paused = await app.make.campaign(client, { price: 2n * USD, balance: 20n * USD });
    for (const of of [poor, paused]) await visit(person.email, '/', of);
    await app.admin.query(`update campaign set state = 'paused' where id = $1`, [paused.id]);
    await resolve();
    expect(await outcomes(poor)).toEqual(['balance_empty']);
    expect(await outcomes(paused)).toEqual(['inactive']);
    // Recognized by the address alone, which says little about who it was.
    const sure = await app.make.campaign(client, {
      price: 2n * USD,
      balance: 20n * USD,
      min_confidence: 100,
    });
    await visit(person.email, '/', sure);
    const visitorId = '0195a1f0-0000-7000-8000-00000000c0de';
    await app.make.visit(sure, { email: person.email, visitorId, url: `${SHOP}/` });
    await resolve();
    await app.make.visit(sure, { visitorId, url: `${SHOP}/` });
    await resolve();
    expect((await outcomes(sure)).at(-1)).toBe('low_confidence');
  });

  test('[BEY-20] who was a lead before they were a customer stays that lead, and is told as a customer', async () => {
    const person = await known();
    await visit(person.email);
    await resolve();
    await upload(`${person.email}\n`);
    await alert();
    await pass(HOUR);
    await visit(person.email, '/pricing');
    await resolve();
    await work();
    expect(await outcomes()).toEqual(['lead', 'customer']);
    expect(await mails()).toHaveLength(1);
    // The lead that was paid for is seen again, as any other.
    expect(await count(`lead_return where campaign_id = '${campaign.id}'`)).toBe(1);
    const [lead] = (await app.admin.query('select id from lead where campaign_id = $1', [campaign.id])).rows;
    const withheld = await app.features.leads.withheld(root.id, [lead.id]);
    expect(withheld.size).toBe(0);
  });

  test('[BEY-20] of a removed list, no one is known or told, and its visits are forgotten', async () => {
    const person = await known();
    await alert();
    const { id } = await upload(`${person.email}\n`);
    await visit(person.email);
    await resolve();
    expect((await call('POST', `/exclusions/lists/${id}/undo`, {})).status).toBe(200);
    await work();
    expect(await mails()).toEqual([]);
    expect((await seen()).body.total).toBe(0);
    await app.features.retention.run('customer_visits');
    expect(await count(`customer_visit where list_id = '${id}'`)).toBe(0);
    await pass(1000);
    await visit(person.email);
    await resolve();
    expect((await outcomes()).at(-1)).toBe('lead');
  });

  test('[BEY-20] the preview of an alert counts the visits of a day', async () => {
    const person = await known();
    await upload(`${person.email}\n`);
    await visit(person.email, '/pricing');
    await resolve();
    const preview = async (pages: string[]) =>
      (await call('POST', '/alerts/preview', { trigger: 'customer', pages })).body as unknown as {
        events: number;
        examples: { name: string; kind: string }[];
      };
    expect(await preview(['pricing'])).toMatchObject({
      events: 1,
      examples: [{ name: person.email, kind: 'customer' }],
    });
    expect(await preview(['careers'])).toMatchObject({ events: 0, examples: [] });
  });
});

describe('a file of customers', () => {
  test('[BEY-20] says of each bad row why, and takes the others with their names', async () => {
    const text = [
      'First Name,Last Name,Email,Phone,Domain',
      'Ada,"O\\""Hara\tX",ada@ours.example,+12025550170,ours.example',
      'Bo,,not an address,,',
      ',,"=1+1",,',
      'Cy,,,,only.example',
      '',
      'Di,,di@ours.example,,',
    ].join('\n');
    const { id, row } = await upload(text);
    expect(row).toMatchObject({ state: 'active', use: 'customers', emails: 2n, phones: 1n, domains: 0n });
    const { body } = await call('GET', `/exclusions/lists/${id}`);
    const { bad } = body as unknown as { bad: { line: number; reason: string }[] };
    expect(bad.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'is not an email address, an MD5 or SHA-256 hash of one, or a phone number'],
      [4, 'is a formula, not an entry'],
      [5, 'contains no value'],
    ]);
    const labels = (
      await app.admin.query('select distinct label from exclusion where list_id = $1 order by 1', [id])
    ).rows.map(({ label }) => label);
    expect(labels).toEqual(['Ada O\\"Hara X (ada@ours.example)', 'Di (di@ours.example)']);
  });

  test('[BEY-20] without any customer, or with a domain alone, is refused', async () => {
    const { row } = await upload('ours.example\n');
    expect(row).toMatchObject({ state: 'failed', error: 'No row in the file has an entry.' });
    expect((await upload('')).body.message).toContain('check your file');
  });

  test('[BEY-20] is refused beyond the number of customers that a client may have', async () => {
    await app.admin.query(
      `insert into exclusion_list (id, root_id, agency_id, company_id, owner_id, level, name, use, rows_added, created_at)
       values (gen_random_uuid(), $1, $2, $3, $3, 'client', 'big', 'customers', $4, now())`,
      [root.id, agency.id, client.id, MOST_CUSTOMERS],
    );
    const { status, body } = await upload('a@b.example\n');
    expect(status).toBe(422);
    expect(body.errors.file[0]).toContain('50,000 known customers');
  });

  test('[BEY-20] is a list apart from the exclusions: neither excludes nor is purged with them', async () => {
    const { id } = await upload('a@b.example\n');
    const lists = async (use: string) =>
      (
        (await call('GET', `/exclusions/lists?paramID=${client.id}&campaignType=client&use=${use}`))
          .body as unknown as { data: { id: string }[] }
      ).data.map((one) => one.id);
    expect(await lists('exclude')).toEqual([]);
    expect(await lists('customers')).toEqual([id]);
    await call('POST', '/leadspeek/suppressionlist/purge', { paramID: client.id, campaignType: 'client' });
    expect(
      (await app.admin.query('select state from exclusion_list where id = $1', [id])).rows[0].state,
    ).toBe('active');
  });
});

describe('customers from a CRM', () => {
  const inCrm = (email: string, more: Record<string, string> = {}) => {
    const properties = { email, lifecyclestage: 'customer', ...more };
    const { status } = crm.handle(
      stubRequest(
        'POST',
        '/crm/objects/2026-03/contacts/batch/upsert',
        { authorization: `Bearer ${crm.credentials(running.base).token}` },
        JSON.stringify({ inputs: [{ id: email, properties }] }),
      ),
    );
    expect(status).toBe(200);
  };
  const add = async (level = 'client', place = client.id) => {
    const { id } = await app.make.connection(client, { name: 'Our CRM' });
    const body = { paramID: place, campaignType: level, connectionID: id };
    return { connection: id, answer: await call('POST', '/customers/lists', body) };
  };
  const listOf = async (id: string) =>
    (await app.admin.query('select * from exclusion_list where id = $1', [id])).rows[0];

  test('[BEY-20] are listed, replaced at each refresh, and kept when it fails', async () => {
    const [ada, bo] = [await known(), await known()];
    inCrm(ada.email, { firstname: 'Ada', lastname: 'Ours' });
    inCrm('lead@leads.example', { lifecyclestage: 'lead' });
    const { connection, answer } = await add();
    expect(answer.status).toBe(200);
    const { id } = (answer.body as unknown as { data: { id: string } }).data;
    await app.features.customers.refresh(root.id, id);
    expect(await listOf(id)).toMatchObject({ emails: 1n, refresh_error: null });
    await visit(ada.email);
    await visit(bo.email);
    await resolve();
    expect((await outcomes()).sort()).toEqual(['customer', 'lead']);
    expect((await seen()).body.data[0]!.customer).toBe(`Ada Ours (${ada.email})`);

    for (const { id: contact, fields } of crm.records()) if (fields.email === ada.email) crm.remove(contact);
    inCrm('cy@ours.example');
    await Promise.all([
      app.features.customers.refresh(root.id, id),
      app.features.customers.refresh(root.id, id),
    ]);
    expect(await count(`exclusion where list_id = '${id}' and kind = 1`)).toBe(1);
    await pass(HOUR);
    await visit(ada.email);
    await resolve();
    expect((await outcomes()).at(-1)).toBe('lead');

    const before = (await listOf(id)).refreshed_at;
    running.answerNext({ status: 500, json: { message: 'Down for maintenance' } });
    await app.features.customers.refresh(root.id, id);
    expect(await listOf(id)).toMatchObject({
      refresh_error: expect.stringContaining('Down for maintenance'),
      refreshed_at: before,
      emails: 1n,
    });
    await app.admin.query(
      `update connection set state = 'removed', credentials_sealed = null where id = $1`,
      [connection],
    );
    await app.features.customers.refresh(root.id, id);
    expect((await listOf(id)).refresh_error).toBe('The connection was removed.');
  });

  test('[BEY-20] wait where the CRM asks to, and come again every day', async () => {
    const { answer } = await add();
    const { id } = (answer.body as unknown as { data: { id: string } }).data;
    running.answerNext({ status: 429, headers: { 'retry-after': '1' }, json: {} });
    await app.features.customers.refresh(root.id, id);
    expect(await listOf(id)).toMatchObject({ refresh_error: null, refreshed_at: expect.anything() });
    const jobs = () => count(`pgboss.job where name = 'customers.refresh' and data ->> 'listId' = '${id}'`);
    const before = await jobs();
    await app.features.customers.daily();
    expect(await jobs()).toBe(before + 1);
  });

  test('[BEY-20] come from connections of that client which list customers, once', async () => {
    const sources = (await call('GET', `/customers/sources?paramID=${client.id}`)).body;
    expect(sources).toEqual({ data: [] });
    const { connection, answer } = await add();
    expect(answer.status).toBe(200);
    const again = { paramID: client.id, connectionID: connection };
    expect((await call('POST', '/customers/lists', again)).status).toBe(409);
    const { id: chat } = await app.make.connection(client, { vendor: 'slack', credentials: { url: 'x' } });
    expect(await call('POST', '/customers/lists', { paramID: client.id, connectionID: chat })).toMatchObject({
      status: 422,
      body: { message: 'connectionID: Slack does not list customers' },
    });
    const other = await app.make.client(agency);
    const { id: foreign } = await app.make.connection(other);
    expect(
      (await call('POST', '/customers/lists', { paramID: client.id, connectionID: foreign })).status,
    ).toBe(404);
    // An agency sees both, and may still not mix them.
    const { email } = await app.make.user(agency, { password: PASSWORD });
    token = await app.signIn(email, HOST);
    expect(
      (await call('POST', '/customers/lists', { paramID: client.id, connectionID: foreign })).status,
    ).toBe(422);
  });
});
