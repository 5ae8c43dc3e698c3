import {
  MOST_CONDITIONS,
  type Rules,
  rulesWords,
  TRIED_LEADS,
} from '../../../../contract/campaigns/rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { type Lead, vendors } from '../../../integrations/index.ts';
import { fieldsOf, missingFields } from '../../../integrations/mapping.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { DeliveryDeps } from './deps.ts';
import { leadOf } from './lead.policy.ts';
import type { LeadData } from './policy.ts';
import { ANOTHERS_TURN, HANDED_ON, objectionOf, opensAt, rulesFrom, turnOf } from './rules.policy.ts';
import * as ruleStore from './rules.store.ts';
import * as store from './store.ts';

type Deps = Pick<DeliveryDeps, 'audit' | 'leads' | 'campaigns'> & {
  present(tx: Tx, id: string): Promise<store.IntegrationRow>;
  held(tx: Tx, id: string): Promise<store.IntegrationRow>;
  counted(tx: Tx, id: string): Promise<store.Counted>;
  /** Sends what waits no more. */
  goOn(tx: Tx, rows: store.Reopened[]): Promise<unknown>;
};
type Row = Pick<
  store.DeliveryToSend,
  'id' | 'lead_id' | 'is_test' | 'attempts' | 'state' | 'rules' | 'chosen' | 'kind' | 'mapping'
>;

/** What the rules say about a lead, as tried. */
export interface Tried {
  lead_id: string;
  name: string | null;
  created_at: Date;
  verdict: 'goes' | 'not_matching' | 'others_turn' | 'not_sendable';
  waits_until: Date | null;
  why: string;
}

