import { runsEmbed } from '../../contract/routing.ts';

/** Code of the tenant for the pages of its own host, as the page carries it. */
interface EmbeddedCode {
  placeEmbedded: 'head' | 'body' | 'footer';
  embeddedcode: string;
}

/** Whether somebody is behind a view (web/api/session.ts). */
const isViewing = (): boolean => {
  try {
    return localStorage.getItem('original_user') !== null;
  } catch {
    return false; // Where storage is forbidden, the server's word stands alone.
  }
};

/**
 * What this document is to the tenant's embed code: it runs here, it is kept out of here, or there is none. Known once
 * `placeEmbed` has looked.
 */
let here: 'runs' | 'away' | 'none' = 'none';

/**
 * Puts the tenant's embed code into the page (spec product 2: head, body or footer), once. The server sends it along on
 * an agency's own host only and never in view mode; this looks again, so that nobody's code runs beside the session of
 * somebody who looks at the product as another. Taken apart by the browser on its own, so that a tag left open cannot
 * swallow the page. A view begins and ends with a new load of the page, so it never finds the code running.
 */
export function placeEmbed(viewing: () => boolean = isViewing): void {
  const source = document.getElementById('embed');
  if (!source || viewing()) return;
  here = source.textContent ? 'runs' : 'away';
  if (here === 'away') return;
  const { nonce } = source;
  const code = JSON.parse(source.textContent ?? '') as EmbeddedCode;
  source.remove();
  const place = document.createRange();
  place.selectNode(document.body);
  const part = place.createContextualFragment(code.embeddedcode);
  for (const script of part.querySelectorAll('script')) script.nonce = nonce;
  if (code.placeEmbedded === 'head') document.head.append(part);
  else if (code.placeEmbedded === 'body') document.body.prepend(part);
  else document.body.append(part);
}

/**
 * Whether an address needs a document of its own: code that has once run in one stays in it, so nobody may get from there
 * to a page that is kept free of it (contract/routing.ts) without loading that anew, nor the other way round.
 */
export function needsOwnDocument(path: string): boolean {
  return here !== 'none' && runsEmbed(path) !== (here === 'runs');
}
