import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { mailboxOf } from './policy.ts';

/** The ways in which one address is written, and who is excluded by any of them. */
let app: TestApp;
let root: Company;
let token: string;
const host = 'keys.test';
beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host });
  await app.make.user(root, { email: 'owner@x.test', password: PASSWORD });
  token = await app.signIn('owner@x.test', host);
});
afterAll(() => app?.close());

/** Replaces the root's list in force; returns how the new list is shown. */
async function exclude(lines: string[], more = ''): Promise<Record<string, unknown>> {
  await app.call('POST', '/api/tools/optout/purge', { host, token, body: {} });
  const { body } = await app.server.inject({
    method: 'POST',
    url: `/api/tools/optout/upload?file_name=list.csv${more}`,
    headers: { host, authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    payload: `${lines.join('\n')}\n`,
  });
  const listId = JSON.parse(body).data.id;
  await app.features.exclusions.loads.load({ rootId: root.id, listId });
  return (await app.call('GET', `/api/exclusions/lists/${listId}`, { host, token })).body.list as never;
}
const bytes = (algorithm: string, text: string) => Buffer.from(hash(algorithm, text), 'hex');
/** Whether a person whose address we know, or only its hash, is excluded. */
const isExcluded = async (email: string, isHashOnly = false): Promise<boolean> => {
  const [verdict] = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.features.exclusions.check(tx, [
      {
        owners: [root.id],
        sha256: [bytes('sha256', email)],
        md5: [bytes('md5', email)],
        phones: [],
        emails: isHashOnly ? [] : [email],
      },
    ]),
  );
  return verdict === 'excluded';
};

describe('[EXCL-01] [BEY-08] one address in all the ways it is written', () => {
  test('international domains: both forms are the same, by address and by hash alone', async () => {
    for (const line of ['jo@müller.example', 'jo@xn--mller-kva.example', 'JO@MU\u0308LLER.example']) {
      expect(await exclude([line])).toMatchObject({ state: 'active', emails: 1, rows_bad: 0 });
      for (const known of ['jo@müller.example', 'jo@xn--mller-kva.example'])
        for (const isHashOnly of [true, false])
          expect([line, known, isHashOnly, await isExcluded(known, isHashOnly)]).toEqual([
            line,
            known,
            isHashOnly,
            true,
          ]);
      expect(await isExcluded('jo@muller.example')).toBe(false);
    }
    expect(await exclude(['xn--mller-kva.example'])).toMatchObject({ domains: 1 });
    expect(await isExcluded('anyone@müller.example')).toBe(true);
  });

  test('letters with marks: composed and apart are the same', async () => {
    for (const line of ['jos\u00e9@x.example', 'jose\u0301@x.example']) {
      await exclude([line]);
      for (const known of ['jos\u00e9@x.example', 'jose\u0301@x.example'])
        expect([line, known, await isExcluded(known, true)]).toEqual([line, known, true]);
    }
  });

  test('Gmail: dots and what follows a plus count for nothing, where the list says so', async () => {
    const list = await exclude(['J.Doe+news@gmail.com', 'plain@x.example', 'j.do.e@googlemail.com']);
    expect(list).toMatchObject({ ignore_aliases: true, emails: 3, entries_added: 3 });
    for (const known of ['jdoe@gmail.com', 'j.d.o.e@gmail.com', 'jdoe+shop@googlemail.com'])
      expect([known, await isExcluded(known)]).toEqual([known, true]);
    // For a person known only by a hash, only the list's own value and the plain form can be compared.
    expect(await isExcluded('j.doe+news@gmail.com', true)).toBe(true);
    expect(await isExcluded('jdoe@gmail.com', true)).toBe(true);
    expect(await isExcluded('j.d.o.e@gmail.com', true)).toBe(false);
    expect(await isExcluded('p.lain@x.example')).toBe(false);
    expect(await isExcluded('someone@gmail.com')).toBe(false);

    expect(await exclude(['J.Doe+news@gmail.com'], '&ignoreAliases=F')).toMatchObject({
      ignore_aliases: false,
    });
    expect(await isExcluded('j.doe+news@gmail.com')).toBe(true);
    expect(await isExcluded('jdoe@gmail.com')).toBe(false);
  });

  test.each([
    ['a.b+c@gmail.com', 'ab@gmail.com'],
    ['ab@googlemail.com', 'ab@gmail.com'],
    ['+c@gmail.com', null],
    ['a.b@x.example', null],
    ['a.b@gmail.com.example', null],
  ])('the mailbox of %s', (email, mailbox) => expect(mailboxOf(email)).toBe(mailbox));
});
