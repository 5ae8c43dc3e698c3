import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../../contract/errors.ts';
import { messages } from '../../../contract/messages.ts';
import type { Tenant } from '../ctx.ts';
import { referenceFolder } from '../dist.ts';
import { describeApi } from './openapi.ts';
import { packedText } from './packed.ts';
import type { PlainRoute } from './routes.ts';
import { escaped, inert } from './site.ts';

/** The scripts of the page, as the build makes them. */
const SCRIPTS = ['scalar.js', 'page.js'] as const;
/** The viewer makes styles as it runs, and its console sends requests to this host only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the page shows of a host's tenant, which the page's script reads. */
interface Look {
  name: string;
  favicon: string | null;
}

/**
 * The OpenAPI document and the page that shows it, in the look of the host's tenant. `documented` are the routes that it
 * describes besides the contract and itself.
 */
export function referenceRoutes(
  contract: Parameters<typeof describeApi>[0],
  documented: readonly PlainRoute[],
  lookOf: (tenant: Tenant) => Promise<Look>,
): PlainRoute[] {
  const sendDocument = packedText('application/json', async () =>
    JSON.stringify(await describeApi(contract, [...documented, ...routes])),
  );
  const versions = new Map<string, string>();
  /** A script's address, which changes with it. */
  const addressOf = (name: string): string => {
    const file = join(referenceFolder, name);
    if (!versions.has(name) && existsSync(file))
      versions.set(name, createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, 12));
    return `/api/reference/${name}?v=${versions.get(name) ?? ''}`;
  };
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
      summary: 'Returns the API reference as a page with guides and a console',
      async handler({ tenant }, _request, reply) {
        const look = await lookOf(tenant);
        return reply
          .headers({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' })
          .type('text/html; charset=utf-8')
          .send(
            `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>API reference · ${escaped(look.name)}</title><link rel="icon" href="${escaped(look.favicon ?? 'data:,')}"><script type="application/json" id="brand">${inert(look)}</script></head><body><div id="app"></div><noscript>The reference needs JavaScript. The document that it shows is at <a href="/api/openapi.json">/api/openapi.json</a>.</noscript>${SCRIPTS.map((name) => `<script defer src="${addressOf(name)}"></script>`).join('')}</body></html>`,
          );
      },
    },
    ...SCRIPTS.map(
      (name): PlainRoute => ({
        method: 'GET',
        url: `/api/reference/${name}`,
        access: 'public',
        tag: 'Reference',
        summary: 'Returns a script of the API reference',
        async handler(_ctx, request, reply) {
          const file = join(referenceFolder, name);
          if (!existsSync(file)) throw new Refusal('not_found', messages.notFoundText);
          const accepted = String(request.headers['accept-encoding'] ?? '');
          const [form, end] = /\bbr\b/.test(accepted)
            ? ['br', '.br']
            : /\bgzip\b/.test(accepted)
              ? ['gzip', '.gz']
              : [];
          const packed = end && existsSync(file + end);
          if (packed) void reply.header('Content-Encoding', form);
          return reply
            .headers({ Vary: 'accept-encoding', 'Cache-Control': 'public, max-age=31536000, immutable' })
            .type('text/javascript; charset=utf-8')
            .send(readFileSync(packed ? file + end : file));
        },
      }),
    ),
  ];
  return routes;
}
