import { MODULES } from '../../../contract/choices.ts';
import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import { FIRST_PACKAGE } from '../../../contract/package-rules.ts';
import type { Permission } from '../../../contract/permissions.ts';
import { dollarsOf, microsOf } from '../../../contract/primitives.ts';
import { SETTINGS, type SettingName, type SettingValue } from '../../../contract/settings.ts';
import type { OptionalEntry } from '../../../contract/sidebar.ts';
import type { Ctx, Tenant } from '../../platform/ctx.ts';
import { inScope, type Tx } from '../../platform/db/scope.ts';
import { createDns, type Dns } from '../../platform/dns.ts';
import { checkInput } from '../../platform/http/input.ts';
import type { Limits } from '../../platform/limits.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Costs } from '../costs/index.ts';
import { pathOfPicture, type Tenants } from '../tenants/index.ts';
import { createDomains } from './domain.service.ts';
import type { KeptSmtp, Smtp, Tried } from './smtp.service.ts';
import * as store from './store.ts';
import { ownerOf, type Target, targetOf } from './target.ts';

const DAY = 86_400_000;
const PICTURES_A_DAY = 100;
/** Tries of one company's mail server. */
const MAIL_TRIES = { name: 'mail.test', max: 20, base: 60, cap: 900, window: 3600 };

/** The settings with what people call them, for the user log. */
const WORDS: Record<SettingName, string> = {
  branding: 'branding',
  rootAgencyEmbeddedCode: 'embed code',
  registration: 'registration',
  modulenames: 'module names',
  costagency: 'costs',
  agencyonboardingcustom: 'onboarding charge',
  rootminspend: 'minimum spend',
  minleaddayenhance: 'least leads a day of Enhance ID',
  packages: 'packages',
  smtp: 'mail server',
  agencydefaults: 'beginnings of new agencies',
  agencysidebar: 'sidebar of the agencies',
  clientsidebar: 'sidebar of the clients',
  billingthreshold: 'billing threshold',
};

/** Settings that only an agency has, or only a root. */
const ONLY: Partial<Record<SettingName, 'agency' | 'root'>> = {
  rootAgencyEmbeddedCode: 'agency',
  agencyonboardingcustom: 'agency',
  rootminspend: 'root',
  minleaddayenhance: 'root',
  packages: 'root',
  agencydefaults: 'root',
  agencysidebar: 'root',
  clientsidebar: 'agency',
  billingthreshold: 'agency',
};
/** What reading and saving needs beyond the permissions of all settings. */
const NEEDS: Partial<Record<SettingName, { read: Permission; save: Permission }>> = {
  costagency: { read: 'cost.read', save: 'cost.write' },
  agencyonboardingcustom: { read: 'cost.read', save: 'cost.write' },
  rootminspend: { read: 'cost.write', save: 'cost.write' },
  packages: { read: 'cost.write', save: 'cost.write' },
  minleaddayenhance: { read: 'cost.write', save: 'cost.write' },
};

/** What a root offers that has said nothing. */
const STANDARD: SettingValue<'packages'> = {
  packages: [{ package_id: FIRST_PACKAGE, name: 'Standard', amount: '0.00', description: '' }],
};

const refuse = (field: string, why: string): Refusal =>
  new Refusal('invalid', `${field}: ${why}`, { errors: { [field]: [why] } });

/** What a save is told besides its value, and what it tells: in words, what it has changed. */
interface SaveAbout {
  from: string | undefined;
  words: string[];
}

export type Settings = ReturnType<typeof createSettings>;

