import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { type Company, type MadeCampaign, md5, sha256 } from '../../../test/factories.ts';
import { createLoads } from './load.ts';
import { MOST_ENTRIES } from './quota.policy.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let sibling: Company;
let campaign: MadeCampaign;
const tokens: Record<string, string> = {};
const HOST = 'lists.test';
const ROOT = 'lists-root.test';

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: ROOT });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  sibling = await app.make.client(agency);
  campaign = await app.make.campaign(client);
  for (const [name, company, host] of [
    ['root', root, ROOT],
    ['agency', agency, HOST],
    ['client', client, HOST],
    ['sibling', sibling, HOST],
  ] as const) {
    const { id, email } = await app.make.user(company, { password: PASSWORD });
    if (name !== 'root') await app.make.setUp(company, id);
    tokens[name] = await app.signIn(email, host);
  }
});
afterAll(() => app.close());

type Body = Record<string, never> & {
  message: string;
  errors: Record<string, string[]>;
  data: { id: string; filename: string };
};
interface Answer {
  status: number;
  body: Body;
}
const hostOf = (who: string) => (who === 'root' ? ROOT : HOST);

async function inject(who: string, url: string, payload: Buffer, type: string): Promise<Answer> {
  const answer = await app.server.inject({
    method: 'POST',
    url,
    payload,
    headers: {
      host: hostOf(who),
      'user-agent': 'test',
      authorization: `Bearer ${tokens[who]}`,
      'content-type': type,
    },
  });
  return { status: answer.statusCode, body: answer.json() };
}

/** Sends the form of the specification. */
async function upload(
  content: string | Buffer,
  given: { who?: string; name?: string; fields?: Record<string, string>; company?: Company } = {},
): Promise<Answer> {
  const form = new FormData();
  const fields = { ClientCompanyID: (given.company ?? client).id, campaigntype: 'client', ...given.fields };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('clientoptoutfile', new File([content as string], given.name ?? 'Opt Outs.csv'));
  const request = new Response(form);
  return inject(
    given.who ?? 'client',
    '/api/tools/optout-client/upload',
    Buffer.from(await request.arrayBuffer()),
    request.headers.get('content-type')!,
  );
}
const get = async (who: string, url: string) =>
  app.call('GET', url, { host: hostOf(who), token: tokens[who]! });
const post = async (who: string, url: string, body: unknown = {}) =>
  app.call('POST', url, { host: hostOf(who), token: tokens[who]!, body });
const load = (id: string) => app.features.exclusions.loads.load({ rootId: root.id, listId: id });
const clear = (id: string) => app.features.exclusions.loads.clear({ rootId: root.id, listId: id });
const entriesOf = async (id: string): Promise<number> =>
  Number((await app.admin.query('select count(*) as n from exclusion where list_id = $1', [id])).rows[0].n);
const badOf = async (id: string) =>
  (
    await app.admin.query(
      'select line::int, reason, value from exclusion_error where list_id = $1 order by line',
      [id],
    )
  ).rows;
const files = () => {
  const folder = join(app.platform.config.dataDir, 'files/exclusions');
  return existsSync(folder) ? readdirSync(folder) : [];
};
/** Returns what lists say about addresses to a company, and at which level. */
const verdict = (emails: string[], owners = [root.id, agency.id, client.id, campaign.id]) =>
  inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.features.exclusions.check(
      tx,
      emails.map((email) => ({
        owners,
        sha256: [Buffer.from(sha256(email), 'hex')],
        md5: [Buffer.from(md5(email), 'hex')],
        phones: [],
        emails: [email],
      })),
    ),
  );

/** Uploads and loads a list, and returns the result. */
async function loaded(content: string | Buffer, given: Parameters<typeof upload>[1] = {}) {
  const { status, body } = await upload(content, given);
  expect([status, body.message]).toEqual([200, 'Your Suppression file has been Submitted, Thank you!']);
  const row = (await load(body.data.id))!;
  return {
    id: row.id,
    state: row.state,
    error: row.error,
    read: Number(row.rows_read),
    added: Number(row.rows_added),
    same: Number(row.rows_same),
    bad: Number(row.rows_bad),
  };
}

