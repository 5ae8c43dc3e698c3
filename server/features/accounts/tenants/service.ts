import { MODULES, type ModuleType } from '../../../../contract/choices.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Tenant } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Db, Scope, Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { reencodePicture } from '../../../platform/image.ts';
import { allInTurn } from '../../../platform/in-turn.ts';
import type { MailBrand } from '../../../platform/mail-layout.ts';
import type { Picture } from '../../../platform/picture.ts';
import type { Platform } from '../../../platform/platform.ts';
import { modulesOfRoot } from './products.policy.ts';
import { products } from './products.service.ts';
import { companyCard, deletePicture, pastCompanyCard, profilePicture, setDetails } from './products.store.ts';
import type { FrontPicture } from './store.ts';
import * as store from './store.ts';

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
  logo: null,
  favicon: null,
  company_name: 'Set-up',
  legal_name: null,
  short_name: null,
  address: null,
  city: null,
  zip: null,
  state_code: null,
  country_code: null,
  phone: null,
  email: null,
  subdomain: null,
  master_id: null,
  modules: {},
  root_modules: {},
};

/** Returns the path of a brand's picture on the host that shows it. */
export const pathOfPicture = (picture: { id: string; type: string }): string =>
  `/brand/${picture.id}.${picture.type === 'image/jpeg' ? 'jpg' : 'png'}`;

/**
 * The stored size of a brand's pictures; a logo is shown at most 125 px wide (spec calls 9), or three times that on
 * high-resolution screens, and a symbol 28 px wide. Every first load includes it.
 */
const PICTURES = { logo: { maxSide: 512, maxSymbol: 128 }, favicon: { maxSide: 192, square: true } } as const;

const isBelow = (host: string, root: string | null): boolean =>
  root !== null && host.endsWith(`.${root}`) && !host.slice(0, -root.length - 1).includes('.');

/** The data for creating a company; its kind follows from its parents. */
export interface NewCompany {
  name: string;
  host?: string;
  rootId?: string;
  agencyId?: string;
  isMaster?: boolean;
  timeZone?: string;
  /** For a client: the trade it is in. */
  industry?: string;
  /** The caller may choose the ids (demo seed); otherwise they are generated. */
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
    /** A picture file, as a user would upload it. */
    logo: Uint8Array;
  }>;
  modules?: readonly { module: ModuleType; name: string; slug: string }[];
}

export type Tenants = ReturnType<typeof createTenants>;

