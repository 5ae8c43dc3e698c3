import { jwtVerify, SignJWT } from 'jose';
import { mayPerson } from '../../../../contract/accounts/permissions.ts';
import { type ApiScope, mayScope, TOKEN_SECONDS } from '../../../../contract/developer/developer-rules.ts';
import { isVersion, LEAD_VERSION, type Version } from '../../../../contract/developer/versions.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { type Actor, Ctx, scopeOf } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { type LimitRule, type Limits, networkOf } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { type Auth, belongsAt } from '../../accounts/auth/index.ts';
import { modulesOf } from '../../accounts/users/index.ts';
import * as policy from './key.policy.ts';
import type { Sandbox } from './sandbox.service.ts';
import * as store from './store.ts';

const hour = 3600;
/** Refused requests with one key whose secret or state was wrong: each is logged until a pause. */
const FAILED: LimitRule = { name: 'apikey.failed', max: 10, base: 60, cap: 900, window: hour };
/** Requests from one network with keys that do not exist. */
const FAILED_NETWORK: LimitRule = { name: 'apikey.network', max: 100, base: 60, cap: 900, window: hour };
/** Token requests for one key: consecutive, less than ten seconds apart. */
const TOKENS: LimitRule = { name: 'apikey.tokens', max: 30, base: 10, cap: 60, window: 10 };

/** A use is recorded at most this often. */
const TOUCH_MS = 60_000;
/** How long what is known of a key is kept, so that not every request asks the database. */
const KEPT_MS = 3_000;
const MOST_KEPT = 10_000;
const TOKEN_TYPE = 'key+jwt';

/** Why access was refused, in the terms of RFC 6749 and RFC 6750. */
export type Why =
  | 'invalid_client'
  | 'invalid_scope'
  | 'insufficient_scope'
  | 'unauthorized_client'
  | 'slow_down';

/** A refusal by the API: in the shape of the token's RFC at the token endpoint, as a problem everywhere else. */
export class ApiRefusal extends Error {
  override name = 'ApiRefusal';
  readonly status: 400 | 401 | 403 | 429;
  readonly why: Why;
  readonly retryAfter: number | undefined;
  constructor(status: ApiRefusal['status'], why: Why, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.why = why;
    this.retryAfter = retryAfter;
  }
}

/** An authenticated program, with the rights of its key's maker as far as the key's scopes allow. */
export interface ApiCaller {
  /** Like that of a user whose session was never confirmed: anything that requires confirmation is refused. */
  ctx: Ctx;
  key: {
    id: string;
    clientId: string;
    name: string;
    mode: policy.KeyMode;
    expiresAt: Date | null;
    /** The version of the API that it was created with. */
    version: string;
  };
  company: { id: string; name: string };
  /** The agency that the key belongs to; the actor's place is another one in test mode. */
  home: Owner & { agency_id: string };
  scopes: ApiScope[];
  /** The version of the API that the request is made in. */
  version: Version;
}

const STATE_WORDS: Record<Exclude<policy.KeyState, 'active'>, string> = {
  disabled: 'This API key is disabled.',
  expired: 'This API key has expired.',
  orphaned: 'The person who created this API key has left or is no longer allowed to have API keys.',
  off: 'The developer API is not enabled for this company.',
  unpaid: ownMessages.developerUnpaid,
};
const BAD = 'The key or token is invalid.';

