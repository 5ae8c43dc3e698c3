import { connect } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEntry } from '../features/audience/exclusions/policy.ts';
import { BOUNDS, type BoundName } from '../platform/db/bounds.ts';
import { inScope } from '../platform/db/scope.ts';
import { type TestApp, testApp } from './app.ts';
import type { Company, MadeCampaign } from './factories.ts';

/** What a hostile or careless caller sends: every response is a refusal that names the field, never a 500. */

let app: TestApp;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let webhook: string;
let token: string;
let rootToken: string;
const host = 'acme.test';
const fields = { campaignName: 'Abuse', urlCode: 'https://shop.example/' };

beforeAll(async () => {
  app = await testApp({ start: true });
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  agency = await app.make.agency(root, { host });
  client = await app.make.client(agency);
  campaign = await app.make.campaign(client, { price: 1_000_000n, balance: 5_000_000n });
  const user = await app.make.user(agency, { password: 'correct horse battery' });
  token = await app.signIn(user.email, host);
  const owner = await app.make.user(root, { password: 'correct horse battery' });
  rootToken = await app.signIn(owner.email, 'root.test');
  const made = await ask('POST', '/api/integrations/custom', {
    leadspeekID: campaign.id,
    url: 'https://hooks.example.com/x',
  });
  webhook = (made.body as { data: { id: string } }).data.id;
});
afterAll(() => app.close());

const ask = (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown) =>
  app.call(method, url, { host, token, ...(body === undefined ? {} : { body }) });

