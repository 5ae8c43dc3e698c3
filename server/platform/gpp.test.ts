import { describe, expect, test } from 'vitest';
import { isOptedOut } from './gpp.ts';

/**
 * Made with the IAB's own encoder (@iabgpp/cmpapi 3.2.0): a section in which nothing is opted out of, one for each opt-out,
 * and, where the section has it, one with Global Privacy Control.
 */
const SECTIONS: [section: string, no: string, ...yes: string[]][] = [
  [
    'usnat',
    'DBABLA~CAAqAAAAAABA.QA',
    'DBABLA~CAAaAAAAAABA.QA',
    'DBABLA~CAAmAAAAAABA.QA',
    'DBABLA~CAApAAAAAABA.QA',
    'DBABLA~CAAqAAAAAABA.YA',
  ],
  ['usca', 'DBABBg~BAoAAABA.QA', 'DBABBg~BAYAAABA.QA', 'DBABBg~BAkAAABA.QA', 'DBABBg~BAoAAABA.YA'],
  ['usva', 'DBABRg~BAoAABA', 'DBABRg~BAYAABA', 'DBABRg~BAkAABA'],
  ['usco', 'DBABJg~BAoAAEA.QA', 'DBABJg~BAYAAEA.QA', 'DBABJg~BAkAAEA.QA', 'DBABJg~BAoAAEA.YA'],
  ['usut', 'DBABFg~BAKAAAQA', 'DBABFg~BAGAAAQA', 'DBABFg~BAJAAAQA'],
  ['usct', 'DBABVg~BAoAAAEA.QA', 'DBABVg~BAYAAAEA.QA', 'DBABVg~BAkAAAEA.QA', 'DBABVg~BAoAAAEA.YA'],
  ['usfl', 'DBABAw~BAoAAABA', 'DBABAw~BAYAAABA', 'DBABAw~BAkAAABA'],
  ['usmt', 'DBABQw~BAoAAABA.QA', 'DBABQw~BAYAAABA.QA', 'DBABQw~BAkAAABA.QA', 'DBABQw~BAoAAABA.YA'],
  ['usor', 'DBABIw~BAoAAAABAA.QA', 'DBABIw~BAYAAAABAA.QA', 'DBABIw~BAkAAAABAA.QA', 'DBABIw~BAoAAAABAA.YA'],
  ['ustx', 'DBABEw~BAoAAAQA.QA', 'DBABEw~BAYAAAQA.QA', 'DBABEw~BAkAAAQA.QA', 'DBABEw~BAoAAAQA.YA'],
  ['usde', 'DBABUw~BAoAAAABAA.QA', 'DBABUw~BAYAAAABAA.QA', 'DBABUw~BAkAAAABAA.QA', 'DBABUw~BAoAAAABAA.YA'],
  ['usia', 'DBABCw~BAKAAAQA.QA', 'DBABCw~BAGAAAQA.QA', 'DBABCw~BAJAAAQA.QA', 'DBABCw~BAKAAAQA.YA'],
  ['usne', 'DBABSw~BAoAAAQA.QA', 'DBABSw~BAYAAAQA.QA', 'DBABSw~BAkAAAQA.QA', 'DBABSw~BAoAAAQA.YA'],
  ['usnh', 'DBABKw~BAoAAABA.QA', 'DBABKw~BAYAAABA.QA', 'DBABKw~BAkAAABA.QA', 'DBABKw~BAoAAABA.YA'],
  [
    'usnj',
    'DBABAYA~BAoAAAAAQA.QA',
    'DBABAYA~BAYAAAAAQA.QA',
    'DBABAYA~BAkAAAAAQA.QA',
    'DBABAYA~BAoAAAAAQA.YA',
  ],
  ['ustn', 'DBABQYA~BAoAAAQA.QA', 'DBABQYA~BAYAAAQA.QA', 'DBABQYA~BAkAAAQA.QA', 'DBABQYA~BAoAAAQA.YA'],
  ['usmn', 'DBABIYA~BAoAAAQA.QA', 'DBABIYA~BAYAAAQA.QA', 'DBABIYA~BAkAAAQA.QA', 'DBABIYA~BAoAAAQA.YA'],
  ['usmd', 'DBABEYA~BQCg.QA', 'DBABEYA~BQBg.QA', 'DBABEYA~BQCQ.QA', 'DBABEYA~BQCg.YA'],
  ['usin', 'DBABUYA~BQCg.AAA', 'DBABUYA~BQBg.AAA', 'DBABUYA~BQCQ.AAA'],
  ['usky', 'DBABCYA~BQCg.AAA', 'DBABCYA~BQBg.AAA', 'DBABCYA~BQCQ.AAA'],
  ['usri', 'DBABSYA~BQCg.AAA', 'DBABSYA~BQBg.AAA', 'DBABSYA~BQCQ.AAA'],
];

describe('[BEY-07] a GPP string', () => {
  test.each(SECTIONS)('of %s is an opt-out if it says so', (_, no, ...yes) => {
    expect(isOptedOut(no)).toBe(false);
    expect(yes.length).toBeGreaterThan(1);
    expect(yes.map(isOptedOut)).toEqual(yes.map(() => true));
  });

  test('may have several sections, in ranges, and those of other countries', () => {
    // Sections 7, 9, and 10: the last one's person opted out of sale.
    expect(isOptedOut('DBACLvA~CAAgAAAAAABA.QA~BAgAABA~BAQAAEA.QA')).toBe(true);
    expect(isOptedOut('DBACLvA~CAAgAAAAAABA.QA~BAgAABA~BAgAAEA.QA')).toBe(false);
    // The specification's examples: Europe's consent and the US Privacy string, and Canada's as well.
    const europe = 'CPSG_8APSG_8ANwAAAENAwCAAAAAAAAAAAAAAAAAAAAA.QAAA.IAAA';
    expect(isOptedOut(`DBACNYA~${europe}~1YNN`)).toBe(false);
    expect(isOptedOut(`DBACNYA~${europe}~1YYN`)).toBe(true);
    expect(isOptedOut('DBABMA~CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA')).toBe(false);
    expect(isOptedOut('DBABTA~1YNN')).toBe(false);
    expect(isOptedOut('DBABTA~1YYN')).toBe(true);
    expect(isOptedOut('DBAA')).toBe(false);
  });

  test('that cannot be read counts as an opt-out; none is none', () => {
    for (const none of [undefined, null, '', 7, {}]) expect(isOptedOut(none)).toBe(false);
    for (const bad of [
      'x',
      '1YNN',
      'DBABLA',
      'DBABLA~',
      'DBABLA~CA',
      'DBABLA~CAAqAAAAAABA.',
      'DBABLA~CAAqAAAAAABA.QA~BAoAAABA',
      'DB__________~CAAq',
      'EBABLA~CAAqAAAAAABA',
      `DBABLA~${'A'.repeat(10_000)}`,
    ])
      expect([bad, isOptedOut(bad)]).toEqual([bad, true]);
  });
});
