import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Company, type MadeCampaign, md5, sha256 } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let token: string;
const USD = 1_000_000n;
const HOST = 'acme.test';

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
  await app.make.leadCost(agency, 900_000n);
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  token = await app.signIn('client@x.test', HOST);
});
afterAll(() => app.close());

const known = async (more = {}) => {
  const person = app.make.person(more);
  await app.make.people(root, [person]);
  return person;
};
const resolve = () => app.features.leads.resolver.resolveAll();
const leadsOf = async (campaign: MadeCampaign) =>
  (
    await app.admin.query(
      'select l.*, x.email, x.phone from lead l join lead_contact x on x.lead_id = l.id where l.campaign_id = $1 order by l.id',
      [campaign.id],
    )
  ).rows;
const outcomes = async (campaign: MadeCampaign): Promise<string[]> =>
  (
    await app.admin.query('select outcome from visit where campaign_id = $1 order by received_at, event_id', [
      campaign.id,
    ])
  ).rows.map((r) => r.outcome);
const exclude = (
  owner: Company | MadeCampaign,
  level: 'root' | 'agency' | 'client' | 'campaign',
  lines: string[],
) =>
  inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.features.exclusions.addList(
      tx,
      {
        owner:
          'owner' in owner
            ? owner.owner
            : { root_id: owner.root_id, agency_id: owner.agency_id, company_id: owner.id },
        ownerId: owner.id,
        level,
        name: 'x',
        lines,
      },
      app.clock.now(),
    ),
  );