describe('[EXCL-01] the upload of a client', () => {
  test('addresses, plain or as MD5, exclude; the rest is reported with line, reason and value', async () => {
    const { id, ...sums } = await loaded(
      `email\nada@one.example\n${md5('bob@one.example')}\n\nnot an address\nADA@one.example\n${sha256('x')}\n+15045550100\nacme.example\n`,
    );
    expect(sums).toEqual({ state: 'active', error: null, read: 7, added: 2, same: 1, bad: 4 });
    const reason = 'is not an email address or an MD5 hash of one';
    expect(await badOf(id)).toEqual([
      { line: 5, reason, value: 'not an address' },
      { line: 7, reason, value: sha256('x') },
      { line: 8, reason, value: '+15045550100' },
      { line: 9, reason, value: 'acme.example' },
    ]);
    expect(
      await verdict(['ada@one.example', 'bob@one.example', 'eve@one.example', 'x@acme.example']),
    ).toEqual(['excluded', 'excluded', 'clear', 'clear']);
    expect(files()).toEqual([]);
    const report = await get('client', `/api/exclusions/lists/${id}`);
    expect(report.body).toMatchObject({
      list: { filename: 'opt_outs.csv', campaignType: 'client', state: 'active', emails: 2, rows_bad: 4 },
      bad: [{ line: 5, value: 'not an address' }, {}, {}, {}],
    });
  });

  test('CSV only, by its exact message', async () => {
    for (const name of ['list.xlsx', 'list', 'list.csv.exe']) {
      const { status, body } = await upload('a@b.example\n', { name });
      expect([name, status, body.message, body.errors]).toEqual([
        name,
        422,
        'Invalid file format. This upload only supports CSV files.',
        { clientoptoutfile: ['Invalid file format. This upload only supports CSV files.'] },
      ]);
    }
  });

  test('10,000 records are taken; with 10,001 nothing is, and the lists of before stay', async () => {
    const before = await loaded('kept@ten.example\n');
    const rows = (count: number) => Array.from({ length: count }, (_, i) => `p${i}@ten.example\r\n`).join('');
    const { status, body } = await upload(rows(10_001));
    expect([status, body.message, body.errors.clientoptoutfile]).toEqual([
      422,
      'Whoops that did not work, please check your file for errors and try again',
      ['The file has more than 10,000 records. Nothing from the file was imported.'],
    ]);
    expect(files()).toEqual([]);
    expect(await verdict(['kept@ten.example', 'p0@ten.example'])).toEqual(['excluded', 'clear']);
    expect(await entriesOf(before.id)).toBe(2);
    // A line of column names does not count.
    expect(await loaded(`Email Address\n${rows(10_000)}`)).toMatchObject({
      read: 10_000,
      added: 10_000,
      bad: 0,
    });
  });

  test.each<[string, string | Buffer, RegExp]>([
    ['an empty file', '', /empty/],
    ['blank lines', '\n\r\n\n', /no records/],
    ['a line of names alone', 'email\n', /no records/],
    ['bytes that are no text', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0, 1, 2, 0xc3]), /UTF-8/],
    [
      'an open quotation',
      `a@b.example\n"never closed\n${'c@d.example\n'.repeat(50)}`,
      /Line 2: .*Nothing from the file/,
    ],
    ['UTF-16 that is cut off', Buffer.from('fffe61004000d8', 'hex'), /UTF-16/],
    ['more than 8 MB', Buffer.alloc(8 * 1024 * 1024 + 1, 'a'), /8 MB/],
  ])('%s is refused as a whole', async (_, content, rule) => {
    const { status, body } = await upload(content);
    expect([422, 413]).toContain(status);
    expect(body.message).toBe('Whoops that did not work, please check your file for errors and try again');
    expect(body.errors.clientoptoutfile?.join()).toMatch(rule);
    expect(files()).toEqual([]);
  });

  test.each<[string, string | Buffer, object]>([
    ['a byte order mark and CRLF', '\ufeffemail\r\nbom@odd.example\r\n', { read: 1, added: 1, bad: 0 }],
    [
      'UTF-16',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('email\r\nwide@odd.example\r\n', 'utf16le')]),
      { read: 1, added: 1, bad: 0 },
    ],
    ['quotations', '"quoted@odd.example"\n"a, b"\n', { read: 2, added: 1, bad: 1 }],
    ['formulas', '=1+1\n=HYPERLINK("x")\n@SUM(A1)\nfine@odd.example\n', { read: 4, added: 1, bad: 3 }],
    ['NUL bytes', 'a\0@odd.example\nnul@odd.example\n', { read: 2, added: 1, bad: 1 }],
    [
      'line ends of CR alone',
      'one@odd.example\rtwo@odd.example\nthree@odd.example\n',
      { read: 2, added: 1, bad: 1 },
    ],
    [
      '100,000 columns',
      `${','.repeat(100_000)}\nx,y${',z'.repeat(100_000)}\nmany@odd.example\n`,
      { read: 3, added: 1, bad: 2 },
    ],
    [
      'a line of 5 MB',
      `${'x'.repeat(5_000_000)}@odd.example\nlong@odd.example\n`,
      { read: 2, added: 1, bad: 1 },
    ],
    [
      'the same row over and over',
      'same@odd.example\n'.repeat(500),
      { read: 500, added: 1, same: 499, bad: 0 },
    ],
    [
      'hashes of every kind',
      `${md5('h1@odd.example')}\n${md5('h2@odd.example').toUpperCase()}\n${'a'.repeat(40)}\n${'b'.repeat(64)}\n`,
      { read: 4, added: 2, bad: 2 },
    ],
  ])('%s: what can be read is taken, what cannot is reported', async (_, content, sums) => {
    expect(await loaded(content)).toMatchObject({ state: 'active', ...sums });
  });

  test('strings that break programs are bad rows with their line, and nothing else', async () => {
    const naughty = [
      'undefined',
      'null',
      'NaN',
      '-1',
      '1/0',
      '0xffffffffffffffff',
      '\u200b',
      '\u202eeta.live@kcab',
      'a\u0000b@x.example',
      '😀@😀.example',
      "'; drop table exclusion; --",
      '" or ""="',
      '<script>alert(1)</script>',
      '#{7*7}{{7*7}}',
      '../../etc/passwd',
      'C:\\con\\nul',
      '%s%n%x',
      '@@@',
      '@',
      'a@',
      '@b.example',
      'a@b',
      'a@b@c.example',
      'a b@c.example',
      'a@-b.example',
      'a@b..example',
      `${'a'.repeat(65)}@b.example`,
      `a@${'b'.repeat(260)}.example`,
      'ﷺ',
      'Ω≈ç√∫˜µ≤≥÷',
      '٠١٢٣٤٥٦٧٨٩',
      'd41d8cd98f00b204e9800998ecf8427',
      'd41d8cd98f00b204e9800998ecf8427e0',
      'ｄ41d8cd98f00b204e9800998ecf8427e',
    ];
    const quoted = naughty.map((text) => `"${text.replaceAll('"', '""')}"`);
    const list = await loaded(`email\n${quoted.join('\n')}\ngood@naughty.example\n`);
    const lines = (await badOf(list.id)).map((row) => row.line);
    expect(naughty.filter((_, i) => !lines.includes(i + 2))).toEqual([]);
    expect(list).toMatchObject({ state: 'active', added: 1, bad: naughty.length });
    expect(await verdict(['good@naughty.example'])).toEqual(['excluded']);
  });

  test.each([
    '../../../etc/passwd.csv',
    '..\\..\\boot.csv',
    '.csv',
    '\u202evsc.csv',
    'con.csv',
    `${'x'.repeat(5000)}.csv`,
    'a b\tc.CSV',
    'naïve 😀.csv',
  ])('a file called %j is kept by a name that is none of its doing', async (name) => {
    const { status, body } = await upload('a@name.example\n', { name });
    expect(status).toBe(200);
    expect(body.data.filename).toMatch(/^[a-z0-9_.-]{1,200}$/);
    expect(files()).toContain(`${body.data.id}.csv`);
    await load(body.data.id);
  });

  test('a file without one entry fails, and leaves nothing but its report', async () => {
    const list = await loaded('nothing\nat all\n');
    expect(list).toMatchObject({ state: 'failed', error: 'No row in the file has an entry.', bad: 2 });
    expect(await badOf(list.id)).toHaveLength(2);
  });

  test('what is no such form is refused by field', async () => {
    const cases: [Record<string, string>, number, string | null][] = [
      [{ ClientCompanyID: 'x' }, 422, 'ClientCompanyID'],
      [{ ClientCompanyID: '' }, 422, 'ClientCompanyID'],
      [{ campaigntype: 'root' }, 422, 'campaigntype'],
      [{ campaigntype: 'campaign' }, 422, 'leadspeekID'],
      [{ campaigntype: 'campaign', leadspeekID: '1' }, 422, 'leadspeekID'],
    ];
    for (const [fields, status, field] of cases) {
      const answer = await upload('a@b.example\n', { fields });
      expect([fields, answer.status, Object.keys(answer.body.errors)]).toEqual([fields, status, [field]]);
    }
    const bare = await inject(
      'client',
      '/api/tools/optout-client/upload',
      Buffer.from('{}'),
      'application/json',
    );
    expect(bare.status).toBe(400);
    const form = new Response(new URLSearchParams({ ClientCompanyID: client.id }));
    expect(
      (
        await inject(
          'client',
          '/api/tools/optout-client/upload',
          Buffer.from(await form.arrayBuffer()),
          'multipart/form-data; boundary=x',
        )
      ).status,
    ).toBe(400);
  });

  test("another tenant's ids are not found, and nothing is kept", async () => {
    const other = await app.make.campaign(sibling);
    for (const given of [
      { company: sibling },
      { company: agency },
      { fields: { campaigntype: 'campaign', leadspeekID: other.id } },
      { who: 'agency', fields: { campaigntype: 'campaign', leadspeekID: other.id } }, // not of this client
      { who: 'sibling' },
    ]) {
      expect([given, (await upload('a@b.example\n', given)).status]).toEqual([given, 404]);
    }
    expect(files()).toEqual([]);
  });
});

