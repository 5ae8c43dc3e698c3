import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Pixel } from './service.ts';

/** The calls of the pixel. */
export function pixelRoutes(pixel: Pixel): Handlers<typeof contract.pixel> {
  const wire = <Report extends { checked_at: Date }>(report: Report) => ({
    ...report,
    checked_at: report.checked_at.toISOString(),
  });
  return {
    snippet: (ctx, { campaign_id }) => pixel.snippet(ctx, campaign_id),
    check: async (ctx, { campaign_id }) => ({
      result: 'success',
      ...wire(await pixel.check(ctx, campaign_id)),
    }),
    async report(ctx, { campaign_id }) {
      const report = await pixel.report(ctx, campaign_id);
      return { report: report && wire(report) };
    },
    async events(ctx, { campaign_id }) {
      const { events, refused } = await pixel.events(ctx, campaign_id);
      return {
        data: events.map((row) => ({
          id: row.event_id,
          received_at: row.received_at.toISOString(),
          event: row.event as 'view',
          url: row.url,
          title: row.title,
          referrer: row.referrer,
          has_email: row.has_email,
          is_private: row.gpc,
          outcome: row.outcome,
        })),
        refused: refused.map(({ reason, count }) => ({ reason, count: Number(count) })),
      };
    },
  };
}
