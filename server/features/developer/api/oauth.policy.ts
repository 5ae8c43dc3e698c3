import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { hasControls } from '../../../../contract/primitives.ts';

// What apps that ask for access (OAuth 2.1) may be. Nothing here reads the database.

/** Apps on the user's computer that are opened by their own address. */
const APP_SCHEMES = ['claude:', 'cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:'];
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];
const MOST_ADDRESS = 500;

/** Whether a code may be sent to an address: over https, to the user's own computer, or to an app that is known. */
export function isRedirect(text: string): boolean {
  const url = URL.parse(text);
  if (!url || text.length > MOST_ADDRESS || text.includes('#') || url.username || url.password) return false;
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && LOOPBACK.includes(url.hostname)) ||
    APP_SCHEMES.includes(url.protocol)
  );
}

/** Whether an address is one that an app registered. On the user's own computer, its port can be any (RFC 8252, 7.3). */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  if (registered.includes(asked)) return true;
  const url = URL.parse(asked);
  if (url?.protocol !== 'http:' || !LOOPBACK.includes(url.hostname)) return false;
  const withoutPort = (one: URL) => `${one.protocol}//${one.hostname}${one.pathname}${one.search}`;
  return registered.some((text) => {
    const one = URL.parse(text);
    return one !== null && withoutPort(one) === withoutPort(url);
  });
}

/** Where an app lives, as people recognize it. */
export const placeOfApp = (redirect: string): string => {
  const { protocol, hostname } = new URL(redirect);
  return protocol === 'https:' ? hostname : protocol === 'http:' ? 'this computer' : protocol.slice(0, -1);
};

/**
 * What turns the direction of the text after it. An app's name stands beside the host that it leads to, when an owner is
 * asked for access, and could make the host read as another.
 */
const TURNS = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** An app as it registers (RFC 7591). What it says beyond that is ignored. */
export const Registration = z.object({
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .refine((text) => !hasControls(text) && !TURNS.test(text))
    .default('App'),
  redirect_uris: z.array(z.string().refine(isRedirect)).min(1).max(5),
  token_endpoint_auth_method: z.literal('none').default('none'),
});
export type Registration = z.output<typeof Registration>;

/** A random text that only its holder knows; its hash is what is kept. */
export const newCode = (): string => `lpc_${randomBytes(32).toString('base64url')}`;
export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether a verifier is the one whose challenge was sent (RFC 7636, S256). */
export const isVerifier = (verifier: string, challenge: string): boolean =>
  /^[\w.~-]{43,128}$/.test(verifier) &&
  createHash('sha256').update(verifier).digest('base64url') === challenge;
export const isChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text);
