import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXPORTED } from '../company-exports/tables.ts';
import { canonical, Digest, idsOf, isUuid, readRow } from './rows.ts';
import { DOCUMENT_KEYS, DOCUMENTS, INSERTED } from './tables.ts';

/** The columns of each table, as `npm run schema` wrote them. */
const schema = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../../../platform/db/schema.ts'), 'utf8').matchAll(
      /^ {2}(\w+): \{\n([\s\S]*?)^ {2}\};/gm,
    ),
  ].map(([, name, body]) => [name!, [...body!.matchAll(/^ {4}(\w+):/gm)].map(([, column]) => column!)]),
);

describe('[BEY-13] an import forgets nothing', () => {
  test('each exported table is inserted, or stays documents for a reason', () => {
    const decided = [...INSERTED.map(({ name }) => name), ...Object.values(DOCUMENTS).flat()];
    expect(decided.toSorted()).toEqual(EXPORTED.map(({ name }) => name).toSorted());
  });

  test('the columns that are named exist, and amounts of the past are not inserted', () => {
    for (const { name, key, own, texts, ids, parents, adds } of INSERTED) {
      const columns = schema.get(name)!;
      for (const column of [...key, ...own, ...texts, ...ids, ...adds, ...parents.map((one) => one.column)])
        expect([name, columns]).toEqual([name, expect.arrayContaining([column])]);
    }
    const amounts = INSERTED.filter(({ name }) => schema.get(name)!.some((one) => one.endsWith('_micros')));
    expect(amounts.map(({ name }) => name)).toEqual([
      'campaign_hour',
      'lead',
      'retail_cost',
      'cap',
      'campaign_fee',
    ]);
    for (const [name, key] of Object.entries(DOCUMENT_KEYS))
      expect([name, schema.get(name)]).toEqual([name, expect.arrayContaining([...key])]);
  });

  test('new ids are ids, keep their order in time, and are the same each time', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.uuid({ version: 7 }), fc.uuid(), (one, other, importId) => {
        const ids = idsOf(importId);
        expect(isUuid(ids.one(one))).toBe(true);
        expect(ids.one(one)).toBe(idsOf(importId).one(one));
        expect(ids.one(one).slice(0, 13)).toBe(one.slice(0, 13));
        if (one !== other) expect(ids.one(one)).not.toBe(ids.one(other));
      }),
    );
  });

  test('a digest does not depend on the order of rows or keys, and changes with any value', () => {
    const row = fc.record({ id: fc.uuid(), text: fc.string(), amount: fc.integer() });
    fc.assert(
      fc.property(fc.uniqueArray(row, { selector: ({ id }) => id, minLength: 1 }), (rows) => {
        const digest = (list: typeof rows): string => {
          const made = new Digest();
          for (const one of list) made.add(one.id, canonical(one, ['id', 'text', 'amount']));
          return made.hex;
        };
        expect(digest(rows.toReversed())).toBe(digest(rows));
        expect(digest(rows.map((one, i) => (i === 0 ? { ...one, amount: one.amount + 1 } : one)))).not.toBe(
          digest(rows),
        );
      }),
    );
  });

  test('whole numbers that JavaScript cannot hold keep all their digits', () => {
    expect(
      readRow('{"place":4611686018427387905,"text":"a 4611686018427387905,","n":[1,9007199254740993]}'),
    ).toEqual({
      place: '4611686018427387905',
      text: 'a 4611686018427387905,',
      n: [1, '9007199254740993'],
    });
  });
});
