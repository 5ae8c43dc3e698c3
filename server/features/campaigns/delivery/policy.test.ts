import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { LeadMessage } from '../../../../contract/campaigns/delivery.ts';
import { judge, type Outcome, SCHEDULE, testLead } from './policy.ts';
import { newMessageId, newSecret, signedHeaders } from './sign.ts';

const now = new Date('2026-03-01T12:00:00Z');
const outcome = (status: number | null, more: Partial<Outcome> = {}): Outcome => ({
  startedAt: now,
  durationMs: 5,
  status,
  exchanges: [],
  error: status && status >= 200 && status < 300 ? null : 'no',
  ...more,
});
const wait = (attempts: number, random: number, of: Outcome) => {
  const verdict = judge(of, attempts, now, random);
  return verdict.state === 'pending' && verdict.nextAt
    ? (verdict.nextAt.getTime() - now.getTime()) / 1000
    : verdict.state;
};

describe('what follows from an attempt', () => {
  it('[INTG-05] tries ten times over 75 hours and 35 minutes, each wait a fifth more or less', () => {
    const waits = (random: number) => SCHEDULE.map((_, i) => wait(i + 1, random, outcome(500)));
    expect(waits(0.5)).toEqual([5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400, 'failed']);
    expect(waits(0).slice(0, 3)).toEqual([4, 240, 1440]);
    expect(waits(1).slice(0, 3)).toEqual([6, 360, 2160]);
    expect(SCHEDULE.reduce<number>((sum, seconds) => sum + seconds, 0)).toBe(75 * 3600 + 35 * 60 + 5);
  });

  it('takes any 2xx for success, and nothing else', () => {
    for (const status of [200, 201, 202, 204, 299]) expect(wait(1, 0.5, outcome(status))).toBe('delivered');
    for (const status of [null, 100, 301, 302, 307, 400, 404, 429, 500, 504])
      expect(wait(1, 0.5, outcome(status))).toBe(5);
  });

  it('ends at once on 410, and says that no one wants more', () => {
    expect(judge(outcome(410, { gone: true }), 1, now, 0.5)).toEqual({ state: 'failed' });
    expect(judge(outcome(null, { final: true }), 1, now, 0.5)).toEqual({ state: 'failed' });
    // A batch that was accepted without its one record.
    expect(judge(outcome(207, { final: true, error: 'no' }), 1, now, 0.5)).toEqual({ state: 'failed' });
  });

  it('[INTG-04] lets a broken connection use up no attempt, and marks what may have arrived', () => {
    expect(judge(outcome(401, { broken: 'revoked' }), 10, now, 0.5)).toEqual({
      state: 'pending',
      nextAt: null,
    });
    expect(judge(outcome(null, { isInDoubt: true }), 1, now, 0.5)).toMatchObject({ state: 'unknown' });
    expect(judge(outcome(null, { isInDoubt: true }), 10, now, 0.5)).toEqual({ state: 'failed' });
    expect(wait(1, 0.5, outcome(429, { afterMs: 90_000 }))).toBe(90);
  });

  it('waits as long as a 429 or 503 asks, in seconds or until a date, 24 hours at most', () => {
    const asked = (status: number, retryAfter: string) => wait(1, 0.5, outcome(status, { retryAfter }));
    expect(asked(429, '120')).toBe(120);
    expect(asked(503, 'Sun, 01 Mar 2026 12:10:00 GMT')).toBe(600);
    expect(asked(429, '2')).toBe(5);
    expect(asked(429, '999999999')).toBe(86_400);
    expect(asked(500, '120')).toBe(5);
    for (const nonsense of ['soon', '-5', '', '1e9', 'Sun, 01 Mar 2020 12:10:00 GMT'])
      expect(asked(429, nonsense)).toBe(5);
  });
});

describe('signatures', () => {
  it('[INTG-05] agree with the vector of the Standard Webhooks libraries', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const headers = signedHeaders(
      secret,
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1614265330_000),
      '{"test": 2432232314}',
    );
    expect(headers).toMatchObject({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      'user-agent': 'Webhook/1.0',
    });
  });

  it('are those of a secret of 32 random bytes, and break with a changed byte', () => {
    const secret = newSecret();
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(newSecret()).not.toBe(secret);
    expect(newMessageId()).not.toBe(newMessageId());
    const headers = signedHeaders(secret, newMessageId(), new Date(), '{"a":"ü"}');
    expect(new Webhook(secret).verify('{"a":"ü"}', headers)).toEqual({ a: 'ü' });
    expect(() => new Webhook(secret).verify('{"a":"u"}', headers)).toThrow();
    expect(() => new Webhook(newSecret()).verify('{"a":"ü"}', headers)).toThrow();
  });
});

describe('texts', () => {
  it('makes a test lead as the contract has it, marked', () => {
    const data = testLead('0192f0c0-0000-7000-8000-000000000001', { number: 100001, name: 'Spring' }, now);
    const message = LeadMessage.parse({ type: 'lead.created', timestamp: data.created_at, data });
    expect([message.data.test, message.data.person.first_name, message.data.person.last_name]).toEqual([
      true,
      'Test',
      'Lead',
    ]);
  });
});
