import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import statics from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FONT_LIST, type FontRules, type FontTheme } from '../../../contract/accounts/fonts.ts';
import { Refusal } from '../../../contract/errors.ts';
import { messages } from '../../../contract/messages.ts';
import { runsEmbed } from '../../../contract/routing/routing.ts';
import type { Tenant } from '../ctx.ts';

/** Sources of reCAPTCHA's script, its parts, and its frame. */
const RECAPTCHA = 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/';

/** Sources and API hosts of Stripe's card form. Its script may come only from there. */
const STRIPE = 'https://js.stripe.com https://*.js.stripe.com';

/**
 * The service worker of hosts whose pages run a tenant's embed code: it ends itself and what an earlier one has kept. That
 * code could put scripts of its own there, which pages that it must not run on would then load.
 */
const END_WORKER = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) await caches.delete(name);
  await registration.unregister();
})()));
`;

/** What a host's page carries before any script has run. */
export interface SitePage {
  title: string;
  /** Path of the favicon; if null, the page draws one from the tenant's first letter. */
  favicon: string | null;
  /** The response to the first request the page would make, so that it has its look from the start. */
  brand: unknown;
  /** The tenant's font, which the page asks for before any script has run. */
  font: FontTheme;
  /**
   * The tenant's code for those pages of its own host that run it. If undefined, there is none, and no page may load
   * anything from elsewhere.
   */
  embed?: { place: string; code: string } | undefined;
}

/**
 * Returns what the page may load. With the tenant's embed code, it may run that code (by the nonce) and what it fetches
 * from elsewhere over https; on every other host, only our own files run. `recaptcha` allows Google's captcha, `stripe`
 * its card form, `tiles` the images of one origin; only an installation that has keys for them asks for these.
 */
function policyOf(
  nonce: string | undefined,
  needs: { recaptcha: boolean; stripe?: boolean; tiles?: string | undefined },
): string {
  const away = nonce ? ' https:' : '';
  const google = needs.recaptcha && !nonce;
  const stripe = needs.stripe && !nonce;
  const frames = [
    ...(google ? [RECAPTCHA, 'https://recaptcha.google.com/recaptcha/'] : []),
    ...(stripe ? [STRIPE, 'https://hooks.stripe.com'] : []),
  ];
  return [
    "default-src 'self'",
    `script-src 'self'${nonce ? ` 'nonce-${nonce}'` : ''}${away}${google ? ` ${RECAPTCHA}` : ''}${stripe ? ` ${STRIPE}` : ''}`,
    `style-src 'self' 'unsafe-inline'${away}`,
    `img-src 'self' data: blob:${away}${stripe ? ' https://*.stripe.com' : ''}${needs.tiles && !nonce ? ` ${needs.tiles}` : ''}`,
    `font-src 'self' data:${away}`,
    `connect-src 'self'${away}${nonce ? ' wss:' : ''}${google ? ' https://www.google.com/recaptcha/' : ''}${stripe ? ' https://api.stripe.com' : ''}`,
    ...(frames.length > 0 ? [`frame-src ${frames.join(' ')}`] : []),
    ...(nonce ? ["frame-src 'self' https:", "media-src 'self' https:"] : []),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Escapes a text for use between tags or inside a double-quoted attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** Returns a value as JSON for a script element: no `<` in it can end the element or open a comment. */
export const inert = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * Puts a tenant's name, favicon, font, brand, and embed code into the built index.html. Without a nonce the code is left out,
 * and the page says so: a page that runs it and one that does not are never the same document (web/brand/embed.ts).
 */
export function dress(
  html: string,
  page: SitePage,
  nonce: string | undefined,
  fonts: Partial<Record<FontTheme, FontRules>> = {},
): string {
  const font = fonts[page.font];
  const data =
    (font
      ? `<link rel="preload" href="${font.first}" as="font" type="font/woff2" crossorigin><style data-font="${page.font}">${font.css}</style>`
      : '') +
    `<script type="application/json" id="brand">${inert(page.brand)}</script>` +
    (page.embed && nonce
      ? `<script type="application/json" id="embed" nonce="${nonce}">${inert(page.embed)}</script>`
      : page.embed
        ? '<script type="application/json" id="embed"></script>'
        : '');
  return html
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(page.title)}</title>`)
    .replace('href="data:,"', () => `href="${escaped(page.favicon ?? 'data:,')}"`)
    .replace('</head>', () => `${data}</head>`);
}

/**
 * Serves the web app from `folder` (dist/web): hashed assets cached forever, the page itself never cached and in the
 * look of the host's tenant, as returned by `pageOf`.
 */
export function addSite(
  app: FastifyInstance,
  folder: string,
  pageOf: (request: FastifyRequest) => Promise<SitePage>,
  needs: {
    recaptcha: boolean;
    stripe?: boolean;
    /** The origin of map tiles. */
    tiles?: string | undefined;
    /** Returns whether a path, still encoded, belongs to the app at this tenant: all others return the status 404 (ROUT-02). */
    isPage: (path: string, tenant: Tenant) => Promise<boolean>;
  },
): void {
  const index = join(folder, 'index.html');
  if (!existsSync(index)) return;
  const html = readFileSync(index, 'utf8');
  const list = join(folder, FONT_LIST);
  const fonts = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
  void app.register(statics, {
    root: folder,
    serve: false,
    // The build writes a Brotli and a gzip version next to each text file.
    preCompressed: true,
  });
  app.get('/*', { config: { access: 'public', call: '/{page}' } }, async (request, reply) => {
    const asked = request.url.split('?')[0]!;
    const path = decodeURIComponent(asked);
    // Never the page: a proxy that asks here by mistake (see platform/ask.ts) must not get a yes.
    if (path === '/api' || path.startsWith('/api/') || path === '/ask')
      throw new Refusal('not_found', messages.notFoundText);
    if (path === '/favicon.ico') {
      const { favicon } = await pageOf(request);
      if (!favicon) throw new Refusal('not_found', messages.notFoundText);
      return reply.header('Cache-Control', 'no-cache').redirect(favicon, 302);
    }
    if (path === '/sw.js') {
      const { embed } = await pageOf(request);
      reply.header('Content-Security-Policy', "default-src 'none'; script-src 'self'; connect-src 'self'");
      if (embed)
        return reply
          .header('Cache-Control', 'no-cache')
          .type('text/javascript; charset=utf-8')
          .send(END_WORKER);
    }
    if (/^\/(assets\/)?[\w.-]+\.(js|css|svg|png|ico|woff2|json|txt|map|webm)$/.test(path)) {
      const hashed = path.startsWith('/assets/');
      return reply.sendFile(path.slice(1), { maxAge: hashed ? '365d' : 0, immutable: hashed });
    }
    const page = await pageOf(request);
    const nonce = page.embed && runsEmbed(asked) ? randomBytes(16).toString('base64url') : undefined;
    // As it was asked for: a slash that is encoded separates nothing, as the app in the browser sees it.
    const isKnown = request.tenant !== null && (await needs.isPage(asked, request.tenant));
    return (
      reply
        .code(isKnown ? 200 : 404)
        .header('Content-Security-Policy', policyOf(nonce, needs))
        // Other than the pages without the code: a window of theirs that it opens is none of its own group, and out of reach.
        .header('Cross-Origin-Opener-Policy', nonce ? 'same-origin-allow-popups' : 'same-origin')
        .header('X-Frame-Options', 'DENY')
        .header('Cache-Control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(dress(html, page, nonce, fonts))
    );
  });
}
