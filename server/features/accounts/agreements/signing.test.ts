import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { extractText } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { checkPdf } from './signature.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let owner: Awaited<ReturnType<typeof signedIn>>;
let person: typeof owner;
let stranger: typeof owner;

/** A P12 with an RSA key of 2048 bits and its certificate for 'Own Key', until 2126; its password is 'secret'. */
const OWN = readFileSync(join(import.meta.dirname, '../../../test/data/own-key.p12'));
/** Another key with the certificate 'Other', which is not its own; the password is the same. */
const OTHER = readFileSync(join(import.meta.dirname, '../../../test/data/other-certificate.p12'));

async function signedIn(company: Company, host: string) {
  const user = await app.make.user(company, { password: PASSWORD });
  let token = await app.signIn(user.email, host);
  const send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    app.call(method, `/api${path}`, { host, token, ...(body ? { body } : {}) });
  return {
    ...user,
    send,
    /** After the clock has moved. */
    again: async () => {
      token = await app.signIn(user.email, host);
      return token;
    },
    async file(path: string): Promise<{ status: number; bytes: Buffer; name: string }> {
      const { body } = await send('POST', '/general/download-token', { path: `/api${path}` });
      const answer = await app.server.inject({ method: 'GET', url: String(body.url), headers: { host } });
      return {
        status: answer.statusCode,
        bytes: answer.rawPayload,
        name: String(answer.headers['content-disposition'] ?? ''),
      };
    },
  };
}
const hashAt = async (sha256: string, host: string) =>
  (await app.call('GET', `/api/general/verify/${sha256}`, { host })).body;
async function check(file: Buffer, host = 'acme.test') {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/general/verify',
    headers: { host, 'content-type': 'application/pdf' },
    payload: file,
  });
  return { code: answer.statusCode, ...answer.json<{ signature: string; status: string }>() };
}
const fileOf = async (): Promise<{ id: string; bytes: Buffer }> => {
  const { body } = await person.send('POST', '/general/agreement/download', {
    user_id: person.id,
    document_type: 'default_client',
  });
  const id = String(body.file_uuid);
  return { id, bytes: (await person.file(`/general/agreement/${id}/file`)).bytes };
};

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true, name: 'Meridian' });
  agency = await app.make.agency(root, { host: 'acme.test', name: 'Acme', brand: { name: 'Acme' } });
  const other = await app.make.agency(root, { host: 'other.test', name: 'Other', brand: { name: 'Other' } });
  client = await app.make.client(agency, { name: 'Cleo' });
  owner = await signedIn(agency, 'acme.test');
  person = await signedIn(client, 'acme.test');
  stranger = await signedIn(other, 'other.test');
  const { text_hash } = (await person.send('GET', '/document/agreement/default_client')).body;
  const body = { document_type: 'default_client', agreed: 'T', read_to_end: 'T', text_hash };
  expect((await person.send('POST', '/general/agreement/confirm', body)).status).toBe(200);
});
afterAll(() => app.close());

