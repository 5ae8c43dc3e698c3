import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayInText, faultOf, READ_TO_END } from '../../../../contract/accounts/agreement-text.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { versionsOf } from './store.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let boss: Awaited<ReturnType<typeof signedIn>>;
let owner: typeof boss;
let person: typeof boss;

const DAY = 86_400_000;
const BODY = '# Terms\n\n{{party}} and {{company}} agree.\n\nFrom {{effective_date}}, version {{version}}.';

async function signedIn(company: Company, host: string) {
  const user = await app.make.user(company, { password: PASSWORD });
  const token = { value: await app.signIn(user.email, host) };
  const send = (method: 'GET' | 'POST', path: string, body?: object, headers?: Record<string, string>) =>
    app.call(method, `/api${path}`, {
      host,
      token: token.value,
      ...(body ? { body } : {}),
      ...(headers ? { headers } : {}),
    });
  const read = async (document: string) => (await send('GET', `/document/agreement/${document}`)).body;
  return {
    ...user,
    host,
    send,
    read,
    /** After the clock has moved by more than a session lasts. */
    again: async () => {
      token.value = await app.signIn(user.email, host);
    },
    accept: async (document: string, more: object = {}, headers?: Record<string, string>) =>
      send(
        'POST',
        '/general/agreement/confirm',
        {
          document_type: document,
          agreed: 'T',
          read_to_end: 'T',
          text_hash: (await read(document)).text_hash,
          timezone: 'America/New_York',
          ...more,
        },
        headers,
      ),
    publish: (document: string, more: object = {}) =>
      send('POST', `/document/agreement-versions/${document}`, {
        title: 'Client terms',
        body: BODY,
        notice_days: 30,
        base_version: 1,
        ...more,
      }),
  };
}
const rows = async (companyId: string) =>
  (
    await app.admin.query(
      'select * from agreement_acceptance where company_id = $1 order by accepted_at, id',
      [companyId],
    )
  ).rows;
const holds = (company: Company, document: string) =>
  inScope(app.platform.db.app, { rootId: root.id }, async (tx) =>
    (await app.features.agreements.accepted(tx, company.id)).has(document as 'default_client'),
  );

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true, name: 'Meridian' });
  agency = await app.make.agency(root, { host: 'acme.test', name: 'Acme', brand: { name: 'Acme' } });
  client = await app.make.client(agency, { name: 'Cleo' });
  boss = await signedIn(root, 'root.test');
  owner = await signedIn(agency, 'acme.test');
  person = await signedIn(client, 'acme.test');
});
afterAll(() => app.close());

