import {
  RETRY_DAYS,
  SETTINGS,
  type SettingName,
  type SettingValue,
} from '../../../../contract/accounts/settings.ts';
import type { OptionalEntry } from '../../../../contract/accounts/sidebar.ts';
import { RETURN_DAYS } from '../../../../contract/campaigns/return-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { microsOf } from '../../../../contract/primitives.ts';
import { type Ctx, isSales, type Tenant } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Dns } from '../../../platform/dns.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Pricing } from '../../money/pricing/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Sales } from '../sales/index.ts';
import { pathOfPicture, type Tenants } from '../tenants/index.ts';
import { createDomains } from './domain.service.ts';
import { createKinds, type SaveAbout, STANDARD_PACKAGES } from './kinds.ts';
import type { KeptSmtp, Smtp, Tried } from './smtp.service.ts';
import * as store from './store.ts';
import { ownerOf, type Target, targetOf } from './target.ts';

const DAY = 86_400_000;
const PICTURES_A_DAY = 100;
/** Limit on one company's mail server tests. */
const MAIL_TRIES = { name: 'mail.test', max: 20, base: 60, cap: 900, window: 3600 };

export type Settings = ReturnType<typeof createSettings>;

/** The settings of roots and agencies by name, their pictures and their hosts. */
export function createSettings(
  platform: Platform,
  {
    tenants,
    audit,
    pricing,
    limits,
    smtp,
    sales,
    dns,
  }: {
    tenants: Tenants;
    audit: Audit;
    pricing: Pricing;
    limits: Limits;
    smtp: Smtp;
    sales: Sales;
    dns: Dns;
  },
) {
  const { db, clock } = platform;
  const domains = createDomains(platform, { tenants, audit, limits, dns });

  const kinds = createKinds(platform, { tenants, pricing, smtp });

  const names = (ctx: Ctx, company: Target): SettingName[] =>
    (Object.keys(SETTINGS) as SettingName[]).filter((name) => {
      const { only, needs } = kinds[name];
      return (only ?? company.kind) === company.kind && (!needs || ctx.may(needs.read));
    });
  const mustMay = (ctx: Ctx, name: SettingName, to: 'read' | 'save'): void => {
    ctx.need(kinds[name].needs?.[to] ?? (to === 'read' ? 'setting.read' : 'setting.write'));
  };

  async function read(tx: Tx, company: Target, wanted: SettingName[]) {
    const kept = await store.settingsOf(tx, company.id);
    return Promise.all(
      wanted.map(async (name) => {
        const row = kept.find((one) => one.name === name);
        const setting = { company_id: company.id, setting: name, version: row?.version ?? 0 };
        if (name === 'agency_costs') {
          const term = (row?.value?.term as string | undefined) ?? 'Prepaid';
          return { ...setting, ...(await pricing.readAgency(tx, company)), term };
        }
        return {
          ...setting,
          data: (await kinds[name].read(tx, company, row?.value ?? null)) as Record<string, unknown>,
        };
      }),
    );
  }

  /** Tests a company's mail server, limited per hour, and writes a row in the log. */
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
    // No transaction is held open while talking to the server.
    const done = await work(kept, company, { name: person.name, address: person.email });
    await inScope(db.app, ctx.scope, (tx) =>
      audit.record(tx, ctx, {
        action: 'setting.mailtest',
        objectKind: 'company',
        objectId: company.id,
        description: `${what} of ${company.name}: ${done.ok ? 'success' : done.answer || done.message}`,
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
        await sales.mustCare(tx, ctx, [company.id]);
        return read(tx, company, name ? [name] : names(ctx, company));
      }),

    /**
     * Saves one setting.
     * @throws Refusal 422 naming the field, 409 if `version` is not the latest, 404 for a company outside the actor's
     * scope
     */
    async save(
      ctx: Ctx,
      given: {
        company_id?: string | undefined;
        setting: SettingName;
        value: unknown;
        version?: number | undefined;
        effective_from?: string | undefined;
      },
    ) {
      const name = given.setting;
      const kind = kinds[name] as (typeof kinds)['registration'];
      if (kind.guarded) {
        mustMay(ctx, name, 'save');
        if (ctx.actor.trueActor) throw new Refusal('forbidden', ownMessages.notInView);
        // Done before the transaction: code that holds one connection must not wait for another.
        await ctx.mustBeConfirmed();
      }
      return inScope(db.app, ctx.scope, async (tx) => {
        const company = await targetOf(tenants, tx, ctx, given.company_id);
        if ((kind.only ?? company.kind) !== company.kind)
          throw refusalOf(
            'setting',
            kind.only === 'root' ? 'can only be set for the platform' : 'can only be set for an agency',
          );
        mustMay(ctx, name, 'save');
        await sales.mustCare(tx, ctx, [company.id]);
        if (given.effective_from !== undefined && name !== 'agency_costs')
          throw refusalOf('effective_from', 'can only be used with agency_costs');
        const value = (await checkInput(SETTINGS[name], given.value)) as SettingValue<'registration'>;
        const [before] = await read(tx, company, [name]);
        const about: SaveAbout = { from: given.effective_from, bySales: isSales(ctx.actor), words: [] };
        const keep = await kind.save(tx, company, value, about);
        const version = await store.saveSetting(tx, ownerOf(company), name, keep, given.version, clock.now());
        if (!version) throw new Refusal('conflict', ownMessages.settingStale);
        if (name === 'minimum_spend')
          await platform.events.emit(tx, 'minspend.changed', { rootId: company.root_id });
        const [after] = await read(tx, (await tenants.company(tx, company.id))!, [name]);
        const changed =
          about.words.length > 0 || name === 'agency_costs'
            ? about.words
            : Object.keys(after!.data).filter(
                (field) => JSON.stringify(after!.data[field]) !== JSON.stringify(before!.data[field]),
              );
        await audit.record(tx, ctx, {
          action: 'setting.save',
          objectKind: 'company',
          objectId: company.id,
          description: `Saved the ${kind.words} for ${company.name}${changed.length > 0 ? `: ${changed.join(', ')}` : ', unchanged'}`,
          owner: ownerOf(company),
        });
        return after!;
      });
    },

    /** Returns the sidebar items that the parent company hides from a company, in a scope that can see the parent. */
    async hiddenMenu(
      tx: Tx,
      company: { kind: 'root' | 'agency' | 'client'; parent_id: string | null },
    ): Promise<OptionalEntry[]> {
      if (company.kind === 'root' || !company.parent_id) return [];
      const name = company.kind === 'client' ? 'client_sidebar' : 'agency_sidebar';
      const row = (await store.settingsOf(tx, company.parent_id)).find((one) => one.name === name);
      return (row?.value as SettingValue<typeof name> | null | undefined)?.hidden ?? [];
    },

    /**
     * Returns the confidence below which each of these agencies is not billed, in a scope that can see them; 0 for
     * agencies left out.
     */
    async leastConfidence(tx: Tx, agencyIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await store.valuesOf(tx, 'billing_threshold', agencyIds);
      return new Map(
        rows.map(({ company_id, value }) => [
          company_id,
          (value as SettingValue<'billing_threshold'> | null)?.least_confidence ?? 0,
        ]),
      );
    },

    /**
     * Returns within how many days clients of an agency can return leads, and which reasons are approved at once if they
     * are proven; in the root's scope.
     */
    async leadReturns(tx: Tx, agency: { rootId: string; agencyId: string }) {
      const rows = await store.valuesOf(tx, 'lead_returns', [agency.agencyId, agency.rootId]);
      const of = (id: string) =>
        rows.find((row) => row.company_id === id)?.value as SettingValue<'lead_returns'> | null | undefined;
      const own = of(agency.agencyId);
      return {
        windowDays: own?.window_days ?? of(agency.rootId)?.window_days ?? RETURN_DAYS,
        automatic: own?.automatic ?? [],
      };
    },

    /**
     * Returns the days after a first failure on which a root's invoices are charged again, in a scope that can see its
     * rows.
     */
    async retryDays(tx: Tx, rootId: string): Promise<readonly number[]> {
      const row = (await store.settingsOf(tx, rootId)).find((one) => one.name === 'dunning');
      return (row?.value as SettingValue<'dunning'> | null | undefined)?.retry_days ?? RETRY_DAYS;
    },

    /** Returns a root's minimum spend for agencies without a plan, in a scope that can see the root's own rows. */
    async minimumSpendOf(tx: Tx, rootId: string): Promise<SettingValue<'minimum_spend'>> {
      const [setting] = await read(tx, (await tenants.company(tx, rootId))!, ['minimum_spend']);
      return setting!.data as SettingValue<'minimum_spend'>;
    },

    /** Returns an agency's onboarding charge, in a scope that can see it. */
    async onboardingIn(tx: Tx, agencyId: string): Promise<{ amountMicros: bigint; couponsOn: boolean }> {
      const [setting] = await read(tx, (await tenants.company(tx, agencyId))!, ['onboarding_charge']);
      const value = setting!.data as SettingValue<'onboarding_charge'>;
      return { amountMicros: microsOf(value.amount), couponsOn: value.enable_coupon === 'T' };
    },

    /**
     * Tests the connection to the mail server that was entered, using the saved password if none is given.
     * @throws Refusal 404, 422, 429
     */
    async testSmtp(ctx: Ctx, companyId: string | undefined, given: SettingValue<'smtp'>): Promise<Tried> {
      return tryMail(ctx, companyId, 'Tested the connection to the mail server', async (kept) =>
        smtp.greet(smtp.keep(kept, given)),
      );
    },

    /**
     * Sends the actor an email through the saved mail server.
     * @throws Refusal 404, 429
     */
    async testEmail(ctx: Ctx, companyId: string | undefined): Promise<Tried> {
      return tryMail(ctx, companyId, 'Sent a test email through the mail server', async (kept, company, to) =>
        smtp.sendTest(kept, await tenants.mailBrand(company.id), to),
      );
    },

    /**
     * Returns the onboarding charge of the named agency, or of the actor's own.
     * @throws Refusal 404, 422
     */
    onboardingOf: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await targetOf(tenants, tx, ctx, companyId);
        if (company.kind !== 'agency') throw refusalOf('company_id', 'is required to identify the agency');
        const [setting] = await read(tx, company, ['onboarding_charge']);
        const value = setting!.data as SettingValue<'onboarding_charge'>;
        return {
          agencyId: company.id,
          amountMicros: microsOf(value.amount),
          couponsOn: value.enable_coupon === 'T',
        };
      }),

    /**
     * Stores an uploaded logo or favicon for the branding to refer to.
     * @throws Refusal 422, 429
     */
    async upload(ctx: Ctx, companyId: string | undefined, purpose: 'logo' | 'favicon', bytes: Uint8Array) {
      const encoded = await tenants.encodePicture(purpose, bytes, ctx.actor.companyId);
      return inScope(db.app, ctx.scope, async (tx) => {
        const company = await targetOf(tenants, tx, ctx, companyId);
        const since = new Date(clock.now().getTime() - DAY);
        if ((await store.picturesSince(tx, company.id, since)) >= PICTURES_A_DAY)
          throw new Refusal('too_many', 'Too many images were uploaded today. Try again tomorrow.');
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

    /** Returns the packages of a root, in the root's scope. */
    async packagesOf(tx: Tx, rootId: string) {
      const kept = (await store.settingsOf(tx, rootId)).find((one) => one.name === 'packages')?.value;
      return ((kept as SettingValue<'packages'> | null | undefined) ?? STANDARD_PACKAGES).packages;
    },

    target: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, (tx) => targetOf(tenants, tx, ctx, companyId)),

    domainState: (ctx: Ctx, companyId: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) =>
        domains.state(tx, await targetOf(tenants, tx, ctx, companyId)),
      ),

    /** Changes hosts in one transaction and returns their new state. */
    async changeDomain<T>(
      ctx: Ctx,
      companyId: string | undefined,
      change: (tx: Tx, company: Target) => Promise<T>,
    ): Promise<{ done: T; state: Awaited<ReturnType<typeof domains.state>> }> {
      const result = await inScope(db.app, ctx.scope, async (tx) => {
        const company = await targetOf(tenants, tx, ctx, companyId);
        // Of two concurrent changes, the later one sees what the first has done.
        await store.lockCompany(tx, company.id);
        const done = await change(tx, company);
        return { done, state: await domains.state(tx, company) };
      });
      tenants.forgetHosts();
      return result;
    },

    /**
     * Returns the code to embed in the pages of a tenant's own host; agencies only. The caller omits it in view mode,
     * where it would run alongside another user's session.
     */
    async embedFor(tenant: Tenant): Promise<SettingValue<'embed_code'> | undefined> {
      const kept = (await tenants.embed(tenant)) as SettingValue<'embed_code'> | null;
      return kept && kept.code.trim() !== '' ? kept : undefined;
    },
  };
}
