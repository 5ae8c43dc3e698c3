import type { Tx } from '../../../platform/db/scope.ts';
import type { People } from '../../audience/people/index.ts';
import type { Campaigns } from '../campaigns/index.ts';
import { fitOf } from './fit.policy.ts';
import * as store from './store.ts';

/**
 * Which leads, by what is known of their people now, would be kept out by the filter that their campaign has now. In the
 * root's scope.
 */
export function createOutsideFilter({ campaigns, people }: { campaigns: Campaigns; people: People }) {
  return async (tx: Tx, rootId: string, leadIds: string[]): Promise<Set<string>> => {
    const leads = await store.identitiesOf(tx, leadIds);
    const rules = await campaigns.rulesOf(tx, [...new Set(leads.map((lead) => lead.campaign_id))]);
    const judged = leads.flatMap(({ id, person_id, campaign_id }) => {
      const of = rules.get(campaign_id);
      const fit = of && fitOf(of);
      return fit && person_id ? [{ id, person_id, fit }] : [];
    });
    const ids = [...new Set(judged.map((one) => one.person_id))];
    const known = await people.people(tx, rootId, ids);
    const profiles = await people.profilesAmong(tx, rootId, known);
    return new Set(
      judged.flatMap(({ id, person_id, fit }) => {
        const person = known.get(person_id);
        const facts = { ...profiles.get(person_id), state: person?.state ?? null, zip: person?.zip ?? null };
        return person && fit.refuses(facts) ? [id] : [];
      }),
    );
  };
}
