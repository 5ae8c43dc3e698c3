import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FEATURES } from '../../index.ts';
import { EXPORTED, LEFT_OUT } from './tables.ts';

/** The columns of each table, as `npm run schema` wrote them. */
const schema = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../../../platform/db/schema.ts'), 'utf8').matchAll(
      /^ {2}(\w+): \{\n([\s\S]*?)^ {2}\};/gm,
    ),
  ].map(([, name, body]) => [name!, [...body!.matchAll(/^ {4}(\w+):/gm)].map(([, column]) => column!)]),
);
const SCOPE = ['root_id', 'agency_id', 'company_id'];

describe('[BEY-13] nothing of a client is forgotten', () => {
  test('each table with rows of companies is exported, or left out for a reason', () => {
    const platform = ['mail', 'job_run'];
    const owned = [...FEATURES.flatMap((one) => one.tables as readonly string[]), ...platform];
    const theirs = owned.filter((name) => schema.get(name)?.includes('company_id'));
    const decided = [...EXPORTED.map(({ name }) => name), ...Object.values(LEFT_OUT).flat()];
    expect(decided.length).toBe(new Set(decided).size);
    const known = new Set(decided);
    expect(theirs.filter((name) => !known.has(name))).toEqual([]);
    expect(decided.filter((name) => !schema.has(name))).toEqual([]);
  });

  test('each column of an exported table is exported, or left out for a reason', () => {
    for (const { name, columns, agencyOnly, without, file } of EXPORTED) {
      const decided = [...columns, ...agencyOnly, ...Object.keys(without), ...(file ? [file] : [])];
      expect([name, decided.toSorted()]).toEqual([
        name,
        schema
          .get(name)!
          .filter((column) => !SCOPE.includes(column))
          .sort(),
      ]);
    }
  });

  test('no exported column is named like a secret', () => {
    // What is counted, hashes of texts that someone accepted, a site's public key, and counters.
    const harmless = [
      'ad_slice.key',
      'agreement_acceptance.text_hash',
      'campaign.site_key',
      'invoice.period_key',
      'exclusion_list.phone_hashes',
    ];
    const found = EXPORTED.flatMap(({ name, columns, agencyOnly }) =>
      [...columns, ...agencyOnly].map((column) => `${name}.${column}`),
    ).filter((one) => /sealed|secret|password|hash|token|credential|_key$|\.key$|fingerprint/.test(one));
    expect(found.filter((one) => !harmless.includes(one))).toEqual([]);
  });
});