describe('[BEY-08] lists of every level and kind', () => {
  const raw = (who: string, level: string, id: string, content: string, name = 'list.csv') =>
    inject(
      who,
      `/api/exclusions/upload?campaigntype=${level}&paramID=${id}&file_name=${name}`,
      Buffer.from(content),
      'text/csv',
    );

  test('by SHA-256, phone and domain, for an agency, a client and a campaign, each for its own alone', async () => {
    const { agency_id } = campaign.owner;
    for (const [level, id] of [
      ['agency', agency_id],
      ['client', client.id],
      ['campaign', campaign.id],
    ] as const) {
      const { status, body } = await raw(
        'agency',
        level,
        id,
        `email,phone,domain\n${sha256(`${level}@kinds.example`)},,\n,504-555-0199,\n,,@${level}-kinds.example\n`,
      );
      expect([level, status]).toEqual([level, 200]);
      expect(await load(body.data.id)).toMatchObject({
        state: 'active',
        rows_added: 3n,
        emails: 1n,
        phones: 1n,
        domains: 1n,
      });
      const emails = [`${level}@kinds.example`, `x@${level}-kinds.example`, `x@sub.${level}-kinds.example`];
      expect(await verdict(emails, [id])).toEqual(['excluded', 'excluded', 'excluded']);
      expect(await verdict(emails, [sibling.id])).toEqual(['clear', 'clear', 'clear']);
    }
  });

  test('phone numbers are read for the country that is given', async () => {
    const content = '020 7946 0111\n20 7946 0112\n';
    const file = 'list.csv&country=gb';
    const { body } = await raw('agency', 'client', client.id, content, file);
    expect(body.data).toMatchObject({ country: 'GB' });
    expect(await load(body.data.id)).toMatchObject({ state: 'active', phones: 2n, rows_bad: 0n });
    const wrong = await raw('agency', 'client', client.id, content, 'list.csv&country=XX');
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      { country: ['is not a country with phone numbers'] },
    ]);
  });

  test('a client does not reach the list of its agency, nor anyone that of another', async () => {
    expect((await raw('client', 'agency', agency.id, 'a@b.example\n')).status).toBe(404);
    expect((await raw('client', 'client', sibling.id, 'a@b.example\n')).status).toBe(404);
    expect((await raw('client', 'client', client.id, 'a@b.example\n', 'a.txt')).body.message).toBe(
      'Invalid file format. This upload only supports CSV files.',
    );
    const { body } = await raw('agency', 'agency', agency.id, 'a@b.example\n');
    for (const who of ['client', 'sibling']) {
      expect((await get(who, `/api/exclusions/lists/${body.data.id}`)).status).toBe(404);
      expect((await post(who, `/api/exclusions/lists/${body.data.id}/undo`)).status).toBe(404);
      expect((await get(who, `/api/exclusions/lists?campaignType=agency&paramID=${agency.id}`)).status).toBe(
        404,
      );
    }
    expect((await get('agency', `/api/exclusions/lists?campaignType=root&paramID=${root.id}`)).status).toBe(
      404,
    );
    expect((await get('root', `/api/exclusions/lists?campaignType=agency&paramID=${agency.id}`)).status).toBe(
      200,
    );
  });

  test('undo takes back one list and leaves the other, even where both exclude the same person', async () => {
    const first = await loaded('both@undo.example\nfirst@undo.example\n');
    const second = await loaded('both@undo.example\n');
    const emails = ['both@undo.example', 'first@undo.example'];
    expect((await post('client', `/api/exclusions/lists/${first.id}/undo`)).body.message).toBe(
      'List undone. It no longer excludes anyone.',
    );
    // Immediately, before anything is deleted.
    expect(await entriesOf(first.id)).toBe(4);
    expect(await verdict(emails)).toEqual(['excluded', 'clear']);
    expect((await post('client', `/api/exclusions/lists/${first.id}/undo`)).status).toBe(409);
    await clear(first.id);
    await clear(first.id);
    expect([await entriesOf(first.id), await entriesOf(second.id)]).toEqual([0, 2]);
    // A list in force is never cleared.
    await clear(second.id);
    expect(await verdict(emails)).toEqual(['excluded', 'clear']);
  });
});

