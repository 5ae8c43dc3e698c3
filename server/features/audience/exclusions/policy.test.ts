import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { domainsOf, entryColumns, isCsv, KIND, readEntry, readRow, safeName } from './policy.ts';

const digest = (algorithm: string, text: string) => createHash(algorithm).update(text).digest();
const kindsOf = (text: string, accepts: 'email' | 'all' = 'all') => {
  const read = readEntry(text, accepts);
  return typeof read === 'string' ? read : read.values.map(({ kind }) => kind);
};

describe('[EXCL-01] [BEY-08] what an entry is', () => {
  test('a plain address is compared by both hashes of its comparable form', () => {
    const expected = {
      values: [
        { kind: KIND.sha256, value: digest('sha256', 'ada@people.example').toString('hex') },
        { kind: KIND.md5, value: digest('md5', 'ada@people.example').toString('hex') },
      ],
    };
    for (const text of [
      'ada@people.example',
      ' ADA@People.Example ',
      '"ada@people.example"',
      '<ada@people.example>',
    ])
      expect([text, readEntry(text, 'email')]).toEqual([text, expected]);
  });

  test.each([
    [digest('md5', 'x').toString('hex'), [KIND.md5]],
    [digest('md5', 'x').toString('hex').toUpperCase(), [KIND.md5]],
    [digest('sha256', 'x').toString('hex'), [KIND.sha256]],
    ['+1 (504) 555-0100', [KIND.phone]],
    ['504-555-0100', [KIND.phone]],
    ['+442071838750', [KIND.phone]],
    ['acme.example', [KIND.domain]],
    ['@Acme.Example', [KIND.domain]],
    ['münchen.example', [KIND.domain]],
  ])('%s', (text, kinds) => expect(kindsOf(text)).toEqual(kinds));

  test("a phone number is read for the list's country", () => {
    const london = [{ kind: KIND.phone, value: Buffer.from('+442079460958').toString('hex') }];
    for (const text of ['020 7946 0958', '20 7946 0958', '+44 20 7946 0958'])
      expect(readEntry(text, 'all', false, 'GB')).toEqual({ values: london });
    expect(readEntry('020 7946 0958', 'all')).toMatch('is not');
  });

  test('[EXCL-01] a file of email addresses holds nothing else', () => {
    const rule = 'is not an email address or an MD5 hash of one';
    for (const text of [
      digest('sha256', 'x').toString('hex'),
      '+15045550100',
      'acme.example',
      '@acme.example',
    ])
      expect([text, kindsOf(text, 'email')]).toEqual([text, rule]);
    expect(kindsOf(digest('md5', 'x').toString('hex'), 'email')).toEqual([KIND.md5]);
  });

  test.each([
    [digest('sha1', 'x').toString('hex'), /SHA-1/],
    ['=HYPERLINK("http://x.example","a@b.example")', /formula/],
    ['=a@b.example', /formula/],
    ['a\0@b.example', /NUL/],
    [`${'a'.repeat(400)}@b.example`, /longer than 320/],
    ['two words', /is not/],
    ['a@@b.example', /is not/],
    ['a@b', /is not/],
    ['12', /is not/],
    ['a@b.example\rc@d.example', /is not/],
    ['localhost', /is not/],
    ["'; drop table exclusion; --", /is not/],
  ])('%j is none', (text, rule) => expect(readEntry(text, 'all')).toMatch(rule));

  test('a domain excludes what is below it, and no look-alike', () => {
    expect(domainsOf('x@shop.acme.example')).toEqual(['shop.acme.example', 'acme.example']);
    expect(domainsOf('x@notacme.example')).toEqual(['notacme.example']);
    expect(domainsOf('x@MÜNCHEN.example')).toEqual(['xn--mnchen-3ya.example']);
  });
});

describe('rows', () => {
  test('the first line may name columns; other columns are not looked at', () => {
    expect(entryColumns(['first_name', 'E-Mail Address', 'Phone Number'])?.entries).toEqual([1, 2]);
    expect(entryColumns(['ada@people.example'])).toBeNull();
    const { entries, fault } = readRow(
      ['Ada', 'ada@people.example', 'none'],
      { entries: [1, 2], names: [] },
      'all',
    );
    expect(entries).toHaveLength(1);
    expect(fault).toMatchObject({ value: 'none' });
  });
  test('without names a row is one value', () => {
    expect(readRow(['ada@people.example', '', ' '], null, 'all').entries).toHaveLength(1);
    expect(readRow(['ada@people.example', 'Ada'], null, 'all')).toEqual({
      entries: [],
      fault: { reason: 'contains more than one value', value: 'ada@people.example,Ada' },
    });
  });
});

describe('[EXCL-01] file names', () => {
  test.each([
    ['My Opt Outs.CSV', 'my_opt_outs.csv'],
    ['../../etc/pass wd.csv', '....etcpass_wd.csv'],
    ['a\u0000b\r\n"<x>".csv', 'ab_x.csv'],
    ['名單.csv', 'list.csv'],
    [`${'x'.repeat(500)}.csv`, `${'x'.repeat(196)}.csv`],
  ])('%j is kept as %s', (given, kept) => expect(safeName(given)).toBe(kept));
  test('CSV only', () => {
    for (const name of ['a.csv', 'A.CSV', 'a.xlsx.csv']) expect([name, isCsv(name)]).toEqual([name, true]);
    for (const name of ['a.xlsx', 'csv', 'a.csv.exe', '', 'a.csv\u0000.exe'])
      expect([name, isCsv(name)]).toEqual([name, false]);
  });
});
