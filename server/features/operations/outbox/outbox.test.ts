import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
afterAll(() => app?.close());

/** A root with an agency and a client, each with an owner and an administrator. */
async function house(settings: NonNullable<Parameters<typeof testApp>[0]>['settings'] = {}) {
  app = await testApp({ settings });
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  const agency = await app.make.agency(root, { host: 'agency.test' });
  const client = await app.make.client(agency);
  const people: Record<string, Company> = { root, agency, client };
  for (const [name, company] of Object.entries(people))
    for (const role of ['owner', 'administrator'] as const)
      await app.make.user(company, { email: `${role}@${name}.test`, password: PASSWORD, role });
  return people;
}
const hostOf = (email: string) => (email.endsWith('@root.test') ? 'root.test' : 'agency.test');
async function as(email: string) {
  const host = hostOf(email);
  const token = await app.signIn(email, host);
  const get = (path = '') => app.call('GET', `/api/outbox${path}`, { host, token });
  return {
    get,
    // biome-ignore lint/suspicious/noExplicitAny: the rows of a response
    rows: async (path = '') => ((await get(path)).body as any).data as any[],
    hasPage: async () =>
      (
        (await app.call('GET', '/api/user/retrieve', { host, token })).body as unknown as {
          setup: { outbox: boolean };
        }
      ).setup.outbox,
  };
}
/** An email to the owner of a company, with a picture in it. */
const send = (company: Company, name: string) =>
  inScope(app.platform.db.app, { rootId: company.root_id }, (tx) =>
    app.features.mail.enqueue(tx, {
      kind: 'test',
      owner: { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
      to: { name: 'Ona Owner', address: `owner@${name}.test` },
      sender: { name: 'Acme', host: 'agency.test' },
      subject: 'Set a new password',
      text: 'Open http://agency.test/reset',
      html: '<html><head></head><body><img src="cid:logo"></body></html>',
      logo: { bytes: Buffer.from('png'), type: 'image/png' },
    }),
  );

describe('[BEY-33] the outbox of a platform without a mail server', () => {
  let people: Record<string, Company>;
  beforeAll(async () => {
    people = await house();
  });

  test('the root’s owner reads what was sent in it, with a row in the log', async () => {
    await send(people.agency!, 'agency');
    const owner = await as('owner@root.test');
    const [row] = await owner.rows('?searchQuery=owner@agency');
    expect(row).toMatchObject({ to_address: 'owner@agency.test', error: null });
    const { body: mail } = await owner.get(`/${row.id}`);
    expect(mail).toMatchObject({
      text: 'Open http://agency.test/reset',
      html: '<html><head></head><body><img src="data:image/png;base64,cG5n"></body></html>',
      attachment: null,
    });
    const { rows } = await app.admin.query(
      "select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'mail.read'",
    );
    expect(rows).toEqual([
      { description: `Read the email “${row.subject}” to owner@agency.test in the outbox` },
    ]);
    expect(await owner.rows('?searchQuery=100%25')).toEqual([]);
    expect(await owner.hasPage()).toBe(true);
  });

  test('no one else does', async () => {
    expect((await (await as('administrator@root.test')).get()).status).toBe(403);
    for (const email of ['owner@agency.test', 'owner@client.test']) {
      const other = await as(email);
      expect([(await other.get()).status, await other.hasPage()]).toEqual([404, false]);
    }
  });

  test('an email is read only by someone who signed in or confirmed just now', async () => {
    const owner = await as('owner@root.test');
    const [row] = await owner.rows();
    await app.admin.query(
      "update session set created_at = created_at - interval '1 hour', confirmed_at = null",
    );
    expect((await owner.get(`/${row.id}`)).body).toMatchObject({ errors: { confirm: expect.anything() } });
  });
});

describe('[BEY-33] the outbox of the demo', () => {
  beforeAll(async () => {
    await app.close();
    for (const [name, company] of Object.entries(await house({ seed: 'demo' }))) await send(company, name);
  });

  test('every owner reads the emails of their own company and of those below it', async () => {
    const seen: Record<string, string[]> = {};
    for (const name of ['root', 'agency', 'client']) {
      const owner = await as(`owner@${name}.test`);
      seen[name] = (await owner.rows('?searchQuery=password')).map(({ to_address }) => to_address).sort();
      expect(await owner.hasPage()).toBe(true);
    }
    const [client, agency, root] = ['client', 'agency', 'root'].map((name) => `owner@${name}.test`);
    expect(seen).toEqual({ root: [agency, client, root], agency: [agency, client], client: [client] });
    const [row] = await (await as('owner@root.test')).rows('?searchQuery=owner@root');
    expect((await (await as('owner@client.test')).get(`/${row.id}`)).status).toBe(404);
    expect((await (await as('administrator@client.test')).get()).status).toBe(403);
  });
});

test('[BEY-33] with a mail server there is no outbox', async () => {
  await app.close();
  await house({ seed: 'demo', smtpUrl: 'smtp://127.0.0.1:1' });
  const owner = await as('owner@root.test');
  expect([(await owner.get()).status, await owner.hasPage()]).toEqual([404, false]);
});
