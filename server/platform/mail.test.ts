import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../test/app.ts';
import type { Company } from '../test/factories.ts';
import { inScope } from './db/scope.ts';
import { createMail, MailRefused, outboxOnly } from './mail.ts';
import { layOut } from './mail-layout.ts';
import { mailName, unlinked } from './mail-name.ts';
import { smtpTransport } from './mail-smtp.ts';

let app: TestApp;
let agency: Company;
beforeAll(async () => {
  app = await testApp();
  agency = await app.make.agency(await app.make.root({ host: 'root.test' }), { host: 'acme.test' });
});
afterAll(() => app.close());

const text = layOut(
  { name: 'Acme', accent: '#fde047' },
  { subject: 'Hello', lines: ['A <line>'], action: { label: 'Go', url: 'https://acme.test/?a=1&b=2' } },
  'you asked for it',
);
const acme = { name: 'Acme', host: 'acme.test' };

/** A mail server that accepts, defers or refuses. */
async function mailServer(answer?: (to: string) => { message: string; responseCode: number } | null) {
  const received: { from: string; to: string[]; raw: string; login: string | undefined; greeting: string }[] =
    [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'p@ss' ? done(null, { user: username ?? '' }) : done(new Error('no')),
    onRcptTo: ({ address }, _session, done) => {
      const refused = answer?.(address);
      done(
        refused ? Object.assign(new Error(refused.message), { responseCode: refused.responseCode }) : null,
      );
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map((one) => one.address),
          raw: Buffer.concat(parts).toString(),
          login: session.user as string | undefined,
          greeting: String(session.hostNameAppearsAs),
        });
        done();
      });
    },
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const { port } = server.server.address() as { port: number };
  return { received, port, close: () => new Promise<void>((done) => server.close(() => done())) };
}

const enqueue = (mail: ReturnType<typeof createMail>, more: object = {}) =>
  inScope(app.platform.db.app, { rootId: agency.root_id }, (tx) =>
    mail.enqueue(tx, {
      ...text,
      kind: 'test',
      owner: { ...agency, company_id: agency.id },
      to: { name: 'Ann', address: 'ann@x.test' },
      sender: acme,
      ...more,
    }),
  );
const state = async (id: string) =>
  (
    await app.admin.query(
      'select state, attempts, last_error, body_sealed is not null as body from mail where id = $1',
      [id],
    )
  ).rows[0];