describe('[DOC-01] [DOC-03] the signed file of an agreement', () => {
  test('is made once, and read by its file_uuid by both sides; a forged one, and anyone else, gets nothing', async () => {
    const [one, two] = await Promise.all([fileOf(), fileOf()]);
    expect(one.id).toBe(two.id);
    expect(one.bytes.equals(two.bytes)).toBe(true);
    const path = `/general/agreement/${one.id}/file`;
    const theirs = await owner.file(path);
    expect([theirs.status, theirs.name]).toEqual([200, 'attachment; filename="agreement-Cleo.pdf"']);
    expect(theirs.bytes.equals(one.bytes)).toBe(true);
    const onDemand = await owner.file(`/configuration/agreement/${client.id}/file`);
    expect(onDemand.bytes.equals(one.bytes)).toBe(true);
    const forged = `${one.id.slice(0, -1)}${one.id.endsWith('0') ? '1' : '0'}`;
    for (const [who, id] of [
      [stranger, one.id],
      [person, forged],
      [person, 'x'],
    ] as const)
      expect((await who.file(`/general/agreement/${id}/file`)).status).toBe(404);
    const asked = { user_id: person.id, document_type: 'default_client' };
    expect((await stranger.send('POST', '/general/agreement/download', asked)).status).toBe(404);
    const notYet = { user_id: owner.id, document_type: 'default_agency' };
    const answer = await owner.send('POST', '/general/agreement/download', notYet);
    expect([answer.status, answer.body.message]).toEqual([404, messages.documentMissingText]);
    // The address of a download says whether it may begin.
    expect((await person.send('GET', `/docauth/${one.id}`)).body).toEqual({
      status: 'T',
      title: 'Client agreement',
      path,
    });
    expect((await stranger.send('GET', `/docauth/${one.id}`)).status).toBe(404);
    expect((await owner.send('GET', '/docauth/default_client')).body).toMatchObject({
      path: '/general/document/default_client/file',
    });
    expect((await person.send('GET', '/docauth/default_agency')).status).toBe(403);
    expect((await owner.send('GET', '/docauth/nothing')).status).toBe(404);
  });

  test('names its own two sides and nobody above, in the text, the certificate, and the signature', async () => {
    const { bytes } = await fileOf();
    const { text } = await extractText(new Uint8Array(bytes), { mergePages: true });
    for (const part of [
      'Certificate of acceptance',
      'Acme and Cleo',
      'acme.test/verify',
      'Read to the end Yes',
    ])
      expect(text.replaceAll(/\s+/g, ' ')).toContain(part);
    expect(text).not.toContain('Meridian');
    expect(bytes.toString('latin1')).not.toContain('Meridian');
    expect(checkPdf(bytes)).toMatchObject({ state: 'intact', subject: 'CN=Acme' });
    // The private key never lies in the database in the clear.
    const { rows } = await app.admin.query('select private_sealed from agreement_key');
    for (const { private_sealed } of rows) expect(private_sealed).toMatch(/^v1\./);
  });
});

