import { FIRST_PACKAGE } from '../../../../contract/accounts/package-rules.ts';
import type { Permission } from '../../../../contract/accounts/permissions.ts';
import { RETRY_DAYS, type SettingName, type SettingValue } from '../../../../contract/accounts/settings.ts';
import { MODULES, type ModuleType } from '../../../../contract/choices.ts';
import { refusalOf } from '../../../../contract/errors.ts';
import { messages } from '../../../../contract/messages.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { dollarsOf, microsOf } from '../../../../contract/primitives.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Pricing } from '../../money/pricing/index.ts';
import type { Tenants } from '../tenants/index.ts';
import type { Smtp } from './smtp.service.ts';
import * as store from './store.ts';
import { ownerOf, type Target } from './target.ts';

const DAY = 86_400_000;

/** The default packages of a root that has not set any. */
export const STANDARD_PACKAGES: SettingValue<'packages'> = {
  packages: [{ package_id: FIRST_PACKAGE, name: 'Standard', amount: '0.00', description: '' }],
};

/** Settings that change prices for everyone below can be read and saved only by users who may change prices. */
const PRICES = { read: 'cost.write', save: 'cost.write' } as const;

/** What a save receives besides its value, and what it reports: a description of what it changed. */
export interface SaveAbout {
  from: string | undefined;
  /** Whether the person saving is a sales person. */
  bySales: boolean;
  words: string[];
}

type Kept = Record<string, unknown> | null;

interface About {
  /** Its display name, for the user log. */
  words: string;
  /** Set if only an agency, or only a root, has it. */
  only?: 'agency' | 'root';
  /** The permissions needed to read and save it, if not those of all settings. */
  needs?: { read: Permission; save: Permission };
  /** Cannot be saved in view mode, and requires that the user has just confirmed their identity. */
  guarded?: true;
}

/** One setting: how it is read, and how it is stored if it has its own table. */
interface Kind<N extends SettingName> extends About {
  read: (tx: Tx, company: Target, kept: Kept) => Promise<SettingValue<N>>;
  /**
   * Returns what the setting's row stores; null if everything is stored elsewhere.
   * @throws Refusal 422 naming the field
   */
  save: (tx: Tx, company: Target, value: SettingValue<N>, about: SaveAbout) => Promise<Kept>;
}

/** A setting whose row stores the value as is; `initial` until it is saved. */
const whole = <N extends SettingName>(about: About, initial: SettingValue<N>): Kind<N> => ({
  ...about,
  read: async (_tx, _company, kept) => (kept as SettingValue<N> | null) ?? initial,
  save: async (_tx, _company, value) => value as Kept,
});

type Labels = { module: ModuleType; name: string; slug: string }[];
const labelsToWire = (labels: Labels): SettingValue<'module_names'> =>
  Object.fromEntries(
    MODULES.flatMap(({ module }) => {
      const own = labels.find((label) => label.module === module);
      return [
        [`${module}_name`, own?.name ?? ''],
        [`${module}_url`, own?.slug ?? ''],
      ];
    }),
  ) as SettingValue<'module_names'>;