describe('[EXCL-02] [EXCL-06] progress', () => {
  test('filename, percentage, current_row and total_row while it runs; then what became of it', async () => {
    app.clock.advance(1000);
    const url = `/api/leadspeek/suppressionlist/progress?companyId=${campaign.id}&campaignType=campaign`;
    const { body } = await upload(Array.from({ length: 100 }, (_, i) => `s${i}@step.example\n`).join(''), {
      name: 'Steps of 100.csv',
      fields: { campaigntype: 'campaign', leadspeekID: campaign.id },
    });
    const { id } = body.data;
    const at = async () =>
      (await get('client', url)).body as Record<'jobProgress' | 'jobDone', Record<string, unknown>[]>;
    const job = { id, filename: 'steps_of_100.csv', total_row: 100 };
    expect((await at()).jobProgress).toEqual([{ ...job, percentage: 0, current_row: 0 }]);
    const loads = createLoads(app.platform, { audit: app.features.audit }, { rows: 40, bytes: 1e9 });
    const seen: unknown[] = [];
    // Stopped in the middle, as by a worker that dies, it resumes where it was.
    const steps = { count: 0 };
    const died = loads.load(
      { rootId: root.id, listId: id },
      {
        progress: () => {
          if (++steps.count === 1) throw new Error('died');
        },
      },
    );
    await expect(died).rejects.toThrow('died');
    seen.push((await at()).jobProgress);
    expect(seen).toEqual([[{ ...job, percentage: 40, current_row: 40 }]]);
    expect(await verdict(['s0@step.example'], [campaign.id])).toEqual(['clear']); // whole or not at all
    await loads.load({ rootId: root.id, listId: id });
    const done = await at();
    expect(done.jobProgress).toEqual([]);
    expect(done.jobDone[0]).toMatchObject({
      id,
      state: 'active',
      rows_read: 100,
      entries_added: 100,
      rows_bad: 0,
    });
    expect(await entriesOf(id)).toBe(200);
    expect(await verdict(['s0@step.example', 's99@step.example'], [campaign.id])).toEqual([
      'excluded',
      'excluded',
    ]);
    // Loading it once more changes nothing.
    await loads.load({ rootId: root.id, listId: id });
    expect(await entriesOf(id)).toBe(200);
    expect(
      (await get('client', `/api/leadspeek/suppressionlist/progress?companyId=${client.id}`)).body
        .jobProgress,
    ).toEqual([]);
  });

  test('two workers on one list make it once', async () => {
    const content = Array.from({ length: 300 }, (_, i) => `w${i}@two.example\n`).join('');
    const { body } = await upload(content);
    const loads = createLoads(app.platform, { audit: app.features.audit }, { rows: 20, bytes: 1e9 });
    const which = { rootId: root.id, listId: body.data.id };
    await Promise.all([loads.load(which), loads.load(which)]);
    const row = (await loads.load(which))!;
    expect([row.state, row.rows_read, row.rows_added, row.rows_same]).toEqual(['active', 300n, 300n, 0n]);
    expect(await entriesOf(row.id)).toBe(600);
  });
});