/** The settings of roots and agencies by name, their pictures and their hosts. */
export function createSettings(
  platform: Platform,
  {
    tenants,
    audit,
    costs,
    limits,
    smtp,
    dns,
  }: { tenants: Tenants; audit: Audit; costs: Costs; limits: Limits; smtp: Smtp; dns?: Dns },
) {
  const { db, clock, config } = platform;
  const domains = createDomains(platform, {
    tenants,
    audit,
    limits,
    dns: dns ?? createDns(config.dnsServers),
  });

  type Labels = { module: string; name: string; slug: string }[];
  const labelsToWire = (labels: Labels): SettingValue<'modulenames'> =>
    Object.fromEntries(
      MODULES.flatMap(({ module }) => {
        const own = labels.find((label) => label.module === module);
        return [
          [`lead${module}name`, own?.name ?? ''],
          [`lead${module}url`, own?.slug ?? ''],
        ];
      }),
    ) as SettingValue<'modulenames'>;

  /** How each setting is read, and how it is kept where it has a table of its own. */
  const kinds: {
    [N in SettingName]: {
      read: (tx: Tx, company: Target, kept: Record<string, unknown> | null) => Promise<SettingValue<N>>;
      /** Answers what the setting's row keeps: null where all is elsewhere. */
      save: (
        tx: Tx,
        company: Target,
        value: SettingValue<N>,
        about: SaveAbout,
      ) => Promise<Record<string, unknown> | null>;
    };
  } = {
    branding: {
      async read(tx, company) {
        const brand = await store.brandOf(tx, company.id);
        return {
          name: brand?.name ?? company.name,
          tagline: brand?.tagline ?? null,
          box_bgcolor: brand?.box_bgcolor ?? null,
          text_color: brand?.text_color ?? null,
          link_color: brand?.link_color ?? null,
          template_bgcolor: brand?.template_bgcolor ?? null,
          sidebar_bgcolor: brand?.sidebar_bgcolor ?? null,
          font_theme: (brand?.font_theme ?? null) as SettingValue<'branding'>['font_theme'],
          logo: brand?.logo_id ?? null,
          favicon: brand?.favicon_id ?? null,
        };
      },
      async save(tx, company, { logo, favicon, ...value }) {
        for (const [field, id] of [
          ['logo', logo],
          ['favicon', favicon],
        ] as const) {
          if (id && !(await store.hasPicture(tx, company.id, id, field)))
            throw refuse(field, 'is not an uploaded picture');
        }
        const now = clock.now();
        await store.saveBrand(tx, {
          ...ownerOf(company),
          ...value,
          logo_id: logo,
          favicon_id: favicon,
          updated_at: now,
        });
        // A picture that was tried and not taken is let go; a day on, since it may stand in a form that is still open.
        const used = [logo, favicon].filter((id) => id !== null);
        await store.deleteUnusedPictures(tx, company.id, used, new Date(now.getTime() - DAY));
        return null;
      },
    },
    rootAgencyEmbeddedCode: {
      read: async (_tx, _company, kept) =>
        (kept as SettingValue<'rootAgencyEmbeddedCode'> | null) ?? {
          placeEmbedded: 'footer',
          embeddedcode: '',
        },
      save: async (_tx, _company, value) => value,
    },
    registration: {
      read: async (_tx, company) => ({ open: company.registration_open }),
      async save(tx, company, { open }) {
        await tenants.setRegistration(tx, company.id, open);
        return null;
      },
    },
    modulenames: {
      read: async (tx, company) => labelsToWire(await store.labelsOf(tx, company.id)),
      async save(tx, company, value) {
        // What is left empty is called as at the root; a root's own are called as everywhere.
        const roots = company.kind === 'root' ? {} : (await tenants.frontDoor(company.id, tx)).root_modules;
        const given = value as Record<string, string>;
        const labels: Labels = [];
        const slugs = new Map<string, string>();
        for (const { module, ...global } of MODULES) {
          const base = roots[module] ?? global;
          const [name, slug] = [given[`lead${module}name`]!, given[`lead${module}url`]!];
          const label = { module, name: name || base.name, slug: slug || base.slug };
          const field = `lead${module}url`;
          if (slugs.has(label.slug))
            throw refuse(field, `is the address of ${slugs.get(label.slug)} already; choose another one`);
          slugs.set(label.slug, label.name);
          if (company.kind === 'root' || name || slug) labels.push(label);
        }
        await store.replaceLabels(tx, ownerOf(company), labels);
        return null;
      },
    },
    costagency: {
      read: async (tx, company) => (await costs.readAgency(tx, company)).data as SettingValue<'costagency'>,
      async save(tx, company, value, about) {
        about.words = await costs.saveAgency(tx, company, ownerOf(company), value, about.from);
        const kept = (await store.settingsOf(tx, company.id)).find((one) => one.name === 'costagency');
        return value.dpay ? { dpay: value.dpay } : (kept?.value ?? null);
      },
    },
    agencyonboardingcustom: {
      read: async (_tx, _company, kept) =>
        (kept as SettingValue<'agencyonboardingcustom'> | null) ?? { amount: '0.00', enable_coupon: 'F' },
      save: async (_tx, _company, value) => ({ ...value, amount: dollarsOf(microsOf(value.amount)) }),
    },
    rootminspend: {
      read: async (_tx, _company, kept) =>
        (kept as SettingValue<'rootminspend'> | null) ?? {
          status: 'F',
          first_month: '0.00',
          second_month: '0.00',
          monthly: '0.00',
        },
      save: async (_tx, _company, value) => value,
    },
    minleaddayenhance: {
      read: async (_tx, _company, kept) =>
        (kept as SettingValue<'minleaddayenhance'> | null) ?? { minleaddayenhance: 0 },
      save: async (_tx, _company, value) => value,
    },
    packages: {
      read: async (_tx, _company, kept) => (kept as SettingValue<'packages'> | null) ?? STANDARD,
      async save(tx, company, value) {
        const gone = await store.packageInUse(
          tx,
          company.root_id,
          value.packages.map((one) => one.package_id),
        );
        if (gone) throw refuse('packages', `must keep ${gone}, since an agency has it`);
        return value;
      },
    },
    smtp: {
      read: async (_tx, _company, kept) => smtp.read(smtp.kept(kept)),
      async save(tx, company, value) {
        const row = (await store.settingsOf(tx, company.id)).find((one) => one.name === 'smtp');
        return { ...smtp.keep(smtp.kept(row?.value ?? null), value) };
      },
    },
    agencydefaults: {
      async read(tx, company, kept) {
        const { root } = await tenants.products.of(tx, company, company.is_master);
        const { terms, modules } = (kept ?? {}) as { terms?: string[] | null; modules?: string[] | null };
        return {
          rootPaymentTermsNewAgencies: root.terms.filter((one) => !terms || terms.includes(one)),
          agencyDefaultModules: root.modules.filter((one) => !modules || modules.includes(one)),
        } as SettingValue<'agencydefaults'>;
      },
      async save(tx, company, value) {
        const { root } = await tenants.products.of(tx, company, company.is_master);
        const among = (
          field: string,
          given: readonly string[],
          known: readonly string[],
        ): string[] | null => {
          const strange = given.find((one) => !known.includes(one));
          if (strange) throw refuse(field, `${strange} is not on offer here`);
          // All of them: also what is added later.
          return known.every((one) => given.includes(one)) ? null : [...new Set(given)];
        };
        return {
          terms: among('rootPaymentTermsNewAgencies', value.rootPaymentTermsNewAgencies, root.terms),
          modules: among('agencyDefaultModules', value.agencyDefaultModules, root.modules),
        };
      },
    },
    agencysidebar: {
      read: async (_tx, _company, kept) => (kept as SettingValue<'agencysidebar'> | null) ?? { hidden: [] },
      save: async (_tx, _company, value) => value,
    },
    clientsidebar: {
      read: async (_tx, _company, kept) => (kept as SettingValue<'clientsidebar'> | null) ?? { hidden: [] },
      save: async (_tx, _company, value) => value,
    },
    billingthreshold: {
      read: async (_tx, _company, kept) =>
        (kept as SettingValue<'billingthreshold'> | null) ?? { least_confidence: 0 },
      async save(_tx, _company, value, about) {
        about.words = [`${value.least_confidence} %`];
        return value;
      },
    },
  };

  const names = (ctx: Ctx, company: Target): SettingName[] =>
    (Object.keys(SETTINGS) as SettingName[]).filter(
      (name) => (ONLY[name] ?? company.kind) === company.kind && (!NEEDS[name] || ctx.may(NEEDS[name].read)),
    );
  const mustMay = (ctx: Ctx, name: SettingName, to: 'read' | 'save'): void => {
    const needed = NEEDS[name]?.[to];
    if (needed && !ctx.may(needed)) throw new Refusal('forbidden', ownMessages.forbidden);
  };

  async function read(tx: Tx, company: Target, wanted: SettingName[]) {
    const kept = await store.settingsOf(tx, company.id);
    return Promise.all(
      wanted.map(async (name) => {
        const row = kept.find((one) => one.name === name);
        const setting = { company_id: company.id, settingname: name, version: row?.version ?? 0 };
        if (name === 'costagency') {
          const dpay = (row?.value?.dpay as string | undefined) ?? 'Prepaid';
          return { ...setting, ...(await costs.readAgency(tx, company)), dpay };
        }
        return {
          ...setting,
          data: (await kinds[name].read(tx, company, row?.value ?? null)) as Record<string, unknown>,
        };
      }),
    );
  }

  /** Tries a company's mail server, at most so often an hour, with a row in the log. */
  async function tryMail(
    ctx: Ctx,
    companyId: string | undefined,
    what: string,
    work: (kept: KeptSmtp, company: Target, to: { name: string; address: string }) => Promise<Tried>,
  ): Promise<Tried> {
    const { company, kept, person } = await inScope(db.app, ctx.scope, async (tx) => {
      const found = await targetOf(tenants, tx, ctx, companyId);
      const row = (await store.settingsOf(tx, found.id)).find((one) => one.name === 'smtp');
      return {
        company: found,
        kept: smtp.kept(row?.value ?? null),
        person: await store.addressOf(tx, ctx.actor.userId),
      };
    });
    await limits.take(MAIL_TRIES, company.id);
    // No transaction is held while the server is spoken to.
    const done = await work(kept, company, { name: person.name, address: person.email });
    await inScope(db.app, ctx.scope, (tx) =>
      audit.record(tx, ctx, {
        action: 'setting.mailtest',
        objectKind: 'company',
        objectId: company.id,
        description: `${what} of ${company.name}: ${done.ok ? 'it works' : done.answer || done.message}`,
        owner: ownerOf(company),
      }),
    );
    return done;
  }

  return {
    domains,

    /** All settings of a company, or one of them. */
    list: (ctx: Ctx, companyId: string | undefined, name?: SettingName) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await targetOf(tenants, tx, ctx, companyId);
        if (name) mustMay(ctx, name, 'read');
        return read(tx, company, name ? [name] : names(ctx, company));
      }),

    /**
     * Saves one setting.
     * @throws Refusal 422 naming the field, 409 when `version` is not the newest, 404 for a company that is none of ours
     */
    save: (
      ctx: Ctx,
      given: {
        companyID?: string | undefined;
        comsetname: SettingName;
        comsetval: unknown;
        version?: number | undefined;
        effective_from?: string | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const name = given.comsetname;
        const company = await targetOf(tenants, tx, ctx, given.companyID);
        if ((ONLY[name] ?? company.kind) !== company.kind)
          throw refuse(
            'comsetname',
            ONLY[name] === 'root' ? 'can be set for the platform only' : 'can be set for an agency only',
          );
        mustMay(ctx, name, 'save');
        if (given.effective_from !== undefined && name !== 'costagency')
          throw refuse('effective_from', 'can be given with costagency only');
        const kind = kinds[name] as (typeof kinds)['registration'];
        const value = (await checkInput(SETTINGS[name], given.comsetval)) as SettingValue<'registration'>;
        const [before] = await read(tx, company, [name]);
        const about: SaveAbout = { from: given.effective_from, words: [] };
        const keep = await kind.save(tx, company, value, about);
        const version = await store.saveSetting(tx, ownerOf(company), name, keep, given.version, clock.now());
        if (!version) throw new Refusal('conflict', ownMessages.settingStale);
        const [after] = await read(tx, (await tenants.company(tx, company.id))!, [name]);
        const changed =
          about.words.length > 0 || name === 'costagency'
            ? about.words
            : Object.keys(after!.data).filter(
                (field) => JSON.stringify(after!.data[field]) !== JSON.stringify(before!.data[field]),
              );
        await audit.record(tx, ctx, {
          action: 'setting.save',
          objectKind: 'company',
          objectId: company.id,
          description: `Saved the ${WORDS[name]} of ${company.name}${changed.length > 0 ? `: ${changed.join(', ')}` : ', unchanged'}`,
          owner: ownerOf(company),
        });
        return after!;
      }),

    /** What the company above hides of a company's sidebar, in a scope that sees the one above. */
    async hiddenMenu(
      tx: Tx,
      company: { kind: 'root' | 'agency' | 'client'; parent_id: string | null },
    ): Promise<OptionalEntry[]> {
      if (company.kind === 'root' || !company.parent_id) return [];
      const name = company.kind === 'client' ? 'clientsidebar' : 'agencysidebar';
      const row = (await store.settingsOf(tx, company.parent_id)).find((one) => one.name === name);
      return (row?.value as SettingValue<typeof name> | null | undefined)?.hidden ?? [];
    },

    /** The confidence below which each of these agencies has nothing billed, in a scope that sees them; 0 of those left out. */
    async leastConfidence(tx: Tx, agencyIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await store.valuesOf(tx, 'billingthreshold', agencyIds);
      return new Map(
        rows.map(({ company_id, value }) => [
          company_id,
          (value as SettingValue<'billingthreshold'> | null)?.least_confidence ?? 0,
        ]),
      );
    },

    /** A root's minimum spend for agencies without a plan, in a scope that sees the root's own rows. */
    async minimumSpendOf(tx: Tx, rootId: string): Promise<SettingValue<'rootminspend'>> {
      const [setting] = await read(tx, (await tenants.company(tx, rootId))!, ['rootminspend']);
      return setting!.data as SettingValue<'rootminspend'>;
    },

    /** An agency's onboarding charge, in a scope that sees it. */
    async onboardingIn(tx: Tx, agencyId: string): Promise<{ amountMicros: bigint; couponsOn: boolean }> {
      const [setting] = await read(tx, (await tenants.company(tx, agencyId))!, ['agencyonboardingcustom']);
      const value = setting!.data as SettingValue<'agencyonboardingcustom'>;
      return { amountMicros: microsOf(value.amount), couponsOn: value.enable_coupon === 'T' };
    },

    /** Greets a mail server that was entered, with the kept password where none is given. @throws Refusal 404, 422, 429 */
    async testSmtp(ctx: Ctx, companyId: string | undefined, given: SettingValue<'smtp'>): Promise<Tried> {
      return tryMail(ctx, companyId, 'Greeted the mail server', async (kept) =>
        smtp.greet(smtp.keep(kept, given)),
      );
    },

    /** Sends the actor a mail by the server that is saved. @throws Refusal 404, 429 */
    async testEmail(ctx: Ctx, companyId: string | undefined): Promise<Tried> {
      return tryMail(ctx, companyId, 'Sent a test e-mail by the mail server', async (kept, company, to) =>
        smtp.sendTest(kept, await tenants.mailBrand(company.id), to),
      );
    },

    /** An agency's onboarding charge: of the one named, or the own. @throws Refusal 404, 422 */
    onboardingOf: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await targetOf(tenants, tx, ctx, companyId);
        if (company.kind !== 'agency') throw refuse('companyID', 'is required: the agency');
        const [setting] = await read(tx, company, ['agencyonboardingcustom']);
        const value = setting!.data as SettingValue<'agencyonboardingcustom'>;
        return {
          agencyId: company.id,
          amountMicros: microsOf(value.amount),
          couponsOn: value.enable_coupon === 'T',
        };
      }),

    /** Keeps an uploaded logo or favicon, to be named by the branding. @throws Refusal 422, 429 */
    async upload(ctx: Ctx, companyId: string | undefined, purpose: 'logo' | 'favicon', bytes: Uint8Array) {
      const encoded = await tenants.encodePicture(purpose, bytes);
      return inScope(db.app, ctx.scope, async (tx) => {
        const company = await targetOf(tenants, tx, ctx, companyId);
        const since = new Date(clock.now().getTime() - DAY);
        if ((await store.picturesSince(tx, company.id, since)) >= PICTURES_A_DAY)
          throw new Refusal('too_many', 'Too many pictures have been uploaded today. Try again tomorrow.');
        const picture = await tenants.addPicture(tx, ownerOf(company), purpose, encoded);
        await audit.record(tx, ctx, {
          action: 'picture.upload',
          objectKind: 'company',
          objectId: company.id,
          description: `Uploaded a ${purpose} for ${company.name}`,
          owner: ownerOf(company),
        });
        const { id, width, height } = picture;
        return { id, url: pathOfPicture(picture), width, height };
      });
    },

    /** The packages of a root, in the scope of the root. */
    async packagesOf(tx: Tx, rootId: string) {
      const kept = (await store.settingsOf(tx, rootId)).find((one) => one.name === 'packages')?.value;
      return ((kept as SettingValue<'packages'> | null | undefined) ?? STANDARD).packages;
    },

    target: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, (tx) => targetOf(tenants, tx, ctx, companyId)),

    domainState: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) =>
        domains.state(tx, await targetOf(tenants, tx, ctx, companyId)),
      ),

    /** Changes hosts in one transaction and answers how they stand then. */
    async changeDomain<T>(
      ctx: Ctx,
      companyId: string | undefined,
      change: (tx: Tx, company: Target) => Promise<T>,
    ): Promise<{ done: T; state: Awaited<ReturnType<typeof domains.state>> }> {
      const result = await inScope(db.app, ctx.scope, async (tx) => {
        const company = await targetOf(tenants, tx, ctx, companyId);
        // Of two changes at once the later sees what the first has done.
        await store.lockCompany(tx, company.id);
        const done = await change(tx, company);
        return { done, state: await domains.state(tx, company) };
      });
      tenants.forgetHosts();
      return result;
    },

    /**
     * The code for the pages of a tenant's own host: an agency's, and nobody else's. The caller leaves it out in view
     * mode, when somebody else's session would run beside it.
     */
    async embedFor(tenant: Tenant): Promise<SettingValue<'rootAgencyEmbeddedCode'> | undefined> {
      const kept = await tenants.embed(tenant);
      const code = kept && SETTINGS.rootAgencyEmbeddedCode.safeParse(kept).data;
      return code && code.embeddedcode.trim() !== '' ? code : undefined;
    },
  };
}