describe('[BEY-15] checking a file', () => {
  test('by its hash: known to its two sides’ hosts, unknown elsewhere', async () => {
    const { bytes } = await fileOf();
    const sha256 = hash('sha256', bytes);
    expect(await hashAt(sha256, 'acme.test')).toMatchObject({
      status: 'known',
      title: 'Client agreement',
      party: 'Acme',
      company: 'Cleo',
      version: '1',
    });
    for (const host of ['other.test', 'root.test'])
      expect(await hashAt(sha256, host)).toMatchObject({ status: 'unknown', company: '', party: '' });
    expect((await app.call('GET', '/api/general/verify/xyz', { host: 'acme.test' })).status).toBe(422);
  });

  test('[BEY-30] a line with many IPv6 addresses has as many files checked as any other', async () => {
    const codes = new Set<number>();
    for (let at = 1; at <= 31; at++) {
      const { statusCode } = await app.server.inject({
        method: 'POST',
        url: '/api/general/verify',
        headers: { host: 'acme.test', 'content-type': 'application/pdf' },
        remoteAddress: `2001:db8:77:1::${at.toString(16)}`,
        payload: Buffer.from('%PDF-'),
      });
      codes.add(statusCode);
    }
    expect([...codes]).toEqual([200, 429]);
  });

  test('by its signature: valid as it is, and after one flipped byte anywhere not', async () => {
    const { bytes } = await fileOf();
    expect(await check(bytes)).toMatchObject({ status: 'known', signature: 'valid' });
    expect(await check(bytes, 'other.test')).toMatchObject({ status: 'unknown', signature: 'foreign' });
    const flipped = (at: number, bit: number): Buffer => {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ bit;
      return changed;
    };
    const range = bytes.lastIndexOf('/ByteRange');
    const from = bytes.indexOf('<30', range);
    const to = bytes.indexOf('>', from);
    const places = new Set<number>();
    for (let at = 0; at < bytes.length; at += 127) places.add(at);
    for (let at = range - 20; at < range + 120; at++) places.add(at);
    for (let at = bytes.length - 20; at < bytes.length; at++) places.add(at);
    for (const at of places)
      for (const bit of at <= from || at >= to ? [1, 0x20] : [])
        expect([at, bit, checkPdf(flipped(at, bit)).state]).not.toEqual([at, bit, 'intact']);
    // Inside the signature there are bytes that it does not cover, such as its own version: the file is not on record.
    for (const at of [from + 5, from + 28, from + 99, from + 700, from + 1533, from + 2155, to - 50])
      expect([at, (await check(flipped(at, 2))).signature]).toEqual([at, 'changed']);
    const changed = Buffer.from(bytes);
    changed[2000] = changed[2000]! ^ 1;
    expect(await check(changed)).toMatchObject({ status: 'unknown', signature: 'changed' });
    for (const [more, state] of [
      [Buffer.concat([bytes, Buffer.from('\n')]), 'changed'],
      [Buffer.concat([bytes, Buffer.from('\n1 0 obj <<>> endobj %%EOF')]), 'changed'],
      [bytes.subarray(0, -1), 'changed'],
    ] as const)
      expect(await check(more)).toMatchObject({ signature: state });
  });

  test('of hostile and huge files: an answer in words, never a failure', async () => {
    const ranged = (numbers: string) => Buffer.from(`%PDF-1.7\n/ByteRange [${numbers}]\n<30>`);
    for (const [file, state] of [
      [Buffer.from('not a pdf'), 'unreadable'],
      [Buffer.from('%PDF-1.7\n%%EOF'), 'none'],
      [ranged('0 9999999999 9999999999 1'), 'changed'],
      [ranged('1 2 3 4'), 'changed'],
      [ranged(`${'9'.repeat(5000)} 0 0 0`), 'changed'],
      [ranged('0 35 39 0'), 'changed'],
      [Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(4_000_000, '/ByteRange [ ')]), 'changed'],
    ] as const)
      expect(await check(file)).toMatchObject({ signature: state });
    const nested = Buffer.from(`%PDF-1.7\n/ByteRange [0 37 60045 0]    \n<${'30820000'.repeat(7500)}>`);
    expect(['changed', 'unreadable']).toContain((await check(nested)).signature);
    const huge = await check(Buffer.alloc(5 * 1024 * 1024 + 1));
    expect(huge.code).toBe(413);
    // Empty, and not sent as a file.
    expect(await check(Buffer.alloc(0))).toMatchObject({ signature: 'unreadable' });
  });

  test('is limited for each network', async () => {
    for (let at = 0; ; at++) {
      const { code } = await check(Buffer.from('%PDF-'));
      if (code === 429) break;
      expect(at).toBeLessThan(31);
    }
    app.clock.advance(3_600_000);
    expect((await check(Buffer.from('%PDF-'))).signature).toBe('none');
  });
});

describe('[BEY-15] the owner’s own key', () => {
  test('signs from then on; a wrong password, and what is no P12, is refused in words', async () => {
    const admin = await app.make.user(agency, { role: 'administrator', password: PASSWORD });
    const fresh = await owner.again();
    await person.again();
    const at = { host: 'acme.test', token: fresh };
    const bring = (p12: Buffer, password: string, token = fresh) =>
      app.call('POST', '/api/document/signing-key', {
        host: 'acme.test',
        token,
        body: { p12: p12.toString('base64'), password },
      });
    for (const [p12, password] of [
      [OWN, 'wrong'],
      [Buffer.from('no key'), 'secret'],
      [OTHER, 'secret'],
    ] as const) {
      const refused = await bring(p12, password);
      expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, ['p12']]);
    }
    expect((await bring(OWN, 'secret', await app.signIn(admin.email, 'acme.test'))).status).toBe(403);
    const { bytes } = await fileOf();
    const brought = await bring(OWN, 'secret');
    expect(brought.body).toMatchObject({
      message: ownMessages.keyBrought,
      data: { kind: 'brought', subject: 'CN=Own Key, O=Acme' },
    });
    // The file was opened once: how long that takes is up to whoever made it, and signing must not take that each time.
    const stored = await app.admin.query(
      'select private_sealed as sealed from agreement_key where company_id = $1 and ended_at is null',
      [agency.id],
    );
    const key: object = JSON.parse(app.platform.vault.open(stored.rows[0].sealed, 'agreement_key.private'));
    expect(Object.keys(key)).toEqual(['pkcs8', 'chain']);
    const dora = await app.make.client(agency, { name: 'Dora' });
    const who = await app.make.user(dora, { password: PASSWORD });
    await app.make.accept(dora, who.id, 'default_client');
    const next = (await owner.file(`/configuration/agreement/${dora.id}/file`)).bytes;
    expect(await check(next)).toMatchObject({ signature: 'valid', signer: 'CN=Own Key, O=Acme' });
    // What was signed before is still valid, and its private key is gone.
    expect(await check(bytes)).toMatchObject({ signature: 'valid', signer: 'CN=Acme' });
    const { rows } = await app.admin.query(
      'select kind, private_sealed is null as gone from agreement_key where company_id = $1 order by created_at',
      [agency.id],
    );
    expect(rows).toEqual([
      { kind: 'made', gone: true },
      { kind: 'brought', gone: false },
    ]);
    expect((await app.call('DELETE', '/api/document/signing-key', at)).status).toBe(200);
    expect((await app.call('DELETE', '/api/document/signing-key', at)).status).toBe(404);
    const logged = await app.admin.query(`select count(*) as n from user_log where action = 'agreement.key'`);
    expect(Number(logged.rows[0].n)).toBe(2);
  });
});