describe('[EXCL-03] purge', () => {
  test('takes all lists of the company away, those under way too, and no other', async () => {
    const own = await app.make.client(agency);
    const first = await loaded('one@purge.example\ntwo@purge.example\n', { who: 'agency', company: own });
    const other = await loaded('one@purge.example\n', { who: 'agency', company: sibling });
    const { body: waiting } = await upload('three@purge.example\n', { who: 'agency', company: own });
    const purge = (who: string) =>
      post(who, '/api/leadspeek/suppressionlist/purge', { paramID: own.id, campaignType: 'client' });
    expect((await purge('client')).status).toBe(404);
    expect((await purge('agency')).body).toEqual({
      result: 'success',
      title: 'Records purged',
      msg: 'Purged 2 entries from 2 lists.',
    });
    expect(await verdict(['one@purge.example', 'two@purge.example'], [own.id])).toEqual(['clear', 'clear']);
    expect(await verdict(['one@purge.example'], [sibling.id])).toEqual(['excluded']);
    // A list that was waiting when it was purged never comes into force.
    expect((await load(waiting.data.id))!.state).toBe('removed');
    await clear(first.id);
    await clear(waiting.data.id);
    expect([await entriesOf(first.id), await entriesOf(waiting.data.id), await entriesOf(other.id)]).toEqual([
      0, 0, 2,
    ]);
    expect(files()).not.toContain(`${waiting.data.id}.csv`);
    expect((await purge('agency')).body.msg).toBe('There were no records to purge.');
  });
});

