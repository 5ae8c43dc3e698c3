import { z } from 'zod';
import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';

const Answer = z.object({
  success: z.boolean(),
  hostname: z.string().optional(),
  score: z.number().optional(),
});

/** Google's public test key passes for every host, and says so. */
const TEST_SITE_KEY = '6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI';

/**
 * reCAPTCHA's siteverify at `url` (the base, for tests). A token must have been solved on the tenant's own host; a
 * score (v3) below 0.5 means a robot. Throws 503 if the service does not answer: no one gets through unchecked.
 */
export function createRecaptcha({ siteKey, secret, url }: { siteKey: string; secret: string; url: string }) {
  return {
    siteKey,
    async verify(token: string, ip: string, host: string): Promise<boolean> {
      let answer: z.output<typeof Answer>;
      try {
        const response = await fetch(`${url}/siteverify`, {
          method: 'POST',
          body: new URLSearchParams({ secret, response: token, remoteip: ip }),
          redirect: 'error',
          signal: AbortSignal.timeout(5_000),
        });
        if (!response.ok) throw new Error(`siteverify returned ${response.status}`);
        answer = Answer.parse(await response.json());
      } catch {
        throw new Refusal('unavailable', ownMessages.captchaAway, { retryAfter: 5 });
      }
      const rightHost = siteKey === TEST_SITE_KEY || answer.hostname === host;
      return answer.success && rightHost && (answer.score ?? 1) >= 0.5;
    },
  };
}
