import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CountryCode } from '../../../platform/countries.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { runs } from '../../../test/runs.ts';
import { createImports, WAITING_BYTES } from './import.service.ts';
import type { PersonField } from './model.ts';

const US_500 = join(import.meta.dirname, '../../../test/data/people-us-500.csv');
const HOST = 'graph.test';

let app: TestApp;
let token: string;
let rootId: string;

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: HOST });
  rootId = root.id;
  await app.make.user(root, { email: 'root@graph.test', password: PASSWORD });
  token = await app.signIn('root@graph.test', HOST);
});
afterAll(() => app.close());

const files = () => app.features.people.files;
const freshRoot = () => newId(app.clock.now());

async function* bytes(content: string | Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}

/** Imports a text into a root's graph and returns the result. */
async function importText(
  content: string | Buffer,
  given: {
    root?: string;
    mapping?: Record<string, PersonField>;
    country?: CountryCode;
    imports?: ReturnType<typeof createImports>;
  } = {},
) {
  const root = given.root ?? freshRoot();
  const imports = given.imports ?? files();
  const { id } = await imports.add(root, 'people.csv', bytes(content));
  await imports.queue(root, id, given.mapping ?? {}, undefined, given.country);
  const row = await imports.run(root, id);
  return { id, root, row: row!, counts: counts(row!) };
}

const counts = (row: NonNullable<Awaited<ReturnType<ReturnType<typeof createImports>['run']>>>) => ({
  state: row.state,
  read: Number(row.rows_read),
  added: Number(row.rows_added),
  changed: Number(row.rows_changed),
  same: Number(row.rows_same),
  bad: Number(row.rows_bad),
  keys: Number(row.keys_added),
});

const peopleOf = async (root: string) =>
  (await app.admin.query(`select * from person where root_id = $1 order by ref`, [root])).rows as Record<
    string,
    unknown
  >[];
const profilesOf = async (root: string) =>
  (
    await app.admin.query(
      `select p.ref, f.* from person_profile f join person p on p.root_id = f.root_id and p.id = f.person_id
       where f.root_id = $1 order by p.ref`,
      [root],
    )
  ).rows as Record<string, unknown>[];
const keysOf = async (root: string) =>
  (
    await app.admin.query(
      `select k.kind, encode(k.value, 'hex') as value, p.ref from identity_key k join person p on p.root_id = k.root_id and p.id = k.person_id
       where k.root_id = $1 order by 1, 2, 3`,
      [root],
    )
  ).rows;
const errorsOf = async (id: string) =>
  (
    await app.admin.query(
      `select line::int, place, field, reason, value from import_error where import_id = $1 order by line, place`,
      [id],
    )
  ).rows;

