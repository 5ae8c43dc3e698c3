import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { type Decision, decide } from '../contract/routing.ts';
import type { Facts } from '../contract/routing-facts.ts';
import { PAGES, type PageRow } from '../contract/routing-pages.ts';
import { loadFacts } from './api/user.ts';
import { needsOwnDocument } from './brand/embed.ts';
import { accessOptionsQuery } from './features/access/options.ts';
import { ErrorPage } from './features/shell/ErrorPage.tsx';
import { FramePending } from './features/shell/FramePending.tsx';
import { NotFoundPage } from './features/shell/NotFoundPage.tsx';
import { PendingPage } from './features/shell/PendingPage.tsx';
import type { PlannedId } from './features/shell/PlannedPage.tsx';
import { Planned, pageOf } from './pages.tsx';
import { withinTime } from './ui/chunk.ts';

interface RouterContext {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ preload }) => {
    // The address bar is there already: what the server is asked for is what it judges by.
    if (preload || !needsOwnDocument(window.location.pathname)) return;
    window.location.reload();
    // The document ends with this; nothing of the next page may show in it.
    await new Promise(() => undefined);
  },
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

const frame = lazyRouteComponent(() => withinTime(() => import('./features/shell/Frame.tsx')));

/** Around every page with the sidebar, and around the 404 page of somebody who is signed in. */
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

/** `/integrations/{id}` as the router writes it: `/integrations/$id`. */
const routerPath = (path: string): string =>
  path.replace(/\{(\w+)\?\}/g, '{-$$$1}').replace(/\{(\w+)\}/g, '$$$1');

/** Asks the table, and leads on where it says so. */
async function ask(
  queryClient: QueryClient,
  location: { pathname: string; href: string },
  { guard, rules, to: leadsTo }: Pick<PageRow, 'guard' | 'rules' | 'to'>,
): Promise<Decision> {
  // A page for everybody asks nothing about who it is: a session that is over does not stand in its way.
  const facts: Facts =
    guard === 'public' && !rules && !leadsTo
      ? { user: null, setup: null }
      : { ...(await loadFacts(queryClient)) };
  if (!facts.user && rules?.includes('registerOpen')) {
    facts.isRegisterAccount =
      (await queryClient.ensureQueryData(accessOptionsQuery)).isRegisterAccount === 'T';
  }
  const answer = decide(location.pathname, facts);
  if (answer.kind !== 'redirect') return answer;
  // The login leads back to the whole address, its query included.
  const [to = '/', query] = answer.to.split('?');
  const search = query ? { next: location.href } : {};
  throw redirect({ to, search: search as never, replace: true });
}

const Blank = () => <main aria-busy="true" />;

/** One route for an address of the table; which page it shows, the table decides. */
function routeOf(path: string, page: Pick<PageRow, 'layout' | 'guard' | 'rules' | 'to'>) {
  const { layout } = page;
  const route = createRoute({
    getParentRoute: () => (layout === 'frame' ? framed : root),
    path,
    beforeLoad: async ({ context, location }) => ({
      decision: await ask(context.queryClient, location, page),
    }),
    loader: async ({ context: { decision } }) => {
      if (decision.kind === 'page') await (pageOf(decision.page) ?? Planned).preload?.();
    },
    // A page without the frame comes at once or not at all; rows would only flicker there.
    ...(layout === 'bare' ? { pendingComponent: Blank } : {}),
    component: function Shown() {
      const { decision } = route.useRouteContext() as { decision: Decision };
      if (decision.kind !== 'page') return <NotFoundPage />;
      const Page = pageOf(decision.page);
      return Page ? <Page /> : <Planned id={decision.page as PlannedId} />;
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
  // What no address of the table matches: the 404 page, in the frame for who is signed in.
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
