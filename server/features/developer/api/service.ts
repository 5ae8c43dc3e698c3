import { z } from 'zod';
import { mayPerson } from '../../../../contract/accounts/permissions.ts';
import type { DeveloperKey } from '../../../../contract/developer/developer.ts';
import {
  type ApiScope,
  CHOSEN_SCOPES,
  type KEY_MODES,
  MOST_KEYS,
  mayScope,
  SCOPE_NAMES,
} from '../../../../contract/developer/developer-rules.ts';
import { LEAD_VERSION, type Version } from '../../../../contract/developer/versions.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Agreements } from '../../accounts/agreements/index.ts';
import type { Users } from '../../accounts/users/index.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { Invoices } from '../../money/invoices/index.ts';
import type { Ledger, Notices } from '../../money/ledger/index.ts';
import type { MinimumSpend } from '../../money/minimum-spend/index.ts';
import type { Payments } from '../../money/payments/index.ts';
import type { Retention } from '../../operations/retention/index.ts';
import { createAcceptance } from './accept.service.ts';
import { createApiAuth } from './auth.service.ts';
import * as policy from './key.policy.ts';
import { createOAuth, mustHaveSecret } from './oauth.service.ts';
import { createRequests } from './requests.service.ts';
import { createSandbox } from './sandbox.service.ts';
import * as store from './store.ts';
import { type ApiParts, createApi } from './v1.api.ts';
import { describedAt } from './v1.described.ts';

/** Looks for keys that expire soon or have expired; runs hourly. */
const expiryJob = defineJob('developer.expiry', z.object({}));
/** Deletes old answers to writes; runs hourly. */
const forgetJob = defineJob('developer.forget', z.object({}));
const DAY_MS = 86_400_000;
const PAGE = { label: 'Open API keys', path: '/developer' };

export interface DeveloperParts extends Omit<ApiParts, 'sandbox' | 'requests'> {
  users: Users;
  limits: Limits;
  retention: Retention;
  billing: Billing;
  agreements: Agreements;
  ledger: Ledger;
  invoices: Invoices;
  payments: Payments;
  minimumSpend: MinimumSpend;
}

/** The data a new key is made with. */
export interface NewKey {
  /** Where the app lives that it is for; left out: a program that has its secret. */
  app?: string;
  name: string;
  mode: (typeof KEY_MODES)[number];
  scopes: ApiScope[];
  expires_in_days: number | null;
}

export type Developer = ReturnType<typeof createDeveloper>;

