import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { OAuth } from './port.ts';
import type { OAuthStub, StubAnswer, StubRequest } from './stub.ts';

/** Tokens have no memory behind them, so that those of the demo survive its restart. */
const KEY = 'stub';
const signed = (kind: 'code' | 'access' | 'refresh', id: string): string =>
  `${kind}.${id}.${createHmac('sha256', KEY).update(`${kind}.${id}`).digest('base64url').slice(0, 16)}`;
const isSigned = (kind: 'access' | 'refresh', token: string): boolean => {
  const id = token.split('.')[1] ?? '';
  return id !== '' && signed(kind, id) === token;
};
const newId = (): string => randomBytes(9).toString('base64url');

/**
 * A vendor's OAuth server: the page on which a person agrees, codes that work once and only with their proof key, and
 * refresh tokens, which rotate where the vendor's do. `more`: what its answers hold besides the tokens.
 */
export function createOAuthStub(
  oauth: OAuth,
  { rotates = false, more = {} }: { rotates?: boolean; more?: Record<string, unknown> } = {},
): OAuthStub {
  const client = { id: 'demo-client', secret: 'demo-client-secret' };
  const paths = {
    signIn: new URL(oauth.signIn).pathname,
    token: new URL(oauth.token).pathname,
    revoke: oauth.revoke && new URL(oauth.revoke).pathname,
  };
  const codes = new Map<string, { challenge: string; redirectUri: string }>();
  const given = new Set<string>();
  const ended = new Set<string>();
  let isRevoked = false;
  let renewals = 0;

  const problem = (error: string, description: string): StubAnswer => ({
    status: 400,
    json: { error, error_description: description },
  });

  function tokens(refreshToken: string): StubAnswer {
    const access = signed('access', newId());
    given.add(access);
    return {
      status: 200,
      json: {
        access_token: access,
        refresh_token: refreshToken,
        expires_in: 3600,
        token_type: 'Bearer',
        ...more,
      },
    };
  }

  function exchange(form: URLSearchParams): StubAnswer {
    if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret)
      return problem('invalid_client', 'The client is unknown.');
    if (form.get('grant_type') === 'refresh_token') {
      const token = form.get('refresh_token') ?? '';
      if (isRevoked || !isSigned('refresh', token) || ended.has(token))
        return problem('invalid_grant', 'Token has been expired or revoked.');
      renewals++;
      if (!rotates) return tokens(token);
      ended.add(token);
      return tokens(signed('refresh', newId()));
    }
    const code = form.get('code') ?? '';
    const begun = codes.get(code);
    codes.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    const isProven =
      !oauth.hasPkce || createHash('sha256').update(verifier).digest('base64url') === begun?.challenge;
    if (!begun || begun.redirectUri !== form.get('redirect_uri') || !isProven)
      return problem('invalid_grant', 'Malformed auth code.');
    isRevoked = false;
    return tokens(signed('refresh', newId()));
  }

  function page({ query }: StubRequest): StubAnswer {
    const redirectUri = query.get('redirect_uri') ?? '';
    if (query.get('client_id') !== client.id || !URL.canParse(redirectUri))
      return problem('invalid_client', 'The client is unknown.');
    const back = new URL(redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (oauth.hasPkce && !query.get('code_challenge')) {
      back.searchParams.set('error', 'invalid_request');
      return { status: 302, headers: { location: back.href } };
    }
    if (query.get('answer') === 'allow') {
      const code = signed('code', newId());
      codes.set(code, { challenge: query.get('code_challenge') ?? '', redirectUri });
      back.searchParams.set('code', code);
      return { status: 302, headers: { location: back.href } };
    }
    back.searchParams.set('error', 'access_denied');
    const allow = new URLSearchParams(query);
    allow.set('answer', 'allow');
    return {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      text: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign in with ${safe(oauth.provider)} (demo)</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/style.css"></head><body><main><article>
<h1>Sign in with ${safe(oauth.provider)} (demo)</h1><p>This page stands in for the one of ${safe(oauth.provider)}. The platform asks for:</p>
<ul>${oauth.scopes.map((scope) => `<li><code>${safe(scope)}</code></li>`).join('')}</ul>
<p><a class="button" href="?${safe(allow.toString())}">Allow</a> <a class="button" href="${safe(back.href)}">Cancel</a></p>
</article></main></body></html>`,
    };
  }

  return {
    client,
    handle(request) {
      if (request.method === 'GET' && request.path === paths.signIn) return page(request);
      if (request.method !== 'POST') return undefined;
      if (request.path === paths.token && request.form.has('client_id')) return exchange(request.form);
      if (request.path !== paths.revoke) return undefined;
      isRevoked = true;
      return { status: 200, json: {} };
    },
    accepts({ headers }) {
      const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
      return !isRevoked && isSigned('access', token) && !ended.has(token);
    },
    expire() {
      for (const token of given) ended.add(token);
    },
    revoke() {
      isRevoked = true;
    },
    renewals: () => renewals,
  };
}

const safe = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
