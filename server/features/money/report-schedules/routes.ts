import { z } from 'zod';
import { Id } from '../../../../contract/primitives.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { PlainRoute } from '../../../platform/http/routes.ts';
import type { ReportSchedules } from './service.ts';

const One = z.object({ id: Id });

/** The download of a scheduled report. */
export const reportSchedulePlain = (schedules: ReportSchedules): PlainRoute[] => [
  {
    method: 'GET',
    url: '/api/configuration/report-schedules/:id/pdf',
    access: 'download',
    permission: 'report.read',
    tag: 'Reports',
    summary: 'Returns a scheduled report as it would be sent now, as a PDF (requires a single-use token)',
    async handler(ctx, request, reply) {
      const { id } = await checkInput(One, request.params);
      const file = await schedules.preview(ctx, id);
      return reply
        .header('Content-Disposition', 'attachment; filename="report.pdf"')
        .header('Cache-Control', 'no-store')
        .type('application/pdf')
        .send(file);
    },
  },
];