describe('a visit becomes a lead', () => {
  test('[BEY-27] a number on a do-not-call list is delivered only where the campaign asks for it', async () => {
    const person = { ...app.make.person(), phone2: '+15048451427' };
    const only = app.make.person();
    await app.make.people(root, [
      { ...person, phone_dnc: 'Y,N' },
      { ...only, phone_dnc: 'Y' },
    ]);
    const given = { price: 2n * USD, balance: 10n * USD };
    const asking = await app.make.campaign(await app.make.client(agency), { ...given, dnc_phones: true });
    const plain = await app.make.campaign(client, given);
    const needy = await app.make.campaign(await app.make.client(agency), { ...given, phone_required: true });
    for (const campaign of [asking, plain, needy])
      for (const { email } of [person, only]) await app.make.visit(campaign, { email });
    await resolve();
    const told = async (campaign: MadeCampaign) =>
      (
        await app.admin.query(
          `select x.phone, x.phone2, x.phone_dnc, x.phone2_dnc, x.phones_withheld from lead_contact x
           where x.campaign_id = $1 order by x.email = $2 desc`,
          [campaign.id, person.email],
        )
      ).rows.map(Object.values);
    expect(await told(asking)).toEqual([
      [person.phone, person.phone2, true, false, 0],
      [only.phone, null, true, false, 0],
    ]);
    expect(await told(plain)).toEqual([
      [person.phone2, null, false, false, 1],
      [null, null, false, false, 1],
    ]);
    expect(await told(needy)).toEqual([[person.phone2, null, false, false, 1]]);
    expect((await outcomes(needy)).sort()).toEqual(['lead', 'phone_missing']);
    const [lead] = await leadsOf(plain);
    const { body } = await app.call('GET', `/api/leadspeek/report/lead/${lead.id}`, { host: HOST, token });
    expect(body).toMatchObject({ phones_withheld: 1, phone_dnc: false, phone2_dnc: false });
  });

  test('[BEY-27] a mark that comes after the sale is shown with its date in detail, list, export and message', async () => {
    const person = { ...app.make.person(), phone2: '+15048451428' };
    await app.make.people(root, [person]);
    const own = await app.make.client(agency);
    const campaign = await app.make.campaign(own, { price: 2n * USD, balance: 10n * USD });
    await app.make.user(own, { email: 'marks@x.test', password: PASSWORD });
    await app.make.visit(campaign, { email: person.email });
    await resolve();
    const mine = await app.signIn('marks@x.test', HOST);
    const get = async (path: string) => (await app.call('GET', path, { host: HOST, token: mine })).body;
    const [lead] = await leadsOf(campaign);
    const seen = async () => {
      const list = (await get(`/api/leadspeek/report/lead?leadspeekID=${campaign.id}`))
        .data as unknown as object[];
      const detail = await get(`/api/leadspeek/report/lead/${lead.id}`);
      const token = await app.call('POST', '/api/general/download-token', {
        host: HOST,
        token: mine,
        body: { path: `/api/leadspeek/report/lead/export?leadspeekID=${campaign.id}` },
      });
      const file = await app.server.inject({
        url: token.body.url as unknown as string,
        headers: { host: HOST },
      });
      const message = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.leads.message(tx, [lead.id]),
      );
      const [head = [], cells = []] = file.body
        .replace('\uFEFF', '')
        .split('\r\n')
        .map((line) => line.split(','));
      return {
        list: list[0],
        detail,
        cell: cells[head.indexOf('Phone 2 Do Not Call')],
        person: message.get(lead.id)?.person,
      };
    };
    expect(await seen()).toMatchObject({
      list: { phone: person.phone, phone_dnc: false, phone_dnc_at: null },
      detail: { phone2: person.phone2, phone2_dnc: false, phone2_dnc_at: null },
      cell: '',
      person: { phone2_dnc: false, phone2_dnc_at: null },
    });
    const at = app.clock.now().toISOString();
    await app.make.people(root, [{ ...person, phone_dnc: 'Y,Y' }]);
    const marked = { phone_dnc: true, phone_dnc_at: at };
    expect(await seen()).toMatchObject({
      list: { phone: person.phone, ...marked },
      detail: { phone2: person.phone2, ...marked, phone2_dnc: true, phone2_dnc_at: at },
      cell: at.slice(0, 10),
      person: { phone: person.phone, ...marked, phone2_dnc_at: at },
    });
    // Another root's marks belong to that root only.
    const other = await app.make.root({ host: 'marks.test' });
    await app.admin.query('update do_not_call set root_id = $1, company_id = $1 where phone = $2', [
      other.id,
      person.phone2,
    ]);
    expect(await seen()).toMatchObject({ detail: { ...marked, phone2_dnc: false, phone2_dnc_at: null } });
  });

  test('[BEY-27] a number comes with when and by what it was compared with do-not-call lists, on every way out', async () => {
    const campaign = await app.make.campaign(client, { price: 1n * USD, balance: 10n * USD });
    const person = { ...app.make.person(), phone: '+15045550171', phone2: '+15045550172' };
    await app.make.people(root, [{ ...person, phone_dnc: 'N' }]);
    await app.admin.query(`delete from phone_scrub where phone = '+15045550172'`);
    await app.admin.query(
      `update phone_scrub set source = 'import: secret.csv' where phone = '+15045550171'`,
    );
    await app.make.visit(campaign, { email: person.email });
    await resolve();
    const at = app.clock.now().toISOString();
    const [lead] = await leadsOf(campaign);
    const get = async (path: string) => (await app.call('GET', path, { host: HOST, token })).body as never;
    const scrubbed = { phone_dnc: false, phone_scrubbed_at: at, phone2_scrubbed_at: null };
    const by = { phone_scrub_source: 'import', phone2_scrub_source: null };
    expect(await get(`/api/leadspeek/report/lead/${lead!.id}`)).toMatchObject({ ...scrubbed, ...by });
    const message = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.leads.message(tx, [lead!.id]),
    );
    expect(message.get(lead!.id)!.person).toMatchObject({ ...scrubbed, ...by });
    const link = await app.call('POST', '/api/general/download-token', {
      host: HOST,
      token,
      body: { path: `/api/leadspeek/report/lead/export?leadspeekID=${campaign.id}` },
    });
    const file = await app.server.inject({ url: link.body.url as never, headers: { host: HOST } });
    const [head = [], cells = []] = file.body
      .replace('\uFEFF', '')
      .split('\r\n')
      .map((line) => line.split(','));
    expect(
      ['Phone Scrubbed', 'Phone Scrub Source', 'Phone 2 Scrubbed'].map((name) => cells[head.indexOf(name)]),
    ).toEqual([at.slice(0, 10), 'import', '']);
  });

  test('[RUN-04] recognized, priced on both sides, told to the features above, in one transaction', async () => {
    const campaign = await app.make.campaign(client, { price: 2n * USD, balance: 10n * USD });
    const person = await known();
    await app.make.visit(campaign, {
      email: person.email,
      url: 'https://shop.example.com/tents',
      referrer: 'https://search.example/',
    });
    await app.make.visit(campaign, {});
    expect(await resolve()).toBe(2);
    expect((await outcomes(campaign)).sort()).toEqual(['lead', 'unmatched']);
    const [lead] = await leadsOf(campaign);
    expect(lead).toMatchObject({
      match_kind: 1,
      confidence: 98,
      price_micros: 2n * USD,
      cost_micros: 900_000n,
      email: person.email,
    });
    const { rows: entries } = await app.admin.query(
      `select a.kind, e.amount from entry e join account a on a.id = e.account_id where transfer_id = $1 order by line`,
      [lead.transfer_id],
    );
    expect(entries).toEqual([
      { kind: 'client_prepaid', amount: -2n * USD },
      { kind: 'agency_revenue', amount: 2n * USD },
      { kind: 'agency_payable', amount: -900_000n },
      { kind: 'root_revenue', amount: 900_000n },
    ]);
    const { body } = await app.call('GET', `/api/leadspeek/report/lead/${lead.id}`, { host: HOST, token });
    expect(body).toMatchObject({
      email: person.email,
      match_type: 'email_sha256',
      page_url: 'https://shop.example.com/tents',
      price_micros: 2_000_000,
      evidence: [{ key: 'email_sha256', people: 1 }],
    });
    expect(JSON.stringify(body)).not.toContain('cost');
    const { body: dashboard } = await app.call('GET', `/api/dashboard?leadspeekID=${campaign.id}`, {
      host: HOST,
      token,
    });
    expect(dashboard.totals).toEqual({
      visits: 2,
      matched: 1,
      leads: 1,
      spend_micros: 2_000_000,
      found: 0,
      found_leads: 0,
    });
    expect(dashboard.waterfall).toEqual([{ reason: 'unmatched', count: 1, of: 'visits' }]);
  });

  test('a visitor recognized once is recognized by the browser afterward', async () => {
    const campaign = await app.make.campaign(client, { reidentify: '1_week' });
    const person = await known();
    const visitorId = newId(app.clock.now());
    await app.make.visit(campaign, { email: person.email, visitorId });
    await resolve();
    app.clock.advance(8 * 86_400_000);
    await app.features.visits.keepPartitions(20);
    await app.make.visit(campaign, { visitorId });
    await resolve();
    const leads = await leadsOf(campaign);
    expect(leads.map((l) => l.match_kind)).toEqual([1, 4]);
    expect(leads[1].person_id).toBe(leads[0].person_id);
  });

  test('[BEY-30] what a site says of a browser or an address is believed by its own client alone', async () => {
    const own = await app.make.campaign(client, { min_confidence: 0 });
    const same = await app.make.campaign(client, { min_confidence: 0, reidentify: '1_week' });
    const foreign = await app.make.campaign(await app.make.client(agency), { min_confidence: 0 });
    const person = await known();
    const seen = { visitorId: newId(app.clock.now()), ip: '73.12.13.14' };
    await app.make.visit(own, { email: person.email, ...seen });
    await resolve();
    for (const campaign of [same, foreign]) await app.make.visit(campaign, seen);
    // Nor by sending another client's key as a visitor id.
    const { rows } = await app.admin.query(
      `select encode(value, 'hex') as value from identity_key where root_id = $1 and kind = 4 and source = 'visit' order by seen_at desc limit 1`,
      [root.id],
    );
    const visitorId = rows[0].value.slice(0, 32).replace(/(.{8})(.{4})(.{4})(.{4})(.*)/, '$1-$2-$3-$4-$5');
    await app.make.visit(foreign, { visitorId });
    await resolve();
    expect(await outcomes(same)).toEqual(['duplicate']);
    expect(await outcomes(foreign)).toEqual(['unmatched', 'unmatched']);
  });

  test('[IDEN-04] a privacy signal is honored before anything is looked up or kept', async () => {
    const campaign = await app.make.campaign(client);
    const person = await known();
    await app.make.visit(campaign, { email: person.email, visitorId: newId(app.clock.now()), gpc: true });
    await resolve();
    expect(await outcomes(campaign)).toEqual(['privacy_signal']);
    const { rows } = await app.admin.query(
      'select hash, visitor_id, ip, person_id from visit where campaign_id = $1',
      [campaign.id],
    );
    expect(rows).toEqual([{ hash: null, visitor_id: null, ip: null, person_id: null }]);
    expect(await leadsOf(campaign)).toEqual([]);
  });

  test('one person in one batch is one lead, also by two hashes and twice the same event', async () => {
    const campaign = await app.make.campaign(client);
    const person = await known();
    const eventId = newId(app.clock.now());
    await Promise.all([
      app.make.visit(campaign, { email: person.email, eventId }),
      app.make.visit(campaign, { email: person.email, eventId }),
      app.make.visit(campaign, { hash: { m: md5(person.email) } }),
      app.make.visit(campaign, { hash: { h: sha256(person.email).toUpperCase() } }),
    ]);
    await resolve();
    expect((await outcomes(campaign)).sort()).toEqual(['lead', 'seen_recently', 'seen_recently']);
    expect(await leadsOf(campaign)).toHaveLength(1);
    await app.make.visit(campaign, { email: person.email, eventId });
    await resolve();
    expect(await leadsOf(campaign)).toHaveLength(1);
  });

  test('a person who is a lead of another campaign of the client is a duplicate there', async () => {
    const [one, two] = [await app.make.campaign(client), await app.make.campaign(client)];
    const elsewhere = await app.make.campaign(await app.make.client(agency));
    const person = await known();
    for (const campaign of [one, two, elsewhere]) await app.make.visit(campaign, { email: person.email });
    await resolve();
    const all = [...(await outcomes(one)), ...(await outcomes(two))].sort();
    expect(all).toEqual(['duplicate', 'lead']);
    expect(await outcomes(elsewhere)).toEqual(['lead']);
  });
});

