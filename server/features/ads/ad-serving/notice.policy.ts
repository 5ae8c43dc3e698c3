import { timingSafeEqual } from 'node:crypto';
import { mac } from '../../../platform/crypto.ts';

/** What an address that we gave with a bid is for. What is signed for one is not good for another. */
export type NoticeKind = 'win' | 'bill' | 'loss' | 'click';

/** A bid that we made, as its notices bring it back. */
export interface Made {
  rootId: string;
  impressionId: string;
  campaignId: string;
  creativeId: string;
  leaseId: string;
  /** The most that may be billed for its media, and what the client would pay for that, micro-dollars. */
  mediaMicros: bigint;
  mostMicros: bigint;
  /** Milliseconds. */
  at: number;
  expiresAt: number;
  place: string;
  region: string | null;
  /** Hex. */
  viewer: string | null;
  audiences: readonly string[];
}

const MOST_BODY = 3_000;

/** What is signed of a bid. */
export const bodyOf = (made: Made): string =>
  Buffer.from(
    JSON.stringify([
      made.rootId,
      made.impressionId,
      made.campaignId,
      made.creativeId,
      made.leaseId,
      Number(made.mediaMicros),
      Number(made.mostMicros),
      made.at,
      made.expiresAt,
      made.place,
      made.region,
      made.viewer,
      ...made.audiences,
    ]),
  ).toString('base64url');

const signOf = (key: Buffer, kind: NoticeKind, body: string): Buffer =>
  mac(key, `${kind} ${body}`).subarray(0, 16);

/** The token of one of the addresses of a bid. */
export const noticeToken = (key: Buffer, kind: NoticeKind, body: string): string =>
  `${body}.${signOf(key, kind, body).toString('base64url')}`;

/** The bid of a token; null if we did not sign it for this kind of address. */
export function noticeIn(key: Buffer, kind: NoticeKind, token: unknown): Made | null {
  if (typeof token !== 'string' || token.length > MOST_BODY) return null;
  const [body, sign, ...rest] = token.split('.');
  if (!body || !sign || rest.length > 0) return null;
  const given = Buffer.from(sign, 'base64url');
  const right = signOf(key, kind, body);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const [rootId, impressionId, campaignId, creativeId, leaseId, media, most, at, expiresAt, place, ...more] =
    JSON.parse(Buffer.from(body, 'base64url').toString()) as [
      string,
      string,
      string,
      string,
      string,
      number,
      number,
      number,
      number,
      string,
      string | null,
      string | null,
      ...string[],
    ];
  const [region, viewer, ...audiences] = more;
  return {
    rootId,
    impressionId,
    campaignId,
    creativeId,
    leaseId,
    mediaMicros: BigInt(media),
    mostMicros: BigInt(most),
    at,
    expiresAt,
    place,
    region,
    viewer,
    audiences: audiences as string[],
  };
}

/**
 * The price of one impression's media in micro-dollars, from `${AUCTION_PRICE}`: dollars for 1,000. Parts of a
 * micro-dollar round up. `audit`: the exchange only tries the address (OpenRTB 2.6, 4.4). Null if it is no price.
 */
export function clearingPrice(text: unknown): bigint | 'audit' | null {
  if (text === 'AUDIT') return 'audit';
  if (typeof text !== 'string' || !/^\d{1,6}(\.\d{1,12})?$/.test(text)) return null;
  const [whole, part = ''] = text.split('.');
  // Billionths of a dollar for one.
  const nanos = BigInt(whole!) * 1_000_000n + BigInt(part.padEnd(6, '0').slice(0, 6));
  const isMore = /[1-9]/.test(part.slice(6));
  return (nanos + (isMore ? 1n : 0n) + 999n) / 1_000n;
}