describe('an import', () => {
  test('[IDEN-01] the 500 people import whole, and a second time nothing changes', async () => {
    const root = freshRoot();
    const text = readFileSync(US_500);
    const first = await importText(text, { root });
    expect(first.counts).toMatchObject({ state: 'done', read: 500, added: 500, changed: 0, same: 0, bad: 0 });
    const people = await peopleOf(root);
    const keys = await keysOf(root);
    expect(people).toHaveLength(500);
    expect(keys).toHaveLength(first.counts.keys);
    expect(people.find((person) => person.email === 'jbutt@gmail.com')).toMatchObject({
      first_name: 'James',
      last_name: 'Butt',
      company_name: 'Benton, John B Jr',
      address: '6649 N Blue Gum St',
      city: 'New Orleans',
      county: 'Orleans',
      state: 'LA',
      zip: '70116',
      phone: '+15046218927',
      phone2: '+15048451427',
      website: 'http://www.bentonjohnbjr.com',
      source: 'import: people.csv',
    });
    const source = parse(text, { columns: true }) as Record<string, string>[];
    expect(new Set(people.map((person) => person.email))).toEqual(
      new Set(source.map((row) => row.email!.toLowerCase())),
    );
    for (const kind of [1, 2, 3]) expect(keys.filter((key) => key.kind === kind)).toHaveLength(500);

    app.clock.advance(60_000);
    const second = await importText(text, { root });
    expect(second.counts).toEqual({
      state: 'done',
      read: 500,
      added: 0,
      changed: 0,
      same: 500,
      bad: 0,
      keys: 0,
    });
    expect(await peopleOf(root)).toEqual(people);
    expect(await keysOf(root)).toEqual(keys);
    expect(readdirSync(join(app.platform.config.dataDir, 'files/imports'))).not.toContain(`${second.id}.csv`);
  });

  test('[IDEN-01] whatever files come in whatever batches, the same file again changes nothing', {
    timeout: 600_000,
  }, async () => {
    const cell = (values: string[]) => fc.constantFrom('', ...values);
    const line = fc.tuple(
      cell(['1', '2']),
      cell(['a@x.example', 'b@x.example', 'bad']),
      cell(['Ann', 'Bob']),
      cell(['Rome', 'Bonn']),
      cell(['504-621-8927']),
      cell(['VP', 'Director']),
      cell(['51 to 200', '250']),
    );
    const file = fc
      .array(line, { minLength: 1, maxLength: 10 })
      .map(
        (rows) =>
          `external id,email,first name,city,phone,seniority level,employee count\n${rows.map((row) => row.join(',')).join('\n')}\n`,
      );
    await fc.assert(
      fc.asyncProperty(file, file, fc.integer({ min: 1, max: 4 }), async (one, other, most) => {
        const small = createImports(app.platform, { rows: most, bytes: 1e6 });
        const root = freshRoot();
        for (const text of [one, other, one]) {
          const { counts: all } = await importText(text, { root, imports: small });
          expect(all.added + all.changed + all.same + all.bad).toBe(all.read);
          app.clock.advance(1000);
        }
        const before = [await peopleOf(root), await keysOf(root), await profilesOf(root)];
        const { counts: again } = await importText(one, { root, imports: small });
        expect(again).toMatchObject({ added: 0, changed: 0, keys: 0 });
        expect([await peopleOf(root), await keysOf(root), await profilesOf(root)]).toEqual(before);
        // The batch size does not affect what is known in the end.
        const large = freshRoot();
        for (const text of [one, other, one]) await importText(text, { root: large });
        const known = (rows: Record<string, unknown>[]) =>
          rows.map(({ ref, email, first_name, city, phone }) => ({ ref, email, first_name, city, phone }));
        expect(known(await peopleOf(large))).toEqual(known(await peopleOf(root)));
        expect(await keysOf(large)).toEqual(await keysOf(root));
        const said = (rows: Record<string, unknown>[]) =>
          rows.map(({ ref, seniority, company_size, employees }) => ({
            ref,
            seniority,
            company_size,
            employees,
          }));
        expect(said(await profilesOf(large))).toEqual(said(await profilesOf(root)));
      }),
      { numRuns: runs(5) },
    );
  });

  test('[CONF-04] a file says more of people, and what it does not say stays; files that do not write nothing', async () => {
    const { root, counts: first } = await importText(
      'email,AGE_RANGE,SENIORITY_LEVEL,COMPANY_EMPLOYEE_COUNT,JOB_TITLE\na@x.example,35-44,VP,51 to 200,Baker\nb@x.example,,,,\n',
    );
    expect(first).toMatchObject({ added: 2, changed: 0, bad: 0 });
    const [a, ...others] = await profilesOf(root);
    expect(others).toEqual([]); // nothing is known of b
    expect(a).toMatchObject({
      age_range: '35-44',
      seniority: 'VP',
      company_size: '51 to 200',
      employees: 51,
    });
    const { counts: second } = await importText('email,gender,seniority\na@x.example,F,\nb@x.example,M,\n', {
      root,
    });
    expect(second).toMatchObject({ added: 0, changed: 2, same: 0 });
    expect(await profilesOf(root)).toMatchObject([
      { gender: 'F', age_range: '35-44', seniority: 'VP', employees: 51 },
      { gender: 'M', age_range: null, employees: null },
    ]);
    const before = await profilesOf(root);
    await importText('email,city\na@x.example,Rome\nc@x.example,Bonn\n', { root });
    expect(await profilesOf(root)).toEqual(before);
    // Deleting a person deletes their profile.
    await app.admin.query(`delete from person where root_id = $1 and id = $2`, [root, a!.person_id]);
    expect(await profilesOf(root)).toHaveLength(1);
  });

  test('[IDEN-01] of two rows about one person the last wins, and what it does not say stays', async () => {
    const head = 'email,first_name,city,phone\n';
    const { root } = await importText(
      `${head}a@x.example,Ann,Rome,504-621-8927\na@x.example,Anna,,504-845-1427\n`,
    );
    expect(await peopleOf(root)).toMatchObject([{ first_name: 'Anna', city: 'Rome', phone: '+15048451427' }]);
    const { counts: other } = await importText(`${head}A@X.example,,Bonn,\n`, { root });
    expect(other).toMatchObject({ added: 0, changed: 1, keys: 0 });
    expect(await peopleOf(root)).toMatchObject([{ first_name: 'Anna', city: 'Bonn' }]);
    expect((await keysOf(root)).map((key) => key.kind)).toEqual([1, 2, 3, 6, 6]);
  });

  test('[IDEN-01] hashes, an IP address and a device id by the names of a vendor', async () => {
    const md5 = '55502f40dc8b7c769880b10874abc9d0';
    const text = `UUID,HemSha256,EMAIL_MD5,IPAddress,MAID,FIRST_NAME\n7f,${md5.repeat(2)},${md5},8.8.8.8,AEBE52E7-03EE-455A-B3C4-E57283966239,Ann\n`;
    const { root, counts: all } = await importText(text);
    expect(all).toMatchObject({ added: 1, bad: 0, keys: 4 });
    expect(await keysOf(root)).toMatchObject([
      { kind: 1, value: md5.repeat(2) },
      { kind: 3, value: md5 },
      { kind: 5, value: 'aebe52e703ee455ab3c4e57283966239' },
      { kind: 7, value: '00000000000000000000ffff08080808' },
    ]);
  });

  test('[IDEN-01] a BOM, CRLF, quoted line breaks, duplicate headers, another separator', async () => {
    const text =
      '\ufeffemail;Email;Email;Address\r\na@x.example;;b@x.example;"1 Main St;\r\nApt 2"\r\n\r\n;c@x.example;;\r\n';
    const { root, counts: all } = await importText(text, { mapping: { Address: 'address' } });
    expect(all).toMatchObject({ state: 'done', read: 2, added: 2, bad: 0, keys: 9 });
    const people = await peopleOf(root);
    expect(people.map((person) => person.email).sort()).toEqual(['a@x.example', 'c@x.example']);
    expect(people.find((person) => person.email === 'a@x.example')).toMatchObject({
      address: '1 Main St; Apt 2',
    });
  });

  test('[IDEN-01] bad rows are reported with line and reason, and the others imported', async () => {
    const big = 'x'.repeat(1024 * 1024);
    const text = `email,city,note\nnobody,,\n"a@x.example","New\nYork",\nb@x.example,Rome\nc@x.example,Ro\0me,\nd@x.example,,"${big}"\n,Bonn,\ne@x.example,,=1\n`;
    const { id, counts: all } = await importText(text);
    expect(all).toMatchObject({ state: 'done', read: 7, added: 2, bad: 5 });
    expect(await errorsOf(id)).toMatchObject([
      { line: 2, field: 'email', reason: 'is not a valid email address', value: 'nobody' },
      { line: 5, field: null, reason: 'has 2 values but the first line has 3 column names' },
      { line: 6, field: 'city', reason: 'contains a NUL byte' },
      { line: 7, field: null, reason: 'is longer than 1 MB' },
      { line: 8, field: null, reason: expect.stringContaining('nothing that identifies the person') },
    ]);
  });

  test('[IDEN-01] phones are read by the country of the row or the file; what is left out is counted and listed', async () => {
    const uk = Array.from({ length: 1000 }, (_, i) => {
      const line = `7946 ${String(i).padStart(4, '0')}`;
      return `u${i}@x.example,${['020 ', '20 ', '0044 20 ', '+44 (0)20 '][i % 4]}${line}`;
    }).join('\n');
    const file = `email,phone\n${uk}\n`;
    const british = await importText(file, { country: 'GB' });
    expect(british.row).toMatchObject({ rows_added: 1000n, values_bad: 0n, left_out: [], country: 'GB' });
    const numbers = (await peopleOf(british.root)).map((one) => one.phone as string).sort();
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([1000, '+442079460000', '+442079460999']);

    const { id, row, root } = await importText(
      'email,phone,Country,IP,Shoe size\n' +
        'a@x.example,020 7946 0000,United Kingdom,8.8.8.8,44\n' +
        'b@x.example,20 7946 0001,uk,10.0.0.1,45\n' +
        'c@x.example,"020 7946 0002, 504-621-8927",,8.8.8.8,46\n' +
        'd@x.example,020 7946 0003,Narnia,8.8.8.8,47\n' +
        'broken.example,504-621-8928,,,48\n' +
        'nobody,,,,49\n',
    );
    expect((await peopleOf(root)).map((one) => one.phone).sort()).toEqual([
      '+15046218927',
      '+15046218928',
      '+442079460000',
      '+442079460001',
      null,
    ]);
    expect(row).toMatchObject({ rows_added: 5n, rows_bad: 1n, values_bad: 5n });
    const readForUs = 'is not a valid phone number (read as a number in US)';
    const unknown = 'has no country code, and the country is unknown';
    const noEmail = 'is not a valid email address';
    const shared = 'is not an IP address of a single connection';
    expect(row.left_out).toEqual([
      { what: 'value', field: 'ip', reason: shared, count: 1 },
      { what: 'value', field: 'phone', reason: readForUs, count: 1 },
      { what: 'value', field: 'country', reason: 'is not a country', count: 1 },
      { what: 'value', field: 'phone', reason: unknown, count: 1 },
      { what: 'value', field: 'email', reason: noEmail, count: 1 },
      { what: 'row', field: 'email', reason: noEmail, count: 1 },
    ]);
    expect(row.ignored).toEqual([{ column: 'Shoe size', reason: 'Column name not recognized' }]);
    expect(await errorsOf(id)).toMatchObject([
      { line: 3, place: 1, field: 'ip', value: '10.0.0.1' },
      { line: 4, place: 1, field: 'phone', reason: readForUs, value: '020 7946 0002' },
      { line: 5, place: 1, field: 'country', value: 'Narnia' },
      { line: 5, place: 2, field: 'phone', reason: unknown },
      { line: 6, place: 1, field: 'email', reason: noEmail, value: 'broken.example' },
      { line: 7, place: 0, field: 'email', value: 'nobody' },
    ]);
  });

  test('[BEY-31] an id that many people share makes no person of them all: what finds no room is left out', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => `7,p${i}@x.example,P${i}`);
    const text = `external id,email,last name\n${rows.join('\n')}\n`;
    // In one batch, and in many that each come to a person who is known.
    for (const most of [20_000, 40]) {
      const imports = createImports(app.platform, { rows: most, bytes: 1e7 });
      const { id, root, row } = await importText(text, { imports });
      const [person, ...others] = (await peopleOf(root)) as { keys: Buffer[]; email: string }[];
      expect(others).toEqual([]);
      const hashes = new Set(person!.keys.map((key) => key.toString('hex').slice(2)));
      expect(hashes.size).toBe(person!.keys.length);
      expect(hashes.size).toBeLessThanOrEqual(500);
      // Everything that finds them is listed, and they are found by what is shown of them.
      const keys = await keysOf(root);
      expect(new Set(keys.map((key) => key.value))).toEqual(hashes);
      expect(hashes).toContain(createHash('sha256').update(person!.email).digest('hex'));
      const reason = 'would give one person more than 400 email hashes and phone numbers';
      const bad = 3000 - hashes.size / 3;
      expect(row.left_out).toEqual([{ what: 'row', field: null, reason, count: Number(row.rows_bad) }]);
      expect(Number(row.rows_bad)).toBeGreaterThanOrEqual(bad);
      expect(Number(row.rows_bad)).toBeLessThan(3000);
      expect(Number(row.keys_added)).toBe(hashes.size);
      expect((await errorsOf(id)).at(-1)).toEqual({ line: 3001, place: 0, field: null, reason, value: null });
      const again = await importText(text, { root, imports });
      expect(again.counts).toMatchObject({ added: 0, keys: 0, bad: Number(row.rows_bad) });
    }
  });

  test('[BEY-31] devices and addresses beyond what is kept of a person are left out, and the rest of the row is not', async () => {
    const ips = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => `8.8.${(from + i) >> 8}.${(from + i) & 255}`).join(' ');
    const root = freshRoot();
    const small = createImports(app.platform, { rows: 1, bytes: 1e6 });
    const reason = 'is beyond the 100 devices and IP addresses kept for one person';
    for (const imports of [small, files()]) {
      const head = 'external id,email,ip,city';
      const lines = [`7,a@x.example,${ips(0, 90)},Rome`, `7,b@x.example,${ips(80, 30)},Bonn`];
      const { row } = await importText(`${head}\n${lines.join('\n')}\n8,c@x.example,${ips(0, 130)},Oslo\n`, {
        root: imports === small ? root : freshRoot(),
        imports,
      });
      expect(row).toMatchObject({ rows_bad: 0n, values_bad: 40n });
      expect(row.left_out.map((one) => [one.what, one.reason, one.count])).toEqual(
        expect.arrayContaining([
          ['value', reason, 10],
          ['value', reason, 30],
        ]),
      );
      const known = await peopleOf(row.root_id);
      expect(known.map((one) => [one.city, (one.keys as Buffer[]).length]).sort()).toEqual([
        ['Bonn', 106],
        ['Oslo', 103],
      ]);
      expect(await keysOf(row.root_id)).toHaveLength(209);
    }
    // Someone from before there were limits keeps what they have, and what is said of them without new keys is learned.
    await app.admin.query(
      `update person set keys = keys || array(select '\\x01'::bytea || sha256(n::text::bytea) from generate_series(1, 1000) n)
       where root_id = $1 and city = 'Bonn'`,
      [root],
    );
    const { row } = await importText(
      `external id,email,ip,city\n7,b@x.example,${ips(0, 200)},Pisa\n8,c@x.example,,Kiel\n7,d@x.example,,Nice\n`,
      { root, imports: small },
    );
    expect(row).toMatchObject({ rows_bad: 1n, keys_added: 0n });
    expect((await peopleOf(root)).map((one) => one.city).sort()).toEqual(['Kiel', 'Pisa']);
  });

  test('[BEY-27] do-not-call columns mark numbers; the same file never unmarks, a later one does', async () => {
    const root = freshRoot();
    const marked = async () =>
      (await app.admin.query('select phone from do_not_call where root_id = $1 order by 1', [root])).rows.map(
        (row) => row.phone.slice(-4),
      );
    const head = 'email,Mobile Phone,Mobile Phone DNC,Direct Number,Direct Number DNC,Likes';
    const first = `${head}\na@x.example,504-621-8927,Y,504-845-1427,N,red\nb@x.example,504-621-8928,maybe,,,red\n`;
    const { row } = await importText(`${first}c@x.example,504-621-8927,N,,,red\n`, { root });
    expect(row).toMatchObject({
      rows_added: 3n,
      phones_marked: 2n,
      values_bad: 1n,
      ignored: [{ column: 'Likes' }],
      left_out: [{ what: 'value', field: 'phone_dnc', count: 1 }],
    });
    expect(await marked()).toEqual(['8927', '8928']);
    await importText('email,phone\na@x.example,504-621-8927\n', { root });
    expect(await marked()).toEqual(['8927', '8928']);
    await importText('email,phone,DNC\na@x.example,504-621-8927,no\nd@x.example,504-845-1427,yes\n', {
      root,
    });
    expect(await marked()).toEqual(['8928', '1427']);
  });

  test('[BEY-27] when and by what each number was compared with do-not-call lists is kept, whether it was on one or not', async () => {
    const root = freshRoot();
    const scrubs = async () =>
      (
        await app.admin.query(
          `select right(phone, 4) as phone, source, to_char(scrubbed_at at time zone 'UTC', 'YYYY-MM-DD') as day
           from phone_scrub where root_id = $1 order by 1`,
          [root],
        )
      ).rows;
    const head = 'email,phone,DNC,DNC Scrub Date';
    const { row } = await importText(
      `${head}\na@x.example,504-621-8927,Y,2020-03-01\nb@x.example,504-621-8928,N,02/15/2020\nc@x.example,504-621-8929,N,someday\n`,
      { root },
    );
    expect(row.left_out).toEqual([
      {
        ...{ what: 'value', field: 'phone_dnc_date', count: 1 },
        reason: 'is not a past date, so it is not known when the number was compared with do-not-call lists',
      },
    ]);
    const source = expect.stringMatching(/^import: /);
    expect(await scrubs()).toEqual([
      { phone: '8927', source, day: '2020-03-01' },
      { phone: '8928', source, day: '2020-02-15' },
    ]);
    // Without a date, the day of the import counts. An older comparison never replaces a newer one.
    const today = app.clock.now().toISOString().slice(0, 10);
    await importText('email,phone,DNC\na@x.example,504-621-8927,no\n', { root });
    await importText(`${head}\nb@x.example,504-621-8928,N,2019-01-01\n`, { root });
    expect((await scrubs()).map((one) => one.day)).toEqual([today, '2020-02-15']);
    await importText('email,phone\nb@x.example,504-621-8928\n', { root });
    expect((await scrubs()).map((one) => one.day)).toEqual([today, '2020-02-15']);
  });

  test('[IDEN-01] a file that cannot be imported fails before anything is written', async () => {
    for (const [text, message] of [
      ['', 'The file is empty.'],
      [
        'a@x.example,Ann\nb@x.example,Bob\n',
        'Line 1: the first line must contain column names, but it looks like data.',
      ],
      [Buffer.from('email\na@x.example\nJos\xe9\n', 'latin1'), 'The file is not UTF-8 (line 3).'],
    ] as const) {
      await expect(importText(text)).rejects.toThrow(message);
    }
    const { row, root } = await importText('first name,city\nAnn,Rome\n');
    expect(row).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('needs a column that identifies the person: an email'),
    });
    expect(await peopleOf(root)).toEqual([]);
  });

  test('[IDEN-01] an unclosed quotation ends it as failed; what came before stays', async () => {
    const small = createImports(app.platform, { rows: 1, bytes: 1e6 });
    const { row, root } = await importText('email,city\na@x.example,Rome\nb@x.example,"Bonn\n', {
      imports: small,
    });
    expect(row).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('Line 3: a quotation mark'),
    });
    expect(await peopleOf(root)).toHaveLength(1);
  });
});

