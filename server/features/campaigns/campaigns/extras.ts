import type { z } from 'zod';
import type { MoreFields } from '../../../../contract/campaigns/campaign-fields.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { Groups } from './groups.service.ts';
import { type Frequency, reportSpan } from './period.policy.ts';
import * as store from './report.store.ts';

type More = Inside<z.output<typeof MoreFields>>;

const refuse = (field: string, rule: string): never => {
  throw refusalOf(field, rule);
};

/** The parts of a campaign that these fields change or are compared with. */
interface Present {
  daily_cap: number | null;
  limit_every: Frequency;
  limit_starts_on: string | null;
  limit_ends_on: string | null;
  minimum_limit: number | null;
}
export const NO_LIMIT: Present = {
  daily_cap: null,
  limit_every: 'day',
  limit_starts_on: null,
  limit_ends_on: null,
  minimum_limit: null,
};

export type Extras = ReturnType<typeof createExtras>;

/** The fields of contract/campaigns/campaign-fields.ts: fields omitted from a change stay as they are. */
export function createExtras({ groups, billing }: { groups: Groups; billing: Billing }) {
  return {
    /**
     * @throws Refusal (403) if the agency does not allow a client to add campaigns (campaigns_closed) and it tries
     */
    async checkMayAdd(tx: Tx, ctx: Ctx, companyId: string): Promise<void> {
      if (ctx.actor.kind !== 'client') return;
      if ((await billing.accounts.terms(tx, companyId)).campaigns_closed)
        throw new Refusal('forbidden', ownMessages.campaignsClosed, {
          errors: { company_id: ['cannot add campaigns'] },
        });
    },

    /**
     * The columns of a campaign's limit after a change, checked against each other. `present`: the current values,
     * `cap`: daily_cap after the change.
     * @throws Refusal naming the field
     */
    limit(ctx: Ctx, given: More, present: Present, cap: number | null) {
      const limit_every = given.limit_every ?? present.limit_every;
      const limit_starts_on =
        given.limit_starts_on === undefined ? present.limit_starts_on : given.limit_starts_on;
      const limit_ends_on = given.limit_ends_on === undefined ? present.limit_ends_on : given.limit_ends_on;
      if (limit_starts_on && limit_ends_on && limit_ends_on < limit_starts_on)
        refuse('limit_ends_on', `must not be before its first day, ${limit_starts_on}`);
      const wanted = given.minimum_limit === undefined ? present.minimum_limit : given.minimum_limit;
      const isOn = (given.has_minimum_limit ?? (wanted === null ? 'F' : 'T')) === 'T';
      if (isOn && wanted === null) refuse('minimum_limit', 'is required');
      const minimum_limit = isOn ? wanted : null;
      if (minimum_limit !== present.minimum_limit && !ctx.may('campaign.price'))
        throw new Refusal('forbidden', 'minimum_limit: the minimum is set by your agency.', {
          errors: { minimum_limit: ['is set by the agency'] },
        });
      if (minimum_limit !== null && cap !== null && cap < minimum_limit)
        refuse('daily_cap', `must be at least ${minimum_limit}`);
      return { limit_every, limit_starts_on, limit_ends_on, minimum_limit };
    },

    /**
     * Saves the rest of the fields that were given. `zone`: the client's time zone.
     * @throws Refusal naming the field
     */
    async save(
      tx: Tx,
      ctx: Ctx,
      campaign: { id: string; root_id: string; agency_id: string; company_id: string },
      given: More,
      zone: string,
    ): Promise<void> {
      if (given.group_id !== undefined) await groups.put(tx, ctx, campaign.id, given.group_id);
      const { report_type } = given;
      if (
        [given.notify_every, given.notify_to, report_type, given.report_every, given.report_to].every(
          (v) => v === undefined,
        )
      )
        return;
      const kept = await store.lockReport(tx, campaign.id);
      const at = ctx.clock.now();
      const notify_every =
        given.notify_every === undefined ? (kept?.notify_every ?? null) : given.notify_every;
      const notify_to = given.notify_to ?? kept?.notify_to ?? [];
      if (notify_every !== null && notify_to.length === 0)
        refuse('notify_to', 'is required when lead notifications are on');
      const isOn = report_type === undefined ? Boolean(kept?.report_every) : report_type !== 'none';
      const report_every = isOn ? (given.report_every ?? kept?.report_every ?? 'day') : null;
      const report_to = given.report_to ?? kept?.report_to ?? [];
      if (report_every && report_to.length === 0) refuse('report_to', 'is required when reports are on');
      // When turned on again, the count and the reports start now: earlier leads are not reported.
      const isCounted = notify_every !== null && kept?.notify_every !== null && kept !== undefined;
      const span = report_every && reportSpan(at, report_every, zone);
      const until = kept?.covers_from ?? (await store.reportedUntil(tx, campaign.id));
      const begins = span && (kept?.covers_from ?? (until && until > span.from ? until : span.from));
      await store.putReport(tx, {
        campaign_id: campaign.id,
        root_id: campaign.root_id,
        agency_id: campaign.agency_id,
        company_id: campaign.company_id,
        notify_every,
        notify_to,
        counted: isCounted ? kept.counted : 0n,
        told: isCounted ? kept.told : 0n,
        report_every,
        report_to,
        covers_from: begins,
        report_type: report_type && report_type !== 'none' ? report_type : (kept?.report_type ?? 'link'),
        due_at: span?.next ?? null,
        updated_at: at,
      });
    },

    /** How these fields are shown with campaigns. */
    async of(tx: Tx, ctx: Ctx, rows: (Present & { id: string })[]) {
      const ids = rows.map((row) => row.id);
      const inGroup = await groups.of(tx, ctx, ids);
      const reports = await store.reportsOf(tx, ids);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return (id: string) => {
        const row = byId.get(id) ?? NO_LIMIT;
        const report = reports.get(id);
        return {
          group_id: inGroup.get(id) ?? null,
          limit_every: row.limit_every,
          limit_starts_on: row.limit_starts_on,
          limit_ends_on: row.limit_ends_on,
          has_minimum_limit: row.minimum_limit === null ? ('F' as const) : ('T' as const),
          minimum_limit: row.minimum_limit,
          notify_every: report?.notify_every ?? null,
          notify_to: report?.notify_to ?? [],
          report_type: report?.report_every ? report.report_type : ('none' as const),
          report_every: report?.report_every ?? ('day' as const),
          report_to: report?.report_to ?? [],
          next_report_at: report?.due_at?.toISOString() ?? null,
        };
      };
    },
  };
}
