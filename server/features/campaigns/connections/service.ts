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
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import * as store from './store.ts';

export type { CountedConnection } from './store.ts';
export type Connections = ReturnType<typeof createConnections>;

export interface ConnectionsDeps {
  tenants: Tenants;
  audit: Audit;
  notices: Notices;
  limits: Limits;
  outbound: Outbound;
  standIns?: StandIns;
}

/** Servers that answer a vendor's calls in its place, by vendor: the demo's and the tests' own. */
export type StandIns = Readonly<
  Record<
    string,
    {
      base: string;
      /** The page that shows what has arrived, and the credentials that it accepts. */
      page?: string;
      credentials?: Credentials;
    }
  >
>;

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
  const present = async (tx: Tx, id: string, lock?: 'update' | 'share') =>
    (await store.connectionById(tx, id, lock)) ?? missing();
  const counted = async (tx: Tx, id: string) => (await store.connections(tx, { id }))[0] ?? missing();
  const opened = (row: store.ConnectionRow): Credentials =>
    JSON.parse(vault.open(row.credentials_sealed!, CREDENTIALS)) as Credentials;

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
        why: result.kind === 'delivered' ? 'It did not answer.' : words(result.why),
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
    if (kept) throw refusalOf(`credentials.${kept.key}`, 'must be entered again with another address');
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

  return {
    /** Every vendor, in the order of the gallery. */
    vendors: (): Vendor[] => [...vendors.values()],
    /** What answers in a vendor's place and shows it on a page, if anything does. */
    standIn: (vendorId: string) => standIns[vendorId],
    vendor: vendorOf,
    wayOf: (vendor: Vendor, row: store.ConnectionRow): Way | undefined => wayOf(vendor, opened(row)),
    /** One connection that the scope may see; `share` keeps it as it is until the transaction ends. */
    byId: (tx: Tx, id: string, lock?: 'share') => store.connectionById(tx, id, lock),

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
        companyID?: string | undefined;
        vendor: string;
        name?: string | undefined;
        credentials: Credentials;
      },
    ) {
      const vendor = vendors.get(given.vendor);
      if (!vendor) throw refusalOf('vendor', 'is not a service that leads can be delivered to');
      const credentials = checked(vendor, given.credentials);
      const owner = await inScope(db.app, ctx.scope, async (tx) => {
        const company = (await tenants.company(tx, given.companyID ?? ctx.actor.companyId)) ?? missing();
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
          credentials_sealed: vault.seal(JSON.stringify(credentials), CREDENTIALS),
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

    /** Renames, pauses, resumes, or signs in anew. @throws Refusal 404, 422, 429 */
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
      if (isTried) {
        await limits.take(TRIES, before.company_id);
        checkAddress(vendor, given.credentials ?? {}, opened(before));
        credentials = checked(vendor, given.credentials ?? {}, opened(before));
        const test = await tried(vendor, credentials);
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
            'The connection stopped working meanwhile. Enter its credentials again.',
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
          ...(isTried
            ? {
                credentials_sealed: vault.seal(JSON.stringify(credentials), CREDENTIALS),
                checked_at: now,
                held_until: null,
              }
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
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
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
      }),

    /** Tries the credentials, at most once a minute; a broken connection that works again goes on. @throws Refusal 404, 422, 429 */
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
      const test = await tried(vendor, opened(row));
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

    /** Asks the vendor for its lists, tags and fields. @throws Refusal 404, 409 in the vendor's words, 429 */
    async choices(ctx: Ctx, id: string): Promise<{ settings: Record<string, Choice[]>; fields: Choice[] }> {
      const row = await inScope(db.app, ctx.scope, (tx) => present(tx, id));
      const vendor = vendorOf(row.vendor);
      const credentials = opened(row);
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

    /** The vendor refuses the credentials: what waits keeps waiting, and the company is told once. */
    async broken(rootId: string, id: string, why: string): Promise<void> {
      const scope = { rootId };
      const before = await inScope(db.app, scope, (tx) => store.connectionById(tx, id));
      if (before?.state !== 'connected') return;
      const sender = await notices.sender(ownerOf(before));
      await inScope(db.app, scope, async (tx) => {
        const row = await store.connectionById(tx, id, 'update');
        if (row?.state !== 'connected' || row.credentials_sealed !== before.credentials_sealed) return;
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
      });
    },
  };
}