describe('[EXCL-05] an excluded person is no lead', () => {
  test.each(['root', 'agency', 'client', 'campaign'] as const)(
    'on a list of the %s, by address, hash, phone and domain, whatever the match',
    async (level) => {
      const campaign = await app.make.campaign(client);
      const owner = { root, agency, client, campaign }[level];
      const by = {
        plain: await known(),
        md5: await known(),
        sha256: await known(),
        phone: await known(),
        domain: await known({ email: `someone@${level}-domain.example` }),
      };
      const visitorId = newId(app.clock.now());
      await app.make.visit(campaign, { email: by.plain.email, visitorId });
      await resolve();
      await exclude(owner, level, [
        by.plain.email,
        md5(by.md5.email),
        sha256(by.sha256.email),
        by.phone.phone!,
        `@${level}-domain.example`,
      ]);
      await app.admin.query(`update campaign set reidentify = '1_week' where id = $1`, [campaign.id]);
      app.clock.advance(8 * 86_400_000);
      await app.features.visits.keepPartitions(60);
      await app.make.visit(campaign, { visitorId }); // by the browser alone
      for (const person of Object.values(by)) await app.make.visit(campaign, { email: person.email });
      await resolve();
      expect((await outcomes(campaign)).slice(1).sort()).toEqual(Array(6).fill('excluded'));
      expect(await leadsOf(campaign)).toHaveLength(1);
    },
  );

  test('an identity that cannot be compared with a list is refused', async () => {
    const own = await app.make.client(agency);
    const campaign = await app.make.campaign(own, { email_required: false });
    const email = 'only-sha@hashes.example';
    const { email: _unknown, ...row } = app.make.person();
    await app.make.people(root, [{ ...row, email_sha256: sha256(email) } as never]);
    await exclude(own, 'client', [md5('somebody@else.example')]);
    await app.make.visit(campaign, { email });
    await resolve();
    expect(await outcomes(campaign)).toEqual(['cannot_compare']);
  });
});

