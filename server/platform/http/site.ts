import { existsSync } from 'node:fs';
import { join } from 'node:path';
import statics from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../contract/errors.ts';
import { messages } from '../../../contract/messages.ts';

const CSP = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the web app from `folder` (dist/web): hashed assets for ever, the page itself never from a cache. */
export function addSite(app: FastifyInstance, folder: string): void {
  if (!existsSync(join(folder, 'index.html'))) return;
  void app.register(statics, {
    root: folder,
    serve: false,
  });
  app.get('/*', { config: { access: 'public', call: '/{page}' } }, async (request, reply) => {
    const path = decodeURIComponent(request.url.split('?')[0]!);
    if (path === '/api' || path.startsWith('/api/')) throw new Refusal('not_found', messages.notFoundText);
    if (/^\/(assets\/)?[\w.-]+\.(js|css|svg|png|ico|woff2|json|txt|map)$/.test(path)) {
      const hashed = path.startsWith('/assets/');
      return reply.sendFile(path.slice(1), { maxAge: hashed ? '365d' : 0, immutable: hashed });
    }
    void reply
      .header('Content-Security-Policy', CSP)
      .header('X-Frame-Options', 'DENY')
      .header('Cache-Control', 'no-cache');
    return reply.sendFile('index.html', { cacheControl: false });
  });
}
