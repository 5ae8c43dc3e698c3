import { type ApiScope, mayScope, SCOPE_NAMES } from '../../../../contract/developer/developer-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { type LimitRule, type Limits, networkOf } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import { readRotating, rotatingToken, rotation } from '../../../platform/rotation.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { type ApiAuth, ApiRefusal } from './auth.service.ts';
import type { KeyMode } from './key.policy.ts';
import * as policy from './oauth.policy.ts';
import * as store from './oauth.store.ts';

const CLIENT = 'developer.app';
const REFRESH = 'lpr_';
const CODE_MS = 60_000;
/** An app that did not get an answer may send the refresh token before again, and gets the same successor. */
const RETRY_MS = 30_000;
/** Access ends after this many days; then the owner is asked again. */
export const APP_DAYS = 90;
const REGISTRATIONS: LimitRule = { name: 'oauth.register', max: 30, base: 60, cap: 900, window: 3600 };
const EXCHANGES: LimitRule = { name: 'oauth.token', max: 100, base: 10, cap: 300, window: 60 };

/** What an app asks an owner for, as it arrives in the address of the consent page. */
export interface Asked {
  client_id: string;
  redirect_uri: string;
  response_type: string;
  code_challenge: string;
  code_challenge_method: string;
  scope?: string | undefined;
  state?: string | undefined;
  resource?: string | undefined;
}

/** Why an exchange was refused, in the terms of RFC 6749. */
export class GrantRefusal extends Error {
  override name = 'GrantRefusal';
  readonly why: 'invalid_grant' | 'invalid_client' | 'invalid_request' | 'invalid_target' | 'invalid_scope';
  constructor(why: GrantRefusal['why'], message: string) {
    super(message);
    this.why = why;
  }
}

export interface OAuthParts {
  audit: Audit;
  limits: Limits;
  auth: ApiAuth;
  /** Makes the key of an app, in the transaction of the consent. */
  makeKey(
    ctx: Ctx,
    given: { name: string; mode: KeyMode; scopes: ApiScope[]; expires_in_days: number; app: string },
    then: (tx: Tx, owner: Owner & { agency_id: string }, keyId: string) => Promise<void>,
  ): Promise<void>;
}

/** A field of the form; empty if it is not there. */
type Field = (name: string) => string;
/** The key behind a grant, and the generation of the refresh token that an exchange returns. */
interface Granted {
  keyId: string;
  generation: number;
}

export type OAuth = ReturnType<typeof createOAuth>;

