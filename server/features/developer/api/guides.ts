import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEAD_VERSION } from '../../../../contract/developer/versions.ts';
import { type ApiDocument, describeApi } from '../../../platform/http/openapi.ts';
import type { PlainRoute } from '../../../platform/http/routes.ts';
import { CHANGES } from './v1.versions.ts';

const folder = join(import.meta.dirname, 'guides');
/** The address in the examples, in whose place each host's own is put. */
export const EXAMPLE_ORIGIN = 'https://app.example.com';

/** The guides of the API reference, in order. Their examples are run by a test. */
export const GUIDES: readonly { name: string; text: string }[] = readdirSync(folder)
  .sort()
  .map((file) => ({
    name: file.replace(/^\d-|\.md$/g, ''),
    text: readFileSync(join(folder, file), 'utf8')
      .replace('{{VERSION}}', LEAD_VERSION)
      .replace(
        '{{CHANGES}}',
        [...CHANGES]
          .reverse()
          .map(({ version, about }) => `- **${version}**: ${about}`)
          .join('\n'),
      ),
  }));

/** The name of a group of operations: /v1/keyword-counts becomes Keyword counts. */
function groupOf(path: string): string {
  const words = path.split('/')[2]!.replaceAll('-', ' ').replace(/^sso /, 'SSO ');
  return words === 'me' ? 'Key' : `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

/** The OpenAPI document of the developer API with its guides. @param routes the routes that it describes */
async function documentOf(routes: readonly PlainRoute[]): Promise<ApiDocument> {
  const document = await describeApi(
    {},
    routes.filter(({ url }) => url.startsWith('/v1/')),
  );
  for (const [path, operations] of Object.entries(document.paths))
    for (const operation of Object.values(operations)) {
      operation.tags = [groupOf(path)];
      delete operation.servers;
    }
  return document;
}

/** The document at a host: with its own address in the examples, and the name of its tenant. */
export function developerDocument(routes: readonly PlainRoute[]): PlainRoute {
  let made: Promise<ApiDocument> | undefined;
  const description = GUIDES.map(({ text }) => text).join('\n');
  return {
    method: 'GET',
    url: '/api/developer.json',
    access: 'public',
    tag: 'Reference',
    summary: 'Returns the OpenAPI document of the developer API with its guides',
    async handler({ tenant, origin }, _request, reply) {
      made ??= documentOf(routes);
      const document = await made;
      return reply.type('application/json; charset=utf-8').send(
        JSON.stringify({
          ...document,
          info: {
            title: `${tenant.companyName} API`,
            version: LEAD_VERSION,
            description: description.replaceAll(EXAMPLE_ORIGIN, origin),
          },
          servers: [{ url: origin }],
        }),
      );
    },
  };
}
