import './ui/start.css';
import './ui/ui.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { messages } from '../contract/messages.ts';
import { SECOND_FACTOR } from '../contract/routing/routing.ts';
import { revertLanding } from '../contract/routing/routing-switch.ts';
import { screenMessages } from '../contract/screen-messages.ts';
import { api, session, transport } from './api/client.ts';
import { queryClient } from './api/query.ts';
import { BrandProvider } from './brand/BrandProvider.tsx';
import { brandQuery } from './brand/brand.ts';
import { hasEmbed, needsOwnDocument, placeEmbed } from './brand/embed.ts';
import { makeRouter } from './routes.tsx';
import { StartBoundary } from './shell/StartBoundary.tsx';
import { leaveNote, showNote } from './ui/note.ts';
import { useOverlaysWanted } from './ui/overlays.ts';

const router = makeRouter(queryClient);

// The tenant's look and the session are asked for at once, not one after the other.
void queryClient.prefetchQuery(brandQuery);
// Single sign-on makes its own request: an expired session must not end it with 'Session Ended'.
if (session.alive && location.pathname !== '/sso') session.fresh().catch(() => undefined);

transport.askWith(async (how) =>
  (await import('./features/accounts/auth/confirmIdentity.tsx')).confirmIdentity(how),
);

// A second factor has become required since the user signed in: go to its setup page, reloaded with the user's current
// state.
transport.onFactorMissing(() => {
  if (window.location.pathname !== SECOND_FACTOR) window.location.assign(SECOND_FACTOR);
});

session.onEnd((reason) => {
  // In that case, the login page is reloaded and shows the message.
  if (reason === 'ended' && needsOwnDocument('/login')) leaveNote(messages.sessionEnded);
  else if (reason === 'ended') {
    void import('./ui/confirm.tsx').then(({ alertModal }) =>
      alertModal(messages.sessionEndedTitle, messages.sessionEnded, 'Sign in'),
    );
  }
  // Users who sign in again continue where they were; users who signed out on purpose start over.
  const { pathname, search } = window.location;
  const next = reason === 'ended' && pathname !== '/login' ? { next: pathname + search } : {};
  void router
    .navigate({ to: '/login', search: next as never })
    .finally(() => queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'brand' }));
});

// The 30 minutes are up, or another tab has ended the view: continue to the user's own list, reloaded, with a message
// that says why.
session.onViewChange(() => {
  void api.setup
    .user()
    .then((own) => (own.in_view_mode ? '/' : revertLanding(own)))
    .catch(() => '/')
    .then((page) => {
      leaveNote(screenMessages.viewOver);
      location.assign(page);
    });
});
showNote();

const Overlays = lazy(() => import('./ui/Overlays.tsx'));

function LazyOverlays() {
  return useOverlaysWanted() ? (
    <Suspense fallback={null}>
      <Overlays />
    </Suspense>
  ) : null;
}

placeEmbed();
if (import.meta.env.PROD && !hasEmbed() && navigator.serviceWorker) {
  const start = () => void import('./shell/worker.ts').then(({ startWorker }) => startWorker());
  if (document.readyState === 'complete') start();
  else addEventListener('load', start);
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <StartBoundary>
        <Suspense fallback={null}>
          <BrandProvider>
            <RouterProvider router={router} />
            <LazyOverlays />
          </BrandProvider>
        </Suspense>
      </StartBoundary>
    </QueryClientProvider>
  </StrictMode>,
);
