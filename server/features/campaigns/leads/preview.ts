import type { CampaignRules } from '../../../../contract/campaigns/campaign-rules.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Exclusions, Identity } from '../../audience/exclusions/index.ts';
import type { People } from '../../audience/people/index.ts';
import { fitOf } from './fit.policy.ts';
import { leadPhones, type Refused, refusal } from './policy.ts';
import * as store from './store.ts';

/** Refusals for want of something that must be known. */
const UNKNOWN: ReadonlySet<Refused> = new Set(['email_missing', 'phone_missing', 'address_missing']);

/** What a campaign requires of a lead, and whose campaign it is; `campaignId` is null if there is no campaign yet. */
export interface Asking {
  agencyId: string;
  clientId: string;
  campaignId: string | null;
  rules: CampaignRules;
}

/**
 * Returns what the acceptance rules would say about people now: null, or the first rule that refuses, in the order of a
 * waterfall's steps (exclusions, known customers, what is known, the filter, confidence, repeats), so that each step counts all that it
 * names. Leaves out dates, caps and money, which depend on the time. Changes nothing.
 */
export function createPreview({
  exclusions,
  people,
  settings,
}: {
  exclusions: Exclusions;
  people: People;
  settings: Settings;
}) {
  return async (
    tx: Tx,
    rootId: string,
    campaign: Asking,
    found: { personId: string; confidence: number }[],
    now: Date,
  ): Promise<(Refused | null)[]> => {
    const known = await people.people(
      tx,
      rootId,
      found.map((one) => one.personId),
    );
    const marked = await people.markedPhones(
      tx,
      rootId,
      [...known.values()].flatMap(({ phone, phone2 }) => [phone, phone2].flatMap((one) => one ?? [])),
    );
    const fit = fitOf(campaign.rules);
    const profiles = fit ? await people.profilesAmong(tx, rootId, known) : undefined;
    const leastBilled = (await settings.leastConfidence(tx, [campaign.agencyId])).get(campaign.agencyId) ?? 0;
    const earlier = await store.lastLeads(
      tx,
      [...known.values()].flatMap((one) =>
        one.members.map((personId) => ({ companyId: campaign.clientId, personId })),
      ),
    );
    const oneOf = new Map([...known.values()].flatMap((one) => one.members.map((id) => [id, one.id])));
    const last = new Map<string, { here?: Date; elsewhere?: Date }>();
    for (const row of earlier) {
      const id = oneOf.get(row.person_id)!;
      const one = last.get(id) ?? {};
      const place = row.campaign_id === campaign.campaignId ? 'here' : 'elsewhere';
      if (!one[place] || one[place] < row.at) one[place] = row.at;
      last.set(id, one);
    }
    const owners = [
      rootId,
      campaign.agencyId,
      campaign.clientId,
      ...(campaign.campaignId ? [campaign.campaignId] : []),
    ];
    const identities = found.map(({ personId }): Identity => {
      const person = known.get(personId);
      return {
        owners,
        sha256: person?.sha256 ?? [],
        md5: person?.md5 ?? [],
        sha1: person?.sha1 ?? [],
        phones: person?.phones ?? [],
        emails: person?.emails ?? [],
      };
    });
    const verdicts = await exclusions.check(tx, identities);
    const customers = await exclusions.customersOf(tx, identities);
    return found.map(({ personId, confidence }, i) => {
      const person = known.get(personId);
      if (!person) return 'inactive';
      if (verdicts[i] !== 'clear') return verdicts[i]!;
      if (customers[i]) return 'customer';
      const before = last.get(person.id);
      const ruled = refusal(
        {
          campaignId: campaign.campaignId ?? '',
          companyId: campaign.clientId,
          personId,
          confidence,
          excluded: 'clear',
          email: person.email,
          phone: leadPhones(person, marked, campaign.rules.dnc_phones).phone,
          address: person.address,
        },
        {
          rules: campaign.rules,
          fit: null,
          leastBilled,
          state: 'active',
          startsOn: null,
          endsOn: null,
          leadLimit: null,
          leadsCounted: 0,
          priceMicros: 0n,
          balanceMicros: null,
        },
        { sameCampaign: before?.here, otherCampaign: before?.elsewhere },
        now,
        '',
      );
      const isMisfit = fit?.refuses({ ...profiles?.get(personId), state: person.state, zip: person.zip });
      return isMisfit && !(ruled && UNKNOWN.has(ruled)) ? 'misfit' : ruled;
    });
  };
}