/** Authenticates programs by a key's secret, or by a token that was issued for it. */
export function createApiAuth(
  { db, clock, events }: Platform,
  { auth, audit, limits, sandbox }: { auth: Auth; audit: Audit; limits: Limits; sandbox: Sandbox },
) {
  const audienceOf = (rootId: string): string => `api:${rootId}`;
  const grade = (key: store.KnownKey) => auth.gradeOf('agency', key.maker_role);
  const ownerOf = ({ root_id, agency_id, company_id }: store.KnownKey) => ({
    root_id,
    agency_id,
    company_id,
  });
  const place = (key: store.KnownKey) => ({
    rootId: key.root_id,
    agencyId: key.agency_id,
    companyId: key.company_id,
    kind: 'agency' as const,
  });

  const count = async (rule: LimitRule, subject: string): Promise<void> => {
    try {
      await limits.take(rule, subject);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'too_many')
        throw new ApiRefusal(429, 'slow_down', error.message, error.retryAfter);
      throw error;
    }
  };

  const kept = new Map<string, { key: store.KnownKey; until: number }>();
  /** Agencies, and roots as a whole, that have just changed. */
  const changing = new Map<string, number>();
  // Whatever changes in an agency may be what its keys depend on. Other processes notice within KEPT_MS. The change is
  // not committed yet: what is read before it is must not be kept.
  events.on('log.written', async (_tx, { owner }) => {
    const now = performance.now();
    for (const [id, until] of changing) {
      if (until > now) break;
      changing.delete(id);
    }
    const changed = owner.agency_id ?? owner.root_id;
    changing.delete(changed);
    changing.set(changed, now + KEPT_MS);
    for (const [name, { key }] of kept)
      if (key.root_id === owner.root_id && [key.agency_id, null].includes(owner.agency_id)) kept.delete(name);
  });

  /** A key with what it depends on, as it was at most KEPT_MS ago. */
  async function known(by: Parameters<typeof store.known>[1]): Promise<store.KnownKey | undefined> {
    const name = 'hash' in by ? by.hash.toString('base64') : 'id' in by ? by.id : by.clientId;
    const found = kept.get(name);
    if (found && found.until > performance.now()) return found.key;
    const began = performance.now();
    const key = await store.known(db.app, by);
    if (kept.size >= MOST_KEPT) kept.clear();
    const isChanging = key && [key.agency_id, key.root_id].some((id) => (changing.get(id) ?? 0) > began);
    if (key && !isChanging) kept.set(name, { key, until: began + KEPT_MS });
    else kept.delete(name);
    return key;
  }

  /** Where a key works: a test key in its agency's sandbox, as its agency. */
  async function workplace(key: store.KnownKey) {
    if (key.mode === 'live') return place(key);
    const { sandbox_root_id, sandbox_agency_id } = key;
    const { rootId, agencyId } =
      sandbox_root_id && sandbox_agency_id
        ? { rootId: sandbox_root_id, agencyId: sandbox_agency_id }
        : await sandbox.of({ ...ownerOf(key), name: key.company_name });
    key.sandbox_root_id = rootId;
    key.sandbox_agency_id = agencyId;
    return { rootId, agencyId, companyId: agencyId, kind: 'agency' as const };
  }

  /**
   * Counts and logs an attempt with an existing key, and refuses it. While such attempts are paused, none are logged; a
   * caller with the right secret is still told what is wrong.
   */
  async function refuse(
    ctx: Ctx,
    key: store.KnownKey,
    why: string,
    refusal: ApiRefusal,
    isProven: boolean,
  ): Promise<never> {
    try {
      await count(FAILED, key.id);
    } catch (error) {
      throw isProven && error instanceof ApiRefusal ? refusal : error;
    }
    await inScope(db.app, scopeOf(place(key)), (tx) =>
      audit.recordEntry(tx, ctx, ownerOf(key), null, {
        action: 'apikey.refused',
        objectKind: 'apikey',
        objectId: key.id,
        description: `Refused a program using the API key ${key.name} (${key.client_id}) from ${ctx.ip}: ${why}`,
      }),
    );
    throw refusal;
  }
  async function unknown(ctx: Ctx): Promise<never> {
    await count(FAILED_NETWORK, networkOf(ctx.ip));
    throw new ApiRefusal(401, 'invalid_client', BAD);
  }

  /** Returns a working key of this host and records its use. Throws an ApiRefusal. */
  async function admitted(ctx: Ctx, key: store.KnownKey): Promise<store.KnownKey> {
    // At another tenant's address nothing is revealed about the key, not even that it exists.
    if (!belongsAt(ctx.tenant, place(key))) return unknown(ctx);
    if (key.removed_at)
      return refuse(ctx, key, 'the key was deleted', new ApiRefusal(401, 'invalid_client', BAD), true);
    const now = clock.now();
    const state = policy.stateOf(
      key,
      mayPerson(grade(key), modulesOf(key.rights, null), 'developer.keys'),
      now,
    );
    if (state !== 'active') {
      const isCompanys = state === 'off' || state === 'unpaid';
      const refusal = new ApiRefusal(
        isCompanys ? 403 : 401,
        isCompanys ? 'unauthorized_client' : 'invalid_client',
        STATE_WORDS[state],
      );
      return refuse(ctx, key, STATE_WORDS[state], refusal, true);
    }
    if (!key.last_used_at || now.getTime() - key.last_used_at.getTime() >= TOUCH_MS) {
      key.last_used_at = now;
      await inScope(db.app, scopeOf(place(key)), (tx) => store.touch(tx, key.id, now, ctx.ip));
    }
    return key;
  }

  /** The key of a secret, and which of its secrets it was. */
  async function bySecret(ctx: Ctx, secret: string, clientId: string | null) {
    // A truncated or mistyped secret costs no database look-up.
    if (!policy.isSecret(secret) && clientId === null) return unknown(ctx);
    const hash = policy.hashOf(secret);
    const key = await known(clientId === null ? { hash } : { clientId });
    if (!key || !belongsAt(ctx.tenant, place(key))) return unknown(ctx);
    const generation = policy.generationOf(key, hash, clock.now());
    if (generation === null)
      return refuse(ctx, key, 'the secret was incorrect', new ApiRefusal(401, 'invalid_client', BAD), false);
    return { key: await admitted(ctx, key), generation };
  }

  async function byToken(ctx: Ctx, token: string): Promise<{ key: store.KnownKey; scopes: ApiScope[] }> {
    const bad = (): never => {
      throw new ApiRefusal(401, 'invalid_client', BAD);
    };
    try {
      const { payload } = await jwtVerify(
        token,
        async (header) => (await auth.keys.checking(header.kid)) ?? bad(),
        {
          algorithms: ['EdDSA'],
          typ: TOKEN_TYPE,
          audience: audienceOf(ctx.tenant.rootId),
          currentDate: clock.now(),
        },
      );
      const key = await known({ id: payload.sub! });
      // When the secret ends, so does everything made with it.
      if (!key || !policy.isGood(key, Number(payload.gen), clock.now())) return bad();
      return { key: await admitted(ctx, key), scopes: policy.scopesOf(String(payload.scope).split(' ')) };
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J')) return bad();
      throw error;
    }
  }

  /** Returns what a key may currently do: its scopes, as far as its maker still has the rights. */
  const scopesNow = (key: store.KnownKey): ApiScope[] => {
    const modules = modulesOf(key.rights, null);
    return policy.scopesOf(key.scopes).filter((scope) => mayScope(grade(key), modules, scope));
  };

  /** @param granted the scopes of its token, if it used one */
  async function callerOf(ctx: Ctx, key: store.KnownKey, granted?: ApiScope[]): Promise<ApiCaller> {
    const may = scopesNow(key);
    const actor: Actor = {
      ...(await workplace(key)),
      userId: key.maker_id,
      sessionId: '',
      grade: grade(key),
      isAccountExecutive: key.is_account_executive,
      modules: modulesOf(key.rights, null),
      trueActor: null,
    };
    return {
      ctx: new Ctx({
        tenant: ctx.tenant,
        actor,
        requestId: ctx.requestId,
        clock: ctx.clock,
        ip: ctx.ip,
        userAgent: ctx.userAgent,
        origin: ctx.origin,
        // There is no user present to confirm their identity.
        unconfirmed: async () => [],
      }),
      key: {
        id: key.id,
        clientId: key.client_id,
        name: key.name,
        mode: key.mode,
        expiresAt: key.expires_at,
        version: key.version,
      },
      company: { id: key.company_id, name: key.company_name },
      home: ownerOf(key),
      version: isVersion(key.version) ? key.version : LEAD_VERSION,
      scopes: granted ? may.filter((scope) => granted.includes(scope)) : may,
    };
  }

  return {
    /**
     * Returns the caller identified by an Authorization header: a key's secret as Bearer, its client id and secret as
     * Basic, or a token. Throws an ApiRefusal.
     */
    async caller(ctx: Ctx, authorization: string | undefined): Promise<ApiCaller> {
      const [, kind, value] = /^(Bearer|Basic) (\S+)$/i.exec(authorization ?? '') ?? [];
      if (!kind || !value)
        throw new ApiRefusal(
          401,
          'invalid_client',
          'Send a key or a token: Authorization: Bearer <secret or token>',
        );
      const isBasic = kind.toLowerCase() === 'basic';
      const pair = isBasic ? readBasic(value) : null;
      if (isBasic && !pair) throw new ApiRefusal(401, 'invalid_client', BAD);
      const isToken = !pair && value.split('.').length === 3;
      const found = isToken
        ? await byToken(ctx, value)
        : await bySecret(ctx, pair ? pair.secret : value, pair?.clientId ?? null);
      return callerOf(ctx, found.key, 'scopes' in found ? found.scopes : undefined);
    },

    /** The caller that a program with a key is; throws an ApiRefusal if the key does not work. */
    async asKey(ctx: Ctx, keyId: string): Promise<ApiCaller> {
      const key = (await known({ id: keyId })) ?? (await unknown(ctx));
      return callerOf(ctx, await admitted(ctx, key));
    },

    /**
     * Issues a token for a key's client id and secret, for all or some of its scopes (RFC 6749, 4.4). Throws an
     * ApiRefusal.
     */
    async token(
      ctx: Ctx,
      given: { clientId: string; secret: string; scope: string | undefined },
    ): Promise<{ access_token: string; token_type: 'Bearer'; expires_in: number; scope: string }> {
      const { key, generation } = await bySecret(ctx, given.secret, given.clientId);
      await count(TOKENS, key.id);
      return issue(key, generation, given.scope);
    },

    /** Issues a token for the key of an app, for all or some of its scopes. Throws an ApiRefusal. */
    async tokenOf(ctx: Ctx, keyId: string, scope: string | undefined) {
      const key = (await known({ id: keyId })) ?? (await unknown(ctx));
      await admitted(ctx, key);
      return issue(key, key.generation, scope);
    },
  };

  /** A token of a generation of a key. @param wanted its scopes; all, if left out */
  async function issue(
    key: store.KnownKey,
    generation: number,
    wanted: string | undefined,
  ): Promise<{ access_token: string; token_type: 'Bearer'; expires_in: number; scope: string }> {
    const may = scopesNow(key);
    const asked = wanted?.trim() ? wanted.trim().split(/ +/) : may;
    if (asked.some((scope) => !may.some((one) => one === scope)))
      throw new ApiRefusal(400, 'invalid_scope', 'The key does not have all of these scopes.');
    const now = Math.floor(clock.now().getTime() / 1000);
    const end = key.expires_at ? Math.floor(key.expires_at.getTime() / 1000) : Number.POSITIVE_INFINITY;
    const seconds = Math.min(TOKEN_SECONDS, end - now);
    const scope = may.filter((one) => asked.includes(one)).join(' ');
    const { kid, privateKey } = await auth.keys.signing();
    const access_token = await new SignJWT({ gen: generation, scope, client_id: key.client_id })
      .setProtectedHeader({ alg: 'EdDSA', typ: TOKEN_TYPE, kid })
      .setSubject(key.id)
      .setAudience(audienceOf(key.root_id))
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(privateKey);
    return { access_token, token_type: 'Bearer', expires_in: seconds, scope };
  }
}

export type ApiAuth = ReturnType<typeof createApiAuth>;

/**
 * Parses the client id and secret of a Basic header, each form-encoded as RFC 6749 (2.3.1) requires; null if it is not
 * one.
 */
export function readBasic(value: string): { clientId: string; secret: string } | null {
  const text = Buffer.from(value, 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at < 1) return null;
  try {
    const clientId = decodeURIComponent(text.slice(0, at));
    // No text of PostgreSQL has a NUL.
    return clientId.includes('\0') ? null : { clientId, secret: decodeURIComponent(text.slice(at + 1)) };
  } catch {
    return null;
  }
}
