import type { FastifyReply } from 'fastify';
import { CheckedFile } from '../../../../contract/accounts/agreement-versions.ts';
import { isLegalName } from '../../../../contract/accounts/legal.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { Id } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { documentHtml } from './documents.policy.ts';
import { CHECK_BYTES } from './files.service.ts';
import type { Agreements } from './service.ts';

const missing = (): never => {
  throw new Refusal('not_found', messages.documentMissingText);
};
const isId = (text: unknown): text is string => Id.safeParse(text).success;

const sendPdf = (reply: FastifyReply, { name, bytes }: { name: string; bytes: Buffer }) =>
  reply
    .header('Content-Disposition', `attachment; filename="${name.replaceAll(/[^\w.-]+/g, '-')}.pdf"`)
    .header('Cache-Control', 'no-store')
    .type('application/pdf')
    .send(bytes);

/** The calls of the feature. */
export function documentsRoutes(agreements: Agreements): {
  handlers: Handlers<typeof contract.documents>;
  versions: Handlers<typeof contract.agreementText>;
  plain: PlainRoute[];
} {
  const { texts, files } = agreements;
  const companyOf = (ctx: Ctx, userId: string) => agreements.companyOf(ctx, userId);
  return {
    handlers: {
      getDocumentAgreementFile: async (ctx, { name }) => ({
        data: documentHtml(await texts.toRead(ctx, name)),
      }),
    },
    versions: {
      standings: async (ctx) => ({ data: await texts.standings(ctx) }),
      read: async (ctx, { document_type }) => (await texts.standings(ctx, document_type))[0] ?? missing(),
      async download(ctx, { user_id, document_type }) {
        const companyId = await companyOf(ctx, user_id);
        return { file_uuid: (await files.ofCompany(ctx, companyId, () => document_type)).id };
      },
      docauth: async (ctx, { pkdoc }) => ({
        status: 'T' as const,
        ...(await agreements.docauth(ctx, pkdoc, isId(pkdoc))),
      }),
      versions: (ctx, { document_type }) => texts.versions(ctx, document_type),
      async publish(ctx, { document_type, title, body, notice_days, base_version }) {
        const version = await texts.publish(ctx, {
          ...{ document: document_type, title, body },
          ...{ noticeDays: notice_days, baseVersion: base_version },
        });
        return { result: 'success', message: ownMessages.versionPublished(version), version };
      },
      acceptances: (ctx, input) => texts.acceptances(ctx, input),
      signingKey: async (ctx) => ({ data: await files.key(ctx) }),
      async bringKey(ctx, { p12, password }) {
        const bytes = Buffer.from(p12, 'base64');
        if (bytes.length === 0) throw refusalOf('p12', 'is required');
        const data = await files.bringKey(ctx, bytes, password);
        return { result: 'success', message: ownMessages.keyBrought, data };
      },
      async dropKey(ctx) {
        await files.dropKey(ctx);
        return { result: 'success', message: ownMessages.keyDropped };
      },
      verify: (ctx, { sha256 }) => files.checkHash(ctx, sha256),
    },
    plain: [
      {
        method: 'GET',
        url: '/api/configuration/agreement/:company_id/file',
        access: 'download',
        permission: 'document.read',
        tag: 'Agreements',
        summary:
          'Returns the agreement that an agency or client accepted, as a signed PDF (requested with a one-time token)',
        async handler(ctx, request, reply) {
          const { company_id } = request.params as { company_id: string };
          if (!isId(company_id)) return missing();
          return sendPdf(reply, await files.ofCompany(ctx, company_id, agreements.requiredOf));
        },
      },
      {
        method: 'GET',
        url: '/api/general/agreement/:file_uuid/file',
        access: 'download',
        permission: 'agreement.read',
        tag: 'Agreements',
        summary: 'Returns a signed agreement by its file_uuid, as a PDF (requested with a one-time token)',
        async handler(ctx, request, reply) {
          const { file_uuid } = request.params as { file_uuid: string };
          if (!isId(file_uuid)) return missing();
          return sendPdf(reply, await files.byId(ctx, file_uuid));
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
          if (!isLegalName(name)) return missing();
          return reply
            .header('Content-Disposition', `attachment; filename="${name}.html"`)
            .header('Cache-Control', 'no-store')
            .type('text/html; charset=utf-8')
            .send(documentHtml(await texts.toRead(ctx, name)));
        },
      },
      {
        method: 'POST',
        url: '/api/general/verify',
        access: 'public',
        tag: 'Agreements',
        summary:
          'Checks a PDF, sent as the body (up to 5 MB), against its signature and the agreements of the company of the host',
        raw: true,
        bodyLimit: CHECK_BYTES,
        answer: CheckedFile,
        handler: (ctx, request) =>
          files.check(ctx, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)),
      },
    ],
  };
}