/** Access for apps, such as AI assistants, by an owner's consent (docs/decisions/0297-oauth.md). */
export function createOAuth(
  { db, clock, config, vault }: Platform,
  { audit, limits, auth, makeKey }: OAuthParts,
) {
  const refreshKey = derive(config.appKey, 'refresh tokens of apps');
  const refreshToken = (keyId: string, generation: number): string =>
    `${REFRESH}${rotatingToken(refreshKey, keyId, generation)}`;
  const readRefresh = (token: string) =>
    token.startsWith(REFRESH) ? readRotating(refreshKey, token.slice(REFRESH.length)) : null;

  /** What a client_id says; null if it is none of ours. */
  function clientOf(id: string): policy.Registration | null {
    try {
      return policy.Registration.parse(JSON.parse(vault.open(id, CLIENT)));
    } catch {
      return null;
    }
  }
  const resourceOf = (ctx: Pick<Ctx, 'origin'>): string => `${ctx.origin}/mcp`;
  const isOurs = (ctx: Pick<Ctx, 'origin'>, resource: string): boolean =>
    [ctx.origin, `${ctx.origin}/`, resourceOf(ctx)].includes(resource);

  /**
   * Checks what an app asks for. Anyone who does not prove to be the app gets no answer at the app's address.
   * @throws Refusal 422 that says what the app did wrong
   */
  function check(ctx: Ctx, asked: Asked) {
    const client = clientOf(asked.client_id);
    if (!client) throw refusalOf('client_id', 'is not known here');
    if (
      !policy.isRedirect(asked.redirect_uri) ||
      !policy.isRegistered(asked.redirect_uri, client.redirect_uris)
    )
      throw refusalOf('redirect_uri', 'is not one that the app registered');
    if (asked.response_type !== 'code') throw refusalOf('response_type', 'must be code');
    if (asked.code_challenge_method !== 'S256' || !policy.isChallenge(asked.code_challenge))
      throw refusalOf('code_challenge', 'must be a PKCE challenge with the method S256');
    if (asked.resource !== undefined && !isOurs(ctx, asked.resource))
      throw refusalOf('resource', `must be ${resourceOf(ctx)}`);
    const wanted = asked.scope?.split(' ').filter(Boolean) ?? [];
    const { grade, modules } = ctx.actor;
    return {
      client,
      place: policy.placeOfApp(asked.redirect_uri),
      /** What the owner can give, and what of it is chosen for a start: what is asked for, otherwise the reads. */
      scopes: SCOPE_NAMES.filter((scope) => mayScope(grade, modules, scope)).map((scope) => ({
        scope,
        wanted: wanted.length > 0 ? wanted.includes(scope) : scope.endsWith('.read'),
      })),
    };
  }

  /** The app's address with an answer in it; `iss` says whose it is (RFC 9207). */
  function back(ctx: Ctx, asked: Asked, answer: Record<string, string>): string {
    const url = new URL(asked.redirect_uri);
    for (const [name, value] of Object.entries({ ...answer, iss: ctx.origin }))
      url.searchParams.set(name, value);
    if (asked.state !== undefined) url.searchParams.set('state', asked.state);
    return url.href;
  }

  const invalid = (): never => {
    throw new GrantRefusal('invalid_grant', 'The code or token is invalid or has expired.');
  };

  /** A code or a token that was used before: it may have been stolen, so everything made with it ends. */
  async function endGrant(tx: Tx, ctx: Ctx, grant: store.Grant): Promise<void> {
    if (!(await store.end(tx, grant.key_id, clock.now()))) return;
    const { root_id, agency_id, company_id } = grant;
    await audit.recordEntry(tx, ctx, { root_id, agency_id, company_id }, null, {
      action: 'apikey.reused',
      objectKind: 'apikey',
      objectId: grant.key_id,
      description: `Disabled the access of an app because a code or token of it was used twice, from ${ctx.ip}`,
    });
  }

  async function advance(tx: Tx, grant: store.Grant): Promise<Granted> {
    const generation = grant.generation + 1;
    await store.update(tx, grant.key_id, { generation, refreshed_at: clock.now() });
    return { keyId: grant.key_id, generation };
  }

  /** What a code is exchanged for; null if it is not valid. */
  async function byCode(tx: Tx, ctx: Ctx, of: Field, clientHash: Buffer): Promise<Granted | null> {
    const grant = await store.byCode(tx, ctx.tenant.rootId, policy.hashOf(of('code')));
    if (!grant?.client_hash.equals(clientHash)) return null;
    if (grant.generation > 0) return endGrant(tx, ctx, grant).then(() => null);
    const isRight =
      grant.code_until > clock.now() &&
      grant.redirect_uri === of('redirect_uri') &&
      policy.isVerifier(of('code_verifier'), grant.challenge);
    return isRight ? advance(tx, grant) : null;
  }

  /** What a refresh token is exchanged for; null if it is not valid. */
  async function byRefresh(tx: Tx, ctx: Ctx, of: Field, clientHash: Buffer): Promise<Granted | null> {
    const read = readRefresh(of('refresh_token'));
    if (!read) return null;
    const grant = await store.byKey(tx, ctx.tenant.rootId, read.family);
    if (!grant?.client_hash.equals(clientHash)) return null;
    const family = { generation: grant.generation, rotatedAt: grant.refreshed_at ?? new Date(0) };
    const verdict = rotation(family, read.generation, clock.now(), RETRY_MS);
    if (verdict === 'reuse') return endGrant(tx, ctx, grant).then(() => null);
    return verdict === 'rotate' ? advance(tx, grant) : { keyId: grant.key_id, generation: grant.generation };
  }

  return {
    /** The documents by which apps find out how to ask (RFC 9728, RFC 8414). */
    metadata: (ctx: Pick<Ctx, 'origin' | 'tenant'>) => ({
      resource: {
        resource: resourceOf(ctx),
        resource_name: ctx.tenant.companyName,
        authorization_servers: [ctx.origin],
        bearer_methods_supported: ['header'],
        scopes_supported: SCOPE_NAMES,
        resource_documentation: `${ctx.origin}/api/reference`,
      },
      server: {
        issuer: ctx.origin,
        authorization_endpoint: `${ctx.origin}/oauth/authorize`,
        token_endpoint: `${ctx.origin}/oauth/token`,
        registration_endpoint: `${ctx.origin}/oauth/register`,
        scopes_supported: SCOPE_NAMES,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${ctx.origin}/api/reference`,
      },
    }),

    /**
     * Registers an app (RFC 7591). What it says is in its client_id, sealed, so that strangers fill no table.
     * @throws GrantRefusal for what cannot be an app
     */
    async register(ctx: Ctx, given: unknown) {
      await limits.take(REGISTRATIONS, networkOf(ctx.ip));
      const parsed = policy.Registration.safeParse(given);
      if (!parsed.success)
        throw new GrantRefusal(
          'invalid_request',
          'Send client_name (up to 60 characters), 1 to 5 redirect_uris (https, or this computer), and token_endpoint_auth_method none.',
        );
      return {
        client_id: vault.seal(JSON.stringify(parsed.data), CLIENT),
        client_id_issued_at: Math.floor(clock.now().getTime() / 1000),
        ...parsed.data,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      };
    },

    /** What the consent page shows. @throws Refusal 422 */
    asked(ctx: Ctx, asked: Asked) {
      const { client, place, scopes } = check(ctx, asked);
      return {
        name: client.client_name,
        place,
        days: APP_DAYS,
        scopes,
        denied: back(ctx, asked, { error: 'access_denied' }),
      };
    },

    /**
     * Gives an app access, and returns its address with the code. @throws Refusal 422, and what making a key refuses
     */
    async allow(ctx: Ctx, asked: Asked, given: { scopes: ApiScope[]; mode: KeyMode }): Promise<string> {
      const { client, place } = check(ctx, asked);
      const code = policy.newCode();
      await makeKey(
        ctx,
        { ...given, name: client.client_name, expires_in_days: APP_DAYS, app: place },
        (tx, owner, keyId) =>
          store.insert(tx, {
            ...owner,
            key_id: keyId,
            client_hash: policy.hashOf(asked.client_id),
            redirect_uri: asked.redirect_uri,
            challenge: asked.code_challenge,
            code_hash: policy.hashOf(code),
            code_until: new Date(clock.now().getTime() + CODE_MS),
          }),
      );
      return back(ctx, asked, { code });
    },

    /** Exchanges a code or a refresh token for tokens (RFC 6749, 4.1.3 and 6). @throws GrantRefusal, ApiRefusal */
    async exchange(ctx: Ctx, form: URLSearchParams) {
      await limits.take(EXCHANGES, networkOf(ctx.ip));
      const of: Field = (name) => form.get(name) ?? '';
      const clientHash = policy.hashOf(of('client_id'));
      const resource = form.get('resource');
      if (resource !== null && !isOurs(ctx, resource))
        throw new GrantRefusal('invalid_target', `resource: must be ${resourceOf(ctx)}`);
      const granted = form.get('grant_type') === 'authorization_code' ? byCode : byRefresh;
      // What is used twice is to end, and that must last: the refusal comes after the transaction.
      const found = await inScope(db.app, { rootId: ctx.tenant.rootId }, (tx) =>
        granted(tx, ctx, of, clientHash),
      );
      const { keyId, generation } = found ?? invalid();
      try {
        const token = await auth.tokenOf(ctx, keyId, form.get('scope') ?? undefined);
        return { ...token, refresh_token: refreshToken(keyId, generation) };
      } catch (error) {
        if (error instanceof ApiRefusal && error.status === 401) return invalid();
        throw error;
      }
    },
  };
}

/** Refuses what only keys with a secret can have. @throws Refusal 409 */
export function mustHaveSecret(row: { app: string | null }): void {
  if (row.app !== null) throw new Refusal('conflict', ownMessages.keyOfApp);
}
