import { createHash } from 'node:crypto';
import { escaped } from '../../../platform/http/site.ts';

const STYLE = `:root{color-scheme:light dark}
body{margin:0;display:grid;min-height:100vh;place-items:center;font:16px/1.5 system-ui,sans-serif;background:light-dark(#f6f7f9,#131417);color:light-dark(#1b1d22,#e8e9ec)}
main{box-sizing:border-box;width:min(480px,100%);padding:24px;overflow-wrap:anywhere}
h1{font-size:24px;line-height:1.3;margin:0 0 12px}
a{display:inline-block;min-height:44px;box-sizing:border-box;margin-top:8px;padding:9px 20px;border-radius:8px;background:light-dark(#1d4ed8,#2456d6);color:#fff;font-weight:600;text-decoration:none}
a:focus-visible{outline:3px solid light-dark(#1b1d22,#fff);outline-offset:2px}`;

/** What the page may do: show its own style, inside no frame. Its address holds a code that no other site may read. */
export const HAND_OVER_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/**
 * Asks whoever comes back from a service whether they began it at the host that it connects to. A link that somebody
 * sent them leads here as well, and only the name of that host gives it away: it is all that its owner cannot choose
 * freely.
 * @param to where the browser goes on, with what the service returned
 */
export function handOverPage(service: string, to: URL): string {
  const [name, host] = [escaped(service), escaped(to.host)];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Connect ${name} to ${host}?</title><style>${STYLE}</style></head><body><main>
<h1>Connect ${name} to ${host}?</h1>
<p>You allowed access at ${name}. The company at <strong>${host}</strong> will be able to use your account there.</p>
<p>Continue only if you started this at ${host} yourself. If someone sent you a link, close this page: nothing has been connected yet.</p>
<a href="${escaped(to.href)}" rel="noreferrer">Continue to ${host}</a>
</main></body></html>`;
}