describe('money and limits', () => {
  test('the balance ends in the middle of a batch: so many leads as it pays for, then the campaign is paused and says why', async () => {
    token = await app.signIn('client@x.test', HOST);
    const campaign = await app.make.campaign(client, { price: 2n * USD, balance: 7n * USD });
    for (let i = 0; i < 6; i++) await app.make.visit(campaign, { email: (await known()).email });
    await resolve();
    expect((await outcomes(campaign)).sort()).toEqual([
      ...Array(3).fill('balance_empty'),
      ...Array(3).fill('lead'),
    ]);
    const { body } = await app.call('GET', `/api/leadspeek/getcampaign/${campaign.id}`, {
      host: HOST,
      token,
    });
    expect(body).toMatchObject({
      status: 'paused',
      statusReason: 'balance_empty',
      balance_micros: 1_000_000,
    });
    const activate = await app.call('POST', '/api/leadspeek/client/activepause', {
      host: HOST,
      token,
      body: { leadspeekID: campaign.id, status: 'active' },
    });
    expect([activate.status, activate.body.message]).toEqual([
      409,
      'The prepaid balance does not cover another lead. Add to the balance, then activate the campaign again.',
    ]);
    const agencyToken = await app.signIn('agency@x.test', HOST);
    const add = (amount: string, key: string) =>
      app.call('POST', '/api/leadspeek/client/topup', {
        host: HOST,
        token: agencyToken,
        body: { leadspeekID: campaign.id, amount, idempotencyKey: key },
      });
    expect((await add('3.00', 'first-key')).body).toMatchObject({ balance_micros: 4_000_000 });
    expect((await add('3.00', 'first-key')).body).toMatchObject({ balance_micros: 4_000_000 });
    expect(
      (await app.call('GET', `/api/leadspeek/getcampaign/${campaign.id}`, { host: HOST, token })).body,
    ).toMatchObject({ status: 'active', statusReason: null });
    for (const amount of ['-1', '0', '1e3', '1,000', '0.001', 'NaN', '１', '99999999999']) {
      const answer = await add(amount, `bad-key-${amount}`);
      expect([amount, answer.status, Object.keys(answer.body.errors as object)]).toEqual([
        amount,
        422,
        ['amount'],
      ]);
    }
  });

  test('the daily cap holds by the client’s own day', async () => {
    app.clock.advance(new Date('2026-06-10T23:00:00Z').getTime() - app.clock.now().getTime());
    await app.features.visits.keepPartitions(2);
    const campaign = await app.make.campaign(client, { dailyCap: 2 });
    for (let i = 0; i < 3; i++) await app.make.visit(campaign, { email: (await known()).email });
    await resolve();
    app.clock.advance(2 * 3_600_000); // 01:00 UTC: still the same day in Chicago
    await app.make.visit(campaign, { email: (await known()).email });
    await resolve();
    app.clock.advance(5 * 3_600_000); // 06:00 UTC: past midnight in Chicago
    await app.make.visit(campaign, { email: (await known()).email });
    await resolve();
    expect((await outcomes(campaign)).sort()).toEqual(['daily_cap', 'daily_cap', 'lead', 'lead', 'lead']);
  });

  test('two workers on the last cent: exactly one lead', async () => {
    const campaign = await app.make.campaign(client, { price: USD, balance: USD });
    for (let i = 0; i < 8; i++) await app.make.visit(campaign, { email: (await known()).email });
    const batch = app.features.leads.resolver.resolveAll;
    await Promise.all([batch(), batch(), batch()]);
    await resolve();
    expect((await outcomes(campaign)).filter((o) => o === 'lead')).toHaveLength(1);
    expect(await leadsOf(campaign)).toHaveLength(1);
  });
});