describe('emails of a tenant', () => {
  test('without a mail server stay readable in the outbox, sealed at rest', async () => {
    const mail = createMail(app.platform, outboxOnly);
    const mailId = await enqueue(mail);
    await mail.send({ rootId: agency.root_id, mailId });
    expect(await state(mailId)).toEqual({ state: 'kept', attempts: 1, last_error: null, body: true });
    const [kept] = await mail.outbox({ rootId: agency.root_id }, 1);
    expect(kept).toMatchObject({
      from_name: 'Acme',
      from_address: 'no-reply@acme.test',
      subject: 'Hello',
      body: { text: text.text, html: text.html },
    });
    const { rows } = await app.admin.query('select m::text as row from mail m where id = $1', [mailId]);
    expect(rows[0].row).not.toContain('acme.test/?a=1');
    await inScope(app.platform.db.app, { rootId: agency.root_id }, (tx) =>
      mail.forget(tx, new Date(app.clock.now().getTime() + 1), 10),
    );
    expect(await state(mailId)).toBeUndefined();
  });

  test('exist only if their cause does', async () => {
    const mail = createMail(app.platform, outboxOnly);
    const count = async () =>
      (
        await app.admin.query(
          `select (select count(*) from mail) as mails, (select count(*) from pgboss.job where name = 'mail.send') as jobs`,
        )
      ).rows[0];
    const before = await count();
    await expect(
      inScope(app.platform.db.app, { rootId: agency.root_id }, async (tx) => {
        await mail.enqueue(tx, {
          ...text,
          kind: 'test',
          owner: { ...agency, company_id: agency.id },
          to: { name: '', address: 'ann@x.test' },
          sender: acme,
        });
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await count()).toEqual(before);
  });

  test('go through a mail server with the tenant as sender and no one else named, once', async () => {
    const server = await mailServer();
    const mail = createMail(app.platform, smtpTransport(`smtp://acme:p%40ss@127.0.0.1:${server.port}`));
    const mailId = await enqueue(mail);
    await mail.send({ rootId: agency.root_id, mailId });
    await mail.send({ rootId: agency.root_id, mailId });
    await server.close();
    expect(server.received).toHaveLength(1);
    const { from, to, raw, login, greeting } = server.received[0]!;
    expect({ from, to, login, greeting }).toEqual({
      from: 'no-reply@acme.test',
      to: ['ann@x.test'],
      login: 'acme',
      greeting: 'acme.test',
    });
    expect(raw).toMatch(/^From: Acme <no-reply@acme\.test>\r$/m);
    expect(raw).toMatch(new RegExp(`^Message-ID: <${mailId}@acme\\.test>\\r$`, 'm'));
    expect(raw).not.toMatch(/nodemailer|X-Mailer/i);
    expect(await state(mailId)).toEqual({ state: 'sent', attempts: 1, last_error: null, body: false });
  });

  test('cannot be given further headers or recipients by a name, a subject or an address', async () => {
    const server = await mailServer();
    const mail = createMail(app.platform, smtpTransport(`smtp://127.0.0.1:${server.port}`));
    const evil = 'x\r\nBcc: victim@x.test\r\nX-Evil: 1\n\n<b>body</b>\u0000\u0085';
    const mailId = await enqueue(mail, {
      subject: evil,
      to: { name: `${evil}" <victim@x.test>, "`, address: 'ann@x.test' },
      sender: { name: evil, host: 'acme.test' },
    });
    await mail.send({ rootId: agency.root_id, mailId });
    await server.close();
    const { to, raw } = server.received[0]!;
    const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]/g, ' ');
    expect(to).toEqual(['ann@x.test']);
    expect(
      head
        .split('\r\n')
        .map((header) => header.split(':')[0])
        .sort(),
    ).toEqual(
      [
        'Auto-Submitted',
        'Content-Type',
        'Date',
        'From',
        'MIME-Version',
        'Message-ID',
        'Subject',
        'To',
      ].sort(),
    );
    for (const address of ['a@x.test\r\nBcc: v@x.test', 'a@x.test, v@x.test', '', 'none']) {
      await expect(enqueue(mail, { to: { name: 'A', address } })).rejects.toThrow(
        'needs a recipient address',
      );
    }
  });

  test('[INTG-06] those that can be stopped say how to email programs, in the headers for one click', async () => {
    const server = await mailServer();
    const mail = createMail(app.platform, smtpTransport(`smtp://127.0.0.1:${server.port}`));
    const unsubscribe = 'https://acme.test/unsubscribe/v1.abc';
    await mail.send({ rootId: agency.root_id, mailId: await enqueue(mail, { unsubscribe }) });
    await server.close();
    const { raw } = server.received[0]!;
    const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]/g, ' ');
    expect(head).toContain(`\r\nList-Unsubscribe: <${unsubscribe}>\r\n`);
    expect(head).toContain('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
  });

  test('are tried again when the server may take them later, and given up when it will not', async () => {
    const server = await mailServer((to) =>
      to.startsWith('never')
        ? { message: 'No such user', responseCode: 550 }
        : { message: 'Try later', responseCode: 451 },
    );
    const mail = createMail(app.platform, smtpTransport(`smtp://127.0.0.1:${server.port}`));
    const never = await enqueue(mail, { to: { name: '', address: 'never@x.test' } });
    await mail.send({ rootId: agency.root_id, mailId: never });
    expect(await state(never)).toMatchObject({
      state: 'failed',
      attempts: 1,
      body: false,
      last_error: expect.stringContaining('No such user'),
    });
    const later = await enqueue(mail, { to: { name: '', address: 'later@x.test' } });
    for (let tries = 1; tries < 8; tries++) {
      await expect(mail.send({ rootId: agency.root_id, mailId: later })).rejects.toThrow('Try later');
      expect(await state(later)).toMatchObject({ state: 'queued', attempts: tries, body: true });
    }
    await server.close();
    await mail.send({ rootId: agency.root_id, mailId: later });
    expect(await state(later)).toMatchObject({ state: 'failed', attempts: 8, body: false });
    expect(server.received).toEqual([]);
  });

  test('a wrong password of the mail server is worth another try, not the end', async () => {
    const server = await mailServer();
    const wrong = smtpTransport(`smtp://acme:wrong@127.0.0.1:${server.port}`);
    const failure = await wrong
      .send({
        ...text,
        id: 'x',
        from: { name: 'A', address: 'a@acme.test' },
        to: { name: 'B', address: 'b@x.test' },
        at: app.clock.now(),
      })
      .catch((error: unknown) => error);
    await server.close();
    expect(failure).toMatchObject({ code: 'EAUTH' });
    expect(failure).not.toBeInstanceOf(MailRefused);
  });
});

