import { describe, expect, it } from 'vitest';
import { PERSON_FIELDS } from '../../../contract/identity.ts';
import { canIdentify as serverRule } from '../../../server/features/identity/columns.policy.ts';
import { bytesWords } from '../../ui/FileDrop.tsx';
import { canIdentify, FIELD_GROUPS, fieldWords, fileFault, isRunning } from './fields.ts';

describe('[IDEN-01] the meaning of columns', () => {
  it('has words for every meaning, each once', () => {
    const offered = FIELD_GROUPS.flatMap((one) => Object.keys(one.fields));
    expect(offered.toSorted()).toEqual([...PERSON_FIELDS].toSorted());
    expect(fieldWords('email_md5')).toBe('E-mail hash, MD5');
  });
  it('warns by the same rule as the server', () => {
    for (const one of PERSON_FIELDS) {
      for (const other of PERSON_FIELDS) expect(canIdentify([one, other])).toBe(serverRule([one, other]));
    }
    expect(canIdentify(['email'])).toBe(true);
    expect(canIdentify(['ip', 'city'])).toBe(false);
  });
});

describe('files', () => {
  it('shortens sizes', () => {
    expect(bytesWords(512)).toBe('512 bytes');
    expect(bytesWords(1_400_000)).toBe('1.4 MB');
    expect(bytesWords(5e12)).toBe('5000.0 GB');
  });
  it('refuses what cannot be a CSV file', () => {
    expect(fileFault({ name: 'a.csv', size: 0 })).toMatch(/empty/);
    expect(fileFault({ name: 'a.csv', size: 3e9 })).toMatch(/2 GiB/);
    expect(fileFault({ name: 'a.XLSX', size: 10 })).toMatch(/Save the sheet as CSV/);
    expect(fileFault({ name: 'a.csv', size: 10 })).toBeNull();
  });
  it('knows which imports go on by themselves', () => {
    expect(
      ['mapping', 'queued', 'running', 'done'].filter((state) => isRunning({ state: state as 'done' })),
    ).toEqual(['queued', 'running']);
  });
});
