import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { People } from '../people/index.ts';
import { type Completion, WAIT_MS } from './complete.service.ts';
import { allowedBy, fieldsOfIds, sampleOf, type Vendor } from './policy.ts';
import * as store from './store.ts';

/** A lead that was just accepted, and the data fields that its campaign asks for. */
export interface Asking {
  leadId: string;
  owner: Owner & { agency_id: string };
  campaignId: string;
  personId: string;
  asked: readonly number[];
  /** Whether phone numbers on do-not-call lists are delivered. */
  dncPhones: boolean;
}

/** The data leads are given, out of the fields that their campaign asks for. */
export function createLeadData(
  { clock }: Platform,
  { people, completion }: { people: People; completion: Completion },
) {
  /** Stores the values of leads, and remembers which fields they were, for files. */
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
     * Stores for accepted leads what is known about their people in the fields that their campaign asks for and its
     * company may still use; nothing else of a profile ever leaves the graph. Where a vendor may know what is missing,
     * it is asked: returns, by lead id, until when such leads wait to be sent. In the root's scope, in the transaction
     * of the leads.
     */
    async keep(tx: Tx, rootId: string, leads: readonly Asking[]): Promise<Map<string, Date>> {
      const asking = leads.filter((lead) => lead.asked.length > 0);
      const waiting = new Map<string, Date>();
      if (asking.length === 0) return waiting;
      const choices = await store.choicesOf(tx, [...new Set(asking.map((lead) => lead.owner.company_id))]);
      const profiles = await people.profiles(tx, rootId, [...new Set(asking.map((lead) => lead.personId))]);
      const companyPhones = [...profiles.values()].flatMap(({ company_phone: phone }) => phone ?? []);
      const marked = await people.markedPhones(tx, rootId, companyPhones);
      const allowed = new Map(
        asking.map(({ owner: { company_id: id } }) => [id, allowedBy(choices.get(id) ?? [])]),
      );
      const isVendorChosen = [...allowed.values()].some(({ vendors }) => vendors.size > 0);
      const connected = isVendorChosen ? await completion.connected(tx, rootId) : new Set<Vendor>();
      const until = new Date(clock.now().getTime() + WAIT_MS);
      const rows = asking.map(({ leadId, owner, campaignId, personId, asked, dncPhones }) => {
        const { information, vendors } = allowed.get(owner.company_id)!;
        const fields = fieldsOfIds(new Set(asked.filter((id) => information.has(id))));
        const profile = profiles.get(personId);
        const values = Object.fromEntries(
          fields.map(({ key }) => [key, profile?.[key as keyof typeof profile] ?? null]),
        );
        const { company_phone: phone } = values;
        if (phone && marked.has(phone) && !dncPhones) values.company_phone = null;
        const isAsked = [...vendors].some(
          (vendor) => connected.has(vendor) && completion.isWorthAsking(values, vendor),
        );
        if (isAsked) waiting.set(leadId, until);
        return {
          lead_id: leadId,
          owner,
          campaign_id: campaignId,
          asked: fields.map((field) => field.id),
          fields: values,
          waits_until: isAsked ? until : null,
        };
      });
      await insert(
        tx,
        rows.filter((row) => row.asked.length > 0),
      );
      await completion.begin(tx, rootId, [...waiting.keys()]);
      return waiting;
    },

    /** Stores made-up values for a test lead, in the fields that a real one would get. */
    async keepSample(tx: Tx, lead: Omit<Asking, 'personId' | 'dncPhones'>): Promise<void> {
      const asked = await allowedOf(tx, lead.owner.company_id, lead.asked);
      if (asked.length === 0) return;
      const { leadId: lead_id, owner, campaignId: campaign_id } = lead;
      await insert(tx, [{ lead_id, owner, campaign_id, asked, fields: sampleOf(asked), waits_until: null }]);
    },

    /**
     * What leads were given, by id and by the fields' keys (null if nothing was known); leads that nothing was asked
     * for are left out.
     */
    dataOf: store.dataOf,
    /** The fields that leads of a list's campaigns have ever been given, in the catalog's order. */
    everGiven: async (tx: Tx, of: Parameters<typeof store.everGiven>[1]) =>
      fieldsOfIds(new Set(await store.everGiven(tx, of))),
    /** Returns made-up values of the requested fields that a company may use. */
    sampleFor: async (tx: Tx, companyId: string, asked: readonly number[]) =>
      sampleOf(await allowedOf(tx, companyId, asked)),
  };
}
