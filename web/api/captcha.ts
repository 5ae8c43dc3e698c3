import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';

/**
 * Solves a proof-of-work challenge of GET /general/captcha in the browser; returns the `captcha_token` that proves it. Loaded
 * only when the server asks for one.
 */
export async function solveCaptcha(given: {
  parameters: Record<string, unknown>;
  signature: string;
}): Promise<string> {
  const challenge = given as unknown as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  return btoa(JSON.stringify({ challenge, solution }));
}
