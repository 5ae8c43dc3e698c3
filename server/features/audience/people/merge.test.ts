import { hash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import type { PersonInput } from './import.service.ts';
import { people } from './match.service.ts';
import { areAlike, placeOf, similarNames, textOf } from './merge.policy.ts';
import { createMerges } from './merge.service.ts';

describe('[BEY-05] who may be the same', () => {
  const named = (first_name: string | null, last_name: string | null, mail = '') => ({
    first_name,
    last_name,
    sha256: mail ? [Buffer.from(`s${mail}`)] : [],
    sha1: mail ? [Buffer.from(`1${mail}`)] : [],
    md5: mail ? [Buffer.from(`m${mail}`)] : [],
  });

  test.each([
    [['Al', 'Miller'], ['Albert', 'MILLER'], true],
    [['José', "O'Neil"], ['Jose', 'ONeil'], true],
    [['Miller', 'Ann'], ['Ann', 'Miller'], true],
    [['Ann', 'Miller'], ['Bob', 'Miller'], false],
    [['Ann', 'Miller'], ['Ann', 'Mills'], false],
    [[null, 'Miller'], ['Ann', 'Miller'], true],
    [['Ann', null], ['Ann', null], false],
  ] as const)('%j and %j', ([f, l], [f2, l2], alike) => {
    expect(similarNames(named(f, l), named(f2, l2))).toBe(alike);
    expect(similarNames(named(f2, l2), named(f, l))).toBe(alike);
  });

  test('by the first key in order that they share, so that no one is shown twice', () => {
    const a = named('Ann', 'Lee', 'x');
    expect(([1, 3, 2, 6] as const).map((kind) => areAlike(kind, a, a))).toEqual([true, false, false, false]);
    const md5Only = { ...a, sha256: [], sha1: [] };
    expect(([3, 2, 6] as const).map((kind) => areAlike(kind, a, md5Only))).toEqual([true, false, false]);
    expect(areAlike(6, a, named('Ann', 'Lee', 'y'))).toBe(true);
    expect(areAlike(6, a, named('Zoe', 'Lee', 'y'))).toBe(false);
  });

  test('a place to go on from is read back, and nothing else is', () => {
    for (const place of [
      { kind: 1, after: Buffer.from([0, 255]) },
      { kind: 6, after: null },
    ] as const)
      expect(placeOf(textOf(place))).toEqual(place);
    for (const text of ['', '4.', '7.AA', '1', 'x']) expect(placeOf(text)).toBeNull();
  });
});

describe('[BEY-05] merging people', () => {
  let app: TestApp;
  let clock: ManualClock;
  let root: Company;
  let host: string;
  let token: string;
  let serial = 0;
  const at = new Date('2026-03-10T15:00:00Z');

  beforeAll(async () => {
    clock = new ManualClock(at);
    app = await testApp({ clock });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    serial++;
    host = `root${serial}.merge.test`;
    root = await app.make.root({ host });
    await app.make.user(root, { email: `r${serial}@merge.test`, password: PASSWORD });
    token = await app.signIn(`r${serial}@merge.test`, host);
  });

  const call = (method: 'GET' | 'POST', url: string, body?: unknown) =>
    app.call(method, `/api/identity${url}`, { host, token, ...(body ? { body } : {}) });
  const importPeople = (rows: PersonInput[], source = 'import: a.csv') =>
    inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.people.addPeople(tx, root.id, rows, source),
    );
  const idOf = async (external: string): Promise<string> =>
    (
      await app.admin.query('select id from person where root_id = $1 and last_name = $2', [
        root.id,
        external,
      ])
    ).rows[0].id;
  const merge = async (kept: string, absorbed: string) => {
    const { status, body } = await call('POST', '/merges', {
      kept: await idOf(kept),
      absorbed: await idOf(absorbed),
    });
    return { status, ...(body as unknown as { message: string; data: { id: string } }) };
  };
  const undo = (id: string) => call('POST', `/merges/${id}/undo`, {});
  const match = async (clue: { email?: string; visitorId?: string; ip?: string }) => {
    const { email, ...rest } = clue;
    const found = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.people.match(tx, root.id, [
        {
          ref: 0,
          at: clock.now(),
          ...rest,
          ...(email ? { hashKind: 1 as const, hash: Buffer.from(hash('sha256', email), 'hex') } : {}),
        },
      ]),
    );
    return found.get(0);
  };
  const logged = async () =>
    (
      await app.admin.query<{ action: string }>(
        `select action from user_log where root_id = $1 and action like 'person.%merge' order by action`,
        [root.id],
      )
    ).rows.map((row) => row.action);

  test('either one’s keys lead to the one who is kept; what is missing comes from the other; undone, all is as it was', async () => {
    await importPeople([
      { external_id: '1', last_name: 'Kept', email: 'a@x.example', phone: '504-621-8927' },
      { external_id: '2', last_name: 'Gone', email: 'b@x.example', company_name: 'Acme', ip: '8.8.4.4' },
    ]);
    const [kept, gone] = [await idOf('Kept'), await idOf('Gone')];
    const before = await match({ email: 'b@x.example' });
    expect(before?.personId).toBe(gone);
    const { status, data } = await merge('Kept', 'Gone');
    expect([status, data]).toMatchObject([
      200,
      { kept: { id: kept, email: 'a@x.example' }, absorbed: { id: gone }, undone_at: null },
    ]);
    for (const clue of [{ email: 'a@x.example' }, { email: 'b@x.example' }, { ip: '8.8.4.4' }])
      expect(await match(clue)).toMatchObject({ personId: kept, alternatives: 0 });
    // Both keys together agree.
    expect(await match({ email: 'a@x.example', ip: '8.8.4.4' })).toMatchObject({
      personId: kept,
      confidence: 98,
      evidence: [{ key: 'email_sha256' }, { key: 'ip' }],
    });
    const known = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.people.people(tx, root.id, [gone, kept]),
    );
    for (const id of [kept, gone])
      expect(known.get(id)).toMatchObject({
        id: kept,
        members: [kept, gone],
        last_name: 'Kept',
        company_name: 'Acme',
        emails: ['a@x.example', 'b@x.example'],
        phones: ['+15046218927'],
      });
    expect((await undo(data.id)).status).toBe(200);
    expect(await match({ email: 'b@x.example' })).toEqual(before);
    expect(await logged()).toEqual(['person.merge', 'person.unmerge']);
  });

  test('again changes nothing; of people merged elsewhere, unknown ones and oneself it is refused', async () => {
    await importPeople(
      ['A', 'B', 'C'].map((last_name) => ({
        external_id: last_name,
        last_name,
        email: `${last_name}@x.example`,
      })),
    );
    const first = await merge('A', 'B');
    expect(await merge('A', 'B')).toEqual(first);
    expect(await logged()).toEqual(['person.merge']);
    expect((await merge('C', 'B')).status).toBe(409);
    expect((await merge('B', 'C')).status).toBe(409);
    expect((await merge('B', 'A')).status).toBe(409);
    expect((await merge('A', 'A')).status).toBe(409);
    expect((await call('POST', '/merges', { kept: await idOf('A'), absorbed: randomUUID() })).status).toBe(
      404,
    );
    expect((await undo(first.data.id)).body).toEqual((await undo(first.data.id)).body);
    expect(await logged()).toEqual(['person.merge', 'person.unmerge']);
    expect((await undo(randomUUID())).status).toBe(404);
    expect((await merge('C', 'B')).status).toBe(200);
  });

  test('a chain is one person, and each link of it can be undone by itself', async () => {
    await importPeople(
      ['A', 'B', 'C', 'D'].map((name) => ({
        external_id: name,
        last_name: name,
        email: `${name}@x.example`,
      })),
    );
    const ab = (await merge('B', 'A')).data.id; // A is B
    const bc = (await merge('C', 'B')).data.id; // and both are merged with C
    await merge('C', 'D');
    const names = async () => {
      const found: string[] = [];
      for (const name of ['a', 'b', 'c', 'd']) {
        const { personId } = (await match({ email: `${name}@x.example` }))!;
        const { rows } = await app.admin.query('select last_name from person where id = $1', [personId]);
        found.push(rows[0].last_name);
      }
      return found;
    };
    expect(await names()).toEqual(['C', 'C', 'C', 'C']);
    await undo(bc);
    expect(await names()).toEqual(['B', 'B', 'C', 'C']);
    expect((await merge('C', 'B')).status).toBe(200);
    await undo(ab);
    expect(await names()).toEqual(['A', 'C', 'C', 'C']);
  });

  test('an import of the absorbed one’s row changes their row and makes no one new; a new key is taken along when undone', async () => {
    await importPeople([
      { external_id: '1', last_name: 'Kept', email: 'a@x.example' },
      { external_id: '2', last_name: 'Gone', email: 'b@x.example' },
    ]);
    const [kept, gone] = [await idOf('Kept'), await idOf('Gone')];
    const { data } = await merge('Kept', 'Gone');
    expect(
      await importPeople([{ external_id: '2', last_name: 'Gone', email: 'b2@x.example', city: 'Austin' }]),
    ).toMatchObject({ added: 0, changed: 1 });
    const visitorId = randomUUID();
    const shown = await match({ email: 'b2@x.example' });
    expect(shown).toMatchObject({ personId: kept, rowId: gone });
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.people.learn(tx, root.id, [{ personId: shown!.rowId!, visitorId, at: clock.now() }]),
    );
    expect(await match({ visitorId })).toMatchObject({ personId: kept });
    await undo(data.id);
    expect(await match({ email: 'b2@x.example' })).toMatchObject({ personId: gone });
    expect(await match({ visitorId })).toMatchObject({ personId: gone });
    expect(await match({ email: 'a@x.example' })).toMatchObject({ personId: kept });
  });

  test('suggestions: by address, by phone and name; not offices, not who is merged; some at a time', async () => {
    await importPeople([
      { external_id: '1', first_name: 'Al', last_name: 'One', email: 'same@x.example' },
      { external_id: '2', first_name: 'Zoe', last_name: 'Two', email: 'same@x.example' },
      { external_id: '3', first_name: 'Bo', last_name: 'Three', email: 'c@x.example', phone: '504-621-8927' },
      {
        external_id: '4',
        first_name: 'Bob',
        last_name: 'THREE',
        email: 'd@x.example',
        phone: '504-621-8927',
      },
      { external_id: '5', first_name: 'Eve', last_name: 'Five', email: 'e@x.example', phone: '504-621-8927' },
      ...Array.from({ length: 6 }, (_, i) => ({
        external_id: `o${i}`,
        last_name: `Office${i}`,
        email: 'info@x.example',
      })),
    ]);
    type Found = { data: { key: string; people: { last_name: string }[] }[]; next: string | null };
    const found = async () => {
      const { data, next } = (await call('GET', '/duplicates')).body as unknown as Found;
      expect(next).toBeNull();
      return data.map(({ key, people }) => [key, ...people.map((one) => one.last_name).sort()]);
    };
    expect(await found()).toEqual([
      ['email_sha256', 'One', 'Two'],
      ['phone', 'THREE', 'Three'],
    ]);
    const { data } = await merge('Two', 'One');
    expect(await found()).toEqual([['phone', 'THREE', 'Three']]);
    await undo(data.id);
    expect(await found()).toHaveLength(2);
    expect((await call('GET', '/duplicates?after=nonsense')).status).toBe(422);
  });

  test('suggestions go on where a page has ended, and none is left out', async () => {
    await importPeople(
      Array.from({ length: 60 }, (_, i) => ({
        external_id: `p${i}`,
        last_name: `P${i}`,
        email: `pair${i % 30}@x.example`,
      })),
    );
    const seen: string[] = [];
    let after: string | null = '';
    for (let pages = 0; after !== null; pages++) {
      expect(pages).toBeLessThan(5);
      const { body } = await call('GET', `/duplicates${after ? `?after=${after}` : ''}`);
      const { data, next } = body as unknown as {
        data: { people: { email: string }[] }[];
        next: string | null;
      };
      seen.push(...data.map(({ people }) => people[0]!.email));
      after = next;
    }
    expect([...seen].sort()).toEqual(Array.from({ length: 30 }, (_, i) => `pair${i}@x.example`).sort());
  });

  test('[BEY-31] those who share many keys are read once, and only as many people as a page needs', async () => {
    await importPeople([
      { external_id: '1', last_name: 'One', email: ['a@x.example', 'b@x.example'] },
      { external_id: '2', last_name: 'Two', email: ['a@x.example', 'b@x.example'] },
    ]);
    const asked: string[][] = [];
    const merges = createMerges(app.platform, { audit: app.features.audit }, (tx, rootId, ids) => {
      asked.push([...ids]);
      return people(tx, rootId, ids);
    });
    const ctx = { scope: { rootId: root.id } } as Ctx;
    const { data, next } = await merges.duplicates(ctx, undefined);
    expect(next).toBeNull();
    expect(data.map(({ people: pair }) => pair.map(({ rows }) => rows))).toEqual([[1, 1]]);
    expect(asked.map((ids) => ids.length)).toEqual([2]);

    await importPeople(
      Array.from({ length: 1200 }, (_, i) => ({
        external_id: `p${i}`,
        last_name: 'P',
        email: `p${i % 600}@x.example`,
      })),
    );
    await importPeople(
      Array.from({ length: 7 }, (_, i) => ({
        external_id: `o${i}`,
        last_name: 'Office',
        email: 'info@x.example',
      })),
    );
    asked.length = 0;
    const page = await merges.duplicates(ctx, undefined);
    expect(page.data).toHaveLength(25);
    expect(page.next).not.toBeNull();
    expect(asked.map((ids) => new Set(ids).size)).toEqual([asked[0]!.length]);
    expect(asked[0]!.length).toBeLessThanOrEqual(400);
    let pairs = page.data.length;
    for (let from = page.next; from !== null; ) {
      const more = await merges.duplicates(ctx, from);
      pairs += more.data.length;
      from = more.next;
    }
    // One and Two may be on two pages, once for each of their addresses.
    expect([601, 602]).toContain(pairs);
    expect(Math.max(...asked.map((ids) => ids.length))).toBeLessThanOrEqual(400);
  });

  test('a search in small steps finds the same shared keys as one in a single step', async () => {
    await importPeople(
      Array.from({ length: 90 }, (_, i) => ({
        external_id: `p${i}`,
        last_name: `P${i}`,
        email: `shared${i % 37}@x.example`,
      })),
    );
    const { sharedKeys } = await import('./merge.store.ts');
    const all = (most: number) =>
      inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
        const found: string[] = [];
        let after: Buffer | null = null;
        for (let steps = 0; ; steps++) {
          expect(steps).toBeLessThan(200);
          const { shared, last } = await sharedKeys(tx, root.id, { kind: 1, after }, most);
          found.push(...shared.map(({ value, ids }) => `${value.toString('hex')} ${ids.length}`));
          if (!last) return found;
          after = last;
        }
      });
    const once = await all(1000);
    expect(once).toHaveLength(37);
    for (const most of [4, 5, 7, 90, 91]) expect(await all(most)).toEqual(once);
  });

  test('who is erased is erased as all that they were known as', async () => {
    await importPeople(
      ['A', 'B', 'C', 'D'].map((name) => ({
        external_id: name,
        last_name: name,
        email: `${name}@x.example`,
      })),
    );
    await merge('B', 'A');
    await merge('C', 'B');
    const id = await idOf('B');
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      tx.deleteFrom('person').where('id', '=', id).execute(),
    );
    const { rows } = await app.admin.query('select last_name from person where root_id = $1', [root.id]);
    expect(rows).toEqual([{ last_name: 'D' }]);
    const left = await app.admin.query('select from person_merge where root_id = $1', [root.id]);
    expect(left.rowCount).toBe(0);
    expect(await match({ email: 'a@x.example' })).toBeUndefined();
  });

  test('two administrators who merge the same two at once make one merge', async () => {
    await importPeople(
      ['A', 'B'].map((name) => ({ external_id: name, last_name: name, email: `${name}@x.example` })),
    );
    const [one, two] = await Promise.all([merge('A', 'B'), merge('A', 'B')]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.data.id).toBe(two.data.id);
    // The other direction concurrently: one of the two wins.
    await undo(one.data.id);
    const both = await Promise.all([merge('A', 'B'), merge('B', 'A')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await call('GET', '/merges')).body).toMatchObject({ total: 2 });
  });
});
