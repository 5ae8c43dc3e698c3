import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import type { CompanyExports } from './service.ts';

/** The calls of full exports. */
export function companyExportRoutes(exports: CompanyExports): Handlers<typeof contract.companyExports> {
  return {
    async list(ctx, { company_id }) {
      const rows = await exports.list(ctx, company_id);
      return {
        data: rows.map((row) => ({
          ...row,
          state: row.state as 'ready',
          asked_by: row.asked_by_name ?? '',
          created_at: row.created_at.toISOString(),
          finished_at: row.finished_at?.toISOString() ?? null,
          expires_at: row.expires_at?.toISOString() ?? null,
          bytes: row.bytes === null ? null : Number(row.bytes),
          sha256: row.sha256?.toString('hex') ?? null,
          tables: row.tables ?? [],
        })),
      };
    },
    start: async (ctx, { company_id }) => ({
      result: 'success',
      message: ownMessages.exportStarted,
      data: { id: await exports.start(ctx, company_id) },
    }),
    async remove(ctx, { id }) {
      await exports.remove(ctx, id);
      return { result: 'success', message: messages.deleted };
    },
  };
}

/** The download of an export's file. */
export const companyExportPlain = (exports: CompanyExports): PlainRoute[] => [
  {
    method: 'GET',
    url: '/api/company-exports/:id/file',
    access: 'download',
    permission: 'company.export',
    notInView: true,
    tag: 'Companies',
    summary: 'Returns the archive of a full export (requested with a one-time token)',
    async handler(ctx, request, reply) {
      const file = await exports.file(ctx, String((request.params as { id: string }).id));
      return reply
        .header('Content-Disposition', `attachment; filename="${file.name}"`)
        .header('Content-Length', String(file.bytes))
        .header('Cache-Control', 'no-store')
        .type('application/gzip')
        .send(file.handle.createReadStream());
    },
  },
];