/** How many connections wait for a lock. */
const waiting = async () =>
  (
    await app.admin.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rowCount;

/** Waits until everything triggered by a campaign's start has finished, so that it waits for no lock itself. */
const started = (id: string) =>
  expect
    .poll(
      async () =>
        (await app.admin.query('select count(*)::int as n from campaign_fee where campaign_id = $1', [id]))
          .rows[0].n,
      { timeout: 10_000 },
    )
    .toBe(2);

/** Sends raw bytes and returns what comes back until the connection closes. */
const raw = (text: string): Promise<string> =>
  new Promise((done, fail) => {
    const socket = connect(app.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (part) => {
      answer += part.toString();
    });
    socket.on('close', () => done(answer));
    socket.on('error', fail);
  });

describe('texts that the database cannot keep', () => {
  const create = '/api/leadspeek/client/create';
  const texts: [string, string][] = [
    ['a NUL', 'a\0b'],
    ['half a surrogate pair', 'a\ud83db'],
  ];
  const places: [field: string, url: string, body: (text: string) => object][] = [
    ['campaignName', create, (t) => ({ ...fields, campaignName: t })],
    ['urlCode', create, (t) => ({ ...fields, urlCode: `https://shop.example/${t}` })],
    ['urlCodeThankyou', create, (t) => ({ ...fields, urlCodeThankyou: `https://shop.example/${t}` })],
    ['url', '/api/integrations/custom', (t) => ({ leadspeekID: campaign.id, url: `https://h.example/${t}` })],
    [
      'idempotencyKey',
      '/api/leadspeek/client/topup',
      (t) => ({ leadspeekID: campaign.id, amount: '1.00', idempotencyKey: `12345678${t}` }),
    ],
    ['path', '/api/general/download-token', (t) => ({ path: `/api/${t}` })],
    ['password', '/api/login', (t) => ({ username: 'a@b.test', password: t })],
  ];
  for (const [what, text] of texts) {
    test.each(places)(`are refused by name: ${what} in %s`, async (field, url, body) => {
      const { status, body: answer } = await ask('POST', url, { companyID: client.id, ...body(text) });
      expect(status).toBe(422);
      expect(Object.keys(answer.errors as object)).toEqual([field]);
    });
  }

  test.each([
    '/api/leadspeek/client/list',
    '/api/leadspeek/report/lead',
    '/api/configuration/client/list',
    'log',
  ])('are refused by name: a NUL in the search of %s', async (path) => {
    const url = path === 'log' ? `/api/integrations/custom/${webhook}/deliveries` : path;
    const { status, body } = await ask('GET', `${url}?searchQuery=a%00b`);
    expect(status).toBe(422);
    expect(body.errors).toHaveProperty('searchQuery');
  });

  test('are refused in the filter of an export before its first byte', async () => {
    const path = '/api/leadspeek/report/lead/export?searchQuery=a%00b';
    const { body } = await ask('POST', '/api/general/download-token', { path });
    const answer = await app.call('GET', body.url as string, { host });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toHaveProperty('searchQuery');
  });

  test('are a bad request where no schema stands before them (a site key)', async () => {
    const { status } = await app.call('POST', '/v', { body: { k: 'a\0b', e: [{}] } });
    expect(status).toBe(400);
  });
});

describe('values out of range', () => {
  test('a version beyond what the database counts to', async () => {
    const { status, body } = await ask('PUT', '/api/leadspeek/client/update', {
      ...fields,
      leadspeekID: campaign.id,
      version: 3_000_000_000,
    });
    expect(status).toBe(422);
    expect(body.errors).toHaveProperty('version');
  });

  test.each([
    ['POST', '/api/leadspeek/client/create', 'startDate'],
    ['GET', '/api/dashboard?endDate=0000-01-01', 'endDate'],
    ['GET', '/api/leadspeek/report/lead?startDate=0000-01-01', 'startDate'],
  ] as const)('the year 0: %s %s', async (method, url, field) => {
    const given = { ...fields, companyID: client.id, startDate: '0000-01-01' };
    const { status, body } = await ask(method, url, method === 'POST' ? given : undefined);
    expect(status).toBe(422);
    expect(body.errors).toHaveProperty(field);
  });

  test('an address with a line break in it', async () => {
    const { status, body } = await ask('POST', '/api/leadspeek/client/create', {
      ...fields,
      companyID: client.id,
      urlCode: 'https://exa\nmple.com/',
    });
    expect(status).toBe(422);
    expect(body.errors).toHaveProperty('urlCode');
  });
});

test('a line of an exclusion list that is longer than any address is not looked at closely', () => {
  expect(readEntry(`a@${'b.'.repeat(120)}example`, 'all')).not.toBeTypeOf('string');
  expect(readEntry(`a@${'b.'.repeat(200)}example`, 'all')).toBe('is longer than 320 characters');
});

describe('money', () => {
  const topUp = (id: string, amount: string, idempotencyKey: string) =>
    ask('POST', '/api/leadspeek/client/topup', { leadspeekID: id, amount, idempotencyKey });

  test('a key that comes again with another amount is refused, with the same amount it changes nothing', async () => {
    const { id } = await app.make.campaign(client, { price: 1_000_000n });
    expect((await topUp(id, '10.00', 'key-once-1')).body.balance_micros).toBe(10_000_000);
    expect((await topUp(id, '10', 'key-once-1')).body.balance_micros).toBe(10_000_000);
    const other = await topUp(id, '99.00', 'key-once-1');
    expect(other.status).toBe(409);
    expect(other.body.errors).toHaveProperty('idempotencyKey');
    expect((await ask('GET', `/api/leadspeek/getcampaign/${id}`)).body.balance_micros).toBe(10_000_000);
  });

  test('a balance stays small enough to be shown exactly, so that no list of campaigns can be broken by one', async () => {
    const { id } = await app.make.campaign(client, { price: 1_000_000n });
    expect((await topUp(id, '999999999.99', 'key-huge-1')).status).toBe(200);
    const second = await topUp(id, '1.00', 'key-huge-2');
    expect(second.status).toBe(422);
    expect(second.body.errors).toHaveProperty('amount');
    expect((await ask('GET', '/api/leadspeek/client/list')).status).toBe(200);
  });

  test('top-ups wait for whoever holds the campaign, so that one which is being paused goes on again', async () => {
    const { id, owner } = await app.make.campaign(client, { price: 1_000_000n });
    await started(id);
    const { db, clock } = app.platform;
    let adding: ReturnType<typeof topUp> | undefined;
    await inScope(db.app, { rootId: owner.root_id }, async (tx) => {
      const [row] = await app.features.campaigns.lock(tx, [id]);
      adding = app.outside(() => topUp(id, '5.00', 'key-while-paused'));
      await expect.poll(waiting).toBe(1);
      await app.features.campaigns.stop(tx, row!, 'balance_empty', clock.now());
    });
    expect((await adding!).status).toBe(200);
    expect((await ask('GET', `/api/leadspeek/getcampaign/${id}`)).body).toMatchObject({
      status: 'active',
      balance_micros: 5_000_000,
    });
  });

  test('more campaigns are created at once than there are connections', async () => {
    const made = await Promise.all(
      Array.from({ length: 40 }, () =>
        ask('POST', '/api/leadspeek/client/create', { ...fields, companyID: client.id }),
      ),
    );
    expect(made.map((one) => one.status)).toEqual(Array(40).fill(200));
  });

  test('a removed campaign does not come back by a pause that was decided before', async () => {
    const { id, owner } = await app.make.campaign(client);
    await started(id);
    let pausing: ReturnType<typeof ask> | undefined;
    await inScope(app.platform.db.app, { rootId: owner.root_id }, async (tx) => {
      await app.features.campaigns.lock(tx, [id]);
      const paused = { leadspeekID: id, status: 'paused' };
      pausing = app.outside(() => ask('POST', '/api/leadspeek/client/activepause', paused));
      await expect.poll(waiting).toBe(1);
      await tx.updateTable('campaign').set({ state: 'removed' }).where('id', '=', id).execute();
    });
    expect((await pausing!).status).toBe(404);
    expect((await ask('GET', `/api/leadspeek/getcampaign/${id}`)).status).toBe(404);
  });
});

describe('[BEY-31] what one login can make is bounded, also in a burst', () => {
  let serial = 0;
  const send = (isRoot: boolean, url: string, body: object | string) =>
    app.server.inject({
      method: 'POST',
      url,
      headers: {
        host: isRoot ? 'root.test' : host,
        authorization: `Bearer ${isRoot ? rootToken : token}`,
        'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
      },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const company = () => ({
    companyID: agency.id,
    userType: 'client',
    ClientCompanyName: `Bound ${++serial}`,
    ClientFullName: 'Bea Bound',
    ClientEmail: `bound${serial}@people.test`,
    ClientPhone: '2125550123',
    ClientPhoneCountryCode: 'US',
    ClientPhoneCountryCallingCode: '+1',
  });
  const kinds: [name: BoundName, field: string, isRoot: boolean, url: string, body: () => object | string][] =
    [
      [
        'campaigns',
        'companyID',
        false,
        '/api/leadspeek/client/create',
        () => ({ ...fields, companyID: client.id }),
      ],
      [
        'groups',
        'group_name',
        false,
        '/api/leadspeek/company-group',
        () => ({ group_name: `G ${++serial}` }),
      ],
      [
        'roles',
        'roleName',
        false,
        '/api/configuration/role-module/add',
        () => ({ companyID: agency.id, roleName: `R ${++serial}`, roleModule: [] }),
      ],
      ['clients', 'ClientCompanyName', false, '/api/configuration/user/create', company],
      [
        'agencies',
        'ClientCompanyName',
        true,
        '/api/configuration/user/create',
        () => ({
          ...company(),
          companyID: agency.root_id,
          userType: 'userdownline',
          DownlineSubDomain: `bound-${serial}`,
        }),
      ],
      [
        'people',
        'ClientEmail',
        false,
        '/api/configuration/user/create',
        () => ({ ...company(), userType: 'administrator' }),
      ],
      [
        'lists',
        'file',
        false,
        '/api/exclusions/upload?campaigntype=client&file_name=m.csv&paramID=',
        () => 'a@b.example\n',
      ],
      [
        'coupons',
        'coupon_code',
        true,
        '/api/configuration/coupon',
        () => ({ coupon_code: `B-${++serial}`, percent: '10' }),
      ],
      [
        'plans',
        'planName',
        true,
        '/api/general/minimum-spend-config',
        () => ({ planName: `P ${++serial}`, months: ['100'], flatMonth: '349' }),
      ],
      [
        'waitingImports',
        'file_name',
        true,
        '/api/identity/imports?file_name=m.csv',
        () => 'email\na@b.example\n',
      ],
    ];

  /** Lets a holder have `more` of a kind than now while `work` runs. */
  async function within<T>(
    name: BoundName,
    holder: string,
    more: number,
    work: () => Promise<T>,
  ): Promise<T> {
    const bound = BOUNDS[name];
    const { most } = bound;
    const { rows } = await inScope(app.platform.db.app, { rootId: agency.root_id }, (tx) =>
      sql<{ n: number }>`select count(*)::int as n from ${bound.rows(holder)}`.execute(tx),
    );
    bound.most = Math.max(0, rows[0]!.n + more);
    try {
      return await work();
    } finally {
      bound.most = most;
    }
  }
  const holderOf = (name: BoundName, isRoot: boolean) =>
    isRoot ? agency.root_id : ['campaigns', 'lists'].includes(name) ? client.id : agency.id;

  test.each(kinds)('%s', async (name, field, isRoot, url, body) => {
    // Three at once: no company has more uploads in progress.
    const answers = await within(name, holderOf(name, isRoot), 2, async () => {
      const burst = () =>
        Promise.all(
          Array.from({ length: 3 }, () => send(isRoot, url.replace(/paramID=$/, `$&${client.id}`), body())),
        );
      return [...(await burst()), ...(await burst())];
    });
    const refused = answers.filter((one) => one.statusCode !== 200);
    expect(refused.map((one) => [one.statusCode, one.json().errors])).toEqual(
      Array(4).fill([422, { [field]: [expect.stringContaining(BOUNDS[name].what)] }]),
    );
  });

  test('a copy of a campaign counts, and what waits to be worked off', async () => {
    const copy = await within('campaigns', client.id, 0, () =>
      send(false, '/api/leadspeek/client/duplicate', { leadspeekID: campaign.id }),
    );
    expect([copy.statusCode, Object.keys(copy.json().errors)]).toEqual([422, ['company_id']]);
    const upload = `/api/exclusions/upload?campaigntype=campaign&paramID=${campaign.id}&file_name=m.csv`;
    const list = await within('waitingLists', client.id, -1000, () => send(false, upload, 'a@b.example\n'));
    expect([list.statusCode, Object.keys(list.json().errors)]).toEqual([422, ['file']]);
    const count = await within('waitingCounts', client.id, -1000, () =>
      send(false, '/api/bigdbm/services/queuecount', {
        companyID: client.id,
        target_location: 'National Targeting',
        keyword: 'shoes',
      }),
    );
    expect([count.statusCode, Object.keys(count.json().errors)]).toEqual([422, ['companyID']]);
  });

  test('logins at once leave no more sessions than one person may have', async () => {
    const person = await app.make.user(client, { password: 'correct horse battery' });
    const { rows } = await app.admin.query(
      `insert into session (id, root_id, agency_id, company_id, user_id, rotated_at, created_at, expires_at, host, ip, user_agent)
       select gen_random_uuid(), root_id, agency_id, company_id, id, $2::timestamptz, $2, $2::timestamptz + interval '1 day', $3, '10.0.0.1', 'x'
       from user_account, generate_series(1, 49) where id = $1 returning id`,
      [person.id, app.clock.now(), host],
    );
    expect(rows).toHaveLength(49);
    await Promise.all(Array.from({ length: 3 }, () => app.signIn(person.email, host)));
    const live = await app.admin.query(
      'select 1 from session where user_id = $1 and revoked_at is null and expires_at > $2',
      [person.id, app.clock.now()],
    );
    expect(live.rowCount).toBe(50);
  });
});

describe('downloads', () => {
  const path = '/api/leadspeek/report/lead/export';
  const link = async () => (await ask('POST', '/api/general/download-token', { path })).body.url as string;

  test('a token given twice is no token', async () => {
    const url = await link();
    expect((await app.call('GET', `${url}&token=x`, { host })).status).toBe(401);
    expect((await app.call('GET', url, { host })).status).toBe(200);
  });

  test('asking for the headers alone does not use up the link', async () => {
    const url = await link();
    await app.server.inject({ method: 'HEAD', url, headers: { host } });
    expect((await app.call('GET', url, { host })).status).toBe(200);
  });

  test('a link of someone who has been disabled since is void', async () => {
    const user = await app.make.user(agency, { password: 'correct horse battery' });
    const theirs = await app.signIn(user.email, host);
    const { body } = await app.call('POST', '/api/general/download-token', {
      host,
      token: theirs,
      body: { path },
    });
    await app.admin.query('update user_account set disabled_at = now() where id = $1', [user.id]);
    expect((await app.call('GET', body.url as string, { host })).status).toBe(401);
  });
});

describe('requests out of the ordinary', () => {
  test('a path that cannot be decoded is told like every other refusal', async () => {
    const answer = await raw(`GET /api/%zz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({
      result: 'failed',
      errors: {},
      requestId: expect.any(String),
    });
  });

  test.each([
    'acme.test:99999',
    'acme.test:x',
    'x@acme.test',
    'acme.test, root.test',
    '[::1]',
    'evil.test',
    '',
  ])('the host "%s" is nobody’s: 421', async (wrong) => {
    const { status } = await app.call('GET', '/api/general/domain-info', { host: wrong });
    expect(status).toBe(421);
  });

  test('a forwarded host, address or scheme is not believed', async () => {
    const { body } = await app.call('GET', '/api/general/domain-info', {
      host,
      headers: {
        'x-forwarded-host': 'root.test',
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '1.2.3.4',
      },
    });
    expect(body.company_id).toBe(agency.id);
    // Neither in what is stored nor in what is counted: a different address per attempt does not get around the limit.
    const user = await app.make.user(agency, { password: 'correct horse battery' });
    let tries = 0;
    const login = (password: string) =>
      app.call('POST', '/api/login', {
        host,
        body: { username: user.email, password },
        headers: { 'x-forwarded-for': `203.0.113.${++tries}`, 'x-real-ip': `203.0.113.${tries}` },
      });
    expect((await login('correct horse battery')).status).toBe(200);
    const { rows } = await app.admin.query('select host(ip) as ip from session where user_id = $1', [
      user.id,
    ]);
    expect(rows).toEqual([{ ip: '127.0.0.1' }]);
    const answers: number[] = [];
    for (let i = 0; i < 8; i++) answers.push((await login('wrong horse battery')).status);
    expect(answers.at(-1)).not.toBe(401);
  });

  test('an address with an IPv6 zone is written down without it', async () => {
    const user = await app.make.user(agency, { password: 'correct horse battery' });
    const response = await app.server.inject({
      method: 'POST',
      url: '/api/login',
      remoteAddress: 'fe80::1%eth0',
      headers: { host, 'content-type': 'application/json' },
      payload: JSON.stringify({ username: user.email, password: 'correct horse battery' }),
    });
    expect(response.statusCode).toBe(200);
    const { rows } = await app.admin.query('select host(ip) as ip from session where user_id = $1', [
      user.id,
    ]);
    expect(rows).toEqual([{ ip: 'fe80::1' }]);
  });

  test.each([
    ['null', 422],
    ['[]', 400],
    ['"text"', 400],
    ['5', 400],
    ['{', 400],
    ['{"__proto__":{"x":1}}', 400],
    ['{"constructor":{"prototype":{"x":1}}}', 400],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 400],
    [`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 400],
    [`{"a":"${'x'.repeat(1024 * 1024)}"}`, 413],
  ])('the body %.40s', async (payload, expected) => {
    const response = await app.server.inject({
      method: 'POST',
      url: '/api/login',
      headers: { host, 'content-type': 'application/json' },
      payload,
    });
    expect(response.statusCode).toBe(expected);
    expect(response.json()).toMatchObject({ result: 'failed', requestId: expect.any(String) });
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a form of another site cannot sign anybody in: %s is 415',
    async (type) => {
      const response = await app.server.inject({
        method: 'POST',
        url: '/api/login',
        headers: { host, 'content-type': type, origin: 'https://evil.example' },
        payload: '{"username":"a@b.test","password":"x"}',
      });
      expect(response.statusCode).toBe(415);
    },
  );

  test('no answer of the API is open to other origins', async () => {
    const headers = { origin: 'https://evil.example' };
    for (const url of ['/api/general/domain-info', '/api/keys', '/api/user', '/api/nope', '/api']) {
      const answer = await app.call('GET', url, { host, token, headers });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.headers['x-request-id']).toBeDefined();
    }
  });
});