/** Which leads the destinations of a campaign get, and when (BEY-23). */
export function deliveryRules(platform: Platform, deps: Deps) {
  const { db, clock } = platform;
  const { audit, leads, campaigns, present, held, counted, goOn } = deps;
  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  const isUntried = ({ state, attempts }: ruleStore.OfLead) => state === 'pending' && attempts === 0;
  const takesTurns = ({ integration_state, rules }: ruleStore.OfLead, lead: Lead): boolean =>
    integration_state === 'enabled' && rules?.rotation === true && objectionOf(rules, lead) === null;

  /** Gives a lead's turn to another destination that takes turns and matches. Returns whether there is one. */
  async function handOn(tx: Tx, row: Row, lead: Lead): Promise<boolean> {
    const all = await ruleStore.deliveriesOfLead(tx, row.lead_id!);
    const others = all.filter(
      (one) =>
        one.id !== row.id &&
        (isUntried(one) || (one.state === 'skipped' && one.chosen === false)) &&
        takesTurns(one, lead),
    );
    const next = turnOf(others, all.find(({ id }) => id === row.id)?.turn ?? 0);
    if (!next) return false;
    await ruleStore.choose(tx, row.id, false);
    if (next.state === 'pending') await ruleStore.choose(tx, next.id, true);
    else {
      const revived = await ruleStore.revive(tx, next.id, clock.now());
      if (revived) await goOn(tx, [revived]);
    }
    return true;
  }

  /**
   * Why the rules leave a lead out, in words; null: it goes. Judged before the first attempt only. Destinations that
   * take turns agree because the first of them to be judged decides for all, and a lead that was left to one of them
   * goes to another if that one can no longer take it.
   */
  async function leftOut(tx: Tx, row: Row, data: LeadData): Promise<string | null> {
    const vendor = data.match.type === 'company' ? vendors.get(row.kind) : undefined;
    const lacking = vendor ? missingFields(vendor, fieldsOf(vendor, row.mapping, leadOf(data))) : [];
    if (lacking.length > 0) return `a company has no ${lacking.join(', ')}, which ${vendor!.name} requires.`;
    if (row.is_test || !row.lead_id || row.attempts > 0 || row.state !== 'pending' || !row.rules) return null;
    const lead = leadOf(data);
    const objection = objectionOf(row.rules, lead);
    if (!row.rules.rotation && row.chosen === null) return objection;
    await ruleStore.lockLead(tx, row.lead_id);
    const all = await ruleStore.deliveriesOfLead(tx, row.lead_id);
    const own = all.find(({ id }) => id === row.id);
    if (own?.chosen) return objection && (await handOn(tx, row, lead)) ? HANDED_ON : null;
    if (objection || !row.rules.rotation) return objection;
    const isTaken = all.some(
      ({ id, chosen, state }) => id !== row.id && chosen && state !== 'skipped' && state !== 'failed',
    );
    const members = all.filter((one) => one.id === row.id || (isUntried(one) && takesTurns(one, lead)));
    const winner = isTaken ? undefined : turnOf(members, own?.turn ?? 0);
    if (winner) await ruleStore.choose(tx, winner.id, true);
    if (winner?.id === row.id) return null;
    await ruleStore.choose(tx, row.id, false);
    return ANOTHERS_TURN;
  }

  return {
    leftOut,

    /** A destination that takes turns was disabled or removed: its lead goes to another. Returns whether there is one. */
    async passedOn(tx: Tx, row: Row): Promise<boolean> {
      if (!row.chosen || !row.lead_id || row.attempts > 0 || row.state !== 'pending') return false;
      await ruleStore.lockLead(tx, row.lead_id);
      const data = (await leads.message(tx, [row.lead_id])).get(row.lead_id);
      return data !== undefined && handOn(tx, row, leadOf(data));
    },

    calls: {
      /** Changes which leads a destination gets, and when. @throws Refusal 403, 404, 422 */
      setRules: (ctx: Ctx, id: string, given: Rules | null): Promise<store.Counted> =>
        inScope(db.app, ctx.scope, async (tx) => {
          const row = await held(tx, id);
          const rules = rulesFrom(given);
          if (JSON.stringify(ordered(row.rules)) !== JSON.stringify(ordered(rules))) {
            const now = clock.now();
            await store.updateIntegration(tx, id, { rules: rules && JSON.stringify(rules), updated_at: now });
            await goOn(tx, await ruleStore.endWaits(tx, id, now));
            await audit.record(tx, ctx, {
              action: 'integration.rules',
              objectKind: 'integration',
              objectId: id,
              description: `Changed the rules of the ${row.kind === 'webhook' ? 'webhook' : 'destination'} ${row.name} from “${rulesWords(row.rules, MOST_CONDITIONS)}” to “${rulesWords(rules, MOST_CONDITIONS)}”`,
              owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
            });
          }
          return counted(tx, id);
        }),

      /** Where the campaign's last 100 leads would have gone with these rules. @throws Refusal 403, 404, 422 */
      async tryRules(ctx: Ctx, id: string, given: Rules | null): Promise<Tried[]> {
        // The answers name leads, and conditions could ask for everything else about them.
        ctx.need('lead.read');
        const rules = rulesFrom(given);
        const found = await inScope(db.app, ctx.scope, async (tx) => {
          const row = await present(tx, id);
          const campaign = (await campaigns.visible(tx, row.campaign_id)) ?? missing();
          const newest = await leads.newest(tx, campaign.id, TRIED_LEADS);
          return {
            row,
            newest,
            messages: await leads.message(
              tx,
              newest.map((lead) => lead.id),
            ),
            destinations: await store.integrations(tx, { campaignId: campaign.id }),
          };
        });
        const { row, newest, messages } = found;
        const withheld = await leads.withheld(
          row.root_id,
          newest.map((lead) => lead.id),
        );
        const rotating = found.destinations
          .map((one) => (one.id === id ? { id, state: 'enabled', rules } : one))
          .filter((one) => one.state === 'enabled' && one.rules?.rotation);
        const zone = found.destinations.find((one) => one.id === id)?.time_zone ?? 'UTC';
        // The oldest has the first turn.
        return newest.map(({ id: leadId, created_at }, fromEnd): Tried => {
          const about = { lead_id: leadId, name: null, created_at, waits_until: null };
          const data = messages.get(leadId);
          if (!data)
            return { ...about, verdict: 'not_sendable', why: 'This lead’s personal data was erased.' };
          if (withheld.has(leadId))
            return { ...about, verdict: 'not_sendable', why: 'The person is on an exclusion list.' };
          const { first_name, last_name } = data.person;
          const named = { ...about, name: [first_name, last_name].filter(Boolean).join(' ') || null };
          const lead = leadOf(data);
          const objection = rules && objectionOf(rules, lead);
          if (objection) return { ...named, verdict: 'not_matching', why: sentence(objection) };
          const members = rotating.filter((one) => one.rules && objectionOf(one.rules, lead) === null);
          if (rules?.rotation && turnOf(members, newest.length - 1 - fromEnd)?.id !== id)
            return { ...named, verdict: 'others_turn', why: sentence(ANOTHERS_TURN) };
          const opens = opensAt(rules?.hours, zone, created_at);
          return {
            ...named,
            verdict: 'goes',
            waits_until: opens,
            why: opens ? 'Sent once the hours begin.' : 'Sent immediately.',
          };
        });
      },
    },
  };
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** With its parts in one order, because the database does not keep it. */
const ordered = (rules: Rules | null) =>
  rules && [
    rules.match,
    rules.conditions.map(({ field, op, value }) => [field, op, value]),
    rules.hours && [rules.hours.days, rules.hours.from, rules.hours.to],
    rules.rotation,
  ];
