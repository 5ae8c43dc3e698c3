import type { z } from 'zod';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { TaxPayerGiven, TaxRateGiven } from '../../../../contract/money/taxes.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tax, TaxedSale, TaxPort, TaxService } from '../../../platform/tax.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { percentOf, ppmOf, type Rate, rateOf, taxMicros } from './policy.ts';
import { createQuotes } from './quote.service.ts';
import * as quoteStore from './quote.store.ts';
import * as store from './store.ts';

type RateRow = Awaited<ReturnType<typeof store.rates>>[number];
interface Place {
  country_code: string | null;
  state_code: string | null;
}

const wordsOf = (rate: Rate): string => `${rate.name} ${percentOf(rate.rate_ppm)}%`;

export type Taxes = ReturnType<typeof createTaxes>;

/** Maximum number of companies with waiting invoices listed on a page. */
const MOST_WAITING = 20;

/**
 * Taxes by the root's own table (decision 0150), with rates by country and state, or, if the root has chosen it, by
 * Stripe Tax (decision 0170). Payers' exemptions and own rates apply to both.
 */
export function createTaxes(
  platform: Platform,
  { tenants, audit, service }: { tenants: Tenants; audit: Audit; service?: TaxService | undefined },
) {
  const { db, clock } = platform;
  const quotes = createQuotes(platform, { tenants, service });
  const inRoot = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId: ctx.scope.rootId }, work);

  /** Returns the table's rates that may apply at a place: its state's, and that for the rest of its country. */
  const atPlace = (rates: RateRow[], { country_code, state_code }: Place) => ({
    state: rates.find((one) => one.country_code === country_code && one.state_code === (state_code || '-')),
    country: rates.find((one) => one.country_code === country_code && one.state_code === ''),
  });

  const isAsked = async (tx: Tx, rootId: string): Promise<boolean> =>
    (await quoteStore.calculatorOf(tx, rootId)) === 'stripe';

  type Known = Awaited<ReturnType<typeof store.profile>>;
  /** Whether to ask the service about a payer: a rate that the issuer has set for it takes precedence. */
  const asksFor = async (tx: Tx, rootId: string, profile: Known): Promise<boolean> =>
    (profile?.is_exempt || (profile?.rate_ppm ?? null) === null) && (await isAsked(tx, rootId));

  /** Returns the tax on a sale according to the root's own table. */
  async function byTable(
    tx: Tx,
    sale: Pick<TaxedSale, 'rootId' | 'payerId' | 'amountMicros' | 'included'>,
    profile: Known,
  ): Promise<Pick<Tax, 'name' | 'micros'>> {
    const card = await tenants.pastCard(tx, sale.payerId);
    if (!card) return { name: '', micros: 0n };
    if (profile?.is_exempt) return { name: 'Tax exempt', micros: 0n };
    const { state, country } = atPlace(await store.ratesAt(tx, sale.rootId, card), card);
    const rate = rateOf(profile, state, country);
    if (!rate) return { name: '', micros: 0n };
    const micros = taxMicros(sale.amountMicros, rate.rate_ppm, sale.included);
    return { name: sale.included ? `${wordsOf(rate)}, included` : wordsOf(rate), micros };
  }

  const port: TaxPort = {
    isAsked,
    credited: quotes.credited,
    async taxOf(tx, sale) {
      const profile = await store.profile(tx, sale.payerId);
      const issuer = await store.profile(tx, sale.issuerId);
      const found =
        sale.amountMicros === 0n
          ? { name: '', micros: 0n }
          : (await asksFor(tx, sale.rootId, profile))
            ? await quotes.taxOf(tx, sale, profile)
            : await byTable(tx, sale, profile);
      return { ...found, payerTaxId: profile?.tax_id ?? '', issuerTaxId: issuer?.tax_id ?? '' };
    },
    async isTaxed(tx, sale) {
      const profile = await store.profile(tx, sale.payerId);
      if (profile?.is_exempt) return false;
      if (await asksFor(tx, sale.rootId, profile)) return quotes.isTaxed(tx, sale, profile);
      return (
        (await byTable(tx, { ...sale, amountMicros: 100_000_000n, included: false }, profile)).micros > 0n
      );
    },
    async estimate(tx, sale) {
      const profile = await store.profile(tx, sale.payerId);
      return (await asksFor(tx, sale.rootId, profile)) && !profile?.is_exempt
        ? quotes.estimate(tx, sale)
        : byTable(tx, sale, profile);
    },
  };

  const rateWire = (row: RateRow) => ({
    id: row.id,
    country: row.country_code,
    state: row.state_code,
    name: row.name,
    rate: percentOf(row.rate_ppm),
  });

  /**
   * Returns the actor's own company or one directly below it.
   * @throws Refusal 404
   */
  async function payerOf(tx: Tx, ctx: Ctx, id: string) {
    const company = await tenants.company(tx, id);
    const own = ctx.actor.companyId;
    if (!company || (company.id !== own && company.parent_id !== own))
      throw new Refusal('not_found', ownMessages.notFound);
    return company;
  }

  return {
    ...port,
    report: quotes.report,
    reportAll: (rootId: string) => quotes.reportAll(rootId),

    /**
     * Returns who calculates taxes, the root's table, and the companies whose invoices are waiting. Agencies can read
     * it too, since it applies to their clients.
     */
    rates: (ctx: Ctx) =>
      inRoot(ctx, async (tx) => {
        const { rootId } = ctx.scope;
        const { rows, count } = await quoteStore.waiting(tx, rootId, ctx.actor.companyId, MOST_WAITING);
        return {
          data: (await store.rates(tx, rootId)).map(rateWire),
          own_tax_id: (await store.profile(tx, ctx.actor.companyId))?.tax_id ?? '',
          calculator: await quoteStore.calculatorOf(tx, rootId),
          has_stripe: service !== undefined,
          waiting: rows.map((row) => ({
            company_id: row.company_id,
            company_name: row.name,
            reason: row.failure!,
            since: row.asked_at.toISOString(),
          })),
          waiting_count: count,
        };
      }),

    /** Chooses who calculates taxes from now on. @throws Refusal 409 for Stripe Tax without Stripe's keys */
    setCalculator: (ctx: Ctx, calculator: 'table' | 'stripe') =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rootId } = ctx.scope;
        if (calculator === 'stripe' && !service)
          throw refusalOf('calculator', 'requires this platform’s Stripe keys', 'conflict');
        await quoteStore.setCalculator(tx, rootId, calculator, clock.now());
        await quoteStore.forgetAllFailures(tx, rootId);
        await audit.record(tx, ctx, {
          action: 'tax_calculator.set',
          objectKind: 'company',
          objectId: rootId,
          description: `Taxes are calculated by ${calculator === 'stripe' ? 'Stripe Tax' : 'the custom rate table'} from now on`,
        });
      }),

    /**
     * Sets the rate of a country or of one of its states.
     * @throws Refusal 422 when there are too many
     */
    setRate: (ctx: Ctx, given: Inside<z.output<typeof TaxRateGiven>>) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const root_id = ctx.scope.rootId;
        const at = clock.now();
        const rate_ppm = ppmOf(given.rate);
        const place = { country_code: given.country, state_code: given.state };
        const there = atPlace(await store.ratesAt(tx, root_id, place), place);
        if (!(given.state ? there.state : there.country)) await boundedBy(tx, 'taxRates', root_id, 'state');
        await store.putRate(tx, {
          id: newId(at),
          root_id,
          ...place,
          name: given.name,
          rate_ppm,
          updated_at: at,
        });
        await audit.record(tx, ctx, {
          action: 'tax_rate.set',
          objectKind: 'company',
          objectId: root_id,
          description: `Set the tax for ${[given.country, given.state].filter(Boolean).join('-')}: ${given.name} ${percentOf(rate_ppm)}%`,
        });
        return (await store.rates(tx, root_id)).map(rateWire);
      }),

    /**
     * Removes a rate from the table.
     * @throws Refusal 404
     */
    removeRate: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const gone = await store.removeRate(tx, ctx.scope.rootId, id);
        if (!gone) throw new Refusal('not_found', ownMessages.notFound);
        await audit.record(tx, ctx, {
          action: 'tax_rate.remove',
          objectKind: 'company',
          objectId: ctx.scope.rootId,
          description: `Removed the tax for ${[gone.country_code, gone.state_code].filter(Boolean).join('-')}`,
        });
      }),

    /** Returns the companies that pay the actor's own company, with the tax that applies to each. */
    payers: (ctx: Ctx, asked: { search?: string | undefined; page: number; per_page: number }) =>
      inRoot(ctx, async (tx) => {
        const rates = await store.rates(tx, ctx.scope.rootId);
        const byService = await isAsked(tx, ctx.scope.rootId);
        const { rows, count } = await store.payers(tx, {
          parentId: ctx.actor.companyId,
          search: asked.search,
          limit: asked.per_page,
          offset: (asked.page - 1) * asked.per_page,
        });
        return page(
          rows.map((row) => {
            const own = {
              is_exempt: row.is_exempt ?? false,
              rate_name: row.rate_name ?? '',
              rate_ppm: row.rate_ppm ?? null,
            };
            const { state, country } = atPlace(rates, row);
            const rate = rateOf(own, state, country);
            const found = byService && own.rate_ppm === null ? 'By Stripe Tax' : rate ? wordsOf(rate) : '';
            return {
              company_id: row.id,
              company_name: row.name,
              place: [row.state_code, row.country_code].filter(Boolean).join(', '),
              tax_id: row.tax_id ?? '',
              exempt: own.is_exempt ? ('T' as const) : ('F' as const),
              exempt_reason: row.exempt_reason ?? '',
              rate_name: own.rate_name,
              rate: own.rate_ppm === null ? null : percentOf(own.rate_ppm),
              holds: own.is_exempt ? 'Tax exempt' : found,
            };
          }),
          count,
          asked,
        );
      }),

    /**
     * Sets a payer's tax details; for the actor's own company only its tax number, since a company cannot exempt
     * itself.
     * @throws Refusal 404 for a company that is neither the actor's own nor directly below it, 422 naming the field
     */
    setPayer: (ctx: Ctx, given: Inside<z.output<typeof TaxPayerGiven>>) =>
      inRoot(ctx, async (tx) => {
        const company = await payerOf(tx, ctx, given.company_id);
        const isOwn = company.id === ctx.actor.companyId;
        if (isOwn && (given.exempt === 'T' || given.rate != null))
          throw refusalOf(given.exempt === 'T' ? 'exempt' : 'rate', 'is set by the company that bills you');
        const row = {
          company_id: company.id,
          root_id: company.root_id,
          agency_id: company.agency_id,
          tax_id: given.tax_id,
          updated_at: clock.now(),
        };
        const next = isOwn
          ? await store.putTaxId(tx, row)
          : await store.putProfile(tx, {
              ...row,
              is_exempt: given.exempt === 'T',
              exempt_reason: given.exempt === 'T' ? given.exempt_reason : '',
              rate_name: given.rate == null ? '' : given.rate_name,
              rate_ppm: given.rate == null ? null : ppmOf(given.rate),
            });
        await audit.record(tx, ctx, {
          action: 'tax_profile.set',
          objectKind: 'company',
          objectId: company.id,
          description: `Tax of ${company.name}: ${[
            next.tax_id ? `ID ${next.tax_id}` : 'no ID',
            next.is_exempt ? `exempt${next.exempt_reason ? ` (${next.exempt_reason})` : ''}` : 'not exempt',
            next.rate_ppm === null ? 'rate from the table' : `custom rate ${percentOf(next.rate_ppm)}%`,
          ].join(', ')}`,
        });
      }),
  };
}
