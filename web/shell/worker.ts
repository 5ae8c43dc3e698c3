import { Workbox } from 'workbox-window';
import { screenMessages } from '../../contract/screen-messages.ts';

/** How often an open page asks for a new version. */
const ASK_MS = 60 * 60_000;

/**
 * Registers the service worker (NAV-07): the app opens without a network, and says when there is a new version. Pages
 * are reloaded only when their user agrees.
 */
export async function startWorker(): Promise<void> {
  const worker = new Workbox('/sw.js', { updateViaCache: 'none' });
  worker.addEventListener('waiting', () => {
    const reload = () => {
      worker.addEventListener('controlling', () => location.reload());
      worker.messageSkipWaiting();
    };
    void import('../ui/notifyAction.tsx').then(({ notifyAction }) =>
      notifyAction(screenMessages.newVersion, { verb: 'Reload', run: reload }, 'blue'),
    );
  });
  await worker.register({ immediate: true });
  // This page came before the worker: what it has loaded is kept, too.
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage({
    type: 'KEEP',
    assets: performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name))
      .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'))
      .map(({ pathname }) => pathname),
  });
  let asked = Date.now();
  const ask = (): void => {
    if (document.visibilityState !== 'visible' || Date.now() - asked < ASK_MS) return;
    asked = Date.now();
    void worker.update().catch(() => undefined);
  };
  document.addEventListener('visibilitychange', ask);
  setInterval(ask, ASK_MS);
}
