import { Refusal } from '../../../contract/errors.ts';
import type { contract } from '../../../contract/index.ts';
import { ownMessages } from '../../../contract/messages.ts';
import type { Tenant } from '../../platform/ctx.ts';
import { type Db, inScope, type Scope, type Tx } from '../../platform/db/scope.ts';
import type { Handlers } from '../../platform/http/routes.ts';
import { newId } from '../../platform/ids.ts';
import { page } from '../../platform/page.ts';
import type { Platform } from '../../platform/platform.ts';
import * as store from './store.ts';

/** The global names and slugs of the modules (spec product 1). */
const MODULES = [
  { module: 'local', name: 'Site ID', slug: 'site-id' },
  { module: 'locator', name: 'Search ID', slug: 'search-id' },
  { module: 'enhance', name: 'Enhance ID', slug: 'enhance-id' },
  { module: 'b2b', name: 'B2B ID', slug: 'b2b-id' },
  { module: 'simplifi', name: 'Simplifi ID', slug: 'simplifi-id' },
];

const NOBODY = '00000000-0000-0000-0000-000000000000';
/** Stands in for the tenant of an installation that has no root yet, so that its owner can be made in the browser. */
const unclaimed = (host: string): Tenant => ({
  host,
  companyId: NOBODY,
  kind: 'root',
  rootId: NOBODY,
  agencyId: null,
  companyName: 'Set-up',
  timeZone: 'UTC',
});
const unclaimedDoor: store.FrontDoorRow = {
  name: 'Set-up',
  tagline: null,
  box_bgcolor: null,
  text_color: null,
  link_color: null,
  template_bgcolor: null,
  sidebar_bgcolor: null,
  font_theme: null,
  logo_svg: null,
  modules: {},
};

/** What a new company is made from; its kind follows from its parents. */
export interface NewCompany {
  name: string;
  host?: string;
  rootId?: string;
  agencyId?: string;
  isMaster?: boolean;
  timeZone?: string;
  /** The ids may be chosen by the caller (demo seed), else they are made. */
  id?: string;
  brand?: Partial<{
    name: string;
    tagline: string;
    box_bgcolor: string;
    text_color: string;
    link_color: string;
    template_bgcolor: string;
    sidebar_bgcolor: string;
    font_theme: string;
    logo_svg: string;
  }>;
  modules?: { module: string; name: string; slug: string }[];
}

export type Tenants = ReturnType<typeof createTenants>;

/** Companies, hosts, brands and module names. */
export function createTenants({ db, clock, config }: Platform) {
  const hosts = new Map<string, { tenant: Tenant | null; until: number }>();
  return {
    /** The tenant of a host; remembered for 5 s, so that a request costs no query for it. */
    async byHost(host: string): Promise<Tenant | null> {
      const name = host.toLowerCase();
      const now = performance.now();
      const known = hosts.get(name);
      if (known && known.until > now) return known.tenant;
      const tenant =
        (await store.tenantByHost(db.app, name)) ??
        (name === config.rootDomain && (await store.noRootYet(db.app)) ? unclaimed(name) : null);
      if (hosts.size > 10_000) hosts.clear();
      hosts.set(name, { tenant, until: now + 5_000 });
      return tenant;
    },
    /** Forgets what is remembered of hosts, after a change. */
    forgetHosts: () => hosts.clear(),
    async frontDoor(companyId: string) {
      const door = companyId === NOBODY ? unclaimedDoor : await store.frontDoor(db.app, companyId);
      if (!door) throw new Refusal('not_found', ownMessages.notFound);
      return door;
    },
    roots: () => store.listRoots(db.app),
    noRootYet: (at: Db) => store.noRootYet(at),
    primaryHost: (companyId: string) => store.primaryHost(db.app, companyId),
    company: (tx: Tx, id: string) => store.companyById(tx, id),
    /** Whether people may sign up at this tenant's host: its root must allow it, and an agency for its clients, too. */
    registrationOpen: (tx: Tx, tenant: Tenant) =>
      store.registrationOpen(tx, [...new Set([tenant.rootId, tenant.companyId])]),
    /** Opens or closes signing up at a root or agency. */
    setRegistration: store.setRegistration,
    clients: (tx: Tx, search: string, limit: number, offset: number) =>
      store.pageOfClients(tx, search, limit, offset),
    /**
     * Creates a root (no parents given), an agency (rootId) or a client (rootId and agencyId), with its host, brand and
     * module names where given; a root always gets the modules' global names. Returns the ids.
     */
    async create(
      tx: Tx,
      given: NewCompany,
    ): Promise<{ id: string; root_id: string; agency_id: string | null }> {
      const at = clock.now();
      const id = given.id ?? newId(at);
      const kind = !given.rootId ? 'root' : !given.agencyId ? 'agency' : 'client';
      const root_id = given.rootId ?? id;
      const agency_id = kind === 'root' ? null : (given.agencyId ?? id);
      const owner = { root_id, agency_id, company_id: id };
      await store.insertCompany(tx, {
        id,
        root_id,
        agency_id,
        parent_id: kind === 'root' ? null : (given.agencyId ?? root_id),
        kind,
        is_master: given.isMaster ?? false,
        name: given.name,
        ...(given.timeZone ? { time_zone: given.timeZone } : {}),
        created_at: at,
      });
      if (given.host)
        await store.insertDomain(tx, {
          host: given.host,
          ...owner,
          is_primary: true,
          verified_at: at,
          created_at: at,
        });
      if (given.brand || kind === 'root') {
        await store.insertBrand(tx, {
          ...owner,
          ...given.brand,
          name: given.brand?.name ?? given.name,
          updated_at: at,
        });
      }
      const labels = given.modules ?? (kind === 'root' ? MODULES : []);
      if (labels.length > 0)
        await store.insertModuleLabels(
          tx,
          labels.map((label) => ({ ...owner, ...label })),
        );
      return { id, root_id, agency_id };
    },
  };
}

/** The scope in which a whole new system is made: that of the root to be. */
export const scopeOfNewRoot = (rootId: string): Scope => ({ rootId });

/** The calls of the feature. */
export function tenantsRoutes(tenants: Tenants, { db }: Platform): Handlers<typeof contract.tenants> {
  return {
    async frontDoor(ctx) {
      const { tenant } = ctx;
      const door = await tenants.frontDoor(tenant.companyId);
      return {
        ...door,
        idsys: tenant.rootId,
        company_id: tenant.companyId,
        company_kind: tenant.kind,
        companyrootname: door.name,
        domain: tenant.host,
        leadlocalname: door.modules.local?.name ?? 'Site ID',
        leadlocalurl: door.modules.local?.slug ?? 'site-id',
      };
    },
    clients: (ctx, input) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await tenants.clients(
          tx,
          input.searchQuery ?? '',
          input.PerPage,
          (input.Page - 1) * input.PerPage,
        );
        return page(rows, total, input);
      }),
  };
}
