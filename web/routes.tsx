import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { type Decision, decide } from '../contract/routing/routing.ts';
import type { Facts } from '../contract/routing/routing-facts.ts';
import { PAGES, type PageRow } from '../contract/routing/routing-pages.ts';
import { loadFacts } from './api/user.ts';
import { needsOwnDocument } from './brand/embed.ts';
import { accessOptionsQuery } from './features/accounts/auth/options.ts';
import { pageOf } from './pages.tsx';
import { ErrorPage } from './shell/ErrorPage.tsx';
import { FramePending } from './shell/FramePending.tsx';
import { NotFoundPage } from './shell/NotFoundPage.tsx';
import { PendingPage } from './shell/PendingPage.tsx';
import { withinTime } from './ui/chunk.ts';

interface RouterContext {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ preload }) => {
    // The address bar has already changed, and the server bases its decision on the requested address.
    if (preload || !needsOwnDocument(window.location.pathname)) return;
    window.location.reload();
    // This document is about to be replaced; nothing of the next page may appear in it.
    await new Promise(() => undefined);
  },
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

const frame = lazyRouteComponent(() => withinTime(() => import('./shell/Frame.tsx')));

/** The layout of every page with the sidebar, and of the 404 page for signed-in users. */
const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  beforeLoad: async ({ context }) => ({ facts: await loadFacts(context.queryClient) }),
  loader: async ({ context }) => {
    if (context.facts.user) await frame.preload?.();
  },
  pendingComponent: FramePending,
  component: function Framed() {
    const { facts } = framed.useRouteContext();
    const Frame = frame;
    if (facts.user) return <Frame />;
    return (
      <main>
        <Outlet />
      </main>
    );
  },
});

/** Converts `/integrations/{id}` to the router's syntax: `/integrations/$id`. */
const routerPath = (path: string): string =>
  path.replace(/\{(\w+)\?\}/g, '{-$$$1}').replace(/\{(\w+)\}/g, '$$$1');

/** Asks the table, and redirects if it says so. */
async function ask(
  queryClient: QueryClient,
  location: { pathname: string; href: string },
  { guard, rules, to: leadsTo }: Pick<PageRow, 'guard' | 'rules' | 'to'>,
): Promise<Decision> {
  // A public page does not ask who the user is, so an expired session does not get in its way.
  const facts: Facts =
    guard === 'public' && !rules && !leadsTo
      ? { user: null, setup: null }
      : { ...(await loadFacts(queryClient)) };
  if (!facts.user && rules?.includes('registerOpen')) {
    facts.registration_open =
      (await queryClient.ensureQueryData(accessOptionsQuery)).registration_open === 'T';
  }
  const answer = decide(location.pathname, facts);
  if (answer.kind !== 'redirect') return answer;
  // The login returns to the full address, including its query.
  const [to = '/', query] = answer.to.split('?');
  const search = query ? { next: location.href } : {};
  throw redirect({ to, search: search as never, replace: true });
}

const Blank = () => <main aria-busy="true" />;

/** One route for each address of the table; the table decides which page it shows. */
function routeOf(path: string, page: Pick<PageRow, 'layout' | 'guard' | 'rules' | 'to'>) {
  const { layout } = page;
  const route = createRoute({
    getParentRoute: () => (layout === 'frame' ? framed : root),
    path,
    beforeLoad: async ({ context, location }) => ({
      decision: await ask(context.queryClient, location, page),
    }),
    loader: async ({ context: { decision } }) => {
      if (decision.kind === 'page') await pageOf(decision.page)?.preload?.();
    },
    // A page without the frame appears at once or not at all; skeleton rows would only flicker there.
    ...(layout === 'bare' ? { pendingComponent: Blank } : {}),
    component: function Shown() {
      const { decision } = route.useRouteContext() as { decision: Decision };
      const Page = decision.kind === 'page' ? pageOf(decision.page) : undefined;
      return Page ? <Page /> : <NotFoundPage />;
    },
  });
  return route;
}

const addresses = new Map<string, PageRow>();
for (const page of PAGES as readonly PageRow[]) {
  for (const path of [page.path, ...(page.aliases ?? [])]) {
    if (!addresses.has(routerPath(path))) addresses.set(routerPath(path), page);
  }
}
const of = (layout: PageRow['layout']) =>
  [...addresses].filter(([, page]) => page.layout === layout).map(([path, page]) => routeOf(path, page));

const tree = root.addChildren([
  ...of('bare'),
  // For addresses that the table does not match: the 404 page, inside the frame for signed-in users.
  framed.addChildren([...of('frame'), routeOf('/$', { layout: 'frame', guard: 'protected' })]),
]);

/** The router of the app. Search parameters are plain strings, so that addresses stay readable. */
export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    caseSensitive: true,
    defaultPreload: 'intent',
    defaultPendingMs: 100,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      const text = new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
      return text && `?${text}`;
    },
  });
}