describe('an interrupted import', () => {
  const lines = Array.from({ length: 25 }, (_, i) =>
    i % 10 === 7 ? 'nobody,Rome' : `p${i}@x.example,"City\n${i % 3}"`,
  );
  const text = `email,city\n${lines.join('\n')}\n`;
  const seen = async (root: string, id: string) => ({
    people: (await peopleOf(root)).map(({ ref, email, city }) => ({ ref, email, city })),
    keys: await keysOf(root),
    errors: await errorsOf(id),
  });

  test('[IDEN-01] goes on after a crash in the middle of a batch as if nothing had happened', async () => {
    const small = createImports(app.platform, { rows: 10, bytes: 1e6 });
    const calm = await importText(text, { imports: small });
    expect(calm.counts).toMatchObject({ state: 'done', read: 25, added: 23, bad: 2 });

    const root = freshRoot();
    const { id } = await small.add(root, 'people.csv', bytes(text));
    await small.queue(root, id, {});
    // People and keys of the second batch are already written when this batch's progress is.
    await app.admin.query(`create function crash() returns trigger language plpgsql as $$ begin
        if new.rows_read = 20 then raise exception 'crash'; end if; return new; end $$;
      create trigger crash before update on import_job for each row execute function crash()`);
    await expect(small.run(root, id)).rejects.toThrow('crash');
    await app.admin.query('drop trigger crash on import_job; drop function crash()');
    expect(await peopleOf(root)).toHaveLength(9);

    const row = await small.run(root, id);
    expect(counts(row!)).toEqual(calm.counts);
    expect(await seen(root, id)).toEqual(await seen(calm.root, calm.id));
    expect(counts((await small.run(root, id))!)).toEqual(calm.counts);
  });

  test('[IDEN-01] is not done twice by two workers at once', async () => {
    const small = createImports(app.platform, { rows: 2, bytes: 1e6 });
    const calm = await importText(text, { imports: small });
    const root = freshRoot();
    const { id } = await small.add(root, 'people.csv', bytes(text));
    await small.queue(root, id, {});
    await Promise.allSettled([small.run(root, id), small.run(root, id)]);
    const row = await small.run(root, id);
    expect(counts(row!)).toEqual(calm.counts);
    expect(await seen(root, id)).toEqual(await seen(calm.root, calm.id));
  });

  test('[IDEN-01] can be stopped between batches', async () => {
    const small = createImports(app.platform, { rows: 5, bytes: 1e6 });
    const { id } = await small.add(rootId, 'stop.csv', bytes(text.replaceAll('x.example', 'stop.example')));
    await small.queue(rootId, id, {});
    let told = 0;
    let answer: Promise<{ status: number }> | undefined;
    const row = await small.run(rootId, id, {
      progress: () => {
        told++;
        answer ??= app.call('POST', `/api/identity/imports/${id}/cancel`, { host: HOST, token, body: {} });
      },
    });
    expect((await answer)?.status).toBe(200);
    const end = row?.state === 'cancelled' ? row : await small.run(rootId, id);
    expect(end).toMatchObject({ state: 'cancelled' });
    expect(told).toBeGreaterThanOrEqual(1);
    expect(told).toBeLessThan(5);
    expect(Number(end!.rows_read)).toBe(told * 5);
    expect(existsSync(join(app.platform.config.dataDir, 'files', end!.file_path))).toBe(false);
    const again = await app.call('POST', `/api/identity/imports/${id}/cancel`, {
      host: HOST,
      token,
      body: {},
    });
    expect(again.status).toBe(409);
  });
});

