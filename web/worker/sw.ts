import { ExpirationPlugin } from 'workbox-expiration';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { CacheFirst } from 'workbox-strategies';

// The service worker: without a network, pages open with what was kept of the app, and say that they are offline. It
// keeps no answer of the API. It is built by scripts/build.ts, which sets the version, and served only by hosts whose
// pages run no code of others (server/platform/http/site.ts): such code could change what is kept here.

declare const self: ServiceWorkerGlobalScope;
declare const __VERSION__: string;

const SHELL = 'shell';
const ASSETS = 'assets';

/** How old the kept page may be: it has the tenant's look, which may change. */
const SHELL_MS = 60 * 60_000;

/** Keeps the page that every address of the app starts with, and the files that it names. */
async function keepShell(): Promise<void> {
  const kept = await (await caches.open(SHELL)).match('/');
  if (kept && Date.now() - Date.parse(kept.headers.get('date') ?? '') < SHELL_MS) return;
  const page = await fetch('/', { credentials: 'omit', cache: 'no-cache' });
  if (!page.ok) return;
  const files = (await page.clone().text()).match(/\/assets\/[\w.-]+/g) ?? [];
  await (await caches.open(SHELL)).put('/', page);
  await keepAssets(files);
}

async function keepAssets(paths: string[]): Promise<void> {
  const cache = await caches.open(ASSETS);
  for (const path of new Set(paths)) if (!(await cache.match(path))) await cache.add(path);
}

/** Begins with nothing unless it follows a worker: what is there otherwise may have been put there by embed code. */
async function install(): Promise<void> {
  if (!self.registration.active) for (const name of [SHELL, ASSETS]) await caches.delete(name);
  await keepShell();
}
self.addEventListener('install', (event) => event.waitUntil(install()));

self.addEventListener('message', (event: ExtendableMessageEvent) => {
  const data = event.data as { type?: string; assets?: unknown } | null;
  // workbox-window asks for this when someone has agreed to reload.
  if (data?.type === 'SKIP_WAITING') void self.skipWaiting();
  if (data?.type === 'KEEP' && Array.isArray(data.assets))
    event.waitUntil(
      Promise.all([
        keepShell(),
        keepAssets(
          data.assets
            .slice(0, 200)
            .filter((path): path is string => typeof path === 'string' && /^\/assets\/[\w.-]+$/.test(path)),
        ),
      ]).catch(() => undefined),
    );
});

// A hashed file never changes.
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith('/assets/'),
  new CacheFirst({
    cacheName: ASSETS,
    plugins: [new ExpirationPlugin({ maxEntries: 400, purgeOnQuotaError: true })],
  }),
);

// The network always comes first. What is no page of the app has nothing to show without it.
registerRoute(
  new NavigationRoute(
    async ({ request }) => {
      try {
        return await fetch(request as Request);
      } catch (error) {
        const kept = await caches.match('/', { cacheName: SHELL });
        if (kept) return kept;
        throw error;
      }
    },
    { denylist: [/^\/(a|api|v|p|v1|mcp|oauth|developer\/reference)(\/|$)/, /\.\w{2,5}$/] },
  ),
);

// A new build is a new worker, though nothing else in this file may have changed.
self.addEventListener('activate', () => console.debug(`Version ${__VERSION__}`));
