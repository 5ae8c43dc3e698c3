import { isLegalName } from '../../../../contract/accounts/legal.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import { Id } from '../../../../contract/primitives.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { documentHtml } from './documents.policy.ts';
import type { Agreements } from './service.ts';

/** The calls of the feature: documents in the name of the host's tenant. */
export function documentsRoutes(agreements: Agreements): {
  handlers: Handlers<typeof contract.documents>;
  plain: PlainRoute[];
} {
  return {
    handlers: {
      getDocumentAgreementFile: async (ctx, { name }) => ({
        data: documentHtml(name, await agreements.party(ctx, name)),
      }),
    },
    plain: [
      {
        method: 'GET',
        url: '/api/configuration/agreement/:company_id/file',
        access: 'download',
        permission: 'document.read',
        tag: 'Agreements',
        summary:
          'Returns the agreement that an agency or client accepted, as a PDF (requested with a one-time token)',
        async handler(ctx, request, reply) {
          const { company_id } = request.params as { company_id: string };
          if (!Id.safeParse(company_id).success) throw new Refusal('not_found', messages.documentMissingText);
          const { name, bytes } = await agreements.file(ctx, company_id);
          return reply
            .header('Content-Disposition', `attachment; filename="${name.replaceAll(/[^\w.-]+/g, '-')}.pdf"`)
            .header('Cache-Control', 'no-store')
            .type('application/pdf')
            .send(bytes);
        },
      },
      {
        method: 'GET',
        url: '/api/general/document/:name/file',
        access: 'download',
        permission: 'document.read',
        tag: 'Agreements',
        summary: 'Returns a document as a printable file (requested with a one-time token)',
        async handler(ctx, request, reply) {
          const { name } = request.params as { name: string };
          if (!isLegalName(name)) throw new Refusal('not_found', messages.documentMissingText);
          return reply
            .header('Content-Disposition', `attachment; filename="${name}.html"`)
            .header('Cache-Control', 'no-store')
            .type('text/html; charset=utf-8')
            .send(documentHtml(name, await agreements.party(ctx, name)));
        },
      },
    ],
  };
}
