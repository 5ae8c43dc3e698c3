import { SETTINGS } from '../../../../contract/accounts/settings.ts';
import { CampaignUpdate } from '../../../../contract/campaigns/campaigns.ts';
import {
  type TemplateField,
  type TemplateKind,
  templateFields,
} from '../../../../contract/campaigns/template-fields.ts';
import { MODULES } from '../../../../contract/choices.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { toWire } from '../../../../contract/wire-schema.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Pricing } from '../../money/pricing/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import type { Values } from './policy.ts';

/** What a template is of. */
export interface Sort {
  kind: TemplateKind;
  module: string | null;
}

/** A target as it is now: its fields, and how to change some of them. */
export interface Target {
  values: Values;
  /** @throws Refusal as an edit by hand would, or if the margin of a campaign would become negative */
  change: (values: Values, words: string) => Promise<void>;
}

const NEGATIVE = 'The change would make the margin negative: a lead would cost you more than its price.';

/** Reads and changes what templates are taken from and pushed to, with the rights of whoever asks, in their transaction. */
export function createTargets(deps: {
  audit: Audit;
  campaigns: Campaigns;
  pricing: Pricing;
  settings: Settings;
  tenants: Tenants;
}) {
  const { audit, campaigns, pricing, settings, tenants } = deps;

  const fieldsOf = ({ kind, module }: Sort): TemplateField[] => templateFields(kind, module);
  const pick = (sort: Sort, all: object): Values =>
    Object.fromEntries(fieldsOf(sort).map(({ field }) => [field, (all as Values)[field] ?? null]));

  /** What the agency keeps of a lead's price, and of a company's, in micro-dollars; null if it bills outside the system. */
  async function marginsOf(tx: Tx, row: { id: string; agency_id: string; module: string }, at: Date) {
    const { isManual, priceMicros, costMicros, company } = (await pricing.prices(tx, [row], at))(row.id);
    if (isManual) return null;
    return { lead: priceMicros - costMicros, company: company.priceMicros - company.costMicros };
  }

  /** A campaign, locked. */
  async function campaign(tx: Tx, ctx: Ctx, sort: Sort, id: string): Promise<Target> {
    const [row] = await campaigns.lock(tx, [id]);
    const now = await campaigns.get(ctx, id);
    if (!row || now.module !== sort.module)
      throw new Refusal('conflict', 'This is not a campaign of the template’s product.');
    if (now.status !== 'active' && now.status !== 'paused')
      throw new Refusal('conflict', `The campaign is ${now.status}.`);
    const place = { id, agency_id: row.agency_id, module: row.module };
    return {
      values: pick(sort, now),
      async change(values, words) {
        const at = ctx.clock.now();
        const before = await marginsOf(tx, place, at);
        const given = { campaign_id: id, version: now.version, ...values };
        const after = await campaigns.update(
          ctx,
          await checkInput(CampaignUpdate, toWire(CampaignUpdate, given)),
        );
        // An edit by hand may accept a loss, since whoever makes it sees this campaign's margin. A push never does.
        const margins = await marginsOf(tx, place, at);
        const isWorse = (side: 'lead' | 'company') =>
          before !== null && margins !== null && margins[side] < 0n && margins[side] < before[side];
        if (isWorse('lead') || (after.company_leads === 'T' && isWorse('company')))
          throw new Refusal('conflict', NEGATIVE);
        await audit.record(tx, ctx, {
          action: 'template.apply',
          objectKind: 'campaign',
          objectId: id,
          description: `${words} to campaign #${row.number} ${row.name}`,
          owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
        });
      },
    };
  }

  /** The branding of a root or an agency. */
  async function branding(tx: Tx, ctx: Ctx, sort: Sort, id: string): Promise<Target> {
    const [now] = await settings.list(ctx, id, 'branding');
    return {
      values: pick(sort, now!.data),
      async change(values, words) {
        const schema = SETTINGS.branding;
        await settings.save(ctx, {
          company_id: id,
          setting: 'branding',
          value: toWire(schema, { ...now!.data, ...values }),
          version: now!.version,
        });
        const company = (await tenants.company(tx, id))!;
        await audit.record(tx, ctx, {
          action: 'template.apply',
          objectKind: 'company',
          objectId: id,
          description: `${words} to the branding of ${company.name}`,
          owner: { root_id: company.root_id, agency_id: company.agency_id, company_id: id },
        });
      },
    };
  }

  return {
    fieldsOf,

    /** A target as it is now. @throws Refusal 404, 409 */
    open: (tx: Tx, ctx: Ctx, sort: Sort, id: string): Promise<Target> =>
      sort.kind === 'campaign' ? campaign(tx, ctx, sort, id) : branding(tx, ctx, sort, id),

    /**
     * What a version is taken from: the product, the fields, and where they come from in words.
     * @throws Refusal 404, 422 naming the field
     */
    async source(
      tx: Tx,
      ctx: Ctx,
      kind: TemplateKind,
      id: string,
    ): Promise<{ module: string | null; values: Values; words: string }> {
      if (kind === 'branding') {
        ctx.need('setting.read');
        const [now] = await settings.list(ctx, id, 'branding');
        const company = await tenants.company(tx, id);
        return {
          module: null,
          values: pick({ kind, module: null }, now!.data),
          words: `Branding of ${company?.name ?? ''}`,
        };
      }
      ctx.need('campaign.read');
      const now = await campaigns.get(ctx, id);
      if (ctx.actor.kind !== 'agency')
        throw refusalOf('kind', 'must be branding: campaigns belong to agencies');
      const { name } = MODULES.find(({ module }) => module === now.module)!;
      return {
        module: now.module,
        values: pick({ kind, module: now.module }, now),
        words: `Campaign #${now.campaign_number} ${now.campaign_name} of ${now.company_name} (${name})`,
      };
    },
  };
}
