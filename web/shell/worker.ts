import { Workbox } from 'workbox-window';
import { screenMessages } from '../../contract/screen-messages.ts';

/** How often an open page asks for a new version. */
const ASK_MS = 60 * 60_000;

/** How long after a registration that failed the next is tried, and how many are. */
const RETRY_MS = 20_000;
const MOST_TRIES = 5;

/**
 * Registers the service worker (NAV-07): the app opens without a network, and says when there is a new version. Pages
 * are reloaded only when their user agrees. People stay in one document for hours, so what fails is tried again.
 */
export async function startWorker(): Promise<void> {
  for (let tries = 1; !(await isStarted()); tries++) {
    if (tries === MOST_TRIES) return;
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
}

/** Registers the worker, once; answers whether there is one that can do its work. */
async function isStarted(): Promise<boolean> {
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
  // One that could not keep what it needs is given up by the browser.
  const failed = new Promise<null>((done) => {
    worker.addEventListener('redundant', () => done(null));
  });
  try {
    await worker.register({ immediate: true });
  } catch {
    return false;
  }
  const registration = await Promise.race([navigator.serviceWorker.ready, failed]);
  if (!registration) return false;
  // This page came before the worker: what it has loaded is kept, too.
  registration.active?.postMessage({
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
  return true;
}