/** All settings that a company can have, by their API names. */
export function createKinds(
  { clock }: Platform,
  { tenants, pricing, smtp }: { tenants: Tenants; pricing: Pricing; smtp: Smtp },
): { [N in SettingName]: Kind<N> } {
  return {
    branding: {
      words: 'branding',
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
            throw refusalOf(field, 'is not an uploaded image');
        }
        const now = clock.now();
        await store.saveBrand(tx, {
          ...ownerOf(company),
          ...value,
          logo_id: logo,
          favicon_id: favicon,
          updated_at: now,
        });
        // Pictures that were uploaded but not used are deleted after a day, since they may belong to a form that is
        // still open.
        const used = [logo, favicon].filter((id) => id !== null);
        await store.deleteUnusedPictures(tx, company.id, used, new Date(now.getTime() - DAY));
        return null;
      },
    },
    embed_code: whole<'embed_code'>(
      {
        words: 'embed code',
        only: 'agency',
        needs: { read: 'setting.read', save: 'embed.write' },
        guarded: true,
      },
      { place: 'footer', code: '' },
    ),
    registration: {
      words: 'registration',
      read: async (_tx, company) => ({ open: company.registration_open }),
      async save(tx, company, { open }) {
        await tenants.setRegistration(tx, company.id, open);
        return null;
      },
    },
    second_factor: {
      words: 'two-factor authentication requirement',
      needs: { read: 'setting.read', save: 'owner.write' },
      guarded: true,
      read: (tx, company) => tenants.secondFactor(tx, company.id),
      async save(tx, company, value) {
        await tenants.setSecondFactor(tx, company.id, value);
        return null;
      },
    },
    module_names: {
      words: 'module names',
      // A root's salespeople see the names of the products whose costs they set.
      needs: { read: 'setting.get', save: 'setting.write' },
      read: async (tx, company) => labelsToWire(await store.labelsOf(tx, company.id)),
      async save(tx, company, value) {
        // Empty names fall back to the root's; for a root, to the global ones.
        const roots = company.kind === 'root' ? {} : (await tenants.frontDoor(company.id, tx)).root_modules;
        const given = value as Record<string, string>;
        const labels: Labels = [];
        const slugs = new Map<string, string>();
        for (const { module, ...global } of MODULES) {
          const base = roots[module] ?? global;
          const [name, slug] = [given[`${module}_name`]!, given[`${module}_url`]!];
          const label = { module, name: name || base.name, slug: slug || base.slug };
          const field = `${module}_url`;
          if (slugs.has(label.slug))
            throw refusalOf(field, `is already the address of ${slugs.get(label.slug)}. Choose another one`);
          slugs.set(label.slug, label.name);
          if (company.kind === 'root' || name || slug) labels.push(label);
        }
        await store.replaceLabels(tx, ownerOf(company), labels);
        return null;
      },
    },
    agency_costs: {
      words: 'costs',
      // A root's salespeople set it for agencies in their care.
      needs: { read: 'setting.get', save: 'cost.agency' },
      read: async (tx, company) =>
        (await pricing.readAgency(tx, company)).data as SettingValue<'agency_costs'>,
      async save(tx, company, value, about) {
        about.words = await pricing.saveAgency(tx, company, ownerOf(company), value, about);
        const kept = (await store.settingsOf(tx, company.id)).find((one) => one.name === 'agency_costs');
        return value.term ? { term: value.term } : (kept?.value ?? null);
      },
    },
    onboarding_charge: {
      ...whole<'onboarding_charge'>(
        { words: 'onboarding charge', only: 'agency', needs: { read: 'cost.read', save: 'cost.write' } },
        { amount: '0.00', enable_coupon: 'F' },
      ),
      save: async (_tx, _company, value) => ({ ...value, amount: dollarsOf(microsOf(value.amount)) }),
    },
    minimum_spend: whole<'minimum_spend'>(
      { words: 'minimum spend', only: 'root', needs: PRICES },
      { status: 'F', first_month: '0.00', second_month: '0.00', monthly: '0.00' },
    ),
    minimum_leads: whole<'minimum_leads'>(
      { words: 'Enhance ID minimum leads per day', only: 'root', needs: PRICES },
      { minimum_leads: 0 },
    ),
    packages: {
      ...whole<'packages'>({ words: 'packages', only: 'root', needs: PRICES }, STANDARD_PACKAGES),
      async save(tx, company, value) {
        const gone = await store.packageInUse(
          tx,
          company.root_id,
          value.packages.map((one) => one.package_id),
        );
        if (gone) throw refusalOf('packages', `must include ${gone} because an agency uses it`);
        return value;
      },
    },
    smtp: {
      words: 'mail server',
      needs: { read: 'setting.read', save: 'owner.write' },
      guarded: true,
      read: async (_tx, _company, kept) => smtp.read(smtp.kept(kept)),
      async save(tx, company, value) {
        const row = (await store.settingsOf(tx, company.id)).find((one) => one.name === 'smtp');
        return { ...smtp.keep(smtp.kept(row?.value ?? null), value) };
      },
    },
    agency_defaults: {
      words: 'defaults for new agencies',
      only: 'root',
      async read(tx, company, kept) {
        const { root } = await tenants.products.of(tx, company, company.is_master);
        const { terms, modules } = (kept ?? {}) as { terms?: string[] | null; modules?: string[] | null };
        return {
          default_terms: root.terms.filter((one) => !terms || terms.includes(one)),
          default_modules: root.modules.filter((one) => !modules || modules.includes(one)),
        } as SettingValue<'agency_defaults'>;
      },
      async save(tx, company, value) {
        const { root } = await tenants.products.of(tx, company, company.is_master);
        const among = (
          field: string,
          given: readonly string[],
          known: readonly string[],
        ): string[] | null => {
          const strange = given.find((one) => !known.includes(one));
          if (strange) throw refusalOf(field, `${strange} is not available here`);
          // null means all of them, including ones added later.
          return known.every((one) => given.includes(one)) ? null : [...new Set(given)];
        };
        return {
          terms: among('default_terms', value.default_terms, root.terms),
          modules: among('default_modules', value.default_modules, root.modules),
        };
      },
    },
    products: {
      words: 'products',
      only: 'root',
      async read(tx, company) {
        const { root, betas } = await tenants.products.of(tx, company, company.is_master);
        const trials = tenants.products.trialsOf(company.is_master).map(({ id }) => id as number);
        return {
          modules: root.modules,
          beta_features: betas
            .filter(({ id }) => trials.includes(id))
            .map(({ id, is_beta, for_all }) => ({ id, is_beta, for_all })),
        };
      },
      async save(tx, company, value) {
        const rootId = company.root_id;
        const known = tenants.products.modulesOfRoot(company.is_master, null);
        const strange = value.modules.find((one) => !(known as string[]).includes(one));
        if (strange) throw refusalOf('modules', `${strange} is not available here`);
        // Modules that active campaigns use cannot be removed (spec product 4, Agency management).
        const mustBeFree = async (field: string, module: string, butBetaUsers = false) => {
          if (await tenants.products.activeCampaign(tx, { rootId, module, butBetaUsers }))
            throw refusalOf(field, messages.productHasCampaigns);
        };
        for (const module of known) if (!value.modules.includes(module)) await mustBeFree('modules', module);
        const trials = tenants.products.trialsOf(company.is_master);
        for (const { id, is_beta, for_all } of value.beta_features) {
          const trial = trials.find((one) => one.id === id);
          if (!trial) throw refusalOf('beta_features', `${id} is not a beta feature here`);
          if (trial.slug === 'b2b_module' && !(is_beta && for_all))
            await mustBeFree('beta_features', 'b2b', is_beta);
          await tenants.products.setBetaFeature(tx, {
            rootId,
            feature: id,
            isBeta: is_beta,
            forAll: for_all,
            at: clock.now(),
          });
        }
        const row = await tenants.products.chosenOf(tx, rootId);
        await tenants.products.choose(tx, {
          ...ownerOf(company),
          // null means all of them, including ones added later.
          modules: known.every((one) => value.modules.includes(one)) ? null : [...new Set(value.modules)],
          terms: row?.terms ?? null,
          updated_at: clock.now(),
        });
        return null;
      },
    },
    agency_sidebar: whole<'agency_sidebar'>({ words: 'agency sidebar', only: 'root' }, { hidden: [] }),
    client_sidebar: whole<'client_sidebar'>({ words: 'client sidebar', only: 'agency' }, { hidden: [] }),
    dunning: {
      ...whole<'dunning'>(
        { words: 'retries for failed payments', only: 'root' },
        { retry_days: [...RETRY_DAYS] },
      ),
      async save(_tx, _company, value, about) {
        about.words = [`after ${value.retry_days.join(', ')} days`];
        return value;
      },
    },
    lead_returns: {
      ...whole<'lead_returns'>({ words: 'lead returns' }, { window_days: null, automatic: [] }),
      async save(_tx, company, value, about) {
        // What is approved is paid out of an agency's revenue.
        if (company.kind === 'root' && value.automatic.length > 0)
          throw refusalOf('automatic', 'is only for agencies');
        const days = value.window_days;
        about.words = [
          days === null ? 'standard window' : `within ${days} days`,
          ...value.automatic.map((reason) => `${REASON_WORDS[reason].toLowerCase()} approved if proven`),
        ];
        return value;
      },
    },
    billing_threshold: {
      ...whole<'billing_threshold'>({ words: 'billing threshold', only: 'agency' }, { least_confidence: 0 }),
      async save(_tx, _company, value, about) {
        about.words = [`${value.least_confidence}%`];
        return value;
      },
    },
  };
}
