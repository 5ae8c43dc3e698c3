import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BOUNDS } from '../../../platform/db/bounds.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { PART } from './service.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let other: Company;
let clients: Company[];
let agencyUser: { id: string };
const tokens = { root: '', agency: '', other: '', client: '' };
type Who = keyof typeof tokens;
const HOSTS = { root: 'root.test', agency: 'acme.test', other: 'rival.test', client: 'acme.test' };

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: 'acme.test', name: 'Acme' });
  other = await app.make.agency(root, { host: 'rival.test', name: 'Rival' });
  clients = await app.make.clients(agency, 4);
  agencyUser = await app.make.user(agency, {
    email: 'agency@x.test',
    password: PASSWORD,
    name: 'Ada Agency',
  });
  await app.make.user(root, { email: 'root@x.test', password: PASSWORD });
  await app.make.user(other, { email: 'other@x.test', password: PASSWORD });
  await app.make.user(clients[0]!, { email: 'client@x.test', password: PASSWORD });
  for (const who of Object.keys(tokens) as Who[]) tokens[who] = await app.signIn(`${who}@x.test`, HOSTS[who]);
});
afterAll(() => app?.close());

const call = (
  who: Who,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: any call's answer
): Promise<{ status: number; body: any }> =>
  app.call(method, `/api${path}`, { host: HOSTS[who], token: tokens[who], ...(body ? { body } : {}) });
const show = async (campaign: MadeCampaign) =>
  (await call('agency', 'GET', `/leadspeek/getcampaign/${campaign.id}`)).body;
/** Changes a campaign by hand. */
const edit = async (who: 'agency' | 'client', campaign: MadeCampaign, given: object) => {
  const done = await call(who, 'PUT', '/leadspeek/client/update', {
    urlCode: 'https://shop.example.com/',
    leadspeekID: campaign.id,
    ...given,
  });
  expect([done.status, done.body.message]).toEqual([200, done.body.message]);
};
const ids = (campaigns: MadeCampaign[]) => campaigns.map(({ id }) => id);
const make = async (given: object): Promise<string> => {
  const made = await call('agency', 'POST', '/templates', { kind: 'campaign', name: 'Standard', ...given });
  expect([made.status, made.body.message]).toEqual([200, 'The template was created.']);
  return made.body.id;
};
const run = (pushId: string) => app.features.templates.run({ rootId: root.id, pushId });
/** Pushes and does what the job would; returns the push as shown. */
const push = async (who: Who, template: string, given: object) => {
  const started = await call(who, 'POST', `/templates/${template}/pushes`, { version: 1, ...given });
  expect([started.status, started.body.message]).toEqual([200, 'The push has started.']);
  await run(started.body.id);
  return started.body.id as string;
};
const pushed = async (id: string, who: Who = 'agency') =>
  (await call(who, 'GET', `/template-pushes/${id}?PerPage=100`)).body;
const states = async (id: string, who: Who = 'agency'): Promise<string[]> =>
  (await pushed(id, who)).data.map((one: { state: string }) => one.state);
const preview = async (template: string, given: object) =>
  (await call('agency', 'POST', `/templates/${template}/preview`, { version: 1, ...given })).body.data;
/** Money that moved: postings, and purchases under way. */
const money = async () =>
  (
    await app.admin.query(
      `select (select count(*) from entry)::int as entries, (select count(*) from charge)::int as charges,
         (select count(*) from prepaid_auto)::int as automatic`,
    )
  ).rows[0];

