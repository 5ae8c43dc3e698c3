import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import {
  type Credentials,
  exchangeCode,
  type Http,
  newVerifier,
  type OAuthClient,
  renewTokens,
  revokeTokens,
  signInUrl,
  type TestResult,
  type Vendor,
  vendorWords,
} from '../../../integrations/index.ts';
import { hashToken, newToken } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ConnectionsDeps } from './deps.ts';
import * as store from './store.ts';

const VERIFIER = 'connection.verifier';
/** How long someone may take at the service. */
const SIGN_IN_MS = 600_000;
/** A token is renewed this long before it ends, so that none ends between two calls. */
const MARGIN_MS = 120_000;
/** How long a process may take to renew a token before another one tries: longer than any request. */
const RENEWING_MS = 30_000;
/** A token that is refused so soon after it was renewed is refused for another reason. */
const FRESH_MS = 300_000;
const WAITED_MS = 250;
const MOST_WAITS = 40;

/** The address that vendors send browsers back to: one for all tenants, as they are registered with it. */
export const CALLBACK_PATH = '/api/integrations/callback';

type Parts = Pick<ConnectionsDeps, 'tenants' | 'audit' | 'standIns'> & {
  http: Http;
  tried(vendor: Vendor, credentials: Credentials): Promise<TestResult>;
  refused(vendor: Vendor, why: string): Refusal;
  sealed(credentials: Credentials): string;
  opened(row: store.ConnectionRow): Credentials;
  restored(tx: Tx, row: store.ConnectionRow): Promise<void>;
  broken(rootId: string, id: string, why: string): Promise<boolean>;
};

