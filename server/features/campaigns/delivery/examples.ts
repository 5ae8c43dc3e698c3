import type { Ctx } from '../../../platform/ctx.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { DeliveryDeps } from './deps.ts';
import { type LeadData, testLead } from './policy.ts';

type Campaign = NonNullable<Awaited<ReturnType<DeliveryDeps['campaigns']['visible']>>>;

/** Leads to try and to show what a campaign's destinations get. */
export function createExamples(
  { clock }: Pick<Platform, 'clock'>,
  { leads, enrichment }: Pick<DeliveryDeps, 'leads' | 'enrichment'>,
) {
  /** A made-up lead with the data fields that the campaign requests. */
  const made = async (tx: Tx, campaign: Campaign, id: string, at: Date): Promise<LeadData> =>
    testLead(
      id,
      {
        number: Number(campaign.number),
        name: campaign.name,
        type: campaign.module as LeadData['campaign']['type'],
      },
      at,
      await enrichment.sampleFor(tx, campaign.company_id, [
        ...campaign.advance_information,
        ...campaign.b2b_information,
      ]),
    );

  return {
    made,

    /**
     * The newest leads of a campaign that may still be shown; a made-up one if there are none.
     * @param withheld those of the newest that may not
     */
    async some(
      tx: Tx,
      campaign: Campaign,
      newest: readonly { id: string }[],
      withheld: ReadonlySet<string>,
    ): Promise<LeadData[]> {
      const told = await leads.message(
        tx,
        newest.map(({ id }) => id).filter((id) => !withheld.has(id)),
      );
      const now = clock.now();
      return told.size > 0 ? [...told.values()] : [await made(tx, campaign, newId(now), now)];
    },

    /** The newest lead of a campaign; a made-up one if there is none, or for those who may not read leads. */
    async newest(
      tx: Tx,
      ctx: Pick<Ctx, 'may'>,
      campaign: Campaign,
    ): Promise<{ data: LeadData; isExample: boolean }> {
      const [newest] = ctx.may('lead.read') ? await leads.newest(tx, campaign.id, 1) : [];
      const real = newest && (await leads.message(tx, [newest.id])).get(newest.id);
      if (real) return { data: real, isExample: false };
      const now = clock.now();
      return { data: await made(tx, campaign, newId(now), now), isExample: true };
    },
  };
}
