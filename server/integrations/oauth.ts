import { createHash, randomBytes } from 'node:crypto';
import { at, type Http, LostAnswer, NotSent, textAt } from './http.ts';
import { type Credentials, isOk, type OAuth } from './port.ts';

/** What the platform is registered as at a vendor. */
export interface OAuthClient {
  id: string;
  secret: string;
}

/** A sign-in at a vendor: what its answer holds, as credentials, and when they end. */
export interface Tokens {
  credentials: Credentials;
  /** When the access token ends. */
  tokenEndsAt: Date;
  /** When the sign-in ends, if the vendor says so. */
  endsAt: Date | null;
}
/** `refused`: a person must sign in again. `failed`: it can be tried again. */
export type Exchanged =
  | { kind: 'tokens'; tokens: Tokens }
  | { kind: 'refused'; why: string }
  | { kind: 'failed'; why: string };

export const newVerifier = (): string => randomBytes(48).toString('base64url');

/** A vendor's address, or the same path at the server that stands in for it. */
const addressOf = (url: string, standIn: string | undefined): string =>
  standIn === undefined ? url : standIn + new URL(url).pathname;

/** Returns the vendor's page on which a person agrees. */
export function signInUrl(
  oauth: OAuth,
  client: OAuthClient,
  given: { state: string; verifier: string; redirectUri: string; standIn: string | undefined },
): string {
  const challenge = createHash('sha256').update(given.verifier).digest('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: given.redirectUri,
    scope: oauth.scopes.join(' '),
    state: given.state,
    ...(oauth.hasPkce ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}),
    ...oauth.signInParameters,
  });
  return `${addressOf(oauth.signIn, given.standIn)}?${query}`;
}

/** How an exchange reaches the vendor. */
export interface TokenWay {
  http: Http;
  now: Date;
  client: OAuthClient;
  standIn: string | undefined;
}

/** Exchanges the code that a person came back with. */
export const exchangeCode = (
  oauth: OAuth,
  way: TokenWay,
  given: { code: string; verifier: string; redirectUri: string },
): Promise<Exchanged> =>
  ask(
    oauth,
    way,
    {
      grant_type: 'authorization_code',
      code: given.code,
      redirect_uri: given.redirectUri,
      ...(oauth.hasPkce ? { code_verifier: given.verifier } : {}),
    },
    {},
  );

/** Exchanges the refresh token for a new access token; vendors that rotate it return a new one of these, too. */
export const renewTokens = (oauth: OAuth, way: TokenWay, credentials: Credentials): Promise<Exchanged> =>
  ask(
    oauth,
    way,
    { grant_type: 'refresh_token', refresh_token: credentials.refresh_token ?? '' },
    credentials,
  );

/** Tells the vendor that a sign-in is over. Never throws because of what the vendor does. */
export async function revokeTokens(oauth: OAuth, way: TokenWay, credentials: Credentials): Promise<void> {
  const token = credentials.refresh_token ?? credentials[oauth.fills];
  if (!oauth.revoke || !token) return;
  try {
    const url = addressOf(oauth.revoke, way.standIn);
    await way.http({ method: 'POST', url, form: new URLSearchParams({ token }) });
  } catch (error) {
    if (!(error instanceof NotSent || error instanceof LostAnswer)) throw error;
  }
}

const DAY_MS = 86_400_000;
const LIFETIME_S = 3_600;

async function ask(
  oauth: OAuth,
  { http, now, client, standIn }: TokenWay,
  grant: Record<string, string>,
  before: Credentials,
): Promise<Exchanged> {
  const form = new URLSearchParams({
    ...grant,
    client_id: client.id,
    client_secret: client.secret,
    ...oauth.tokenParameters,
  });
  try {
    const answer = await http({ method: 'POST', url: addressOf(oauth.token, standIn), form });
    const token = textAt(answer.json, 'access_token');
    if (!isOk(answer) || !token) {
      const code = textAt(answer.json, 'error') ?? '';
      const why =
        textAt(answer.json, 'error_description') ??
        textAt(answer.json, 'message') ??
        (code || `The service returned ${answer.status}.`);
      // A wrong client is the platform's mistake, which no tenant can mend by signing in again.
      const isOurs = /^(invalid|unauthorized)_client$/.test(code);
      const isFinal = answer.status >= 400 && answer.status < 500 && answer.status !== 429 && !isOurs;
      return { kind: isFinal ? 'refused' : 'failed', why: why.slice(0, 300) };
    }
    const refreshToken = textAt(answer.json, 'refresh_token') ?? before.refresh_token;
    if (!refreshToken) return { kind: 'refused', why: 'The service did not allow us to stay signed in.' };
    const seconds = Number(at(answer.json, 'expires_in')) || LIFETIME_S;
    const signInSeconds =
      Number(at(answer.json, 'refresh_token_expires_in')) || (oauth.signInDays ?? 0) * (DAY_MS / 1000);
    return {
      kind: 'tokens',
      tokens: {
        credentials: {
          ...before,
          ...oauth.credentialsOf?.(answer.json),
          [oauth.fills]: token,
          refresh_token: refreshToken,
        },
        tokenEndsAt: new Date(now.getTime() + seconds * 1000),
        endsAt: signInSeconds > 0 ? new Date(now.getTime() + signInSeconds * 1000) : null,
      },
    };
  } catch (error) {
    if (error instanceof NotSent || error instanceof LostAnswer)
      return { kind: 'failed', why: `${error.message}.` };
    throw error;
  }
}
