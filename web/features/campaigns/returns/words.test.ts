import { expect, test } from 'vitest';
import { proofWords, skippedWords } from './words.ts';

const proof = (proves: 'duplicate' | 'excluded' | null) => ({
  kind: 'on_list' as const,
  proves,
  words: 'The person is on a list.',
  lead_id: null,
});

test('[BEY-06] what is known about a lead, in a few words', () => {
  const of = (is_proven: boolean, ...proofs: ReturnType<typeof proof>[]) =>
    proofWords({ is_proven, proofs, reason: 'duplicate' });
  expect(of(true, proof('duplicate'))).toBe('Proven');
  expect(of(false)).toBe('Nothing known');
  expect(of(false, proof(null))).toBe('1 fact');
  expect(of(false, proof(null), proof(null))).toBe('2 facts');
  expect(of(false, proof(null), proof('excluded'))).toBe('Proves another reason: on an exclusion list');
});

test('[BEY-06] what was left out, once for each reason', () => {
  expect(skippedWords([{ message: 'Too late.' }, { message: 'Done.' }, { message: 'Too late.' }])).toBe(
    '2 left out. Too late. 1 left out. Done.',
  );
});