const dayOf = (at: Date): string => at.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** The keys of an agency's own programs, and authentication by them (docs/decisions/0191-developer-keys.md). */
export function createDeveloper(platform: Platform, parts: DeveloperParts) {
  const { db, clock, jobs } = platform;
  const { tenants, users, audit, auth, billing, agreements, notices } = parts;
  const sandbox = createSandbox(platform, parts);
  const requests = createRequests(platform, describedAt);
  const api = createApi(platform, { ...parts, sandbox, requests });
  // The requests of sandboxes lie among the others'.
  parts.retention.keep('developer', {
    of: 'platform',
    count: (tx, _, before, most) => requests.countOld(tx, before, most),
    remove: async (tx, _, before, most) =>
      (await requests.forget(tx, before, most)) + (await api.hooks.forget(tx, before, most)),
  });

  const own = (ctx: Ctx): Owner & { agency_id: string } => {
    const { rootId, companyId, kind } = ctx.actor;
    if (kind !== 'agency') throw new Refusal('forbidden', ownMessages.developerForAgencies);
    return { root_id: rootId, agency_id: companyId, company_id: companyId };
  };
  const urls = (ctx: Ctx) => ({ base_url: `${ctx.origin}/v1`, token_url: `${ctx.origin}/oauth/token` });

  /** @throws Refusal 403 without the developer mode, 409 without its agreement or while a payment has failed */
  async function mustBeOn(tx: Tx, { company_id: id }: Owner): Promise<void> {
    const terms = await billing.accounts.terms(tx, id);
    if (!terms.api_mode) throw new Refusal('forbidden', ownMessages.developerOff);
    if (!(await agreements.accepted(tx, id)).has('developer'))
      throw new Refusal('conflict', ownMessages.developerNotAgreed);
    if (terms.payment_status === 'failed') throw new Refusal('conflict', ownMessages.developerUnpaid);
  }

  const wire = (row: store.ListedKey, isAgreed: boolean): Inside<z.output<typeof DeveloperKey>> => {
    const now = clock.now();
    const mayMake = mayPerson(auth.gradeOf(row.kind, row.maker_role), null, 'developer.keys');
    return {
      id: row.id,
      name: row.name,
      mode: row.mode,
      client_id: row.client_id,
      secret_hint: `lps_${row.mode}_…${row.secret_end}`,
      scopes: policy.scopesOf(row.scopes),
      state: policy.stateOf({ ...row, is_agreed: isAgreed }, mayMake, now),
      made_by: row.maker_name,
      version: row.version,
      app: row.app,
      created_at: row.created_at.toISOString(),
      rotated_at: row.rotated_at?.toISOString() ?? null,
      previous_until:
        row.previous_until && row.previous_until > now ? row.previous_until.toISOString() : null,
      expires_at: row.expires_at?.toISOString() ?? null,
      last_used_at: row.last_used_at?.toISOString() ?? null,
      last_used_ip: row.last_used_ip,
    };
  };
  const isAgreed = async (tx: Tx, companyId: string): Promise<boolean> =>
    (await agreements.accepted(tx, companyId)).has('developer');
  const shown = async (tx: Tx, companyId: string, id: string) =>
    wire((await store.one(tx, companyId, id)) ?? missing(), await isAgreed(tx, companyId));

  const lasts = (row: Pick<store.KeyRow, 'expires_at'>): string =>
    row.expires_at ? `valid until ${dayOf(row.expires_at)}` : 'with no expiration date';

  /** Stores a new key with its row in the log and its email. The secret leaves the product only in the response. */
  async function make(
    tx: Tx,
    ctx: Ctx,
    owner: Owner & { agency_id: string },
    given: NewKey,
    sender: Awaited<ReturnType<Notices['sender']>>,
  ) {
    const { grade, modules, userId } = ctx.actor;
    const beyond = given.scopes.find((scope) => !mayScope(grade, modules, scope));
    if (beyond)
      throw refusalOf(
        'scopes',
        `must not include ${beyond} because you do not have that permission`,
        'forbidden',
      );
    const at = clock.now();
    const secret = policy.newSecret(given.mode);
    const row = {
      id: newId(at),
      ...owner,
      maker_id: userId,
      name: given.name,
      mode: given.mode,
      client_id: policy.newClientId(given.mode),
      secret_hash: policy.hashOf(secret),
      secret_end: secret.slice(-4),
      scopes: given.scopes,
      version: LEAD_VERSION,
      app: given.app ?? null,
      created_at: at,
      expires_at:
        given.expires_in_days === null ? null : new Date(at.getTime() + given.expires_in_days * DAY_MS),
    };
    await store.insert(tx, row);
    await audit.record(tx, ctx, {
      action: 'apikey.make',
      objectKind: 'apikey',
      objectId: row.id,
      description: `${row.app === null ? `Created the ${row.mode} API key ${row.name}` : `Gave the app ${row.name} at ${row.app} ${row.mode} access`} (${row.client_id}), ${lasts(row)}: ${row.scopes.join(', ')}`,
    });
    await notices.tell(tx, 'developer.key', sender, owner, {
      subject: row.app === null ? 'A new API key was created' : 'An app was given access',
      lines: [
        row.app === null
          ? `The ${row.mode} API key “${row.name}” was created for your agency, ${lasts(row)}. Programs with its secret can do anything its scopes allow.`
          : `The app “${row.name}” (${row.app}) was given access to your agency, ${lasts(row)}. It can do anything its scopes allow.`,
        'If no one at your agency did this, delete the key now.',
      ],
      page: PAGE,
    });
    return { id: row.id, clientId: row.client_id, secret };
  }

  /** @throws Refusal as `mustBeOn`, 409 with too many keys */
  async function mayMake(tx: Tx, owner: Owner): Promise<void> {
    await store.lockCompany(tx, owner.company_id);
    await mustBeOn(tx, owner);
    if ((await store.list(tx, owner.company_id)).length >= MOST_KEYS)
      throw new Refusal('conflict', ownMessages.keysTooMany(MOST_KEYS));
  }

  const changed = async <T>(
    ctx: Ctx,
    id: string,
    work: (tx: Tx, row: store.KeyRow, owner: Owner & { agency_id: string }) => Promise<T>,
  ): Promise<T> => {
    const owner = own(ctx);
    return inScope(db.app, ctx.scope, async (tx) =>
      work(tx, (await store.lock(tx, owner.company_id, id)) ?? missing(), owner),
    );
  };

  /** Sends warnings about a root's keys that expire soon or have expired, each warning once. */
  async function warn(rootId: string): Promise<void> {
    const now = clock.now();
    const from = new Date(now.getTime() - DAY_MS);
    const to = new Date(now.getTime() + Math.max(...policy.WARNINGS) * DAY_MS);
    const rows = await inScope(db.app, { rootId }, (tx) => store.ending(tx, rootId, from, to));
    for (const { id, ...owner } of rows) {
      const sender = await notices.sender(owner);
      await inScope(db.app, { rootId }, async (tx) => {
        const row = await store.lock(tx, owner.company_id, id);
        const due = row && policy.warningOf(row, now);
        if (!row || due === null || due === undefined || row.disabled_at) return;
        await store.update(tx, id, { warned_days: due });
        const day = dayOf(row.expires_at!);
        await notices.tell(
          tx,
          'developer.expiry',
          sender,
          owner,
          {
            subject:
              due === 0
                ? `The API key “${row.name}” has expired`
                : `The API key “${row.name}” expires on ${day}`,
            lines: [
              due === 0
                ? 'Programs that use it no longer have access. Create a new key and update them with its secret.'
                : 'Programs that use it will lose access then. Before that date, create a new key and update them with its secret.',
            ],
            page: PAGE,
          },
          row.maker_id,
        );
      });
    }
  }

  /** Returns the keys of the user's own agency. */
  const list = (ctx: Ctx) =>
    inScope(db.app, ctx.scope, async (tx) => {
      const { company_id: id } = own(ctx);
      const agreed = await isAgreed(tx, id);
      return { data: (await store.list(tx, id)).map((row) => wire(row, agreed)), is_agreed: agreed };
    });

  const apiAuth = createApiAuth(platform, { ...parts, sandbox });
  const oauth = createOAuth(platform, {
    ...parts,
    auth: apiAuth,
    async makeKey(ctx, given, then) {
      const owner = own(ctx);
      const sender = await notices.sender(owner);
      await inScope(db.app, ctx.scope, async (tx) => {
        await mayMake(tx, owner);
        const { id } = await make(tx, ctx, owner, given, sender);
        await then(tx, owner, id);
      });
    },
  });

  return {
    sandbox,
    requests,
    api,
    auth: apiAuth,
    oauth,
    accept: createAcceptance(platform, parts),
    warn,
    urls,
    list,

    /**
     * Returns the newest live key that works, otherwise the newest live one; null if there is none. @throws Refusal 404
     * for another company
     */
    async newest(ctx: Ctx, companyId: string): Promise<Inside<z.output<typeof DeveloperKey>> | null> {
      agreements.own(ctx, { companyId });
      const { data } = await list(ctx);
      const live = data.filter((key) => key.mode === 'live' && key.app === null);
      return live.find((key) => key.state === 'active') ?? live[0] ?? null;
    },

    /**
     * Makes a key of the user's own agency. The secret is shown only this once.
     * @throws Refusal 403 without the developer mode or for a scope beyond the user's rights, 409 without the agreement
     * or with too many keys
     */
    async make(ctx: Ctx, given: NewKey) {
      const owner = own(ctx);
      const sender = await notices.sender(owner);
      return inScope(db.app, ctx.scope, async (tx) => {
        await mayMake(tx, owner);
        const made = await make(tx, ctx, owner, given, sender);
        return { ...made, key: await shown(tx, owner.company_id, made.id) };
      });
    },

    /**
     * Makes the first live key, with all the rights its maker has.
     * @throws Refusal 404 for another company, 422 for an address that is not the user's own, 409 where a working key
     * exists
     */
    async generate(ctx: Ctx, companyId: string, email: string) {
      agreements.own(ctx, { companyId });
      const owner = own(ctx);
      const sender = await notices.sender(owner);
      return inScope(db.app, ctx.scope, async (tx) => {
        const me = await users.byId(tx, ctx.actor.userId);
        if (me?.email.toLowerCase() !== email) throw refusalOf('email', 'must be your own email address');
        await store.lockCompany(tx, owner.company_id);
        await mustBeOn(tx, owner);
        const there = (await store.list(tx, owner.company_id)).map((row) => wire(row, true));
        if (there.some((key) => key.mode === 'live' && key.state === 'active' && key.app === null))
          throw new Refusal('conflict', ownMessages.keyThere);
        if (there.length >= MOST_KEYS) throw new Refusal('conflict', ownMessages.keysTooMany(MOST_KEYS));
        const { grade, modules } = ctx.actor;
        const scopes = SCOPE_NAMES.filter(
          (scope) => !CHOSEN_SCOPES.includes(scope) && mayScope(grade, modules, scope),
        );
        return make(tx, ctx, owner, { name: 'API key', mode: 'live', scopes, expires_in_days: null }, sender);
      });
    },

    /**
     * Gives a key a new secret, which is shown only this once; the previous one stays valid for the given number of
     * minutes. From then on the key has the rights of the user who knows the new secret.
     * @throws Refusal 404, 409 for a key that is disabled or has expired, 403 for a key with more rights than the user
     */
    async rotate(ctx: Ctx, id: string, overlapMinutes: number) {
      const sender = await notices.sender(own(ctx));
      return changed(ctx, id, async (tx, row, owner) => {
        const at = clock.now();
        await mustBeOn(tx, owner);
        if (row.expires_at && row.expires_at <= at) throw new Refusal('conflict', ownMessages.keyEnded);
        if (row.disabled_at) throw new Refusal('conflict', ownMessages.keyIsDisabled);
        mustHaveSecret(row);
        const { grade, modules, userId } = ctx.actor;
        if (policy.scopesOf(row.scopes).some((scope) => !mayScope(grade, modules, scope)))
          throw new Refusal('forbidden', ownMessages.keyBeyond);
        const secret = policy.newSecret(row.mode);
        const until = overlapMinutes > 0 ? new Date(at.getTime() + overlapMinutes * 60_000) : null;
        await store.update(tx, id, {
          maker_id: userId,
          secret_hash: policy.hashOf(secret),
          secret_end: secret.slice(-4),
          generation: row.generation + 1,
          previous_hash: until && row.secret_hash,
          previous_until: until,
          rotated_at: at,
        });
        await audit.record(tx, ctx, {
          action: 'apikey.rotate',
          objectKind: 'apikey',
          objectId: id,
          description: `Gave the API key ${row.name} (${row.client_id}) a new secret; the one before ${until ? `is valid until ${until.toISOString()}` : 'expired immediately'}`,
        });
        await notices.tell(tx, 'developer.key', sender, owner, {
          subject: 'An API key has a new secret',
          lines: [
            `The API key “${row.name}” of your agency has a new secret. The previous secret ${until ? `stops working on ${until.toUTCString()}` : 'has stopped working'}.`,
            'If no one at your agency did this, delete the key now.',
          ],
          page: PAGE,
        });
        return { secret, key: await shown(tx, owner.company_id, id) };
      });
    },

    /** Disables a key, effective from the next request, or enables it again. @throws Refusal 404 */
    async setDisabled(ctx: Ctx, id: string, disabled: boolean) {
      if (!disabled) await ctx.mustBeConfirmed();
      return changed(ctx, id, async (tx, row, owner) => {
        if (Boolean(row.disabled_at) !== disabled) {
          await store.update(tx, id, { disabled_at: disabled ? clock.now() : null });
          await audit.record(tx, ctx, {
            action: disabled ? 'apikey.disable' : 'apikey.enable',
            objectKind: 'apikey',
            objectId: id,
            description: `${disabled ? 'Disabled' : 'Enabled'} the API key ${row.name} (${row.client_id})`,
          });
        }
        return shown(tx, owner.company_id, id);
      });
    },

    /** Sets the version of the API that a key uses from the next request on. @throws Refusal 404 */
    setVersion: (ctx: Ctx, id: string, version: Version) =>
      changed(ctx, id, async (tx, row, owner) => {
        if (row.version !== version) {
          await store.update(tx, id, { version });
          await audit.record(tx, ctx, {
            action: 'apikey.version',
            objectKind: 'apikey',
            objectId: id,
            description: `Changed the version of the API key ${row.name} (${row.client_id}) from ${row.version} to ${version}`,
          });
        }
        return shown(tx, owner.company_id, id);
      }),

    /** Deletes a key; its row stays for the log. @throws Refusal 404 */
    remove: (ctx: Ctx, id: string): Promise<void> =>
      changed(ctx, id, async (tx, row) => {
        await store.update(tx, id, { removed_at: clock.now(), previous_hash: null, previous_until: null });
        await audit.record(tx, ctx, {
          action: 'apikey.delete',
          objectKind: 'apikey',
          objectId: id,
          description: `Deleted the API key ${row.name} (${row.client_id})`,
        });
      }),

    /** Runs the feature's jobs in this process. */
    async start(): Promise<void> {
      await jobs.work(expiryJob, { pollingIntervalSeconds: 60 }, () => tenants.eachRoot(warn));
      await jobs.work(forgetJob, { pollingIntervalSeconds: 60 }, () => requests.forgetAnswers());
      await api.hooks.start();
      await jobs.schedule(expiryJob, '23 * * * *', {});
      await jobs.schedule(forgetJob, '41 * * * *', {});
    },
  };
}