/** Companies, hosts, brands and module names. */
export function createTenants({ db, clock, config }: Platform) {
  const hosts = new Map<string, { tenant: Tenant | null; until: number }>();
  return {
    /** Returns the tenant of a host; cached for 5 s, so that a request needs no query for it. */
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
    /** Clears the host cache after a change. */
    forgetHosts: () => hosts.clear(),
    async frontDoor(companyId: string, at: Db = db.app) {
      const door = companyId === NOBODY ? unclaimedDoor : await store.frontDoor(at, companyId);
      if (!door) throw new Refusal('not_found', ownMessages.notFound);
      return door;
    },
    /** Returns the modules that a root has, the same as in the setup check, for users who have not signed in. */
    async modulesOfRoot(rootId: string, isMaster: boolean): Promise<readonly string[]> {
      return modulesOfRoot(isMaster, rootId === NOBODY ? null : await store.chosenModules(db.app, rootId));
    },
    /** Returns the look of a company's emails: its brand's name, accent, and logo. */
    async mailBrand(companyId: string): Promise<MailBrand> {
      const door = await this.frontDoor(companyId);
      const picture = door.logo && (await store.frontPicture(db.app, door.logo.id, companyId));
      return {
        name: door.name,
        accent: door.box_bgcolor ?? door.link_color,
        logo:
          door.logo && picture
            ? { bytes: picture.bytes, type: picture.type, width: door.logo.width, height: door.logo.height }
            : undefined,
      };
    },
    /** Returns the look of a company's documents: its own brand's accent and logo, nothing from its root. */
    async paperBrand(
      tx: Tx,
      companyId: string,
    ): Promise<{ accent: string | null; logo?: { bytes: Buffer } | undefined }> {
      const card = await companyCard(tx, companyId);
      const picture = card?.logo && (await store.frontPicture(tx, card.logo.id, companyId));
      return {
        accent: card?.box_bgcolor ?? card?.link_color ?? null,
        logo: picture ? { bytes: picture.bytes } : undefined,
      };
    },
    /**
     * Returns the slugs under which the pages of a company's modules are found; the global one if it has not set any.
     */
    async slugsOf(companyId: string, at: Db = db.app): Promise<string[]> {
      const { modules } = await this.frontDoor(companyId, at);
      return MODULES.map(({ module, slug }) => modules[module]?.slug ?? slug);
    },
    /** A logo or favicon that this tenant's host may show; undefined for any other id. */
    picture: (tenant: Tenant, id: string) => store.frontPicture(db.app, id, tenant.companyId),
    /** The code that an agency embeds in the pages of its own host; undefined for all other companies. */
    embed: (tenant: Tenant) =>
      tenant.kind === 'agency' ? store.frontEmbed(db.app, tenant.companyId) : Promise.resolve(undefined),
    /** The host below which a root's agencies have their subdomains. */
    rootHost: (rootId: string, at: Db = db.app) => store.rootHost(at, rootId),
    roots: () => store.listRoots(db.app),
    /**
     * Does something for every root, one after the other, or for `only` one; the first failure is thrown once all have had
     * their turn.
     */
    async eachRoot(work: (rootId: string) => Promise<unknown>, only?: string): Promise<void> {
      await allInTurn(only ? [only] : await store.listRoots(db.app), work);
    },
    noRootYet: (at: Db) => store.noRootYet(at),
    primaryHost: (companyId: string) => store.primaryHost(db.app, companyId),
    companyOfKey: store.companyOfKey,
    company: (tx: Tx, id: string) => store.companyById(tx, id),
    /** The same, and it is not removed before the transaction ends: for what begins something of the company. */
    keepCompany: (tx: Tx, id: string) => store.companyById(tx, id, true),
    /** A company with its own brand, for the profile of its people. */
    card: companyCard,
    /** The same, also of a company that was removed: its debts remain, and so do those that it has to answer for. */
    pastCard: pastCompanyCard,
    products,
    /**
     * Returns whether people may sign up at this tenant's host: its root must allow it, and an agency must also allow
     * it for its clients.
     */
    registrationOpen: (tx: Tx, tenant: Tenant) =>
      store.registrationOpen(tx, [...new Set([tenant.rootId, tenant.companyId])]),
    /** Opens or closes sign-up at a root or agency. */
    setRegistration: store.setRegistration,
    /** Returns which users of a root or agency need a second factor. */
    secondFactor: store.secondFactorOf,
    setSecondFactor: store.setSecondFactor,
    clients: (tx: Tx, search: string, limit: number, offset: number) =>
      store.pageOfClients(tx, search, limit, offset),
    /**
     * Re-encodes an uploaded picture. `by`: the company that uploads it.
     * @throws Refusal 422 naming the field (the purpose) if it is not an accepted picture
     */
    encodePicture: (purpose: 'logo' | 'favicon', bytes: Uint8Array, by: string): Promise<Picture> =>
      reencodePicture(bytes, { ...PICTURES[purpose], field: purpose, by }),
    /** Removes a picture; its URL stops working. */
    dropPicture: deletePicture,
    /** A person's picture, at a host of their system; undefined for any other id. */
    profilePicture: (tenant: Tenant, id: string) => profilePicture(db.app, id, tenant.rootId),
    /** Updates some of a company's details. */
    setDetails,
    save: store.saveCompany,
    remove: store.removeCompany,
    changedClient: store.changedClient,
    /** Stores a picture; it is not shown until a brand refers to it. */
    async addPicture(
      tx: Tx,
      owner: Owner,
      purpose: 'logo' | 'favicon' | 'profile',
      picture: Picture,
    ): Promise<FrontPicture> {
      const at = clock.now();
      const { bytes, ...about } = picture;
      const id = newId(at);
      await store.insertPicture(tx, { id, ...owner, purpose, bytes, ...about, created_at: at });
      return { id, ...about };
    },
    /**
     * Creates a root (no parents given), an agency (rootId), or a client (rootId and agencyId), with its host, brand,
     * and module names if given; a root always gets the modules' global names. Returns the ids.
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
        ...(given.industry ? { industry: given.industry } : {}),
        created_at: at,
      });
      if (given.host)
        await store.insertDomain(tx, {
          host: given.host,
          ...owner,
          kind:
            kind === 'root'
              ? 'own'
              : isBelow(given.host, await store.rootHost(tx, root_id))
                ? 'subdomain'
                : 'custom',
          is_primary: true,
          verified_at: at,
          created_at: at,
        });
      if (kind === 'agency') {
        const begin = await products.defaultsOf(tx, root_id);
        if (begin.modules || begin.terms) await products.choose(tx, { ...owner, ...begin, updated_at: at });
      }
      if (given.brand || kind === 'root') {
        const { logo, ...look } = given.brand ?? {};
        const kept =
          logo &&
          (await this.addPicture(
            tx,
            owner,
            'logo',
            await this.encodePicture('logo', logo, owner.company_id),
          ));
        const logo_id = kept?.id ?? null;
        await store.insertBrand(tx, {
          ...owner,
          ...look,
          name: look.name ?? given.name,
          logo_id,
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

/** The scope in which a whole new system is created: that of the future root. */
export const scopeOfNewRoot = (rootId: string): Scope => ({ rootId });
