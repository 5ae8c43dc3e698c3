import { hash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import type { PersonInput } from './import.service.ts';
import { choose, type Found, keyConfidence, type Ranked } from './match.policy.ts';
import type { Clue } from './match.service.ts';
import type { Kind } from './model.ts';

const at = new Date('2026-03-10T15:00:00Z');
const daysBefore = (days: number) => new Date(at.getTime() - days * 86_400_000);

describe('choosing', () => {
  const found = (kind: Kind, personId: string, more: Partial<Found> = {}): Found => ({
    kind,
    personId,
    source: 'test',
    seenAt: daysBefore(1),
    people: 1,
    ...more,
  });

  test('[IDEN-02] the strongest kind wins, whatever was seen last', () => {
    const keys = [
      found(7, 'c', { seenAt: at }),
      found(4, 'b', { seenAt: at }),
      found(1, 'a', { seenAt: daysBefore(900) }),
    ];
    expect(choose(keys, at)).toMatchObject({
      personId: 'a',
      kind: 1,
      others: [{ personId: 'b' }, { personId: 'c' }],
    });
    expect(choose(keys.slice(0, 2), at)).toMatchObject({ personId: 'b', kind: 4, others: [{}] });
    expect(choose(keys.slice(0, 1), at)).toMatchObject({ personId: 'c', kind: 7, others: [] });
    expect(choose([], at)).toBeNull();
  });

  test('[IDEN-02] within a kind the one seen last wins, then the one known longest, in any order', () => {
    const keys = [
      found(4, 'b', { people: 3 }),
      found(4, 'c', { people: 3, seenAt: daysBefore(2) }),
      found(4, 'a', { people: 3 }),
    ];
    for (const order of [keys, [...keys].reverse(), [keys[1]!, keys[0]!, keys[2]!]]) {
      expect(choose(order, at)).toMatchObject({ personId: 'a', others: [{}, {}] });
    }
    expect(choose([found(4, 'a', { seenAt: daysBefore(9) }), found(4, 'b')], at)).toMatchObject({
      personId: 'b',
    });
  });

  test('[IDEN-02] what a key is worth: by kind, age and how many share it', () => {
    const worth = (kind: Kind, more: Partial<Found> = {}) => keyConfidence(found(kind, 'a', more), at);
    expect(([1, 2, 3, 4, 5, 6, 7] as const).map((kind) => worth(kind))).toEqual([98, 98, 98, 85, 80, 75, 22]);
    expect(worth(4, { seenAt: daysBefore(29) })).toBe(85);
    expect(worth(4, { seenAt: daysBefore(61) })).toBe(83);
    expect(worth(4, { seenAt: daysBefore(3000) })).toBe(60);
    expect([29, 61, 3000].map((days) => worth(7, { seenAt: daysBefore(days) }))).toEqual([22, 18, 2]);
    expect(worth(4, { seenAt: new Date(at.getTime() + 1e10) })).toBe(85);
    expect(worth(1, { seenAt: daysBefore(3000) })).toBe(98);
    expect([2, 3, 4, 5].map((people) => worth(7, { people }))).toEqual([11, 7, 6, 4]);
    expect([2, 3].map((people) => worth(1, { people }))).toEqual([73, 48]);
    for (const kind of [1, 4, 7] as const)
      for (let people = 2; people <= 20; people++)
        expect(worth(kind, { people })).toBeLessThan(worth(kind, { people: people - 1 }) + 1);
  });

  test('[IDEN-02] agreeing keys raise the confidence, to 99 at most; others lower it', () => {
    const alone = choose([found(4, 'a')], at)!.confidence;
    const agreed = choose([found(4, 'a'), found(7, 'a')], at)!;
    expect(agreed.confidence).toBeGreaterThan(alone);
    expect(agreed.reasons.map((reason) => [reason.kind, reason.confidence])).toEqual([
      [4, 85],
      [7, 22],
    ]);
    expect(choose([found(1, 'a'), found(4, 'a'), found(7, 'a')], at)!.confidence).toBe(99);
    expect(choose([found(4, 'a'), found(7, 'b')], at)!.confidence).toBe(alone - 3);
    expect(choose([found(1, 'a'), found(4, 'b')], at)!.confidence).toBe(88);
    // A household: the address leads to both, so it does not speak against the one.
    expect(
      choose([found(4, 'a'), found(7, 'a', { people: 2 }), found(7, 'b', { people: 2 })], at)!.confidence,
    ).toBeGreaterThan(alone);
  });

  test('[BEY-05] each of the others: which keys spoke for them, and how sure it would have been that it was they', () => {
    const keys = [
      found(1, 'a'),
      found(4, 'b', { people: 2 }),
      found(4, 'c', { people: 2, seenAt: daysBefore(40) }),
      found(7, 'c'),
    ];
    const { confidence, others } = choose(keys, at)!;
    expect(confidence).toBe(98 - 10 - 3);
    expect(others).toMatchObject([
      { personId: 'c', reasons: [{ kind: 4 }, { kind: 7 }] },
      { personId: 'b', reasons: [{ kind: 4 }] },
    ]);
    // As sure as the same keys would have been if they had won.
    const [c, b] = others as [Ranked, Ranked];
    expect(b.confidence).toBe(keyConfidence(keys[1]!, at) - 10 - 3);
    expect(c.confidence).toBeGreaterThan(b.confidence);
    expect(c.confidence).toBeLessThan(confidence);
  });

  test('[BEY-05] merged people are one: what both share speaks once, and neither is an alternative', () => {
    const keys = [
      found(1, 'a', { rowId: 'a1', seenAt: daysBefore(9) }),
      found(1, 'a', { rowId: 'a2' }),
      found(4, 'a', { rowId: 'a1' }),
    ];
    expect(choose(keys, at)).toMatchObject({
      personId: 'a',
      rowId: 'a2',
      confidence: 99,
      others: [],
      reasons: [
        { kind: 1, rowId: 'a2' },
        { kind: 4, rowId: 'a1' },
      ],
    });
  });

  test('[IDEN-02] an address of more than five people names no one, and says nothing against anyone', () => {
    const crowd = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => found(7, id, { people: 6 }));
    expect(choose(crowd, at)).toBeNull();
    expect(choose([found(4, 'z'), ...crowd], at)).toMatchObject({
      personId: 'z',
      confidence: 85,
      others: [],
    });
  });
});