describe('the layout', () => {
  test('escapes what it is given and loads nothing from elsewhere', () => {
    const { html, text: plain } = layOut(
      { name: '<img src=x onerror=1>', accent: 'red;background:url(//evil)' },
      {
        subject: '</title><script>',
        lines: ['<script>alert(1)</script>'],
        code: '<b>',
        action: { label: '"><x', url: 'https://a.test/?"onx=1' },
      },
      'you have an account at <x>',
    );
    expect(plain).toContain('You’re getting this email because you have an account at <x>.');
    expect(html).not.toMatch(/<(script|img|x|b)\b|evil/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(plain).toContain('<script>alert(1)</script>');
  });

  test.each([
    ['Ann O’Hara-Smith Jr.', 'Ann O’Hara-Smith Jr.'],
    ['J.R. Ewing', 'J.R. Ewing'],
    ['Pay now at https://evil.test/login', 'Pay now at https   evil test login'],
    ['evil．test bank@evil。test', 'evil test bank evil test'],
    ['Line\r\none\u202e', 'Line one'],
    ['@:/', 'there'],
    ['x'.repeat(300), 'x'.repeat(60)],
  ])('[AUTH-09] a name that a stranger chose is short and no link: %j', (given, told) => {
    expect(mailName(given)).toBe(told);
  });

  test('writes on the accent in what can be read', () => {
    expect(text.html).toContain('background:#fde047;color:#000000');
    expect(
      layOut(
        { name: 'A', accent: '#1e3a8a' },
        { subject: '', lines: [], action: { label: 'Go', url: 'https://a.test' } },
        'you asked for it',
      ).html,
    ).toContain('background:#1e3a8a;color:#ffffff');
  });
});

describe('[TEN-03] the look of a mail', () => {
  const content = { subject: 'Hello', lines: ['A line'] };
  const logo = { bytes: Buffer.from('89504e470d0a1a0a', 'hex'), type: 'image/png', width: 300, height: 100 };

  test('is the tenant’s: its accent, its logo in the place of the name, and nothing loaded from anywhere', () => {
    const wide = layOut({ name: 'Acme <Leads>', accent: '#0b7285', logo }, content, 'you asked for it');
    expect(wide.html).toContain('<img src="cid:logo" width="120" height="40" alt="Acme &lt;Leads&gt;"');
    expect(wide.html).toContain('border-top:4px solid #0b7285');
    expect(wide.html.match(/src="(?!cid:)|url\(/g)).toBeNull();
    expect(wide.text).toContain('-- \nAcme <Leads>');
    const square = layOut(
      { name: 'Acme', accent: null, logo: { ...logo, width: 100 } },
      content,
      'you asked for it',
    );
    expect(square.html).toContain('width="40" height="40"');
    expect(square.html).toContain('>Acme</span>');
    expect(layOut({ name: 'Acme', accent: 'url(//x)' }, content, 'you asked for it').html).not.toMatch(
      /img|url\(/,
    );
  });

  test('travels with it: the mail server gets the logo as a part of the mail', async () => {
    const server = await mailServer();
    const mail = createMail(app.platform, smtpTransport(`smtp://127.0.0.1:${server.port}`));
    const mailId = await enqueue(
      mail,
      layOut({ name: 'Acme', accent: null, logo }, content, 'you asked for it'),
    );
    await mail.send({ rootId: agency.root_id, mailId });
    const { raw } = server.received[0]!;
    expect(raw).toContain('Content-ID: <logo>');
    expect(raw).toContain('Content-Disposition: inline; filename=logo.png');
    expect(raw).toContain(logo.bytes.toString('base64'));
    await server.close();
  });

  test('a file of bytes arrives as it was', async () => {
    const server = await mailServer();
    const mail = createMail(app.platform, smtpTransport(`smtp://127.0.0.1:${server.port}`));
    // No text has these bytes.
    const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe, 0x00, 0x80]);
    const mailId = await enqueue(mail, {
      ...layOut({ name: 'Acme', accent: null, logo }, content, 'you asked for it'),
      file: { name: 'r.pdf', type: 'application/pdf', text: bytes.toString('base64'), isBase64: true },
    });
    await mail.send({ rootId: agency.root_id, mailId });
    const { raw } = server.received[0]!;
    const part = raw.split('Content-Type: application/pdf')[1]!;
    expect(part).toContain('Content-Transfer-Encoding: base64');
    expect(part).toContain(`\r\n\r\n${bytes.toString('base64')}\r\n`);
    await server.close();
  });

  test('follows the branding: what the tenant saved is what its next mail shows', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10"><rect width="30" height="10"/></svg>';
    const branded = await app.make.agency(
      { id: agency.root_id, root_id: agency.root_id, agency_id: null },
      {
        host: 'branded.test',
        brand: { name: 'Branded', box_bgcolor: '#123456', logo: Buffer.from(svg) },
      },
    );
    expect(await app.features.tenants.mailBrand(branded.id)).toMatchObject({
      name: 'Branded',
      accent: '#123456',
      logo: { type: 'image/png', width: 512, height: 171 },
    });
  });
});

test("no words that people chose become a link in an email in the tenant's name", () => {
  for (const [given, told] of [
    ['Sign in at https://evil.example/reset now', 'Sign in at https[:]/ /evil[.]example/reset now'],
    ['www.evil.example, evil。example', 'www[.]evil[.]example, evil[.]example'],
    ['https://me@evil.example', 'https[:]/ /me@evil[.]example'],
    ['a@evil.example/x', 'a@evil[.]example/x'],
    ['xn--80ak6aa92e.com', 'xn--80ak6aa92e[.]com'],
    ['to new@acme.test. From the IP address 192.0.2.7.', 'to new@acme.test. From the IP address 192.0.2.7.'],
    ['It costs $1.50, e.g. at 3.30 p.m. in the U.S.', 'It costs $1.50, e.g. at 3.30 p.m. in the U.S.'],
  ] as const)
    expect(unlinked(given)).toBe(told);
  const evil = 'Locked. See https://evil.example/reset';
  const sheet = 'https://docs.google.com/spreadsheets/d/1';
  const laid = layOut(
    { name: 'Acme', accent: null },
    { subject: evil, lines: [evil, sheet, `${sheet}.evil.example`], after: [evil], links: [sheet] },
    `it is about ${evil}`,
  );
  for (const text of [laid.subject, laid.text, laid.html]) expect(text).not.toMatch(/evil\.example/);
  expect(laid.text).toContain(sheet);
});
