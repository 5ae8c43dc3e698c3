import type { ConnectionState } from '../../../../contract/campaigns/destinations.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import {
  type Choice,
  type Credentials,
  createHttp,
  outcomeOf,
  type TestResult,
  type Vendor,
  vendors,
  vendorWords,
  type Way,
} from '../../../integrations/index.ts';
import { baseOf } from '../../../integrations/port.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { LimitRule } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ConnectionsDeps, StandIns } from './deps.ts';
import { createQueues } from './queue.service.ts';
import { createSignIns } from './sign-in.service.ts';
import * as store from './store.ts';

export { CALLBACK_PATH } from './sign-in.service.ts';
export type { CountedConnection } from './store.ts';
export type { ConnectionsDeps, StandIns };
export type Connections = ReturnType<typeof createConnections>;

const CREDENTIALS = 'connection.credentials';
const TEST_EVERY_MS = 60_000;
/** Each try is a sign-in at someone else's service. */
const TRIES: LimitRule = { name: 'connection.try', max: 20, base: 60, cap: 3600, window: 3600 };
const CHOICES: LimitRule = { name: 'connection.choices', max: 120, base: 60, cap: 3600, window: 3600 };
const MOST_CHOICES = 1000;

/** Sign-ins of companies at the services that their leads are delivered to (INTG-02). */
export function createConnections(platform: Platform, deps: ConnectionsDeps) {
  const { db, clock, vault } = platform;
  const { tenants, audit, notices, limits, outbound, standIns = {} } = deps;
  const http = createHttp(outbound, clock);

  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };
  const ownerOf = ({ root_id, agency_id, company_id }: Owner): Owner => ({ root_id, agency_id, company_id });
  const vendorOf = (id: string): Vendor => vendors.get(id) ?? missing();
  const present = async (tx: Tx, id: string, lock?: 'update') =>
    (await store.connectionById(tx, id, lock)) ?? missing();
  const counted = async (tx: Tx, id: string) => (await store.connections(tx, { id }))[0] ?? missing();
  const opened = (row: store.ConnectionRow): Credentials =>
    JSON.parse(vault.open(row.credentials_sealed!, CREDENTIALS)) as Credentials;
  const sealed = (credentials: Credentials): string => vault.seal(JSON.stringify(credentials), CREDENTIALS);

  function wayOf(vendor: Vendor, credentials: Credentials): Way | undefined {
    const base = standIns[vendor.id]?.base ?? baseOf(vendor, credentials);
    return base === undefined ? undefined : { base, credentials, http, now: () => clock.now() };
  }

  /**
   * Returns the credentials of a form, trimmed and complete; those left empty keep their values.
   * @throws Refusal 422 naming the field
   */
  function checked(vendor: Vendor, given: Credentials, before: Credentials = {}): Credentials {
    const unknown = Object.keys(given).find((key) => !vendor.credentials.some((field) => field.key === key));
    if (unknown !== undefined) throw refusalOf('credentials', `has no field “${unknown.slice(0, 40)}”`);
    const kept: Record<string, string> = {};
    for (const field of vendor.credentials) {
      const value = given[field.key]?.trim() || before[field.key] || '';
      if (!value && !field.isOptional) throw refusalOf(`credentials.${field.key}`, 'is required');
      if (value) kept[field.key] = value;
    }
    return kept;
  }

  /** Tries credentials at the vendor. Never throws because of what the vendor does. */
  async function tried(vendor: Vendor, credentials: Credentials): Promise<TestResult> {
    const way = wayOf(vendor, credentials);
    if (!way) return { isConnected: false, why: 'The address is not valid.' };
    const words = (text: string) => vendorWords(text, credentials);
    try {
      const test = await vendor.test(way);
      return test.isConnected
        ? { isConnected: true, account: words(test.account) }
        : { isConnected: false, why: words(test.why) };
    } catch (error) {
      const result = outcomeOf(error);
      return {
        isConnected: false,
        why: result.kind === 'delivered' ? 'It did not respond.' : words(result.why),
      };
    }
  }

  /**
   * Credentials that are kept go to no other address than the one that they were entered for.
   * @throws Refusal 422 naming the field that must be entered again
   */
  function checkAddress(vendor: Vendor, given: Credentials, before: Credentials): void {
    const places = [...vendor.base.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!);
    const isMoved = places.some((key) => given[key]?.trim() && given[key].trim() !== before[key]);
    if (!isMoved) return;
    const kept = vendor.credentials.find(
      ({ key }) => !places.includes(key) && before[key] !== undefined && !given[key]?.trim(),
    );
    if (kept) throw refusalOf(`credentials.${kept.key}`, 'must be entered again when the address changes');
  }

  const refused = (vendor: Vendor, why: string) =>
    new Refusal('invalid', `${vendor.name} could not be connected. ${why.slice(0, 500)}`, {
      errors: { credentials: [why.slice(0, 500)] },
    });

  /** Makes a connection work again, if it was not; what waited for it goes on. */
  async function restored(tx: Tx, row: store.ConnectionRow): Promise<void> {
    if (row.state !== 'connected')
      await platform.events.emit(tx, 'connection.restored', { rootId: row.root_id, connectionId: row.id });
  }

  /**
   * The vendor refuses the credentials: what waits keeps waiting, and the company is notified once. Returns whether the
   * connection is broken now: a token of someone who signed in is renewed first, and may be good again then.
   */
  async function broken(rootId: string, id: string, why: string, isRenewed = false): Promise<boolean> {
    const scope = { rootId };
    const before = await inScope(db.app, scope, (tx) => store.connectionById(tx, id));
    if (before?.state !== 'connected') return true;
    if (before.auth === 'oauth' && !isRenewed) {
      const renewed = await signIns.renew(vendorOf(before.vendor), rootId, id, true);
      if (renewed !== 'broken') return false;
    }
    const sender = await notices.sender(ownerOf(before));
    return inScope(db.app, scope, async (tx) => {
      const row = await store.connectionById(tx, id, 'update');
      if (row?.state !== 'connected') return true;
      // Connected again in the meantime.
      if (row.credentials_sealed !== before.credentials_sealed) return false;
      const now = clock.now();
      await store.updateConnection(tx, id, {
        state: 'broken',
        state_reason: why.slice(0, 500),
        updated_at: now,
      });
      const { name } = vendorOf(row.vendor);
      await audit.recordSystem(tx, now, ownerOf(row), {
        action: 'connection.broken',
        objectKind: 'connection',
        objectId: id,
        description: `${name} no longer accepts the credentials of ${row.name}: ${why.slice(0, 300)}`,
      });
      await notices.tell(tx, 'connection.broken', sender, ownerOf(row), {
        subject: `Reconnect ${name} to keep receiving leads there`,
        lines: [
          `${name} no longer accepts the credentials of the connection “${row.name}”.`,
          `It said: ${why.slice(0, 300)}`,
          'No lead is lost. Leads wait and are delivered as soon as you reconnect.',
        ],
        page: { label: 'Reconnect', path: `/integrations/${row.vendor}` },
      });
      return true;
    });
  }

  const signIns = createSignIns(platform, {
    tenants,
    audit,
    standIns,
    http,
    tried,
    refused,
    sealed,
    opened,
    restored,
    broken: (rootId, id, why) => broken(rootId, id, why, true),
  });

  return {
    signIns,
    queues: createQueues(clock),
    /** Every vendor, in the order of the gallery. */
    vendors: (): Vendor[] => [...vendors.values()],
    /** What answers in a vendor's place and shows it on a page, if anything does. */
    standIn: (vendorId: string) => standIns[vendorId],
    vendor: vendorOf,
    wayOf: (vendor: Vendor, row: store.ConnectionRow): Way | undefined => wayOf(vendor, opened(row)),
    /** One connection that the scope may see. */
    byId: (tx: Tx, id: string) => store.connectionById(tx, id),
    /** A company's connections. */
    ofCompany: (tx: Tx, companyId: string) => store.connections(tx, { companyId }),
    /** The connections with these ids, which stay as they are until the transaction ends. */
    shared: store.sharedConnections,

    /** @throws Refusal 404 for another tenant's company */
    list: (ctx: Ctx, companyId: string | undefined, vendor?: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = (await tenants.company(tx, companyId ?? ctx.actor.companyId)) ?? missing();
        return store.connections(tx, { companyId: company.id, vendor });
      }),

    /** Connects a service after trying the credentials. @throws Refusal 404, 422, 429 */
    async create(
      ctx: Ctx,
      given: {
        company_id?: string | undefined;
        vendor: string;
        name?: string | undefined;
        credentials: Credentials;
      },
    ) {
      const vendor = vendors.get(given.vendor);
      if (!vendor) throw refusalOf('vendor', 'is not a service that leads can be delivered to');
      const credentials = checked(vendor, given.credentials);
      const owner = await inScope(db.app, ctx.scope, async (tx) => {
        const company = (await tenants.company(tx, given.company_id ?? ctx.actor.companyId)) ?? missing();
        // A root has no leads of its own.
        if (!company.agency_id) return missing();
        await boundedBy(tx, 'connections', company.id, 'vendor');
        return { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id };
      });
      await limits.take(TRIES, owner.company_id);
      const test = await tried(vendor, credentials);
      if (!test.isConnected) throw refused(vendor, test.why);
      return inScope(db.app, ctx.scope, async (tx) => {
        const now = clock.now();
        const id = newId(now);
        const name = given.name ?? test.account.slice(0, 80);
        await store.insertConnection(tx, {
          id,
          ...owner,
          vendor: vendor.id,
          name,
          account: test.account.slice(0, 200),
          credentials_sealed: sealed(credentials),
          state: 'connected',
          checked_at: now,
          created_at: now,
          updated_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'connection.create',
          objectKind: 'connection',
          objectId: id,
          description: `Connected ${vendor.name}: ${name}`,
          owner,
        });
        return counted(tx, id);
      });
    },

    /** Renames, pauses, resumes, or signs in again. @throws Refusal 404, 422, 429 */
    async update(
      ctx: Ctx,
      id: string,
      given: {
        name?: string | undefined;
        state?: 'connected' | 'paused' | undefined;
        credentials?: Credentials | undefined;
      },
    ) {
      const before = await inScope(db.app, ctx.scope, (tx) => present(tx, id));
      const vendor = vendorOf(before.vendor);
      // Nothing may resume by words alone: what is broken is tried first, with the old credentials if need be.
      const isTried =
        given.credentials !== undefined || (given.state === 'connected' && before.state === 'broken');
      let credentials: Credentials | undefined;
      let account = before.account;
      // Entered credentials take the place of a sign-in.
      const isEntered =
        before.auth === 'key' || Object.values(given.credentials ?? {}).some((one) => one.trim());
      if (isTried) {
        await limits.take(TRIES, before.company_id);
        if (isEntered) {
          checkAddress(vendor, given.credentials ?? {}, opened(before));
          credentials = checked(vendor, given.credentials ?? {}, opened(before));
        }
        const test = await tried(vendor, credentials ?? opened(await signIns.current(vendor, before)));
        if (!test.isConnected) throw refused(vendor, test.why);
        account = test.account.slice(0, 200);
      }
      return inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, 'update');
        const now = clock.now();
        const state = given.state ?? (isTried ? 'connected' : row.state);
        if (state === 'connected' && row.state === 'broken' && !isTried)
          throw new Refusal(
            'conflict',
            'The connection stopped working in the meantime. Enter its credentials again.',
          );
        const changes = [
          ...(given.name === undefined || given.name === row.name
            ? []
            : [`name from ${row.name} to ${given.name}`]),
          ...(state === row.state ? [] : [`${row.state} to ${state}`]),
          ...(given.credentials === undefined ? [] : ['new credentials']),
        ];
        if (changes.length === 0) return counted(tx, id);
        await store.updateConnection(tx, id, {
          name: given.name ?? row.name,
          account,
          state,
          state_reason: state === 'connected' ? null : row.state_reason,
          ...(isTried ? { checked_at: now, held_until: null } : {}),
          ...(credentials
            ? { credentials_sealed: sealed(credentials), auth: 'key', token_ends_at: null, ends_at: null }
            : {}),
          updated_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'connection.update',
          objectKind: 'connection',
          objectId: id,
          description: `Changed the connection to ${vendor.name}: ${changes.join(', ')}`,
          owner: ownerOf(row),
        });
        if (state === 'connected') await restored(tx, row);
        return counted(tx, id);
      });
    },

    /** Deletes the credentials; campaigns stop delivering through it. @throws Refusal 404 */
    async remove(ctx: Ctx, id: string): Promise<void> {
      const removed = await inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, 'update');
        await store.updateConnection(tx, id, {
          state: 'removed',
          state_reason: null,
          credentials_sealed: null,
          updated_at: clock.now(),
        });
        await platform.events.emit(tx, 'connection.removed', { connectionId: id });
        await audit.record(tx, ctx, {
          action: 'connection.remove',
          objectKind: 'connection',
          objectId: id,
          description: `Disconnected ${vendorOf(row.vendor).name}: ${row.name}`,
          owner: ownerOf(row),
        });
        return row;
      });
      await signIns.revoke(vendorOf(removed.vendor), removed);
    },

    /** Tests the credentials, at most once a minute; a broken connection that works again goes on. @throws Refusal 404, 422, 429 */
    async test(ctx: Ctx, id: string) {
      const now = clock.now();
      const row = await inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, 'update');
        const left = (row.checked_at?.getTime() ?? 0) + TEST_EVERY_MS - now.getTime();
        if (left > 0)
          throw new Refusal('too_many', messages.testOncePerMinute, { retryAfter: Math.ceil(left / 1000) });
        await store.updateConnection(tx, id, { checked_at: now });
        return row;
      });
      const vendor = vendorOf(row.vendor);
      const test = await tried(vendor, opened(await signIns.current(vendor, row)));
      if (!test.isConnected) throw refused(vendor, test.why);
      return inScope(db.app, ctx.scope, async (tx) => {
        const row = await present(tx, id, 'update');
        if (row.state === 'broken') {
          await store.updateConnection(tx, id, { state: 'connected', state_reason: null, updated_at: now });
          await restored(tx, row);
        }
        return counted(tx, id);
      });
    },

    /** Opens a connection for what a person does on a screen. @throws Refusal 404, 409 if it does not work, 429 */
    async open(ctx: Ctx, id: string): Promise<{ vendor: Vendor; way: Way; row: store.ConnectionRow }> {
      const before = await inScope(db.app, ctx.scope, (tx) => present(tx, id));
      const vendor = vendorOf(before.vendor);
      await limits.take(CHOICES, before.company_id);
      const row = await signIns.current(vendor, before);
      const way = wayOf(vendor, opened(row));
      if (row.state !== 'connected' || !way)
        throw new Refusal('conflict', `The connection to ${vendor.name} does not work. Reconnect it first.`);
      return { vendor, way, row };
    },
    /** What a vendor refused, as an answer to a person. */
    saidNo: (vendor: Vendor, error: unknown): Refusal => {
      const result = outcomeOf(error);
      const why = result.kind === 'delivered' ? '' : result.why;
      return new Refusal(
        'conflict',
        `${vendor.name} refused. ${vendorWords(why, {})}${result.kind === 'final' ? ` ${result.fix}` : ''}`,
      );
    },

    /** Asks the vendor for its lists, tags and fields. @throws Refusal 404, 409 in the vendor's words, 429 */
    async choices(ctx: Ctx, id: string): Promise<{ settings: Record<string, Choice[]>; fields: Choice[] }> {
      const row = await inScope(db.app, ctx.scope, (tx) => present(tx, id));
      const vendor = vendorOf(row.vendor);
      const credentials = opened(await signIns.current(vendor, row));
      const way = wayOf(vendor, credentials);
      if (!vendor.choices || !way) return { settings: {}, fields: [] };
      await limits.take(CHOICES, row.company_id);
      try {
        const { fields = [], ...settings } = await vendor.choices(way);
        for (const key of Object.keys(settings)) settings[key] = settings[key]!.slice(0, MOST_CHOICES);
        return { settings, fields: fields.slice(0, MOST_CHOICES) };
      } catch (error) {
        const result = outcomeOf(error);
        throw new Refusal(
          'conflict',
          `${vendor.name} did not return its lists. ${result.kind === 'delivered' ? '' : vendorWords(result.why, credentials)}`.trim(),
        );
      }
    },

    /** The vendor asked to wait: nothing is sent through this connection until then; in the root's scope. */
    async hold(tx: Tx, id: string, until: Date): Promise<void> {
      const row = await store.connectionById(tx, id, 'update');
      if (row && (!row.held_until || row.held_until < until))
        await store.updateConnection(tx, id, { held_until: until });
    },

    broken: (rootId: string, id: string, why: string) => broken(rootId, id, why),

    /** Starts signing in to a service; returns its page. @throws Refusal 404, 422, 429 */
    async signIn(
      ctx: Ctx,
      given: {
        company_id?: string | undefined;
        vendor: string;
        name?: string | undefined;
        connection_id?: string | undefined;
      },
    ): Promise<string> {
      const vendor = vendors.get(given.vendor);
      if (!vendor) throw refusalOf('vendor', 'is not a service that leads can be delivered to');
      await limits.take(TRIES, ctx.actor.companyId);
      return signIns.start(ctx, { ...given, vendor });
    },

    /** Connects with what a service returned. @throws Refusal 409, 422 */
    async signedIn(ctx: Ctx, given: { state: string; code: string }) {
      const id = await signIns.finish(ctx, given.state, given.code, vendorOf);
      return inScope(db.app, ctx.scope, (tx) => counted(tx, id));
    },

    /** Tells companies once that a sign-in ends within a week. */
    async tellEnding(): Promise<void> {
      const before = new Date(clock.now().getTime() + ENDING_MS);
      await tenants.eachRoot(async (rootId) => {
        const rows = await inScope(db.app, { rootId }, (tx) => store.ending(tx, rootId, before));
        for (const row of rows) {
          const sender = await notices.sender(ownerOf(row));
          await inScope(db.app, { rootId }, async (tx) => {
            const now = await store.connectionById(tx, row.id, 'update');
            if (!now || now.told_ending || now.credentials_sealed !== row.credentials_sealed) return;
            await store.updateConnection(tx, row.id, { told_ending: true });
            const { name } = vendorOf(row.vendor);
            await notices.tell(tx, 'connection.ending', sender, ownerOf(row), {
              subject: `Sign in to ${name} again to keep receiving leads there`,
              lines: [
                `The sign-in of the connection “${row.name}” to ${name} expires on ${row.ends_at!.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })}.`,
                'Sign in again before then. Leads that come in later wait until you do.',
              ],
              page: { label: 'Sign in again', path: `/integrations/${row.vendor}` },
            });
          });
        }
      });
    },
  };
}

/** A sign-in that expires within a week is reported by email, and shown as expiring. */
const ENDING_MS = 7 * 86_400_000;

/** A connection's state as it is shown. */
export const shownState = (
  { state, ends_at }: Pick<store.ConnectionRow, 'state' | 'ends_at'>,
  now: Date,
): ConnectionState => {
  if (state === 'removed') return 'paused';
  return state === 'connected' && ends_at && ends_at.getTime() - ENDING_MS < now.getTime()
    ? 'expiring'
    : state;
};