describe('matching', () => {
  let app: TestApp;
  let root: string;
  const ids = new Map<string, string>();
  const scoped = <T>(work: (tx: Tx) => Promise<T>, rootId = root) =>
    inScope(app.platform.db.app, { rootId }, work);
  const people = (rows: PersonInput[], rootId = root) =>
    scoped((tx) => app.features.people.addPeople(tx, rootId, rows, 'import: test.csv'), rootId);
  const one = async (clue: Omit<Clue, 'ref' | 'at'>, rootId = root) =>
    (await scoped((tx) => app.features.people.match(tx, rootId, [{ ref: 7, at, ...clue }]), rootId)).get(7);
  const hashed = (kind: 1 | 2 | 3, email: string) => ({
    hashKind: kind,
    hash: Buffer.from(hash(['sha256', 'sha1', 'md5'][kind - 1]!, email), 'hex'),
  });
  const idOf = (email: string) => ids.get(email)!;

  beforeAll(async () => {
    app = await testApp();
    root = newId(app.clock.now());
    await people([
      { email: 'ann@x.example', first_name: 'Ann', phone: '504-621-8927', ip: '8.8.4.1' },
      { email: 'bob@x.example', first_name: 'Bob', ip: '8.8.4.1' },
      { email_md5: hash('md5', 'cat@x.example'), first_name: 'Cat' },
      ...Array.from({ length: 6 }, (_, i) => ({ email: `crowd${i}@x.example`, ip: '8.8.4.6' })),
      { email: 'dan@x.example', external_id: 'd1' },
      { email: 'dan@x.example', external_id: 'd2' },
    ]);
    const { rows } = await app.admin.query(
      `select id, coalesce(email, first_name) as name from person where root_id = $1`,
      [root],
    );
    for (const { id, name } of rows) ids.set(name, id);
  });
  afterAll(() => app.close());

  test('[IDEN-02] by each kind of hashed email, with the reason', async () => {
    for (const kind of [1, 2, 3] as const) {
      expect(await one(hashed(kind, 'ann@x.example'))).toEqual({
        personId: idOf('ann@x.example'),
        rowId: idOf('ann@x.example'),
        kind,
        confidence: 98,
        evidence: [
          {
            key: ['email_sha256', 'email_sha1', 'email_md5'][kind - 1],
            source: 'import: test.csv',
            seen_at: app.clock.now().toISOString(),
            people: 1,
            confidence: 98,
          },
        ],
        alternatives: 0,
        others: [],
      });
    }
    expect(await one(hashed(3, 'cat@x.example'))).toMatchObject({ personId: idOf('Cat'), kind: 3 });
    expect(await one(hashed(1, 'cat@x.example'))).toBeUndefined();
    expect(await one(hashed(1, 'nobody@x.example'))).toBeUndefined();
    expect(await one({})).toBeUndefined();
  });

  test('[IDEN-02] a batch is answered by ref, and one root does not see the other', async () => {
    const matches = await scoped((tx) =>
      app.features.people.match(tx, root, [
        { ref: 30, at, ...hashed(1, 'bob@x.example') },
        { ref: 10, at, ...hashed(1, 'nobody@x.example') },
        { ref: 20, at, ...hashed(2, 'ann@x.example') },
      ]),
    );
    expect([...matches].map(([ref, { personId }]) => [ref, personId]).sort()).toEqual([
      [20, idOf('ann@x.example')],
      [30, idOf('bob@x.example')],
    ]);
    const other = newId(app.clock.now());
    await people([{ email: 'ann@x.example' }], other);
    expect((await one(hashed(1, 'ann@x.example'), other))?.personId).not.toBe(idOf('ann@x.example'));
    expect(
      await scoped(
        (tx) => app.features.people.match(tx, root, [{ ref: 1, at, ...hashed(1, 'ann@x.example') }]),
        other,
      ),
    ).toEqual(new Map());
  });

  test('[IDEN-02] people who share a hash are counted, and make it less sure', async () => {
    expect(await one(hashed(1, 'dan@x.example'))).toMatchObject({
      confidence: 73,
      alternatives: 1,
      evidence: [{ people: 2 }],
    });
  });

  test('[IDEN-02] an address: shared by two it is weak, by six it is no one, private it is none', async () => {
    expect(await one({ ip: '8.8.4.1' })).toMatchObject({
      kind: 7,
      confidence: 11,
      alternatives: 1,
      evidence: [{ key: 'ip', people: 2 }],
    });
    expect(await one({ ip: '8.8.4.6' })).toBeUndefined();
    expect(await one({ ip: '127.0.0.1' })).toBeUndefined();
  });

  test('[IDEN-02] a visitor id and address are learned, recognize the next visit, and agree or disagree', async () => {
    const visitorId = randomUUID();
    const ann = idOf('ann@x.example');
    expect(await one({ visitorId, ip: '2600:1700::9' })).toBeUndefined();
    await scoped((tx) =>
      app.features.people.learn(tx, root, [{ personId: ann, visitorId, ip: '2600:1700::9', at }]),
    );
    expect(await one({ visitorId })).toMatchObject({
      personId: ann,
      kind: 4,
      confidence: 85,
      evidence: [{ key: 'visitor', source: 'visit', seen_at: at.toISOString() }],
    });
    expect(await one({ visitorId, ip: '2600:1700:0::9' })).toMatchObject({
      personId: ann,
      kind: 4,
      confidence: 87,
      evidence: [{ key: 'visitor' }, { key: 'ip' }],
    });
    // Bob uses Ann's browser: the hash identifies him, the browser contradicts it.
    expect(await one({ ...hashed(1, 'bob@x.example'), visitorId })).toMatchObject({
      personId: idOf('bob@x.example'),
      kind: 1,
      confidence: 88,
      alternatives: 1,
    });
    expect(await one({ ...hashed(1, 'ann@x.example'), visitorId })).toMatchObject({
      personId: ann,
      confidence: 99,
      evidence: [{ key: 'email_sha256' }, { key: 'visitor' }],
    });
  });

  test('[IDEN-02] learning again only freshens what is a day old, and strangers are not learned', async () => {
    const visitorId = randomUUID();
    const ann = idOf('ann@x.example');
    const learn = (when: Date, personId = ann) =>
      scoped((tx) =>
        app.features.people.learn(tx, root, [
          { personId, visitorId, ip: null, at: when },
          { personId, visitorId, at: when },
        ]),
      );
    const seen = async () => (await one({ visitorId }))?.evidence[0]?.seen_at;
    await learn(daysBefore(2));
    await learn(daysBefore(1.5));
    expect(await seen()).toBe(daysBefore(2).toISOString());
    await learn(at);
    expect(await seen()).toBe(at.toISOString());
    await learn(daysBefore(5));
    expect(await seen()).toBe(at.toISOString());
    await learn(at, randomUUID());
    expect((await one({ visitorId }))?.evidence).toMatchObject([{ people: 1 }]);
  });

  test('[IDEN-02] an address is not given to ever more people', async () => {
    const crowd = Array.from({ length: 25 }, (_, i) => ({ email: `hall${i}@x.example` }));
    await people(crowd);
    const { rows } = await app.admin.query(
      `select id from person where root_id = $1 and email like 'hall%'`,
      [root],
    );
    for (const { id } of rows)
      await scoped((tx) => app.features.people.learn(tx, root, [{ personId: id, ip: '8.8.9.9', at }]));
    const kept = await app.admin.query(
      `select from identity_key where root_id = $1 and kind = 7 and source = 'visit' and value = '\\x00000000000000000000ffff08080909'`,
      [root],
    );
    expect(kept.rowCount).toBe(20);
  });

  test('a person with all that exclusion lists may know them by', async () => {
    const ann = idOf('ann@x.example');
    const known = await scoped((tx) =>
      app.features.people.people(tx, root, [ann, idOf('Cat'), randomUUID()]),
    );
    expect([...known.keys()].sort()).toEqual([ann, idOf('Cat')].sort());
    expect(known.get(ann)).toMatchObject({
      first_name: 'Ann',
      phone: '+15046218927',
      emails: ['ann@x.example'],
      phones: ['+15046218927'],
      sha256: [hashed(1, 'ann@x.example').hash],
      sha1: [hashed(2, 'ann@x.example').hash],
      md5: [hashed(3, 'ann@x.example').hash],
    });
    expect(known.get(idOf('Cat'))).toMatchObject({
      emails: [],
      sha256: [],
      md5: [hashed(3, 'cat@x.example').hash],
      phones: [],
    });
    expect(await scoped((tx) => app.features.people.people(tx, root, []))).toEqual(new Map());
  });

  test('anyone who is erased takes all their keys along', async () => {
    await people([{ email: 'gone@x.example', phone: '504-845-1427', ip: '8.8.7.7' }]);
    const { rows } = await app.admin.query(
      `select id from person where root_id = $1 and email = 'gone@x.example'`,
      [root],
    );
    const { id } = rows[0];
    await scoped((tx) =>
      app.features.people.learn(tx, root, [{ personId: id, visitorId: randomUUID(), ip: '8.8.7.8', at }]),
    );
    const left = async () =>
      (await app.admin.query('select from identity_key where person_id = $1', [id])).rowCount;
    expect(await left()).toBe(7);
    await scoped((tx) => tx.deleteFrom('person').where('id', '=', id).execute());
    expect(await left()).toBe(0);
    expect(await one(hashed(1, 'ann@x.example'))).toBeDefined();
  });
});
