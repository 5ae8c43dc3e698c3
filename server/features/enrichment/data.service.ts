import type { Owner } from '../../platform/db/owner.ts';
import type { Tx } from '../../platform/db/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Identity } from '../identity/index.ts';
import { allowedBy, fieldsOfIds, sampleOf } from './policy.ts';
import * as store from './store.ts';

/** A lead that has just been accepted, and the data fields that its campaign asks for. */
export interface Asking {
  leadId: string;
  owner: Owner & { agency_id: string };
  campaignId: string;
  personId: string;
  asked: readonly number[];
}

/** What leads are given of the fields that their campaign asks for. */
export function createLeadData({ clock }: Platform, { identity }: { identity: Identity }) {
  /** Keeps the values of leads, and which fields that were, for files. */
  async function insert(tx: Tx, rows: (store.LeadValues & { asked: readonly number[] })[]): Promise<void> {
    if (rows.length === 0) return;
    await store.insertLeadData(tx, rows, clock.now());
    const given = new Map<
      string,
      { owner: Owner & { agency_id: string }; campaignId: string; field: number }
    >();
    for (const { owner, campaign_id, asked } of rows)
      for (const field of asked)
        given.set(`${campaign_id} ${field}`, { owner, campaignId: campaign_id, field });
    await store.addGiven(tx, [...given.values()]);
  }

  async function allowedOf(tx: Tx, companyId: string, asked: readonly number[]): Promise<number[]> {
    if (asked.length === 0) return [];
    const { information } = allowedBy((await store.choicesOf(tx, [companyId])).get(companyId) ?? []);
    return asked.filter((id) => information.has(id));
  }

  return {
    /**
     * Keeps for accepted leads what is known of their people of the fields that their campaign asks for and its company may
     * still use; nothing else of a profile ever leaves the graph. In the root's scope, in the transaction of the leads.
     */
    async keep(tx: Tx, rootId: string, leads: readonly Asking[]): Promise<void> {
      const asking = leads.filter((lead) => lead.asked.length > 0);
      if (asking.length === 0) return;
      const choices = await store.choicesOf(tx, [...new Set(asking.map((lead) => lead.owner.company_id))]);
      const profiles = await identity.profiles(tx, rootId, [...new Set(asking.map((lead) => lead.personId))]);
      const rows = asking.map(({ leadId, owner, campaignId, personId, asked }) => {
        const { information } = allowedBy(choices.get(owner.company_id) ?? []);
        const fields = fieldsOfIds(new Set(asked.filter((id) => information.has(id))));
        const profile = profiles.get(personId);
        return {
          lead_id: leadId,
          owner,
          campaign_id: campaignId,
          asked: fields.map((field) => field.id),
          fields: Object.fromEntries(
            fields.map(({ key }) => [key, profile?.[key as keyof typeof profile] ?? null]),
          ),
          waits_until: null,
        };
      });
      await insert(
        tx,
        rows.filter((row) => row.asked.length > 0),
      );
    },

    /** Keeps made-up values for a test lead, of the fields that a real one would get. */
    async keepSample(tx: Tx, lead: Omit<Asking, 'personId'>): Promise<void> {
      const asked = await allowedOf(tx, lead.owner.company_id, lead.asked);
      if (asked.length === 0) return;
      const { leadId: lead_id, owner, campaignId: campaign_id } = lead;
      await insert(tx, [{ lead_id, owner, campaign_id, asked, fields: sampleOf(asked), waits_until: null }]);
    },

    /** What leads were given, by id and by the fields' keys (null: nothing was known); without those that nothing was asked for. */
    dataOf: store.dataOf,
    /** The fields that leads of a list's campaigns have ever been given, in the catalogue's order. */
    everGiven: async (tx: Tx, of: Parameters<typeof store.everGiven>[1]) =>
      fieldsOfIds(new Set(await store.everGiven(tx, of))),
    /** Made-up values of the fields that a company may use, of those that are asked. */
    sampleFor: async (tx: Tx, companyId: string, asked: readonly number[]) =>
      sampleOf(await allowedOf(tx, companyId, asked)),
  };
}
