import { expect, test } from 'vitest';
import { ApiError } from '../../../api/errors.ts';
import { bulkOf, bulkSentence, campaignsWords, forEach } from './bulk.ts';
import type { Campaign } from './model.ts';

test('goes on after a failure and tells each one', async () => {
  const told: number[] = [];
  const summary = await forEach(
    ['a', 'b', 'c'],
    async (item) => {
      if (item === 'b') throw new ApiError(422, 'No balance.');
    },
    (tried) => told.push(tried),
  );
  expect(summary).toEqual({ done: ['a', 'c'], failed: [{ item: 'b', words: 'No balance.' }] });
  expect(told).toEqual([1, 2, 3]);
});

test('one after the other, never two at once', async () => {
  let running = 0;
  let most = 0;
  await forEach([1, 2, 3], async () => {
    most = Math.max(most, ++running);
    await new Promise((done) => setTimeout(done, 1));
    running--;
  });
  expect(most).toBe(1);
});

test('stops trying when no answer comes three times in a row', async () => {
  let tries = 0;
  const summary = await forEach([1, 2, 3, 4, 5], async () => {
    tries++;
    throw new ApiError(0, 'No response');
  });
  expect(tries).toBe(3);
  expect(summary.failed).toHaveLength(5);
  expect(summary.failed[4]!.words).toMatch(/Not tried/);
});

test('an answer in between starts the count again', async () => {
  let tries = 0;
  await forEach([1, 2, 3, 4, 5], async (item) => {
    tries++;
    if (item !== 3) throw new ApiError(0, 'No response');
  });
  expect(tries).toBe(5);
});

test('counts in words', () => {
  expect([campaignsWords(1), campaignsWords(1200)]).toEqual(['1 campaign', '1,200 campaigns']);
});

test('each thing is done with those whose state allows it', () => {
  const all = ['active', 'paused', 'archived', 'removed'].map((status) => ({ status }) as Campaign);
  const states = (kind: Parameters<typeof bulkOf>[0]) => bulkOf(kind, all).map(({ status }) => status);
  expect(states('activate')).toEqual(['paused']);
  expect(states('pause')).toEqual(['active']);
  expect(states('archive')).toEqual(['active', 'paused']);
  expect(states('restore')).toEqual(['archived']);
  expect([bulkSentence('archive', 1), bulkSentence('restore', 2)]).toEqual([
    '1 campaign is archived',
    '2 campaigns are restored and paused',
  ]);
});
