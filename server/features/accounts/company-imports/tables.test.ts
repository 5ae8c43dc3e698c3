import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXPORTED } from '../company-exports/tables.ts';
import { canonical, Digest, hasNul, idsOf, isUuid, readRow } from './rows.ts';
import { DOCUMENT_KEYS, DOCUMENTS, INSERTED } from './tables.ts';
import { faultOf } from './values.ts';

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

test('[BEY-13] a value is held against the rule of its column, and what is not there against none', () => {
  const of = (table: string, row: Parameters<typeof faultOf>[1]) =>
    hasNul(JSON.stringify(row)) ? 'NUL' : faultOf(table, row);
  for (const [table, row, words] of [
    ['brand', { box_bgcolor: 'red;}body{display:none' }, 'box_bgcolor: must be a color such as #1a2b3c'],
    ['brand', { font_theme: 'Comic' }, 'font_theme: is none of the choices'],
    ['campaign', { site_hosts: ['*'] }, 'site_hosts: must be a host such as shop.example.com'],
    ['campaign', { site_hosts: 'shop.example.com' }, 'site_hosts: must be a list'],
    ['campaign', { created_at: '9999-01-01T00:00:00Z' }, 'created_at: must be an instant from 1970 to 2199'],
    ['campaign', { created_at: 'soon' }, 'created_at: must be an instant from 1970 to 2199'],
    ['lead', { evidence: { kinds: ['x'.repeat(50_000)] } }, 'evidence: must not exceed 50,000 characters'],
    ['campaign_hour', { leads: -1 }, 'leads: must be a number from 0 to 1,000,000,000'],
    [
      'cap',
      { hard_micros: '9000000000000000000' },
      'hard_micros: must be a number from 0 to 1,000,000,000,000,000',
    ],
    ['user_account', { email: 'ann@x.test, bob@x.test' }, 'email: must be an email address'],
    ['setting', { name: 'rooted' }, 'name: is none of the choices'],
    ['integration', { kind: 'ftp' }, 'kind: is none of the choices'],
    [
      'integration',
      { mapping: { a: { b: 1 } } },
      'mapping: a: Invalid input: expected string, received object',
    ],
    [
      'alert',
      { hours: { days: [8], from: '09:00', to: '10:00' } },
      'hours: days: 0: Too big: expected number to be <=7',
    ],
    ['banner', { name: 'a\u0000' }, 'NUL'],
    // What a page, an email, or a job reads without looking twice.
    [
      'banner',
      { design: { background: 'url(//x.test)', border: null, sizes: ['300x250'], layers: [] } },
      'design: background: must be a color such as #1f5c43',
    ],
    ['brand', { name: 'Acme\nBcc: x@x.test' }, 'name: must not contain control characters'],
    ['campaign', { site_url: ' https://x.test' }, 'site_url: is not in the form that is stored'],
    ['campaign', { fit_states: ['ZZ'] }, 'fit_states: is none of the choices'],
    ['campaign', { ends_on: '9999-01-01' }, 'ends_on: must be a day from 1900 to 2199'],
    ['campaign', { created_at: 'infinity' }, 'created_at: must be an instant from 1970 to 2199'],
    ['campaign', { created_at: '2026-01-01 (BC)' }, 'created_at: must be an instant from 1970 to 2199'],
    ['campaign', { daily_cap: 1.5 }, 'daily_cap: must be a number from 0 to 1,000,000,000'],
    ['campaign_place', { place: '1e300' }, 'place: must be a whole number'],
    ['company', { time_zone: 'Nowhere/Town' }, 'time_zone: must be a time zone such as America/Chicago'],
    ['module_label', { slug: 'configuration' }, 'slug: is the address of a page. Choose another one'],
    [
      'setting',
      { name: 'billing_threshold', value: { least_confidence: 900 } },
      'value: least_confidence: must be 99 or less',
    ],
    [
      'setting',
      { name: 'agency_costs', value: { term: 'Never' } },
      'value: term: Invalid option: expected one of "Weekly"|"Monthly"|"One Time"|"Prepaid"',
    ],
    [
      'lead',
      {
        evidence: {
          signals: [{ keyword: 'a', url: 'javascript:1', at: '2026-03-10T15:00:00Z', confidence: 1 }],
        },
      },
      'evidence: signals: 0: url: must be a URL that starts with http:// or https://',
    ],
    ['lead', { evidence: { keys: 'all' } }, 'evidence: keys: Invalid input: expected array, received string'],
    ['lead', { score_details: { reasons: 1 } }, /^score_details: facts: /],
    ['audience', { search: { zips: [{}] } }, 'search: zips: must be text of up to 255 characters'],
    ['audience', { search: { role: 'x' } }, 'search: role: is none of the choices'],
    [
      'integration',
      { rules: { match: 'all', conditions: [{ field: 'a', op: 'drop' }] } },
      /^rules: conditions: 0: op/,
    ],
    ['integration', { payload: { format: 'template', fields: [], template: 1 } }, /^payload: template: /],
    [
      'user_account',
      { permissions: [{ name: 'report_analytics', active: 'yes' }] },
      /^permissions: 0: active: /,
    ],
    ['list_view', { params: { q: 'x'.repeat(301) } }, 'params: q: must not exceed 300 characters'],
    ['delivery_attempt', { status: -1 }, 'status: must be a number from 0 to 1,000,000,000'],
  ] as const)
    expect([table, of(table, row as never)]).toEqual([
      table,
      typeof words === 'string' ? words : expect.stringMatching(words),
    ]);
  expect(of('brand', { box_bgcolor: '#1A2b3c', name: 'Own \\u0000', font_theme: null })).toBeNull();
  const zips = Array.from({ length: 40_000 }, (_, at) => String(10_000 + at));
  expect(of('campaign_target', { zips, keywords: ['solar panels'], sizes: [1] })).toBeNull();
  expect(of('setting', { name: 'client_sidebar', value: { hidden: [] } })).toBeNull();
  expect(of('setting', { name: 'agency_costs', value: { term: 'Weekly' } })).toBeNull();
  expect(of('campaign_place', { kind: 3, place: '-9223372036854775808' })).toBeNull();
  expect(of('cap', { hard_micros: '1000000000000000', updated_at: '2026-03-10T15:00:00Z' })).toBeNull();
});