describe("[EXCL-04] the root's list", () => {
  test('excludes for every agency, client and campaign of the root, and for no other root', async () => {
    const send = (who: string, content: string) =>
      inject(who, '/api/tools/optout/upload?file_name=Root%20List.csv', Buffer.from(content), 'text/csv');
    for (const who of ['agency', 'client']) {
      expect([who, (await send(who, 'x@y.example\n')).status]).toEqual([who, 403]);
      expect([who, (await post(who, '/api/tools/optout/purge')).status]).toEqual([who, 403]);
    }
    const { body } = await send('root', `gone@root.example\n+15045550111\n`);
    expect(body.data.filename).toBe('root_list.csv');
    await load(body.data.id);
    const otherRoot = await app.make.root();
    expect(await verdict(['gone@root.example'])).toEqual(['excluded']);
    const elsewhere = await inScope(app.platform.db.app, { rootId: otherRoot.id }, (tx) =>
      app.features.exclusions.check(tx, [
        // Even when asked with the first root's id.
        {
          owners: [otherRoot.id, root.id],
          sha256: [Buffer.from(sha256('gone@root.example'), 'hex')],
          md5: [],
          phones: ['+15045550111'],
          emails: [],
        },
      ]),
    );
    expect(elsewhere).toEqual(['clear']);
    // A client's scope does not see the list, but still gets its verdict.
    const scope = { rootId: root.id, agencyId: agency.id, companyId: client.id };
    const asClient = await inScope(app.platform.db.app, scope, async (tx) => ({
      rows: await tx.selectFrom('exclusion').select('kind').where('owner_id', '=', root.id).execute(),
      verdicts: await app.features.exclusions.check(tx, [
        {
          owners: [root.id],
          sha256: [],
          md5: [Buffer.from(md5('gone@root.example'), 'hex')],
          phones: [],
          emails: [],
        },
      ]),
    }));
    expect(asClient).toEqual({ rows: [], verdicts: ['excluded'] });
    expect((await post('root', '/api/tools/optout/purge')).body).toMatchObject({
      result: 'success',
      title: 'Records purged',
    });
    expect(await verdict(['gone@root.example'])).toEqual(['clear']);
  });

  test('more than 10,000 rows, in batches, with duplicates across them', async () => {
    const rows = Array.from({ length: 25_000 }, (_, i) => `n${i % 20_000}@many.example\n`);
    const { body } = await inject(
      'root',
      '/api/tools/optout/upload?file_name=many.csv',
      Buffer.from(rows.join('')),
      'text/csv',
    );
    const loads = createLoads(app.platform, { audit: app.features.audit }, { rows: 7_000, bytes: 1e9 });
    const row = (await loads.load({ rootId: root.id, listId: body.data.id }))!;
    expect([row.state, row.rows_read, row.rows_added, row.rows_same]).toEqual([
      'active',
      25_000n,
      20_000n,
      5_000n,
    ]);
    expect(await entriesOf(row.id)).toBe(40_000);
    await post('root', `/api/exclusions/lists/${row.id}/undo`);
    await clear(row.id);
    expect(await entriesOf(row.id)).toBe(0);
  });
});