describe('[BEY-30] the key that is made for a company', () => {
  /** An agency with a client who accepted its agreement. */
  async function signer(name: string, host: string) {
    const company = await app.make.agency(root, { host, name, brand: { name } });
    const boss = await signedIn(company, host);
    const party = async (called: string) => {
      const made = await app.make.client(company, { name: called });
      await app.make.accept(made, (await app.make.user(made)).id, 'default_client');
      return boss.file(`/configuration/agreement/${made.id}/file`);
    };
    const keys = async () =>
      (
        await app.admin.query(
          'select kind, ended_at is null as is_used from agreement_key where company_id = $1 order by created_at, id',
          [company.id],
        )
      ).rows;
    return { company, boss, party, keys };
  }

  test('is made once, whatever characters its name has', async () => {
    for (const [at, name] of ['Smith, Jones & "Sons" <Ltd>; #1+', `${'x'.repeat(63)}🦘`].entries()) {
      const { party, keys } = await signer(name, `signer-${at}.test`);
      for (const called of ['Emil', 'Finn']) expect((await party(called)).status).toBe(200);
      expect(await keys()).toEqual([{ kind: 'made', is_used: true }]);
    }
  });

  test('does not end one that the owner brings at the same moment', async () => {
    const { company, party, keys } = await signer('Before', 'renamed.test');
    await party('Gina');
    const { rows } = await app.admin.query(
      'select private_sealed from agreement_key where company_id = $1 and ended_at is null',
      [company.id],
    );
    await app.admin.query('update brand set name = $2 where company_id = $1', [company.id, 'After']);
    await app.admin.query('begin');
    await app.admin.query('lock table agreement_key in share row exclusive mode');
    const file = party('Hanna');
    const isWaiting = async () =>
      (
        await app.admin.query(
          `select from pg_locks where not granted and relation = 'agreement_key'::regclass`,
        )
      ).rowCount! > 0;
    while (!(await isWaiting())) await sleep(20);
    // Now the new key is made, and is about to take the place of the old one.
    await app.admin.query(
      'update agreement_key set ended_at = now(), private_sealed = null where company_id = $1',
      [company.id],
    );
    await app.admin.query(
      `insert into agreement_key (id, root_id, agency_id, company_id, kind, subject, certificate, fingerprint, private_sealed, valid_until, created_at)
       select gen_random_uuid(), root_id, agency_id, company_id, 'brought', subject, certificate, fingerprint, $2, valid_until, now()
       from agreement_key where company_id = $1`,
      [company.id, rows[0].private_sealed],
    );
    await app.admin.query('commit');
    expect((await file).status).toBe(200);
    expect(await keys()).toEqual([
      { kind: 'made', is_used: false },
      { kind: 'brought', is_used: true },
    ]);
  });
});

