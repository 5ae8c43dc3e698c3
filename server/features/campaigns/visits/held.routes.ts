import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Visits } from './service.ts';

/** The endpoints for held sign-ups. */
export function heldRoutes({ signUps, trust }: Visits): Handlers<typeof contract.held> {
  const words = (count: number, what: string): string =>
    `${count} ${count === 1 ? 'sign-up' : 'sign-ups'} ${what}.`;
  return {
    async list(ctx, { campaign_id }) {
      const { rows, total } = await signUps.list(ctx, campaign_id);
      return {
        total,
        data: rows.map((row) => ({
          campaign_id: row.campaign_id,
          campaign_name: row.name,
          company_name: row.company_name,
          reason: row.reason,
          source: row.source,
          count: Number(row.count),
          people: Number(row.people),
          conversions: Number(row.conversions),
          first_at: row.first_at.toISOString(),
          last_at: row.last_at.toISOString(),
          asked_at: row.asked_at?.toISOString() ?? null,
        })),
      };
    },
    async release(ctx, choice) {
      const count = await signUps.release(ctx, choice);
      return { result: 'success', message: words(count, 'released'), count };
    },
    async discard(ctx, choice) {
      const count = await signUps.discard(ctx, choice);
      return { result: 'success', message: words(count, 'discarded'), count };
    },
    async ask(ctx, choice) {
      const count = await signUps.ask(ctx, choice);
      return { result: 'success', message: 'Your agency can see your request.', count };
    },
    async trusted(ctx, { campaign_id }) {
      const rows = await trust.list(ctx, campaign_id);
      return {
        data: rows.map((row) => ({
          id: row.id,
          campaign_id: row.campaign_id,
          network: row.network,
          note: row.note,
          status: row.trusted_at ? ('trusted' as const) : ('asked' as const),
          created_at: row.created_at.toISOString(),
        })),
      };
    },
    async trust(ctx, asked) {
      await trust.trust(ctx, asked);
      return { result: 'success', message: 'Its sign-ups are no longer held for high volume.' };
    },
    async askTrust(ctx, asked) {
      await trust.ask(ctx, asked);
      return { result: 'success', message: 'Your agency can see your request.' };
    },
    async untrust(ctx, { id }) {
      await trust.remove(ctx, id);
      return { result: 'success', message: 'The address was removed.' };
    },
  };
}
