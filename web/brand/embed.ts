import { runsEmbed } from '../../contract/routing/routing.ts';

/** The tenant's code for pages on its own host, as embedded in the page. */
interface EmbeddedCode {
  place: 'head' | 'body' | 'footer';
  code: string;
}

/** Whether this is a view, with another user behind it (web/api/session.ts). */
const isViewing = (): boolean => {
  try {
    return localStorage.getItem('original_user') !== null;
  } catch {
    return false; // If storage is forbidden, only the server's answer counts.
  }
};

/**
 * How this document relates to the tenant's embed code: it runs here, it is kept out, or there is none. Known once
 * `placeEmbed` has checked.
 */
let here: 'runs' | 'away' | 'none' = 'none';

/**
 * Inserts the tenant's embed code into the page (spec product 2: head, body or footer), once. The server includes it
 * only on an agency's own host and never in view mode; this checks again, so that no tenant's code runs alongside the
 * session of a user who views the product as another. It is parsed by the browser separately, so that an unclosed tag
 * cannot swallow the page. A view starts and ends with a full page load, so it never finds the code running.
 */
export function placeEmbed(viewing: () => boolean = isViewing): void {
  const source = document.getElementById('embed');
  if (!source || viewing()) return;
  here = source.textContent ? 'runs' : 'away';
  if (here === 'away') return;
  const { nonce = '' } = source;
  const code = JSON.parse(source.textContent ?? '') as EmbeddedCode;
  source.remove();
  const run = () => insert(code, nonce);
  // A worker from before there was such code could be made to change other pages, whether or not it has this one. If it
  // cannot be ended now, the next page tries again.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (workers) void endWorkers(workers).then((ended) => ended && run());
  else run();
}

/**
 * Ends the service worker before code of others runs on this host, and tells whether it has ended: no page that opens from
 * now on gets what it has kept, which the next worker deletes. It may be ending itself at the same time (/sw.js of this
 * host), so only what is left counts.
 */
async function endWorkers(workers: ServiceWorkerContainer): Promise<boolean> {
  // Where the browser forbids workers, there are none.
  const registered = () => workers.getRegistrations().catch(() => []);
  for (const one of await registered()) await one.unregister().catch(() => false);
  return (await registered()).length === 0;
}

function insert(code: EmbeddedCode, nonce: string): void {
  const place = document.createRange();
  place.selectNode(document.body);
  const part = place.createContextualFragment(code.code);
  for (const script of part.querySelectorAll('script')) script.nonce = nonce;
  if (code.place === 'head') document.head.append(part);
  else if (code.place === 'body') document.body.prepend(part);
  else document.body.append(part);
}

/** Whether this host has embed code, on this page or on others. */
export const hasEmbed = (): boolean => here !== 'none';

/**
 * Whether an address needs its own document: code that has run in a document stays in it, so getting from there to
 * a page that is kept free of it (contract/routing/routing.ts), or the other way around, requires a full page load.
 */
export function needsOwnDocument(path: string): boolean {
  return here !== 'none' && runsEmbed(path) !== (here === 'runs');
}
