import { createHash } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import { Stopped } from '../attempt.ts';
import { type Answer, at, textAt } from '../http.ts';
import { isOk, type Result, type Way } from '../port.ts';

export const SHEETS = 'https://sheets.googleapis.com';
const TOKENS = 'https://oauth2.googleapis.com/token';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Spreadsheets that were shared with the service account, and their names. */
export const SCOPES = [
  'https://www.googleapis.com/auth/spreadsheets',
  'https://www.googleapis.com/auth/drive.metadata.readonly',
];

const LIFETIME_S = 3600;
/** A token is not used in its last minutes, so that none ends between two calls. */
const MARGIN_MS = 300_000;
const MOST_TOKENS = 1000;

/** Tokens of this process, by a hash of the key that they were made with. */
const tokens = new Map<string, { token: string; until: number }>();

interface Key {
  email: string;
  privateKey: string;
}

/** The parts of a service account's key file that sign a request; undefined if it is none. */
export function keyOf(text: string | undefined): Key | undefined {
  let file: unknown;
  try {
    file = JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
  const email = textAt(file, 'client_email');
  const privateKey = textAt(file, 'private_key');
  return at(file, 'type') === 'service_account' && email && privateKey ? { email, privateKey } : undefined;
}

const idOf = ({ credentials, base }: Way): string =>
  createHash('sha256').update(`${base}\n${credentials.service_account}`).digest('base64');

/** The next call asks for a new token: Google no longer accepts this one. */
export const forgetToken = (way: Way): void => void tokens.delete(idOf(way));

/**
 * Returns the access token of a sign-in, or one of the service account, a new one when the last is about to end. `judge` tells what a refusal
 * of Google means.
 * @throws Stopped when the key is none, or Google refuses it
 */
export async function tokenOf(way: Way, judge: (answer: Answer) => Result): Promise<string> {
  // Anyone who signed in with Google has a token, which is renewed elsewhere.
  if (way.credentials.access_token) return way.credentials.access_token;
  const id = idOf(way);
  const now = way.now();
  const kept = tokens.get(id);
  if (kept && kept.until > now.getTime()) return kept.token;
  const assertion = await signed(way, now);
  const answer = await way.http({
    method: 'POST',
    url: way.base === SHEETS ? TOKENS : `${way.base}/token`,
    form: new URLSearchParams({ grant_type: GRANT, assertion }),
  });
  const token = textAt(answer.json, 'access_token');
  if (!isOk(answer) || !token) {
    const said = textAt(answer.json, 'error_description') ?? textAt(answer.json, 'error');
    // invalid_grant: the key was deleted, or the account was turned off.
    if (answer.status === 400)
      throw new Stopped({
        kind: 'broken',
        why: `Google refused the key: ${said ?? 'no reason given'}`,
        status: 400,
      });
    throw new Stopped(
      isOk(answer)
        ? { kind: 'retry', why: 'Google returned no access token.', status: answer.status }
        : judge(answer),
    );
  }
  if (tokens.size >= MOST_TOKENS) tokens.delete(tokens.keys().next().value!);
  const seconds = Number(at(answer.json, 'expires_in')) || LIFETIME_S;
  tokens.set(id, { token, until: now.getTime() + seconds * 1000 - MARGIN_MS });
  return token;
}

async function signed(way: Way, now: Date): Promise<string> {
  const key = keyOf(way.credentials.service_account);
  const refused = (why: string) => new Stopped({ kind: 'broken', why, status: 400 });
  if (!key) throw refused('This is not the JSON key file of a service account.');
  const seconds = Math.floor(now.getTime() / 1000);
  try {
    return await new SignJWT({ scope: SCOPES.join(' ') })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(key.email)
      .setAudience(TOKENS)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + LIFETIME_S)
      .sign(await importPKCS8(key.privateKey, 'RS256'));
  } catch {
    throw refused('The private key in the file cannot be read.');
  }
}
