import { expect, test } from 'vitest';
import { bodyOf, type Made, noticeIn, noticeTokens } from './notice.policy.ts';

const key = Buffer.alloc(32, 5);
const made: Made = {
  rootId: '019cd843-1180-725b-8fe5-8f4a37072055',
  impressionId: '019cd843-1180-7731-97ba-eef6bfc08033',
  campaignId: '019cd843-1180-7731-97ba-eef6bfc08034',
  creativeId: '019cd843-1180-7731-97ba-eef6bfc08035',
  leaseId: '019cd843-1180-7731-97ba-eef6bfc08036',
  mediaMicros: 5_000n,
  mostMicros: 7_000n,
  at: 1_773_154_800_000,
  expiresAt: 1_773_154_860_000,
  place: 'news.example.com',
  region: 'TX',
  viewer: 'aa'.repeat(16),
  audiences: ['019cd843-1180-7731-97ba-eef6bfc08037'],
};

test('a token is good for its own kind of address, and only as it was signed', () => {
  const tokens = noticeTokens(key, bodyOf(made));
  for (const kind of ['win', 'bill', 'loss', 'click'] as const) {
    expect(noticeIn(key, kind, tokens[kind])).toEqual(made);
    for (const other of ['win', 'bill', 'loss', 'click'] as const)
      if (other !== kind) expect(noticeIn(key, other, tokens[kind])).toBeNull();
  }
  expect(noticeIn(key, 'bill', tokens.bill.replace('~5000~', '~1~'))).toBeNull();
  expect(noticeIn(Buffer.alloc(32, 6), 'bill', tokens.bill)).toBeNull();
  for (const wrong of [undefined, '', '~', 'x'.repeat(3_001), [tokens.bill]])
    expect(noticeIn(key, 'bill', wrong)).toBeNull();
});
