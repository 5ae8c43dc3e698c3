import type { AlertRules } from '../../../../contract/campaigns/alert-rules.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Alerts } from './service.ts';

/** The calls of alerts. */
export function alertsRoutes(alerts: Alerts): Handlers<typeof contract.alerts> {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    list: async (ctx, { company_id }) => ({
      data: (await alerts.list(ctx, company_id)).map((row) => ({
        id: row.id,
        company_id: row.company_id,
        campaign_name: row.campaign_name,
        time_zone: row.time_zone,
        told: row.told,
        failed: row.failed,
        created_at: row.created_at.toISOString(),
        name: row.name,
        state: row.state as 'on',
        campaign_id: row.campaign_id,
        trigger: row.trigger,
        min_score: row.min_score,
        pages: row.pages,
        fit: row.fit,
        per_hour: row.per_hour,
        user_ids: row.user_ids,
        connection_ids: row.connection_ids,
        webhook_url: row.webhook_url,
        cooldown_hours: row.cooldown_hours,
        hours: row.hours,
        most_per_hour: row.most_per_hour,
      })),
    }),
    async choices(ctx, { company_id }) {
      const { users, connections, time_zone } = await alerts.choices(ctx, company_id);
      return {
        users,
        connections: connections.map(({ id, name, vendor, state }) => ({
          id,
          name,
          vendor,
          state: state as 'connected',
        })),
        time_zone,
      };
    },
    create: async (ctx, given) => ({
      ...done(messages.added),
      ...(await alerts.create(ctx, given as AlertRules)),
    }),
    update: async (ctx, given) => ({
      ...done(messages.updated),
      ...(await alerts.update(ctx, given as AlertRules & { id: string })),
    }),
    async remove(ctx, { id }) {
      await alerts.remove(ctx, id);
      return done(messages.deleted);
    },
    preview: (ctx, given) => alerts.preview(ctx, given as AlertRules),
    async test(ctx, { id }) {
      await alerts.test(ctx, id);
      return done('Test sent');
    },
    async messages(ctx, { id, ...asked }) {
      const { rows, total } = await alerts.messages(ctx, id, {
        offset: (asked.page - 1) * asked.per_page,
        limit: asked.per_page,
      });
      return page(
        rows.map((row) => ({
          id: row.id,
          way: row.way,
          recipient: row.recipient ?? 'A user of the agency',
          events: row.events,
          is_test: row.is_test,
          state: row.state,
          error: row.error,
          created_at: row.created_at.toISOString(),
          done_at: row.done_at?.toISOString() ?? null,
        })),
        total,
        asked,
      );
    },
  };
}
