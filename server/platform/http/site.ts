import { existsSync } from 'node:fs';
import { join } from 'node:path';
import statics from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../contract/errors.ts';
import { messages } from '../../../contract/messages.ts';

/** Where reCAPTCHA's script, its parts and its frame come from. */
const RECAPTCHA = 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/';

/** The page's policy; `recaptcha` lets Google's captcha in, which only an installation that has a key for it asks for. */
const policyOf = ({ recaptcha }: { recaptcha: boolean }): string =>
  [
    "default-src 'self'",
    `script-src 'self'${recaptcha ? ` ${RECAPTCHA}` : ''}`,
    ...(recaptcha ? [`frame-src ${RECAPTCHA} https://recaptcha.google.com/recaptcha/`] : []),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self'${recaptcha ? ' https://www.google.com/recaptcha/' : ''}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Serves the web app from `folder` (dist/web): hashed assets for ever, the page itself never from a cache. */
export function addSite(app: FastifyInstance, folder: string, needs: { recaptcha: boolean }): void {
  const csp = policyOf(needs);
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
      .header('Content-Security-Policy', csp)
      .header('X-Frame-Options', 'DENY')
      .header('Cache-Control', 'no-cache');
    return reply.sendFile('index.html', { cacheControl: false });
  });
}