describe('the calls', () => {
  const call = (method: 'GET' | 'POST', path: string, body?: unknown) =>
    app.call(method, `/api/identity${path}`, { host: HOST, token, ...(body === undefined ? {} : { body }) });
  const upload = async (payload: string | Buffer, query = '?file_name=mine.csv') => {
    const response = await app.server.inject({
      method: 'POST',
      url: `/api/identity/imports${query}`,
      headers: { host: HOST, authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      payload,
    });
    return { status: response.statusCode, body: response.json() };
  };

  test('[IDEN-01] upload, preview, start, progress, bad rows', async () => {
    const { status, body } = await upload('Mail,Who,Where\nann@calls.example,Ann,Rome\n=cmd,Bob,Bonn\n');
    expect([status, body]).toMatchObject([
      200,
      { state: 'mapping', file_name: 'mine.csv', file_bytes: 56, percentage: 0, rows_read: 0 },
    ]);
    const { id } = body;
    const preview = await call('GET', `/imports/${id}/preview`);
    expect(preview.body).toEqual({
      columns: [
        { name: 'Mail', field: 'email', ignored: null, samples: ['ann@calls.example', '=cmd'] },
        ...[
          { name: 'Who', samples: ['Ann', 'Bob'] },
          { name: 'Where', samples: ['Rome', 'Bonn'] },
        ].map((one) => ({ ...one, field: 'ignore', ignored: 'Column name not recognized' })),
      ],
    });
    const wrong = await call('POST', `/imports/${id}/start`, { mapping: { Nowhere: 'city' } });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      { mapping: ['names a column “Nowhere” that is not in the file'] },
    ]);
    const blind = await call('POST', `/imports/${id}/start`, { mapping: { Mail: 'ignore' } });
    expect([blind.status, blind.body.message]).toEqual([
      422,
      expect.stringContaining('mapping: needs a column that identifies the person'),
    ]);

    for (const [country, rule] of [
      ['Kingdom', 'must be a two-letter country code such as US or GB'],
      ['XX', 'is not a country with phone numbers'],
    ]) {
      const refused = await call('POST', `/imports/${id}/start`, { mapping: {}, country });
      expect([refused.status, refused.body.errors]).toEqual([422, { country: [rule] }]);
    }

    const started = await call('POST', `/imports/${id}/start`, {
      mapping: { Who: 'first_name', Where: 'city' },
      country: 'gb',
    });
    expect([started.status, started.body]).toMatchObject([
      200,
      { result: 'success', data: { id, state: 'queued', country: 'GB' } },
    ]);
    const jobs = await app.admin.query(
      `select data from pgboss.job where name = 'identity.import' and data->>'importId' = $1`,
      [id],
    );
    expect(jobs.rows).toEqual([{ data: { rootId, importId: id } }]);
    expect((await call('POST', `/imports/${id}/start`, { mapping: {} })).status).toBe(409);
    expect((await call('GET', `/imports/${id}/preview`)).status).toBe(409);

    await files().run(rootId, id);
    const done = await call('GET', `/imports/${id}`);
    expect(done.body).toMatchObject({
      state: 'done',
      percentage: 100,
      rows_read: 2,
      rows_added: 1,
      rows_bad: 1,
      keys_added: 3,
    });
    const list = await call('GET', '/imports?searchQuery=MINE.c');
    expect(list.body).toMatchObject({ total: 1, data: [{ id, state: 'done' }] });
    expect((await call('GET', '/imports?searchQuery=m%25n')).body).toMatchObject({ total: 0 });

    const path = `/api/identity/imports/${id}/errors.csv`;
    const { body: ticket } = await app.call('POST', '/api/general/download-token', {
      host: HOST,
      token,
      body: { path },
    });
    const errors = await app.call('GET', String(ticket.url), { host: HOST });
    expect(errors.status).toBe(200);
    expect(errors.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(parse(errors.text, { bom: true })).toEqual([
      ['line', 'column', 'reason', 'value', 'skipped'],
      ['3', 'email', 'is not a valid email address', "'=cmd", 'row'],
    ]);
    const log = await app.admin.query(
      `select action from user_log where object_id = $1 order by action desc`,
      [id],
    );
    expect(log.rows.map((row) => row.action)).toEqual(['people.upload', 'people.import']);
  });

  test('[IDEN-01] a file that cannot be used is refused at once, naming the field', async () => {
    const before = readdirSync(join(app.platform.config.dataDir, 'files/imports')).length;
    expect(await upload('')).toMatchObject({
      status: 422,
      body: { errors: { file: ['The file is empty.'] } },
    });
    expect(await upload(Buffer.from('caf\xe9\n', 'latin1'))).toMatchObject({
      status: 422,
      body: { errors: { file: [expect.stringContaining('line 1')] } },
    });
    expect(await upload('a@x.example\n')).toMatchObject({
      status: 422,
      body: { errors: { file: [expect.stringContaining('looks like data')] } },
    });
    expect(await upload('email\n', '')).toMatchObject({
      status: 422,
      body: { errors: { file_name: ['is required'] } },
    });
    expect(await upload('email\n', '?file_name=..%2Fa.csv')).toMatchObject({
      status: 422,
      body: { errors: { file_name: ['must be a file name'] } },
    });
    expect(readdirSync(join(app.platform.config.dataDir, 'files/imports'))).toHaveLength(before);
  });

  test('[BEY-31] files that wait to be mapped take so much of the disk', async () => {
    const { most } = WAITING_BYTES;
    const { rows } = await app.admin.query(
      `select coalesce(sum(file_bytes), 0)::int as n from import_job
       where root_id = $1 and state not in ('done', 'failed', 'cancelled')`,
      [rootId],
    );
    WAITING_BYTES.most = rows[0].n + 30;
    try {
      expect((await upload('email\na@wait.example\n')).status).toBe(200);
      const { status, body } = await upload('email\nb@wait.example\n');
      expect([status, body.errors]).toEqual([
        422,
        { file: ['would exceed the limit of 8 GiB of unfinished imports. End or cancel some first'] },
      ]);
    } finally {
      WAITING_BYTES.most = most;
    }
  });

  test('a file beyond the limit is refused while it comes in', async () => {
    const tooLong = files().add(rootId, 'long.csv', createReadStream(US_500), { mostBytes: 1000 });
    await expect(tooLong).rejects.toThrow('larger than 1000 bytes');
  });

  test('totals count the own graph', async () => {
    const { people, keys } = await inScope(app.platform.db.app, { rootId }, async () => ({
      people: await peopleOf(rootId),
      keys: await keysOf(rootId),
    }));
    expect((await call('GET', '/totals')).body).toMatchObject({ people: people.length, keys: keys.length });
    expect(people.length).toBeGreaterThan(0);
  });
});
