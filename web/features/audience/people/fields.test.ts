import { describe, expect, it } from 'vitest';
import { SIGNAL_FIELDS } from '../../../../contract/audience/import-rules.ts';
import { PERSON_FIELDS } from '../../../../contract/audience/people.ts';
import { bytesWords } from '../../../ui/FileDrop.tsx';
import { FIELD_GROUPS, fieldWords, fileFault, groupsOf, isRunning, signalFault } from './fields.ts';

describe('[IDEN-01] the meaning of columns', () => {
  it('has words for every meaning, each once', () => {
    const offered = FIELD_GROUPS.flatMap((one) => Object.keys(one.fields));
    expect(offered.toSorted()).toEqual([...PERSON_FIELDS].toSorted());
    expect(fieldWords('email_md5')).toBe('Email hash, MD5');
  });
  it('says what a file of signals still needs', () => {
    expect(signalFault(['keyword', 'seen_at'])).toMatch(/^an email address or hash/);
    expect(signalFault(['phone', 'seen_at'])).toBe('the keyword');
    expect(signalFault(['phone', 'keyword'])).toBe('the time');
    expect(signalFault(['phone', 'keyword', 'seen_at'])).toBeNull();
  });
  it('offers each file the meanings that its rows can have', () => {
    const offered = (kind: 'people' | 'signals') =>
      groupsOf(kind).flatMap(({ items }) => items.map((item) => item.value));
    expect(offered('signals').toSorted()).toEqual([...SIGNAL_FIELDS].toSorted());
    expect(offered('people')).not.toContain('keyword');
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