describe('[BEY-15] signed invoices, credit notes, and statements', () => {
  /** An invoice of the client with a credit note; returns the addresses of its files. */
  async function billed(): Promise<{ invoice: string; note: string; id: string }> {
    const ofClient = { root_id: root.id, agency_id: agency.id, company_id: client.id };
    const at = app.clock.now();
    const id = await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
      const [event] = await app.features.ledger.post(
        tx,
        [
          {
            ...{ owner: ofClient, kind: 'adjustment', referenceId: null, memo: 'Owes', key: newId(at) },
            entries: [
              { account: { owner: ofClient, kind: 'client_unbilled' }, amount: -3_000_000n },
              {
                account: { owner: { ...ofClient, company_id: agency.id }, kind: 'agency_revenue' },
                amount: 3_000_000n,
              },
            ],
          },
        ],
        at,
      );
      const issued = await app.features.invoices.bill(
        tx,
        {
          ...{
            owner: ofClient,
            side: 'retail',
            kind: 'to_date',
            term: null,
            periodKey: newId(at),
            from: null,
            to: null,
          },
          events: { transferIds: [event!] },
        },
        at,
      );
      return issued!.id;
    });
    const credited = await owner.send('POST', `/billing/invoices/${id}/credit`, {
      ...{ amount: '1.00', reason: 'A mistake', idempotencyKey: id },
    });
    const [note] = (credited.body.data as unknown as { credit_notes: { id: string }[] }).credit_notes;
    const invoice = `/billing/invoices/${id}/pdf`;
    return { id, invoice, note: `/billing/invoices/${id}/credit-notes/${note!.id}/pdf` };
  }

  test('verify on the host of their parties, again and again, until a byte changes', async () => {
    // What the tests before have had checked counts no longer.
    app.clock.advance(3_600_000);
    await owner.again();
    await person.again();
    const { invoice, note, id } = await billed();
    const month = app.clock.now().toISOString().slice(0, 7);
    for (const [path, title] of [
      [invoice, /^Invoice /],
      [note, /^Credit note /],
      [`/ledger/statement/pdf?month=${month}`, /^Statement for /],
    ] as const) {
      const first = await person.file(path);
      expect([path, first.status]).toEqual([path, 200]);
      // Another reader, later: the same file.
      app.clock.advance(90_000);
      const theirs = path.startsWith('/ledger') ? `${path}&companyID=${client.id}` : path;
      const again = await owner.file(theirs);
      expect(hash('sha256', again.bytes)).toBe(hash('sha256', first.bytes));
      expect(await hashAt(hash('sha256', first.bytes), 'acme.test')).toMatchObject({
        ...{ status: 'known', title: expect.stringMatching(title), party: 'Acme', company: 'Cleo' },
      });
      expect(await check(first.bytes)).toMatchObject({ code: 200, status: 'known', signature: 'valid' });
      // Others learn nothing of it.
      expect(await hashAt(hash('sha256', first.bytes), 'other.test')).toMatchObject({ status: 'unknown' });
      const altered = Buffer.from(first.bytes);
      altered[200] = altered[200]! ^ 1;
      expect((await check(altered)).signature).not.toBe('valid');
      expect((await check(altered)).status).toBe('unknown');
    }

    // What was paid since is another document. The one from before is still known.
    const before = await person.file(invoice);
    await owner.send('POST', `/billing/invoices/${id}/write-off`, { reason: 'Goodwill' });
    const after = await person.file(invoice);
    expect(after.bytes.equals(before.bytes)).toBe(false);
    for (const { bytes } of [before, after])
      expect(await check(bytes)).toMatchObject({ status: 'known', signature: 'valid' });
  });

  test('are signed once if many ask at the same time, and with the key of now after a change', async () => {
    const { invoice } = await billed();
    const all = await Promise.all(Array.from({ length: 4 }, () => person.file(invoice)));
    expect(new Set(all.map(({ bytes }) => hash('sha256', bytes))).size).toBe(1);
    const number = async () =>
      (
        await app.admin.query('select count(*)::int as n from signed_paper where sha256 = $1', [
          hash('sha256', all[0]!.bytes),
        ])
      ).rows[0].n;
    expect(await number()).toBe(1);
    await app.admin.query(
      'update agreement_key set ended_at = now(), private_sealed = null where company_id = $1',
      [agency.id],
    );
    const anew = await person.file(invoice);
    expect(anew.bytes.equals(all[0]!.bytes)).toBe(false);
    for (const { bytes } of [all[0]!, anew])
      expect(await check(bytes)).toMatchObject({ status: 'known', signature: 'valid' });
  });
});