describe('[BEY-13] templates of campaigns', () => {
  test('versions are taken from a campaign, with author and note, and compared field by field', async () => {
    const campaign = await app.make.campaign(clients[0]!, { dailyCap: 5, price: 2_000_000n });
    const id = await make({ source_id: campaign.id, note: 'As agreed with sales' });
    const one = (await call('agency', 'GET', `/templates/${id}`)).body;
    expect(one.versions[0]).toMatchObject({
      number: 1,
      note: 'As agreed with sales',
      author_name: 'Ada Agency',
    });
    const names = one.versions[0].fields.map(({ field }: { field: string }) => field);
    expect(names).toContain('daily_cap');
    // Prices are only in templates that ask for them.
    expect(names).not.toContain('lead_price');

    await edit('agency', campaign, { LimitLead: 9, requireemailaddress: 'F', phoneenabled: 'T' });
    const added = await call('agency', 'POST', `/templates/${id}/versions`, {
      source_id: campaign.id,
      base: 1,
    });
    expect([added.status, added.body.number]).toEqual([200, 2]);
    const stale = await call('agency', 'POST', `/templates/${id}/versions`, {
      source_id: campaign.id,
      base: 1,
    });
    expect([stale.status, stale.body.message]).toEqual([409, expect.stringContaining('newer version, 2')]);
    const { data } = (await call('agency', 'GET', `/templates/${id}/compare?from=1&to=2`)).body;
    expect(data.filter((row: { differs: boolean }) => row.differs)).toEqual([
      { field: 'daily_cap', label: 'Lead limit', before: '5', after: '9', differs: true },
      { field: 'email_required', label: 'Email address', before: 'On', after: 'Off', differs: true },
      { field: 'phone_required', label: 'Phone number', before: 'Off', after: 'On', differs: true },
    ]);
    const strange = await call('agency', 'POST', '/templates', {
      ...{ kind: 'campaign', name: 'X', source_id: campaign.id, fields: ['topup'] },
    });
    expect([strange.status, strange.body.message]).toEqual([
      422,
      'fields: has topup, which templates of this kind do not have',
    ]);
  });

  test('a push to running campaigns is shown before, changes them as by hand, is logged, moves no money, and is rolled back', async () => {
    const source = await app.make.campaign(clients[0]!, { dailyCap: 7, price: 3_000_000n });
    const one = await app.make.campaign(clients[1]!, { name: 'Tents', price: 2_000_000n, dailyCap: 2 });
    const two = await app.make.campaign(clients[2]!, { name: 'Boats', price: 2_500_000n, dailyCap: 7 });
    const fields = ['daily_cap', 'lead_price', 'phone_required'];
    const id = await make({ source_id: source.id, fields });
    const target_ids = ids([one, two]);
    const before = await money();

    const [first] = await preview(id, { target_ids });
    expect(first).toEqual({
      target_id: one.id,
      target_name: expect.stringMatching(/^Client 02: #\d+ Tents$/),
      changes: [
        { field: 'daily_cap', label: 'Lead limit', before: '2', after: '7' },
        { field: 'lead_price', label: 'Price per lead', before: '$2.00', after: '$3.00' },
      ],
      kept: [],
      refusal: null,
    });
    // It has changed nothing.
    expect(await show(one)).toMatchObject({ LimitLead: 2, CostSet: '2.00' });

    const pushId = await push('agency', id, { target_ids });
    expect(await states(pushId)).toEqual(['pushed', 'pushed']);
    expect(await show(one)).toMatchObject({ LimitLead: 7, CostSet: '3.00', status: 'active' });
    expect(await show(two)).toMatchObject({ LimitLead: 7, CostSet: '3.00', status: 'active' });
    expect(await money()).toEqual(before);
    const { rows } = await app.admin.query(
      `select l.action, l.actor_id, d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.object_id = $1 and l.action like 'template.%'`,
      [one.id],
    );
    expect(rows).toEqual([
      {
        action: 'template.apply',
        actor_id: agencyUser.id,
        description: expect.stringContaining(
          'Pushed lead limit, price per lead of version 1 of the template Standard',
        ),
      },
    ]);

    // What a client or the agency changes afterward is left alone by the rollback, and it says so.
    await edit('agency', two, { LimitLead: 8 });
    expect((await call('agency', 'POST', `/template-pushes/${pushId}/roll-back`)).status).toBe(200);
    await run(pushId);
    const back = await pushed(pushId);
    expect(back.push.state).toBe('undone');
    expect(back.data.map((row: object) => row)).toMatchObject([
      {
        state: 'restored',
        undone: [
          { field: 'daily_cap', message: 'Restored to 2' },
          { field: 'lead_price', message: 'Restored to $2.00' },
        ],
      },
      // Its limit was the template's already, so the push had not changed it.
      { state: 'restored', undone: [{ field: 'lead_price', message: 'Restored to $2.50' }] },
    ]);
    expect(await show(one)).toMatchObject({ LimitLead: 2, CostSet: '2.00' });
    expect(await show(two)).toMatchObject({ LimitLead: 8, CostSet: '2.50' });
    expect(await money()).toEqual(before);
    expect((await call('agency', 'POST', `/template-pushes/${pushId}/roll-back`)).status).toBe(409);
  });

  test('a field that the client changed since the last push is a conflict: kept, unless it is overwritten', async () => {
    const source = await app.make.campaign(clients[0]!, { dailyCap: 7 });
    const mine = await app.make.campaign(clients[0]!, { dailyCap: 2 });
    const id = await make({ source_id: source.id, fields: ['daily_cap', 'phone_required'] });
    const given = { target_ids: [mine.id] };
    await push('agency', id, given);
    await edit('client', mine, { LimitLead: 3 });
    await edit('agency', source, { LimitLead: 11, phoneenabled: 'T' });
    await call('agency', 'POST', `/templates/${id}/versions`, { source_id: source.id });

    const conflict = { field: 'daily_cap', label: 'Lead limit', before: '3', after: '11' };
    const [shown] = await preview(id, { ...given, version: 2 });
    expect([shown.kept, shown.changes.map((one: { field: string }) => one.field)]).toEqual([
      [conflict],
      ['phone_required'],
    ]);
    const second = await push('agency', id, { ...given, version: 2 });
    expect((await pushed(second)).data[0]).toMatchObject({ state: 'pushed', kept: [conflict] });
    expect(await show(mine)).toMatchObject({ LimitLead: 3, phoneenabled: 'T' });
    // It stays a conflict.
    expect((await preview(id, { ...given, version: 2 }))[0].kept).toEqual([conflict]);
    await push('agency', id, { ...given, version: 2, overwrite: true });
    expect(await show(mine)).toMatchObject({ LimitLead: 11 });
  });

  test('a push obeys the rules of an edit: no negative margin, no price below the minimum, and the rest goes on', async () => {
    await call('root', 'PUT', '/configuration/setting', {
      companyID: agency.id,
      comsetname: 'costagency',
      comsetval: { local: { Prepaid: { LeadspeekCostperlead: '1.50' } } },
    });
    const cheap = await app.make.campaign(clients[0]!, { price: 1_000_000n });
    const fair = await app.make.campaign(clients[1]!, { price: 2_000_000n, dailyCap: 4 });
    const id = await make({ source_id: cheap.id, fields: ['lead_price'] });
    const target_ids = ids([fair]);
    const refusal = 'The change would make the margin negative: a lead would cost you more than its price.';
    expect((await preview(id, { target_ids }))[0]).toMatchObject({ refusal });
    const pushId = await push('agency', id, { target_ids });
    expect((await pushed(pushId)).data[0]).toMatchObject({ state: 'refused', reason: refusal });
    expect((await pushed(pushId)).push.state).toBe('done');
    expect(await show(fair)).toMatchObject({ CostSet: '2.00', status: 'active', LimitLead: 4 });
    // By hand, the agency may: it sees what it does.
    await edit('agency', fair, { CostSet: '1.00' });
    // A client's minimum, which its limit must not be below.
    const low = await app.make.campaign(clients[2]!, { dailyCap: 2, price: 2_000_000n });
    const high = await app.make.campaign(clients[3]!, { dailyCap: 20, price: 2_000_000n });
    await edit('agency', high, { enableMinimumLimitLeads: 'T', minimumLimitLeads: 10 });
    const limits = await make({ source_id: low.id, fields: ['daily_cap'] });
    const third = await push('agency', limits, { target_ids: ids([high, fair]) });
    expect((await pushed(third)).data).toMatchObject([
      { state: 'pushed' },
      { state: 'refused', reason: 'daily_cap: must be at least 10' },
    ]);
    expect(await show(high)).toMatchObject({ LimitLead: 20 });
  });

  test('automatic purchases are never turned on, and prices that they cost need a confirmed identity', async () => {
    const source = await app.make.campaign(clients[0]!, {
      price: 4_000_000n,
      costs: { topup: 'continual', leads_buy: 10 },
    });
    const target = await app.make.campaign(clients[1]!, { price: 2_000_000n });
    const id = await make({ source_id: source.id, fields: ['lead_price'] });
    const old = await app.oldSession('agency@x.test', 'acme.test');
    const refused = await app.call('POST', `/api/templates/${id}/pushes`, {
      host: 'acme.test',
      token: old,
      body: { version: 1, target_ids: [target.id] },
    });
    expect([refused.status, Object.keys(refused.body.errors ?? {})]).toEqual([403, ['confirm']]);
    tokens.agency = await app.signIn('agency@x.test', 'acme.test');
    tokens.client = await app.signIn('client@x.test', 'acme.test');
    tokens.root = await app.signIn('root@x.test', 'root.test');
    const before = await money();
    await push('agency', id, { target_ids: [target.id] });
    expect(await show(target)).toMatchObject({
      CostSet: '4.00',
      topupoptions: 'onetime',
      PaymentTerm: 'Prepaid',
    });
    expect(await money()).toEqual(before);
  });

  test('a staged push does the first client, waits, and goes on or stops; an interrupted one does nothing twice', async () => {
    const source = await app.make.campaign(clients[0]!, { dailyCap: 13 });
    const all: MadeCampaign[] = [];
    for (const client of [clients[1]!, clients[1]!, clients[2]!, clients[3]!])
      all.push(await app.make.campaign(client, { dailyCap: 1 }));
    const id = await make({ source_id: source.id, fields: ['daily_cap'] });
    const given = { target_ids: ids(all), first_clients: 1 };
    const pushId = await push('agency', id, given);
    expect((await pushed(pushId)).push).toMatchObject({ state: 'paused', stage: 1, stages: 2 });
    expect(await states(pushId)).toEqual(['pushed', 'pushed', 'waiting', 'waiting']);
    const busy = await call('agency', 'POST', `/templates/${id}/pushes`, { version: 1, ...given });
    expect([busy.status, busy.body.message]).toEqual([409, expect.stringContaining('under way')]);
    expect((await call('agency', 'DELETE', `/templates/${id}`)).status).toBe(409);

    expect((await call('agency', 'POST', `/template-pushes/${pushId}/continue`)).status).toBe(200);
    // Two workers at once, as after one has lost its heartbeat.
    await Promise.all([run(pushId), run(pushId)]);
    expect(await states(pushId)).toEqual(['pushed', 'pushed', 'pushed', 'pushed']);
    const versions = (await app.admin.query('select version from campaign where id = any($1)', [ids(all)]))
      .rows;
    expect(versions.map((row) => row.version)).toEqual([2, 2, 2, 2]);
    await run(pushId);
    expect((await pushed(pushId)).push.state).toBe('done');

    // Stopped after its first stage: the others are left alone, and what was done can still be rolled back.
    await edit('agency', source, { LimitLead: 17 });
    await call('agency', 'POST', `/templates/${id}/versions`, { source_id: source.id });
    const next = await push('agency', id, {
      ...given,
      version: 2,
      first_clients: undefined,
      first_percent: 34,
    });
    expect(await states(next)).toEqual(['pushed', 'pushed', 'pushed', 'waiting']);
    expect((await call('agency', 'POST', `/template-pushes/${next}/stop`)).status).toBe(200);
    await run(next);
    expect((await show(all[3]!)).LimitLead).toBe(13);
    await call('agency', 'POST', `/template-pushes/${next}/roll-back`);
    await run(next);
    expect(await states(next)).toEqual(['restored', 'restored', 'restored', 'waiting']);
    for (const one of all) expect((await show(one)).LimitLead).toBe(13);
  });

  test('a push stops if whoever started it may not push anymore', async () => {
    const source = await app.make.campaign(clients[0]!, { dailyCap: 21 });
    const target = await app.make.campaign(clients[1]!, { dailyCap: 1 });
    const id = await make({ source_id: source.id, fields: ['daily_cap'] });
    const { body } = await call('agency', 'POST', `/templates/${id}/pushes`, {
      ...{ version: 1, target_ids: [target.id] },
    });
    await app.admin.query('update user_account set disabled_at = now() where id = $1', [agencyUser.id]);
    await run(body.id);
    await app.admin.query('update user_account set disabled_at = null where id = $1', [agencyUser.id]);
    expect((await pushed(body.id)).push.state).toBe('stopped');
    expect((await show(target)).LimitLead).toBe(1);
  });

  test('[BEY-30] a push stops before its next target once whoever started it may not push anymore', async () => {
    const source = await app.make.campaign(clients[0]!, { dailyCap: 22 });
    const all: MadeCampaign[] = [];
    for (const client of [clients[1]!, clients[2]!])
      all.push(await app.make.campaign(client, { dailyCap: 1 }));
    const id = await make({ source_id: source.id, fields: ['daily_cap'] });
    const { body } = await call('agency', 'POST', `/templates/${id}/pushes`, {
      ...{ version: 1, target_ids: ids(all) },
    });
    // Disabled while the first target is changed.
    await app.admin.query(`
      create function disable_author() returns trigger language plpgsql security definer as $$
      begin update user_account set disabled_at = now() where id = '${agencyUser.id}'; return null; end $$;
      create trigger disable_author after update on template_target for each row execute function disable_author()`);
    try {
      await run(body.id);
    } finally {
      await app.admin.query('drop trigger disable_author on template_target; drop function disable_author');
      await app.admin.query('update user_account set disabled_at = null where id = $1', [agencyUser.id]);
    }
    expect((await pushed(body.id)).push.state).toBe('stopped');
    expect(await states(body.id)).toEqual(['pushed', 'waiting']);
  });

  test('[BEY-30] a push does a part of its targets, and others have their turn before the rest', async () => {
    const source = await app.make.campaign(clients[0]!, { dailyCap: 23 });
    const all: MadeCampaign[] = [];
    for (const client of [clients[1]!, clients[2]!, clients[3]!])
      all.push(await app.make.campaign(client, { dailyCap: 1 }));
    tokens.other = await app.signIn('other@x.test', HOSTS.other);
    const theirs = await app.make.campaign(await app.make.client(other), { dailyCap: 5 });
    const rival = await call('other', 'POST', '/templates', {
      ...{ kind: 'campaign', name: 'Theirs', source_id: theirs.id, fields: ['daily_cap'] },
    });
    /** Takes the job that a worker would. */
    const take = async () => {
      const { rows } = await app.admin.query(
        `delete from pgboss.job where id = (
           select id from pgboss.job where name = 'templates.push' and state < 'active'
           order by priority desc, created_on, id limit 1) returning data`,
      );
      return rows[0]?.data as { pushId: string } | undefined;
    };
    while (await take());
    const start = async (who: Who, id: string, targets: MadeCampaign[]): Promise<string> =>
      (await call(who, 'POST', `/templates/${id}/pushes`, { ...{ version: 1, target_ids: ids(targets) } }))
        .body.id;
    const before = { ...PART };
    PART.targets = 2;
    try {
      const mine = [];
      for (let n = 0; n < 2; n++)
        mine.push(
          await start('agency', await make({ source_id: source.id, fields: ['daily_cap'] }), [all[n]!]),
        );
      const many = await start(
        'agency',
        await make({ source_id: source.id, fields: ['daily_cap'], note: 'Many' }),
        all,
      );
      const soon = await start('other', rival.body.id, [theirs]);
      const order: string[] = [];
      for (let job = await take(); job; job = await take()) {
        order.push(job.pushId);
        await run(job.pushId);
      }
      expect(order).toEqual([mine[0], soon, mine[1], many, many]);
      expect(await states(many)).toEqual(['unchanged', 'unchanged', 'pushed']);
      expect((await pushed(many)).push.state).toBe('done');
      // Given to another worker: this one goes no further.
      const id = await make({ source_id: source.id, fields: ['daily_cap'] });
      const cut = await start('agency', id, all);
      await expect(
        app.features.templates.run({ rootId: root.id, pushId: cut }, { signal: AbortSignal.abort() }),
      ).rejects.toThrow();
      expect(await states(cut)).toEqual(['waiting', 'waiting', 'waiting']);
    } finally {
      Object.assign(PART, before);
    }
  });

  test('a template, its targets, and its pushes belong to one company; clients have none', async () => {
    const campaign = await app.make.campaign(clients[0]!, {});
    const id = await make({ source_id: campaign.id });
    const pushId = await push('agency', id, { target_ids: [campaign.id] });
    for (const who of ['other', 'root'] as const) {
      tokens.other = await app.signIn('other@x.test', 'rival.test');
      expect((await call(who, 'GET', `/templates/${id}`)).status).toBe(404);
      expect((await call(who, 'GET', `/template-pushes/${pushId}`)).status).toBe(404);
      expect((await call(who, 'POST', `/template-pushes/${pushId}/roll-back`)).status).toBe(404);
    }
    expect((await call('client', 'GET', '/templates')).status).toBe(403);
    const foreign = await app.make.campaign(await app.make.client(other), {});
    for (const path of ['pushes', 'preview'])
      expect(
        (await call('agency', 'POST', `/templates/${id}/${path}`, { version: 1, target_ids: [foreign.id] }))
          .status,
      ).toBe(404);
    const taken = await call('agency', 'POST', '/templates', {
      ...{ kind: 'campaign', name: 'Theirs', source_id: foreign.id },
    });
    expect(taken.status).toBe(404);
  });

  test('[ROLE-01] a role without campaigns reads no template of campaigns, nor what was pushed', async () => {
    tokens.agency = await app.signIn('agency@x.test', 'acme.test');
    const campaign = await app.make.campaign(clients[2]!, { dailyCap: 5, price: 2_000_000n });
    const id = await make({ source_id: campaign.id, fields: ['lead_price'] });
    const pushId = await push('agency', id, { target_ids: [campaign.id] });
    const modules = ['enable', 'create', 'update', 'delete'].map((one) => [`${one}_permission`, 'T']);
    const role = await call('agency', 'POST', '/configuration/role-module/add', {
      roleName: 'Office',
      roleModule: [{ module_name: 'Settings', ...Object.fromEntries(modules) }],
    });
    const office = await app.make.user(agency, {
      role: 'administrator',
      roleId: role.body.roleID,
      password: PASSWORD,
    });
    const token = await app.signIn(office.email, 'acme.test');
    for (const path of [
      `/templates/${id}`,
      `/templates/${id}/compare?from=1&to=1`,
      `/templates/${id}/targets`,
      `/template-pushes/${pushId}`,
    ])
      expect((await app.call('GET', `/api${path}`, { host: 'acme.test', token })).status).toBe(403);
    expect((await call('agency', 'GET', `/templates/${id}`)).status).toBe(200);
  });

  test('[BEY-31] versions and pushes are limited, since each keeps whole lists of ZIP codes', async () => {
    tokens.agency = await app.signIn('agency@x.test', 'acme.test');
    const campaign = await app.make.campaign(clients[3]!, { dailyCap: 5 });
    const id = await make({ source_id: campaign.id });
    const { most } = BOUNDS.templateVersions;
    Object.assign(BOUNDS.templateVersions, { most: 2 });
    try {
      const add = () => call('agency', 'POST', `/templates/${id}/versions`, { source_id: campaign.id });
      const answers = await Promise.all([add(), add(), add()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    } finally {
      Object.assign(BOUNDS.templateVersions, { most });
    }
    let last = 200;
    for (let i = 0; i < 60 && last === 200; i++) {
      const started = await call('agency', 'POST', `/templates/${id}/pushes`, {
        version: 1,
        target_ids: [campaign.id],
      });
      last = started.status;
      if (last === 200) await run(started.body.id);
    }
    expect(last).toBe(429);
  });
});

describe('[BEY-13] templates of branding', () => {
  test('a root pushes colors and font to its agencies, which keep their name and logo, and rolls them back', async () => {
    const branding = async (who: Who) =>
      (
        await call(
          who,
          'GET',
          `/configuration/setting/${{ root, agency, other, client: agency }[who].id}/branding`,
        )
      ).body.data;
    const save = (who: Who, data: object, given: object) =>
      call(who, 'PUT', '/configuration/setting', {
        comsetname: 'branding',
        comsetval: { ...data, ...given },
      });
    tokens.other = await app.signIn('other@x.test', 'rival.test');
    tokens.agency = await app.signIn('agency@x.test', 'acme.test');
    tokens.root = await app.signIn('root@x.test', 'root.test');
    const before = await branding('agency');
    expect(
      (await save('root', await branding('root'), { link_color: '#112233', font_theme: 'humanist' })).status,
    ).toBe(200);
    const made = await call('root', 'POST', '/templates', {
      kind: 'branding',
      name: 'House',
      source_id: root.id,
    });
    expect([made.status, made.body.message]).toEqual([200, 'The template was created.']);
    const pushId = await push('root', made.body.id, { target_ids: [agency.id, other.id] });
    expect(await states(pushId, 'root')).toEqual(['pushed', 'pushed']);
    expect(await branding('agency')).toMatchObject({
      name: before.name,
      link_color: '#112233',
      font_theme: 'humanist',
    });
    await save('other', await branding('other'), { link_color: '#abcdef' });
    await call('root', 'POST', `/template-pushes/${pushId}/roll-back`);
    await run(pushId);
    expect((await pushed(pushId, 'root')).data).toMatchObject([
      { state: 'restored' },
      {
        state: 'partly',
        undone: [
          { field: 'font_theme', message: 'Restored to Standard' },
          { field: 'link_color', message: 'Left as it is, since it was changed after the push' },
        ],
      },
    ]);
    expect(await branding('agency')).toEqual(before);
    expect(await branding('other')).toMatchObject({ link_color: '#abcdef', font_theme: null });
  });
});
