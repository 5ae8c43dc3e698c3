import { createHmac, timingSafeEqual } from 'node:crypto';

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

/**
 * What is signed of a bid: text that is part of an address as it is, because a bid has it four times. None of its parts
 * contains what separates them.
 */
export const bodyOf = (made: Made): string =>
  `${made.rootId}~${made.impressionId}~${made.campaignId}~${made.creativeId}~${made.leaseId}~${made.mediaMicros}~${made.mostMicros}~` +
  `${made.at}~${made.expiresAt}~${made.place}~${made.region ?? ''}~${made.viewer ?? ''}~${made.audiences.join('.')}`;

const KINDS = ['win', 'bill', 'loss', 'click'] as const satisfies readonly NoticeKind[];
/** Characters of hex of each signature: 128 bits. */
const SIGN_LENGTH = 32;

/** The signatures of a body, one after the other: each is a quarter of one MAC, so none tells anything of another. */
const signsOf = (key: Buffer, body: string): string => createHmac('sha512', key).update(body).digest('hex');
const signIn = (signs: string, kind: NoticeKind): string => {
  const from = KINDS.indexOf(kind) * SIGN_LENGTH;
  return signs.slice(from, from + SIGN_LENGTH);
};

/** The tokens of the addresses of a bid. */
export function noticeTokens(key: Buffer, body: string): Record<NoticeKind, string> {
  const signs = signsOf(key, body);
  const token = (kind: NoticeKind) => `${body}~${signIn(signs, kind)}`;
  return { win: token('win'), bill: token('bill'), loss: token('loss'), click: token('click') };
}

/** The bid of a token; null if we did not sign it for this kind of address. */
export function noticeIn(key: Buffer, kind: NoticeKind, token: unknown): Made | null {
  if (typeof token !== 'string' || token.length > MOST_BODY) return null;
  const end = token.lastIndexOf('~');
  if (end < 0) return null;
  const body = token.slice(0, end);
  const given = Buffer.from(token.slice(end + 1));
  const right = Buffer.from(signIn(signsOf(key, body), kind));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const [
    rootId,
    impressionId,
    campaignId,
    creativeId,
    leaseId,
    media,
    most,
    at,
    expiresAt,
    place,
    region,
    viewer,
    audiences,
  ] = body.split('~');
  return {
    rootId: rootId!,
    impressionId: impressionId!,
    campaignId: campaignId!,
    creativeId: creativeId!,
    leaseId: leaseId!,
    mediaMicros: BigInt(media!),
    mostMicros: BigInt(most!),
    at: Number(at),
    expiresAt: Number(expiresAt),
    place: place!,
    region: region || null,
    viewer: viewer || null,
    audiences: audiences ? audiences.split('.') : [],
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
