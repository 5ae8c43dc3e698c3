import { hash } from 'node:crypto';
import { normalEmail } from '../../../platform/contacts.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Exclusions, Identity } from '../../audience/exclusions/index.ts';
import type { People } from '../../audience/people/index.ts';
import * as store from './store.ts';

/**
 * Which leads must no longer be given to anyone, because their person has since been put on a list. Checks what the
 * lead shows and what the graph knows of the person now. Done in one lookup, as the root sees it, because lists and
 * people of a root are not in a client's scope.
 */
export function createWithheld(
  { db }: Platform,
  { exclusions, people }: { exclusions: Exclusions; people: People },
) {
  /** Leads by their ids, and all by which their people could be on a list. */
  async function identified(tx: Tx, rootId: string, leadIds: string[]) {
    const leads = await store.identitiesOf(tx, leadIds);
    const ids = leads.flatMap((lead) => lead.person_id ?? []);
    const known = await people.people(tx, rootId, [...new Set(ids)]);
    return {
      leads,
      identities: leads.map((lead): Identity => {
        const person = lead.person_id ? known.get(lead.person_id) : undefined;
        const shown = lead.email ? normalEmail(lead.email) : null;
        const sha256 = person?.sha256 ?? [];
        const md5 = person?.md5 ?? [];
        return {
          owners: [rootId, lead.agency_id, lead.company_id, lead.campaign_id],
          sha256: shown ? withValue(sha256, hash('sha256', shown, 'buffer')) : sha256,
          md5: shown ? withValue(md5, hash('md5', shown, 'buffer')) : md5,
          phones: [
            ...new Set([
              ...(person?.phones ?? []),
              ...[lead.phone, lead.phone2].flatMap((phone) => phone ?? []),
            ]),
          ],
          emails: [...new Set([...(person?.emails ?? []), ...(shown ? [shown] : [])])],
          domains: lead.company_domain ? [lead.company_domain] : [],
        };
      }),
    };
  }

  /** Inside a transaction in the root's scope. */
  async function withheldIn(tx: Tx, rootId: string, leadIds: string[]): Promise<Set<string>> {
    const { leads, identities } = await identified(tx, rootId, leadIds);
    const verdicts = await exclusions.check(tx, identities);
    // Anything that could not be compared at the time was not sold; a later list can't withhold leads it can't match.
    return new Set(leads.flatMap((lead, i) => (verdicts[i] === 'excluded' ? [lead.id] : [])));
  }

  return {
    withheldIn,
    /** Since when the people of these leads have been on a list, by lead; inside a transaction in the root's scope. */
    async excludedSince(tx: Tx, rootId: string, leadIds: string[]): Promise<Map<string, Date>> {
      const { leads, identities } = await identified(tx, rootId, leadIds);
      const dates = await exclusions.since(tx, identities);
      return new Map(leads.flatMap(({ id }, i) => (dates[i] ? [[id, dates[i]] as const] : [])));
    },
    /** Whether a list could withhold any of these leads: most often, none does, and nothing else need be read. */
    mayWithhold: (tx: Tx, leads: store.OwnedPlace[]): Promise<boolean> =>
      exclusions.anyInForce(tx, [
        ...new Set(
          leads.flatMap(({ root_id, agency_id, company_id, campaign_id }) => [
            root_id,
            agency_id,
            company_id,
            campaign_id,
          ]),
        ),
      ]),
    /** Can be called in any scope: uses its own transaction. */
    withheld: (rootId: string, leadIds: string[]): Promise<Set<string>> =>
      leadIds.length === 0
        ? Promise.resolve(new Set())
        : inScope(db.app, { rootId }, (tx) => withheldIn(tx, rootId, leadIds)),
  };
}

const withValue = (values: Buffer[], value: Buffer): Buffer[] =>
  values.some((one) => one.equals(value)) ? values : [...values, value];