describe('[BEY-31] how many entries there may be', () => {
  const usual = { ...MOST_ENTRIES };
  afterEach(() => void Object.assign(MOST_ENTRIES, usual));
  const rows = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => `p${from + i}@quota.example\n`).join('');
  /** Its own agency with a client, and a way to upload as either. */
  async function stage(isSetUp: boolean) {
    const host = `quota${isSetUp ? '' : '-new'}.test`;
    const made = await app.make.agency(root, { host });
    const below = await app.make.client(made);
    const user = await app.make.user(made, { password: PASSWORD });
    if (isSetUp) await app.make.setUp(made, user.id);
    const token = await app.signIn(user.email, host);
    return {
      client: below,
      async send(company: Company, content: string) {
        const level = company === made ? 'agency' : 'client';
        const answer = await app.server.inject({
          method: 'POST',
          url: `/api/exclusions/upload?file_name=x.csv&campaigntype=${level}&paramID=${company.id}`,
          payload: content,
          headers: { host, authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
        });
        const body = answer.json() as Body;
        return { status: answer.statusCode, rule: body.errors?.file?.[0] ?? '', id: body.data?.id };
      },
      agency: made,
      purge: (id: string) => app.call('POST', `/api/exclusions/lists/${id}/undo`, { host, token, body: {} }),
    };
  }

  test('a company that has not completed its setup: ten thousand in all, with its clients, bad rows too', async () => {
    MOST_ENTRIES.newcomer = 10;
    const { agency: made, client: below, send, purge } = await stage(false);
    const first = await send(below, rows(6));
    expect(first.status).toBe(200);
    const over = await send(made, rows(5));
    expect([over.status, over.rule]).toEqual([
      422,
      'would exceed the limit of 10 entries until setup is complete. Complete the setup, or purge lists first',
    ]);
    // The bad rows of a list that failed are kept as well.
    const bad = await send(made, 'nothing\nat all\nof that\n');
    expect((await load(bad.id!))?.state).toBe('failed');
    expect((await send(made, rows(2))).status).toBe(422);
    await purge(first.id!);
    expect((await send(made, rows(2))).status).toBe(200);
  });

  test('a client, an agency with its clients and a system have theirs, also when many files come at once', async () => {
    Object.assign(MOST_ENTRIES, { client: 10, agency: 25 });
    const { agency: made, client: below, send } = await stage(true);
    const all = await Promise.all([1, 2, 3].map((n) => send(below, rows(4, n * 100))));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 422]);
    expect(all.find(({ status }) => status === 422)!.rule).toBe(
      'would exceed the limit of 10 entries per client. Purge lists first',
    );
    expect((await send(made, rows(10, 1000))).status).toBe(200);
    expect((await send(made, rows(10, 2000))).rule).toBe(
      'would exceed the limit of 25 entries per agency with its clients. Purge lists first',
    );
    const second = await app.make.client(made);
    expect((await send(second, rows(9))).rule).toContain('25 entries per agency');
    MOST_ENTRIES.root = 1;
    expect((await send(second, rows(1))).rule).toContain('1 entries per system');
  });

  test('a list that becomes longer than its file has lines fails as a whole', async () => {
    MOST_ENTRIES.agency = 1_000_000;
    MOST_ENTRIES.client = 5;
    const own = await app.make.client(agency);
    const { id } = (
      await inject(
        'agency',
        `/api/exclusions/upload?file_name=x.csv&campaigntype=client&paramID=${own.id}`,
        Buffer.from(
          'email,phone,domain\na@q.example,2025550123,q.example\nb@q.example,2025550124,r.example\n',
        ),
        'text/csv',
      )
    ).body.data;
    const row = (await load(id))!;
    expect([row.state, row.error]).toEqual([
      'failed',
      'The list would exceed the limit of 5 entries per client. Purge lists first.',
    ]);
    await clear(id);
    expect(await entriesOf(id)).toBe(0);
  });
});

