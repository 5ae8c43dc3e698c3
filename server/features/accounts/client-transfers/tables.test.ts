import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FEATURES } from '../../index.ts';
import { MOVED, STAYS } from './tables.ts';

/** The columns of each table, as `npm run schema` wrote them. */
const schema = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../../../platform/db/schema.ts'), 'utf8').matchAll(
      /^ {2}(\w+): \{\n([\s\S]*?)^ {2}\};/gm,
    ),
  ].map(([, name, body]) => [name!, [...body!.matchAll(/^ {4}(\w+):/gm)].map(([, column]) => column!)]),
);

describe('[BEY-13] a transfer forgets nothing', () => {
  test('each table with rows of companies moves, or stays for a reason', () => {
    const owned = [...FEATURES.flatMap((one) => one.tables as readonly string[]), 'mail', 'job_run'];
    const theirs = owned.filter((name) => schema.get(name)?.includes('company_id'));
    const decided = [...MOVED.map(({ name }) => name), ...Object.values(STAYS).flat()];
    expect(decided.length).toBe(new Set(decided).size);
    const known = new Set(decided);
    expect(theirs.filter((name) => !known.has(name))).toEqual([]);
    expect(decided.filter((name) => !schema.has(name))).toEqual([]);
  });

  test('each id of a campaign in a table that moves is mapped, and the other columns exist', () => {
    for (const { name, maps, texts, zero, none, now } of MOVED) {
      const columns = schema.get(name)!;
      expect([name, columns.includes('agency_id')]).toEqual([name, true]);
      if (columns.includes('campaign_id')) expect([name, maps]).toEqual([name, ['campaign_id']]);
      for (const column of [...maps, ...texts, ...zero, ...none, ...now])
        expect([name, columns]).toEqual([name, expect.arrayContaining([column])]);
      // Amounts go only where they are about the present.
      const amounts = columns.filter((one) => one.endsWith('_micros') && !zero.includes(one));
      expect([name, name === 'cap' ? [] : amounts]).toEqual([name, []]);
    }
  });
});
