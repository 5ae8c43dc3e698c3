import { createHash } from 'node:crypto';
import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { z } from 'zod';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { readJson } from '../../../platform/http/json.ts';
import { type Limits, networkOf } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import * as store from './entry.store.ts';
import * as limit from './limit.policy.ts';

/** A third-party captcha, used instead of our own where it is configured. */
export interface OutsideCaptcha {
  siteKey: string;
  /** Whether the token is valid. Throws 503 if that cannot be determined. */
  verify(token: string, ip: string, host: string): Promise<boolean>;
}

const LIFE_MS = 1_200_000;
/** Iterations per try, and the maximum number of tries a browser needs: some tenths of a second in all. */
const COST = 2_000;
const TRIES = 500;
/**
 * After this many captchas from one network within an hour the work doubles, and again after each further batch of the
 * same number.
 */
const FREE = 30;
const MOST = 16;

/** The factor by which a network's n-th captcha costs more work than usual. */
export const captchaWork = (asked: number): number =>
  Math.min(MOST, 2 ** Math.floor(Math.max(0, asked - 1) / FREE));

const Payload = z.object({
  challenge: z.object({
    parameters: z.looseObject({
      algorithm: z.literal('PBKDF2/SHA-256'),
      nonce: z.string().max(64),
      salt: z.string().max(64),
      cost: z.literal(COST),
      keyLength: z.literal(32),
      keyPrefix: z.string().max(64),
      data: z.object({ until: z.int(), tenant: z.string() }),
    }),
    signature: z.string().max(128),
  }),
  solution: z.object({ counter: z.int().min(0), derivedKey: z.string().max(128) }),
});

export type Captcha = ReturnType<typeof createCaptcha>;

/**
 * Proof that a browser has done work for the request: our own ALTCHA, or reCAPTCHA where a key is configured (AUTH-19).
 */
export function createCaptcha(
  { db, clock, config }: Platform,
  limits: Limits,
  outside: OutsideCaptcha | undefined,
) {
  const secrets = {
    hmacSignatureSecret: derive(config.appKey, 'captcha').toString('base64'),
    hmacKeySignatureSecret: derive(config.appKey, 'captcha key').toString('base64'),
  };

  async function solved(captchaToken: string, tenantId: string): Promise<boolean> {
    let payload: z.output<typeof Payload>;
    try {
      payload = Payload.parse(readJson(Buffer.from(captchaToken, 'base64').toString()));
    } catch {
      return false;
    }
    const { challenge, solution } = payload;
    const { nonce, data } = challenge.parameters;
    // We check the expiration by our own clock; the library's check uses the machine's. Work done for one tenant's host
    // is worth nothing at another's.
    if (data.until <= clock.now().getTime() || data.tenant !== tenantId) return false;
    const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets });
    // The nonce is signed exactly as written, but the signature itself can be written in two ways.
    const used = createHash('sha256').update(nonce).digest();
    return verified && (await store.useCaptcha(db.app, used, new Date(data.until)));
  }

  return {
    kind: outside ? ('recaptcha' as const) : ('altcha' as const),
    siteKey: outside?.siteKey ?? null,

    /** A new challenge, more expensive for a network that requests many. */
    async challenge(ctx: Ctx) {
      const tries = TRIES * captchaWork(await limits.take(limit.CAPTCHA, networkOf(ctx.ip)));
      const { parameters, signature } = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost: COST,
        counter: randomInt(tries, tries / 2),
        deriveKey,
        data: { until: clock.now().getTime() + LIFE_MS, tenant: ctx.tenant.companyId },
        ...secrets,
      });
      return { parameters: { ...parameters }, signature: signature ?? '' };
    },

    /** Throws 422 unless the request has a captcha response that is correct and unused. */
    async check(ctx: Ctx, captchaToken: string | undefined): Promise<void> {
      const good = captchaToken
        ? await (outside
            ? outside.verify(captchaToken, ctx.ip, ctx.tenant.host)
            : solved(captchaToken, ctx.tenant.companyId))
        : false;
      if (!good)
        throw new Refusal('invalid', ownMessages.captchaNeeded, {
          errors: { captcha_token: [captchaToken ? 'is no longer valid' : 'is required'] },
        });
    },
  };
}