describe('who cannot be compared', () => {
  const one = (given: object) => ({
    owners: [client.id],
    sha256: [],
    md5: [],
    phones: [],
    emails: [],
    ...given,
  });
  const check = (identity: object) =>
    inScope(
      app.platform.db.app,
      { rootId: root.id },
      async (tx) => (await app.features.exclusions.check(tx, [one(identity)]))[0],
    );

  test('one hash on one side, only the other on the other, or SHA-1 alone', async () => {
    const own = await app.make.client(agency);
    const hashed = (text: string) => ({
      sha256: [Buffer.from(sha256(text), 'hex')],
      md5: [Buffer.from(md5(text), 'hex')],
    });
    const sha1 = [Buffer.alloc(20, 7)];
    const owners = [own.id];
    expect(await check({ owners, sha1 })).toBe('clear'); // there is nothing to compare with
    await loaded(`${md5('m@hash.example')}\n`, { who: 'agency', company: own });
    const known = hashed('somebody@hash.example');
    expect(await check({ owners, ...known })).toBe('clear');
    expect(await check({ owners, sha256: known.sha256 })).toBe('cannot_compare');
    expect(await check({ owners, md5: known.md5 })).toBe('clear');
    // A second address that is known only by its SHA-256.
    expect(await check({ owners, md5: known.md5, sha256: [...known.sha256, Buffer.alloc(32, 1)] })).toBe(
      'cannot_compare',
    );
    expect(await check({ owners, sha1 })).toBe('cannot_compare');
    expect(await check({ owners, ...known, sha1 })).toBe('clear');
    expect(await check({ owners, ...hashed('m@hash.example') })).toBe('excluded');
    // A visit's own hash excludes, but is no reason to refuse someone else.
    expect(await check({ owners, ...known, seen: { kind: 3, value: hashed('m@hash.example').md5[0] } })).toBe(
      'excluded',
    );
    expect(await check({ owners, ...known, seen: { kind: 1, value: Buffer.alloc(32, 9) } })).toBe('clear');
    expect(await check({ owners, phones: ['+15045550100'] })).toBe('clear');
  });
});
