import { LOG_CATEGORIES, type LogCategory, LogFile } from '../../../../contract/accounts/logs.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { sendCsv } from '../../../platform/http/csv-file.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Logs } from './service.ts';

/** The routes of the user log, and its file. */
export function logsRoutes(logs: Logs): { handlers: Handlers<typeof contract.logs>; plain: PlainRoute[] } {
  return {
    handlers: {
      async list(ctx, input) {
        const { rows, total } = await logs.list(ctx, input, {
          limit: input.per_page,
          offset: (input.page - 1) * input.per_page,
        });
        return page(rows, total, input);
      },
      categories: async () => ({
        data: Object.entries(LOG_CATEGORIES).map(([id, { label }]) => ({
          id: id as LogCategory,
          name: label,
        })),
      }),
      users: async (ctx, input) => ({ data: await logs.users(ctx, input) }),
      campaigns: async (ctx, input) => ({ campaigns: await logs.campaigns(ctx, input) }),
      async save(ctx, { action, id }) {
        await logs.save(ctx, action, id);
        return { result: 'success', message: ownMessages.logSaved };
      },
    },
    plain: [
      {
        method: 'GET',
        url: '/api/configuration/download-log-user/:company_id/:user_type/:user_id/:action/:range/:campaign_id',
        access: 'download',
        permission: 'setting.read',
        tag: 'User log',
        summary:
          "Returns the user log as CSV; '9999' or 'all' stands for a filter that is not set (requires a single-use token)",
        input: LogFile,
        async handler(ctx, request, reply) {
          const { rows, lines } = await logs.exportLines(ctx, await checkInput(LogFile, request.params));
          const name = `user-log-${ctx.clock.now().toISOString().slice(0, 10)}.csv`;
          return sendCsv(reply, name, lines, rows);
        },
      },
    ],
  };
}
