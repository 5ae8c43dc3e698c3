import { describeApi, referencePage } from './openapi.ts';
import { packedText } from './packed.ts';
import type { PlainRoute } from './routes.ts';

/** The OpenAPI document and its page. `documented` are the routes that it describes besides the contract and itself. */
export async function referenceRoutes(
  contract: Parameters<typeof describeApi>[0],
  documented: readonly PlainRoute[],
): Promise<PlainRoute[]> {
  const sendDocument = packedText('application/json', () => JSON.stringify(document));
  const sendPage = packedText('text/html', () => referencePage(document));
  const routes: PlainRoute[] = [
    {
      method: 'GET',
      url: '/api/openapi.json',
      access: 'public',
      tag: 'Reference',
      summary: 'This document',
      handler: (_ctx, request, reply) => sendDocument(request, reply),
    },
    {
      method: 'GET',
      url: '/api/reference',
      access: 'public',
      tag: 'Reference',
      summary: 'Returns this document as a readable page',
      handler: (_ctx, request, reply) =>
        sendPage(
          request,
          reply.header(
            'Content-Security-Policy',
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
          ),
        ),
    },
  ];
  const document = await describeApi(contract, [...documented, ...routes]);
  return routes;
}