describe('[DOC-01] versions of agreements', () => {
  test('a text is refused in words: without a heading, with an unknown variable, or with nothing below a heading', () => {
    expect(faultOf(BODY)).toBeUndefined();
    expect(faultOf('No heading')).toMatch(/begin with a heading/);
    expect(faultOf('# A\n\nHi {{price}}')).toMatch(/unknown variable \{\{price\}\}/);
    expect(faultOf('# A\n\n# B\n\ntext')).toMatch(/no text below the heading A/);
    expect(faultOf(`# A\n\n${'x'.repeat(60_001)}`)).toMatch(/60000/);
    expect(faultOf('# A\n\n\u0000')).toMatch(/control characters/);
  });

  test('the template is accepted with everything known about who accepts, and only after reading it', async () => {
    const text = await person.read('default_client');
    expect(text).toMatchObject({
      version: '1',
      party: 'Acme',
      company: 'Cleo',
      state: 'missing',
      is_template: true,
    });
    const unticked = await person.accept('default_client', { agreed: 'F' });
    expect([unticked.status, unticked.body.message]).toEqual([422, messages.clickAgree]);
    const unread = await person.accept('default_client', { read_to_end: 'F' });
    expect([unread.status, unread.body.message]).toEqual([422, READ_TO_END]);
    expect(await rows(client.id)).toEqual([]);
    const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36' };
    expect((await person.accept('default_client', {}, agent)).body).toMatchObject({
      status: 'T',
      version: '1',
    });
    expect(await rows(client.id)).toEqual([
      expect.objectContaining({
        user_id: person.id,
        issuer_id: agency.id,
        version: '1',
        text_hash: text.text_hash,
        ip: '127.0.0.1',
        user_agent: agent['user-agent'],
        time_zone: 'America/New_York',
        second_factor: '',
        read_to_end: true,
        applies_at: app.clock.now(),
        shown: expect.objectContaining({ party: 'Acme', company: 'Cleo', version: '1' }),
      }),
    ]);
  });

  test('an agency writes its clients’ agreement, a root its agencies’; neither that of the other, and a client none', async () => {
    expect((await owner.send('GET', '/document/agreement-versions/default_agency')).status).toBe(404);
    expect((await owner.publish('minimum_spend')).status).toBe(404);
    expect((await boss.publish('default_client')).status).toBe(404);
    expect((await person.publish('default_client')).status).toBe(403);
    const bad = await owner.publish('default_client', { body: 'x', notice_days: 3 });
    expect([bad.status, Object.keys(bad.body.errors as object).toSorted()]).toEqual([
      422,
      ['body', 'notice_days'],
    ]);
    const edited = (await owner.send('GET', '/document/agreement-versions/default_client')).body;
    expect(edited).toMatchObject({ version: 1, party: 'Acme', title: 'Client agreement' });
    expect(edited.body).toContain('{{party}} runs campaigns');
    const same = await owner.publish('default_client', { title: edited.title, body: edited.body });
    expect([same.status, same.body.errors]).toEqual([422, { body: [ownMessages.versionSame] }]);
  });

  test('a new version has to be accepted anew; until its notice period ends, the old terms hold', async () => {
    const before = await person.read('default_client');
    expect((await owner.publish('default_client')).body).toMatchObject({ version: 2 });
    // Whoever edited the version before is told, not overwritten.
    const late = await owner.publish('default_client');
    expect([late.status, late.body.message]).toEqual([409, ownMessages.versionNewer(2)]);
    const text = await person.read('default_client');
    expect(text).toMatchObject({
      title: 'Client terms',
      version: '2',
      state: 'changing',
      accepted_version: '1',
      is_template: false,
      sections: [
        {
          heading: 'Terms',
          paragraphs: ['Acme and Cleo agree.', `From ${dayInText(String(text.effective_on))}, version 2.`],
        },
      ],
    });
    expect(new Date(String(text.must_accept_by)).getTime()).toBe(app.clock.now().getTime() + 30 * DAY);
    expect(await holds(client, 'default_client')).toBe(true);

    // Edited between view and acceptance.
    const stale = await person.accept('default_client', { text_hash: before.text_hash });
    expect([stale.status, stale.body.message]).toEqual([409, ownMessages.agreementChanged]);
    expect(await rows(client.id)).toHaveLength(1);

    app.clock.advance(30 * DAY - 1);
    expect(await holds(client, 'default_client')).toBe(true);
    app.clock.advance(1);
    expect(await holds(client, 'default_client')).toBe(false);
    for (const one of [person, owner, boss]) await one.again();
    expect(await person.read('default_client')).toMatchObject({ state: 'expired', accepted: 'F' });
    const check = async () => (await person.send('GET', `/user/checksetupcomplete/${person.id}`)).body;
    expect(await check()).toMatchObject({ agreement_missing: true });

    // Two at once: one record.
    const both = await Promise.all([person.accept('default_client'), person.accept('default_client')]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await rows(client.id)).map(({ version }) => version)).toEqual(['1', '2']);
    expect(await holds(client, 'default_client')).toBe(true);
    expect(await check()).toMatchObject({ agreement_missing: false });
    const versions = (await owner.send('GET', '/document/agreement-versions/default_client')).body;
    expect(versions.data).toMatchObject([
      { version: 2, state: 'holds', acceptances: 1 },
      { version: 1, state: 'replaced', acceptances: 1 },
    ]);
  });

  test('accepted within the notice period, it applies from its end; a new company begins with it at once', async () => {
    const other = await app.make.client(agency, { name: 'Dora' });
    const dora = await signedIn(other, 'acme.test');
    app.clock.advance(60_000);
    await owner.publish('default_client', { title: 'Third', base_version: 2 });
    expect((await person.accept('default_client')).body).toMatchObject({ version: '3' });
    expect((await rows(client.id)).at(-1)).toMatchObject({
      version: '3',
      applies_at: new Date(app.clock.now().getTime() + 30 * DAY),
    });
    expect((await dora.accept('default_client')).body).toMatchObject({ version: '3' });
    expect(await rows(other.id)).toMatchObject([{ version: '3', applies_at: app.clock.now() }]);
  });

  test('an agency reads who accepted, also as a file; another tenant’s versions do not reach it', async () => {
    const list = (await owner.send('GET', '/document/acceptances?searchQuery=Dora')).body;
    expect(list.data).toMatchObject([
      { company_name: 'Dora', version: '3', document_type: 'default_client' },
    ]);
    expect((await person.send('GET', '/document/acceptances')).status).toBe(403);
    const stranger = await app.make.agency(root, {
      host: 'other.test',
      name: 'Other',
      brand: { name: 'Other' },
    });
    const theirs = await signedIn(stranger, 'other.test');
    expect((await theirs.send('GET', '/document/acceptances')).body).toMatchObject({ data: [], total: 0 });
    expect((await theirs.send('GET', '/document/agreement-versions/default_client')).body).toMatchObject({
      version: 1,
      party: 'Other',
    });
    const lead = await signedIn(await app.make.client(stranger, { name: 'Elsewhere' }), 'other.test');
    expect(await lead.read('default_client')).toMatchObject({ version: '1', party: 'Other' });
  });

  test('a root’s new minimum spend agreement is offered to its agencies, and the agency lists what concerns it', async () => {
    expect((await boss.publish('minimum_spend', { title: 'Minimum spend 2027' })).status).toBe(200);
    await app.make.accept(agency, owner.id, 'default_agency');
    const { data } = (await owner.send('GET', '/document/agreement')).body;
    expect(data).toMatchObject([
      { document_type: 'default_agency', state: 'accepted', party: 'Meridian' },
      { document_type: 'minimum_spend', state: 'missing', title: 'Minimum spend 2027', version: '2' },
    ]);
    expect((await person.send('GET', '/document/agreement')).body.data).toMatchObject([
      { document_type: 'default_client', state: 'accepted' },
    ]);
    expect((await boss.send('GET', '/document/agreement')).body.data).toEqual([]);
    expect((await person.send('GET', '/document/agreement/minimum_spend')).status).toBe(422);
  });
});

