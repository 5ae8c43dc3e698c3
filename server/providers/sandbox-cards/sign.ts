import { createHmac, timingSafeEqual } from 'node:crypto';
import { checkAge, NoticeRefused } from '../../platform/payments.ts';

const digest = (secret: string, at: number, body: string | Buffer) =>
  createHmac('sha256', secret).update(`${at}.`).update(body).digest();

/** The value of a signature header in Stripe's scheme: `t=<seconds>,v1=<hex HMAC-SHA256 of "t.body">`. */
export function signNotice(secret: string, body: string, now: Date): string {
  const at = Math.floor(now.getTime() / 1000);
  return `t=${at},v1=${digest(secret, at, body).toString('hex')}`;
}

/** Throws NoticeRefused `forged`, `stale` or `future`. */
export function verifyNotice(
  secret: string,
  rawBody: Buffer | string,
  header: string | string[] | undefined,
  now: Date,
): void {
  const parts = typeof header === 'string' ? header.split(',').map((part) => part.split('=', 2)) : [];
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const at = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  const expected = digest(secret, at, rawBody);
  const genuine = parts.some(([name, value]) => {
    const given = name === 'v1' ? Buffer.from(value ?? '', 'hex') : Buffer.alloc(0);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (Number.isNaN(at) || !genuine) throw new NoticeRefused('forged', 'The signature does not match');
  checkAge(at, now);
}