describe('[DASH-01] [UX-02] the list of leads', () => {
  test('pages, sorts, searches and filters on the server', async () => {
    const own = await app.make.client(agency, { name: 'List client' });
    await app.make.user(own, { email: 'list@x.test', password: PASSWORD });
    const mine = await app.signIn('list@x.test', HOST);
    const campaign = await app.make.campaign(own);
    const names = ['Abel', 'baker', 'Çelik', "O'Neil", '100%', 'under_score', 'Zoë'];
    for (const [i, last_name] of names.entries()) {
      await app.make.visit(campaign, {
        email: (await known({ last_name, email: `list${i}@q${i}.example` })).email,
      });
      await resolve();
      app.clock.advance(1000);
    }
    const list = (query: string) =>
      app.call('GET', `/api/leadspeek/report/lead?${query}`, { host: HOST, token: mine });
    const first = await list('PerPage=3');
    expect(first.body).toMatchObject({
      current_page: 1,
      last_page: 3,
      per_page: 3,
      total: 7,
      from: 1,
      to: 3,
    });
    expect((first.body.data as unknown as { last_name: string }[]).map((r) => r.last_name)).toEqual([
      'Zoë',
      'under_score',
      '100%',
    ]);
    expect((await list('PerPage=3&Page=3')).body).toMatchObject({ from: 7, to: 7 });
    expect((await list('PerPage=3&Page=9')).body).toMatchObject({ data: [], from: null, to: null, total: 7 });
    const emails = ((await list('sortby=email&order=asc')).body.data as unknown as { email: string }[]).map(
      (r) => r.email,
    );
    expect(emails).toEqual([...emails].sort());
    for (const [text, hits] of [
      ['o%27neil', 1],
      ['100%25', 1],
      ['%25', 1],
      ['under_', 1],
      ['_', 1],
      ['list2@q2', 1],
      ['çel', 1],
      ['nobody', 0],
      ['new orleans', 7],
    ] as const) {
      expect([text, (await list(`searchQuery=${text}`)).body.total]).toEqual([text, hits]);
    }
    const bad = await list('PerPage=101&sortby=price&startDate=yesterday');
    expect(Object.keys(bad.body.errors as object).sort()).toEqual(['PerPage', 'sortby', 'startDate']);
    expect((await list('startDate=2020-01-01&endDate=2020-01-02')).body.total).toBe(0);
  });

  test('pages of a long list are parts of it, and a search finds what is behind a thousand newer hits', async () => {
    const [one, two] = [await app.make.client(agency), await app.make.client(agency)];
    const [many, few] = [await app.make.campaign(one), await app.make.campaign(two)];
    const add = async ({ id, owner }: MadeCampaign, count: number, day: string, first = 'Common') => {
      const values = [owner.root_id, owner.agency_id, owner.company_id, id, count, day, first];
      // Several at the same instant, as a batch creates them.
      await app.admin.query(
        `with made as (
           insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, created_at)
           select gen_random_uuid(), $1, $2, $3, $4, 1, 98, 0, 0, $6::date + interval '18 hours' + (n / 4) * interval '1 second'
           from generate_series(1, $5::int) n returning *)
         insert into lead_contact (lead_id, root_id, agency_id, company_id, campaign_id, created_at, first_name, last_name, email)
         select id, root_id, agency_id, company_id, campaign_id, created_at, $7, 'Name' || substr(id::text, 1, 2), id || '@x.test' from made`,
        values,
      );
    };
    await add(many, 2, '2026-01-05');
    await add(few, 1, '2026-01-06');
    await add(many, 1005, '2026-02-01');
    const signed = await app.signIn('agency@x.test', HOST);
    const list = async (query: string) =>
      (await app.call('GET', `/api/leadspeek/report/lead?${query}`, { host: HOST, token: signed })).body as {
        total: number;
        data: { id: string }[];
      };
    const ids = async (query: string) => (await list(query)).data.map((row) => row.id);

    for (const filter of [
      `companyID=${one.id}`,
      `leadspeekID=${many.id}`,
      `moduleType=local&companyID=${one.id}`,
    ])
      for (const sort of ['created_at', 'last_name', 'email'])
        for (const order of ['asc', 'desc']) {
          const asked = `${filter}&sortby=${sort}&order=${order}`;
          const all: string[] = [];
          for (let page = 1; page <= 11; page++)
            all.push(...(await ids(`${asked}&PerPage=100&Page=${page}`)));
          expect([asked, new Set(all).size]).toEqual([asked, 1007]);
          for (const page of [1, 73, 144])
            expect(await ids(`${asked}&PerPage=7&Page=${page}`)).toEqual(all.slice((page - 1) * 7, page * 7));
          const ordered = await ids(`${asked}&PerPage=100`);
          const other = order === 'asc' ? 'desc' : 'asc';
          const ending = await ids(`${filter}&sortby=${sort}&order=${other}&PerPage=7&Page=144`);
          expect(ending.toReversed()).toEqual(ordered.slice(0, ending.length));
        }

    expect((await list(`companyID=${one.id}&searchQuery=common`)).total).toBe(1000);
    expect((await list(`companyID=${two.id}&searchQuery=common`)).total).toBe(1);
    expect((await list(`leadspeekID=${few.id}&searchQuery=common`)).total).toBe(1);
    for (const sort of ['created_at', 'last_name']) {
      const old = `startDate=2026-01-01&endDate=2026-01-31&sortby=${sort}`;
      expect((await list(`${old}&searchQuery=common&companyID=${one.id}`)).total).toBe(2);
      expect((await list(`${old}&companyID=${one.id}`)).data.length).toBe(2);
    }
    // Found newest first, by trigrams, and first one, then the other.
    const three = await app.make.client(agency);
    const campaign = await app.make.campaign(three);
    await add(campaign, 3, '2026-01-04', 'Sought early');
    await add(campaign, 1200, '2026-02-01');
    await add(campaign, 40, '2026-02-02', 'Sought late');
    const sought = (text: string) => list(`companyID=${three.id}&searchQuery=${text}&PerPage=100`);
    expect([(await sought('common')).total, (await sought('sought')).total]).toEqual([1000, 43]);
    const [early, late, both] = [
      await sought('sought+early'),
      await sought('sought+late'),
      await sought('sought'),
    ];
    expect([early.total, late.total]).toEqual([3, 40]);
    expect(both.data.map((row) => row.id)).toEqual([...late.data, ...early.data].map((row) => row.id));

    expect(await list(`companyID=${one.id}&moduleType=enhance`)).toMatchObject({ total: 0, data: [] });
    const elsewhere = await app.make.agency(root);
    const foreign = await app.make.client(elsewhere);
    await add(await app.make.campaign(foreign), 1, '2026-01-07');
    expect((await list(`companyID=${foreign.id}&searchQuery=common`)).total).toBe(0);
  });

  test('exports what is filtered, and no cell is live in a spreadsheet', async () => {
    const own = await app.make.client(agency);
    await app.make.user(own, { email: 'export@x.test', password: PASSWORD });
    const mine = await app.signIn('export@x.test', HOST);
    const campaign = await app.make.campaign(own);
    const person = await known({
      first_name: '=HYPERLINK("http://evil")',
      last_name: '+cmd|x',
      city: '@SUM(A1)',
      address: '-2+3',
      company_name: 'a "quoted", name',
    });
    await app.make.visit(campaign, { email: person.email });
    await resolve();
    const { body } = await app.call('POST', '/api/general/download-token', {
      host: HOST,
      token: mine,
      body: { path: '/api/leadspeek/report/lead/export?searchQuery=cmd' },
    });
    const file = await app.server.inject({ method: 'GET', url: String(body.url), headers: { host: HOST } });
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename="leads-2026-\d\d-\d\d\.csv"$/);
    const [head, line, end] = file.body.replace(/^\uFEFF/, '').split('\r\n');
    expect(head!.startsWith('Date,Campaign ID,Campaign,Client,First Name')).toBe(true);
    expect(line).toContain(`"'=HYPERLINK(""http://evil"")"`);
    for (const live of ["'+cmd|x", "'@SUM(A1)", "'-2+3", '"a ""quoted"", name"', person.phone!])
      expect(line).toContain(live);
    expect(line).not.toContain(`'${person.phone}`);
    expect(end).toBe('');
  });

  test('[BEY-33] exports the chosen leads in their order, and none of another tenant', async () => {
    const own = await app.make.client(agency);
    await app.make.user(own, { email: 'chosen@x.test', password: PASSWORD });
    const mine = await app.signIn('chosen@x.test', HOST);
    const people: { email?: string | undefined }[] = [];
    for (const company of [own, own, own, await app.make.client(agency)]) {
      const person = await known({});
      await app.make.visit(await app.make.campaign(company), { email: person.email });
      await resolve();
      people.push(person);
    }
    const { rows } = await app.admin.query(
      'select l.id from lead l join lead_contact c on c.lead_id = l.id where c.email = any($1) order by array_position($1, c.email)',
      [people.map(({ email }) => email)],
    );
    const [first, , third, foreign] = rows.map(({ id }) => id);
    const file = async (ids: string) => {
      const { body } = await app.call('POST', '/api/general/download-token', {
        host: HOST,
        token: mine,
        body: { path: `/api/leadspeek/report/lead/export?ids=${ids}` },
      });
      return app.server.inject({ method: 'GET', url: String(body.url), headers: { host: HOST } });
    };
    const { body } = await file([third, foreign, first].join(','));
    expect(
      body
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => people.findIndex(({ email }) => line.includes(email!))),
    ).toEqual([2, 0]);
    expect((await file('x')).statusCode).toBe(422);
    expect((await file(Array(201).fill(first).join(','))).json().errors).toHaveProperty('ids');
  });

  test('exports in the order that the list has, by date or by name, both ways', async () => {
    const own = await app.make.client(agency);
    await app.make.user(own, { email: 'order@x.test', password: PASSWORD });
    const mine = await app.signIn('order@x.test', HOST);
    const campaign = await app.make.campaign(own);
    const people = [];
    for (const last_name of ['Mono', 'Alto', 'Zebra']) {
      const person = await known({ last_name });
      people.push(person);
      await app.make.visit(campaign, { email: person.email });
      await resolve();
    }
    const names = async (query: string) => {
      const { body } = await app.call('POST', '/api/general/download-token', {
        host: HOST,
        token: mine,
        body: { path: `/api/leadspeek/report/lead/export?${query}` },
      });
      const file = await app.server.inject({ method: 'GET', url: String(body.url), headers: { host: HOST } });
      const lines = file.body.trim().split('\r\n').slice(1);
      return lines.map((line) => /Mono|Alto|Zebra/.exec(line)?.[0]);
    };
    const list = async (query: string) => {
      const answer = await app.call('GET', `/api/leadspeek/report/lead?${query}`, {
        host: HOST,
        token: mine,
      });
      return (answer.body.data as { last_name: string }[]).map((row) => row.last_name);
    };
    expect(await names('sortby=last_name&order=asc')).toEqual(['Alto', 'Mono', 'Zebra']);
    expect(await names('sortby=last_name&order=desc')).toEqual(['Zebra', 'Mono', 'Alto']);
    for (const query of [
      'sortby=created_at&order=asc',
      'sortby=created_at&order=desc',
      'sortby=email&order=asc',
    ])
      expect([query, await names(query)]).toEqual([query, await list(query)]);
  });
});