/** Signing in at services (OAuth 2.0), and renewing what that gave. */
export function createSignIns(platform: Platform, parts: Parts) {
  const { db, clock, vault, config } = platform;
  const { tenants, audit, standIns = {}, http } = parts;
  const redirectUri = `${config.publicUrl ?? `http://${config.rootDomain}:${config.port}`}${CALLBACK_PATH}`;
  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  const clientOf = (vendor: Vendor): OAuthClient | undefined =>
    vendor.oauth && (standIns[vendor.id]?.client ?? config.oauthClients[vendor.id]);
  const wayOf = (vendor: Vendor, client: OAuthClient) => ({
    http,
    now: clock.now(),
    client,
    standIn: standIns[vendor.id]?.base,
  });

  /** Whether a connection's token is about to end. */
  const isStale = (row: store.ConnectionRow): boolean =>
    row.token_ends_at !== null && row.token_ends_at.getTime() - MARGIN_MS <= clock.now().getTime();

  /**
   * Renews the token of a connection, unless another process is doing so: a row lock decides who asks the service, and
   * no one waits with it. `isRefused`: the service no longer takes the token, although it has not ended.
   */
  async function renew(
    vendor: Vendor,
    rootId: string,
    id: string,
    isRefused = false,
  ): Promise<'renewed' | 'busy' | 'failed' | 'broken'> {
    const client = clientOf(vendor);
    const scope = { rootId };
    const now = clock.now();
    const row = await inScope(db.app, scope, async (tx) => {
      const row = await store.connectionById(tx, id, 'update');
      if (row?.auth !== 'oauth') return 'broken';
      if (row.renewing_until && row.renewing_until > now) return 'busy';
      // Another process has renewed it in the meantime.
      if (!isRefused && !isStale(row)) return 'renewed';
      if (isRefused && row.renewed_at && now.getTime() - row.renewed_at.getTime() < FRESH_MS) return 'broken';
      await store.updateConnection(tx, id, { renewing_until: new Date(now.getTime() + RENEWING_MS) });
      return row;
    });
    if (typeof row === 'string') return row;
    const credentials = parts.opened(row);
    const exchanged = client
      ? await renewTokens(vendor.oauth!, wayOf(vendor, client), credentials)
      : { kind: 'failed' as const, why: 'The platform is no longer registered with the service.' };
    const isKept = await inScope(db.app, scope, async (tx) => {
      const before = await store.connectionById(tx, id, 'update');
      // Signed in again, or removed, in the meantime.
      if (before?.credentials_sealed !== row.credentials_sealed) return false;
      await store.updateConnection(tx, id, {
        renewing_until: null,
        ...(exchanged.kind === 'tokens'
          ? {
              credentials_sealed: parts.sealed(exchanged.tokens.credentials),
              token_ends_at: exchanged.tokens.tokenEndsAt,
              ends_at: exchanged.tokens.endsAt ?? before.ends_at,
              renewed_at: clock.now(),
            }
          : {}),
      });
      return true;
    });
    if (exchanged.kind === 'tokens' || !isKept) return 'renewed';
    if (exchanged.kind === 'failed') return 'failed';
    await parts.broken(rootId, id, vendorWords(exchanged.why, credentials));
    return 'broken';
  }

  return {
    clientOf,
    isStale,
    renew,

    /** Returns a connection whose token is good for a while, waiting for whoever renews it. */
    async current(vendor: Vendor, row: store.ConnectionRow): Promise<store.ConnectionRow> {
      for (let n = 0; n < MOST_WAITS && isStale(row); n++) {
        const renewed = await renew(vendor, row.root_id, row.id);
        if (renewed === 'busy') await sleep(WAITED_MS);
        else n = MOST_WAITS;
        const next = await inScope(db.app, { rootId: row.root_id }, (tx) => store.connectionById(tx, row.id));
        row = next ?? missing();
      }
      return row;
    },

    /** Begins a sign-in; returns the service's page. @throws Refusal 404, 422 */
    async start(
      ctx: Ctx,
      given: {
        company_id?: string | undefined;
        vendor: Vendor;
        name?: string | undefined;
        connection_id?: string | undefined;
      },
    ): Promise<string> {
      const { vendor } = given;
      const client = clientOf(vendor);
      if (!vendor.oauth || !client)
        throw refusalOf('vendor', 'cannot be signed in to here. Enter its credentials instead');
      const { token, hash } = newToken();
      const verifier = newVerifier();
      const now = clock.now();
      await inScope(db.app, ctx.scope, async (tx) => {
        const company = (await tenants.company(tx, given.company_id ?? ctx.actor.companyId)) ?? missing();
        if (!company.agency_id) return missing();
        if (given.connection_id) {
          const row = (await store.connectionById(tx, given.connection_id)) ?? missing();
          if (row.vendor !== vendor.id || row.company_id !== company.id) return missing();
        } else await boundedBy(tx, 'connections', company.id, 'vendor');
        await store.forgetSignIns(tx, company.id, now);
        await store.insertSignIn(tx, {
          state_hash: hash,
          root_id: company.root_id,
          agency_id: company.agency_id,
          company_id: company.id,
          session_id: ctx.actor.sessionId,
          vendor: vendor.id,
          connection_id: given.connection_id ?? null,
          name: given.name ?? null,
          verifier_sealed: vault.seal(verifier, VERIFIER),
          // An agency that signs in for a client comes back to that client's connections.
          return_to: `${ctx.origin}/integrations/${vendor.id}${company.id === ctx.actor.companyId ? '' : `?client=${company.id}`}`,
          ends_at: new Date(now.getTime() + SIGN_IN_MS),
        });
        await audit.record(tx, ctx, {
          action: 'connection.sign_in',
          objectKind: 'company',
          objectId: company.id,
          description: `Started signing in to ${vendor.name}`,
          owner: { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id },
        });
      });
      return signInUrl(vendor.oauth, client, {
        state: token,
        verifier,
        redirectUri,
        standIn: standIns[vendor.id]?.base,
      });
    },

    /** Where a browser that comes back from a service goes on; undefined for a state that no one began. */
    returnTo: (state: string): Promise<string | undefined> =>
      store.returnOf(db.app, hashToken(state), clock.now()),

    /**
     * Ends a sign-in with what the service returned: once, and only for the session that began it.
     * @throws Refusal 409 for any other state, 422 in the service's words
     */
    async finish(ctx: Ctx, state: string, code: string, vendorOf: (id: string) => Vendor): Promise<string> {
      const begun = await inScope(db.app, ctx.scope, (tx) =>
        store.takeSignIn(tx, hashToken(state), ctx.actor.sessionId, clock.now()),
      );
      if (!begun) throw new Refusal('conflict', 'This sign-in has expired or was already used. Start again.');
      const vendor = vendorOf(begun.vendor);
      const client = clientOf(vendor);
      if (!vendor.oauth || !client) return missing();
      const exchanged = await exchangeCode(vendor.oauth, wayOf(vendor, client), {
        code,
        verifier: vault.open(begun.verifier_sealed, VERIFIER),
        redirectUri,
      });
      if (exchanged.kind !== 'tokens') throw parts.refused(vendor, exchanged.why);
      const { tokens } = exchanged;
      const test = await parts.tried(vendor, tokens.credentials);
      if (!test.isConnected) throw parts.refused(vendor, test.why);
      const { root_id, agency_id, company_id } = begun;
      const owner = { root_id, agency_id, company_id };
      return inScope(db.app, ctx.scope, async (tx) => {
        const now = clock.now();
        const account = test.account.slice(0, 200);
        const set = {
          account,
          credentials_sealed: parts.sealed(tokens.credentials),
          auth: 'oauth' as const,
          token_ends_at: tokens.tokenEndsAt,
          ends_at: tokens.endsAt,
          renewed_at: now,
          renewing_until: null,
          told_ending: false,
          state: 'connected' as const,
          state_reason: null,
          held_until: null,
          checked_at: now,
          updated_at: now,
        };
        const id = begun.connection_id ?? newId(now);
        if (begun.connection_id) {
          const row = (await store.connectionById(tx, id, 'update')) ?? missing();
          await store.updateConnection(tx, id, { ...set, ...(begun.name ? { name: begun.name } : {}) });
          await parts.restored(tx, row);
        } else {
          await boundedBy(tx, 'connections', company_id, 'vendor');
          const name = begun.name ?? account.slice(0, 80);
          await store.insertConnection(tx, {
            id,
            ...owner,
            vendor: vendor.id,
            name,
            ...set,
            created_at: now,
          });
        }
        await audit.record(tx, ctx, {
          action: begun.connection_id ? 'connection.update' : 'connection.create',
          objectKind: 'connection',
          objectId: id,
          description: `Signed in to ${vendor.name}: ${account}`,
          owner,
        });
        return id;
      });
    },

    /** Tells the service that a removed connection's sign-in is over. */
    async revoke(vendor: Vendor, row: store.ConnectionRow): Promise<void> {
      const client = clientOf(vendor);
      if (row.auth === 'oauth' && vendor.oauth && client)
        await revokeTokens(vendor.oauth, wayOf(vendor, client), parts.opened(row));
    },
  };
}