test('[DOC-01] companies are told of a new version: when it is published, a week before its start, and at its start', async () => {
  const nova = await app.make.agency(root, { host: 'nova.test', name: 'Nova', brand: { name: 'Nova' } });
  const writer = await signedIn(nova, 'nova.test');
  const [early, late, fresh] = await Promise.all(
    ['Early', 'Late', 'Fresh'].map(async (name) =>
      signedIn(await app.make.client(nova, { name }), 'nova.test'),
    ),
  );
  for (const one of [early!, late!]) await one.accept('default_client');
  app.clock.advance(1000);
  await writer.publish('default_client', { notice_days: 20 });
  const told = async () => {
    // Two workers at once tell nobody twice.
    const { news } = app.features.agreements;
    await Promise.all([news.sendDue(root.id), news.sendDue(root.id)]);
    return (await app.features.mail.outbox({ rootId: root.id }, 500))
      .filter(
        ({ kind, to_address: to }) => /^agreement[.]/.test(kind) && /late|early|fresh/.test(names.get(to)!),
      )
      .map((one) => [names.get(one.to_address), one.kind, one.subject])
      .toSorted();
  };
  const names = new Map([
    [early!.email, 'early'],
    [late!.email, 'late'],
    [fresh!.email, 'fresh'],
  ]);
  const day = dayInText(String((await late!.read('default_client')).effective_on));
  const published = 'agreement.published';
  const first = [
    ['early', published, `Client terms: a new version takes effect on ${day}`],
    ['late', published, `Client terms: a new version takes effect on ${day}`],
  ];
  expect(await told()).toEqual(first);
  await early!.accept('default_client');
  app.clock.advance(12 * DAY);
  expect(await told()).toEqual(first);
  app.clock.advance(DAY);
  const second = ['late', 'agreement.soon', `Client terms: please accept the new version by ${day}`];
  expect(await told()).toEqual([...first, second].toSorted());
  app.clock.advance(7 * DAY);
  const third = ['late', 'agreement.ended', 'Client terms: please accept the new version'];
  expect(await told()).toEqual([...first, second, third].toSorted());
  const [mail] = (await app.features.mail.outbox({ rootId: root.id }, 500)).filter(
    ({ kind, to_address: to }) => kind === 'agreement.ended' && to === late!.email,
  );
  expect(mail?.body?.text).toContain('https://nova.test/configuration/agreements/default_client');
  expect(mail?.body?.text).not.toContain('Meridian');
  app.clock.advance(40 * DAY);
  expect(await told()).toHaveLength(4);
});

test('[BEY-30] versions that were replaced are not read with their texts, and a company publishes 20 a day', async () => {
  const busy = await app.make.agency(root, { host: 'busy.test', name: 'Busy' });
  const writer = await signedIn(busy, 'busy.test');
  const versions = () =>
    inScope(app.platform.db.app, { rootId: root.id }, (tx) => versionsOf(tx, busy.id, 'default_client'));
  const publish = (n: number) =>
    writer.publish('default_client', { base_version: n, body: `${BODY}\n\nNumber ${n}.` });
  for (let n = 1; n <= 20; n++) expect((await publish(n)).status).toBe(200);
  expect((await publish(21)).status).toBe(429);
  const rows = await versions();
  expect(rows.map(({ body }) => body.length > 0)).toEqual([...Array(19).fill(false), true]);
  expect(rows.at(-1)!.body).toContain('Number 20.');
  app.clock.advance(DAY + 1000);
  await writer.again();
  expect((await publish(21)).status).toBe(200);
});
