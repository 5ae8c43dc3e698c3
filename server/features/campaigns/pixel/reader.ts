import { Refusal } from '../../../../contract/errors.ts';
import { messages } from '../../../../contract/messages.ts';
import { type Outbound, type OutboundAnswer, OutboundError } from '../../../platform/outbound.ts';
import type { Page, PageFacts } from './diagnosis.policy.ts';
import { isChallenge, managersIn } from './marks.policy.ts';
import { tagsIn } from './page.policy.ts';

/** How this server asks for pages: as a browser does, since sites answer others with something else. */
export const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
/** What is read of a page. */
export const MOST_HTML = 2 * 1024 * 1024;

/** A page that could not be looked at, with the words of the specification. `reason`: why, in plain words. */
export class Unreachable extends Refusal {
  readonly reason: string;
  constructor(reason: string) {
    super('blocked', messages.crawlBlocked);
    this.reason = reason;
  }
}

/** Refuses what is not an answer of the page itself. @throws Unreachable */
export function refuseBarred(status: number, headers: Record<string, string>, html: string): void {
  if (status === 401 || status === 407) throw new Unreachable('The page asks for a password.');
  if (headers['cf-mitigated'] === 'challenge' || isChallenge(html.slice(0, 100_000)))
    throw new Unreachable('The site has a bot filter that blocks us.');
  if (status === 403 || status === 429)
    throw new Unreachable(`The site blocks us (${status}). It probably has a bot filter or a firewall.`);
  if (status >= 500) throw new Unreachable(`The site’s server failed (${status}). Try again later.`);
}

/** Why an address cannot be reached, in plain words. */
export function unreachableWords({ code, message }: Pick<OutboundError, 'code' | 'message'>): string {
  return {
    refused_address: 'The address points to a private network, which we cannot check.',
    timeout: 'The site did not respond in time.',
    tls: 'The site’s certificate is not valid, so browsers show a warning.',
    dns: 'There is no site at this address: its name could not be looked up.',
    connect: 'The site could not be reached.',
    too_large: 'The site’s response headers are too large.',
    bad_url: `The address cannot be checked: it ${message}.`,
    protocol: 'The site’s response is not valid.',
  }[code];
}

/** The content policies of a response. */
export const policiesIn = (headers: Record<string, string>): string[] =>
  headers['content-security-policy']?.split('\n') ?? [];

/**
 * Reads a page: at most 2 MB and 3 redirects, never a private address.
 * @throws Unreachable (504) if the page cannot be read
 */
export async function readPage(outbound: Outbound, siteUrl: string): Promise<Page> {
  let page: OutboundAnswer;
  try {
    page = await outbound.fetch(siteUrl, {
      plainHttp: true,
      redirects: 3,
      maxBytes: MOST_HTML,
      headers: {
        'user-agent': USER_AGENT,
        accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
        'accept-language': 'en-US,en;q=0.9',
        'accept-encoding': 'identity',
      },
    });
  } catch (error) {
    if (error instanceof OutboundError) throw new Unreachable(unreachableWords(error));
    throw error;
  }
  const html = page.body.toString('utf8');
  refuseBarred(page.status, page.headers, html);
  return {
    url: page.url,
    status: page.status,
    html,
    isCut: page.truncated,
    policies: policiesIn(page.headers),
  };
}

/** What a container is made of: its main script, and others that it loads code from. */
const PARTS: Record<
  string,
  { main: (container: string) => string; more?: (text: string, container: string) => string[] }
> = {
  'Google Tag Manager': { main: (id) => `https://www.googletagmanager.com/gtm.js?id=${id}` },
  Tealium: {
    main: (place) => `https://${place}/utag.js`,
    // Each tag of a profile is its own file.
    more: (text, place) =>
      [...text.matchAll(/["']?\b(\d{1,5})["']?:\{load:/g)].map(([, id]) => `https://${place}/utag.${id}.js`),
  },
  'Adobe Tags': {
    main: (place) => `https://${place}`,
    // Custom code is its own file.
    more: (text) =>
      [...text.matchAll(/https:\/\/assets\.adobedtm\.com\/[\w./-]{1,200}-source(?:\.min)?\.js/g)].map(
        ([address]) => address,
      ),
  },
};
/** How many further scripts of a container are read. */
const MOST_PARTS = 8;

/**
 * Completes what is known of a page with the containers of its tag managers, unless the tag is on the page itself: they
 * are public scripts, and what a manager adds never appears in the page as served.
 */
export async function withManagers(outbound: Outbound, page: Page, siteKey: string): Promise<PageFacts> {
  const { html, ran } = page;
  const text = (url: string): Promise<string> =>
    outbound
      .fetch(url, { timeoutMs: 5_000, maxBytes: MOST_HTML, headers: { 'user-agent': USER_AGENT } })
      .then((answer) => (answer.status === 200 ? answer.body.toString('utf8') : ''))
      .catch(() => '');
  const hasTag = (code: string): boolean => tagsIn(code).some(({ key }) => key === siteKey);
  const isOn = ran ? ran.scripts.length > 0 : hasTag(html);
  const managers = isOn ? [] : managersIn([html, ...(ran?.sources ?? [])].join('\n'));
  const looked = managers.flatMap(({ manager, containers }) =>
    containers.map(async (container) => {
      const { main, more } = PARTS[manager.name]!;
      const code = await text(main(container));
      const others = hasTag(code) || !more ? [] : [...new Set(more(code, container))].slice(0, MOST_PARTS);
      const found = hasTag(code) || (await Promise.all(others.map(text))).some(hasTag);
      return found ? [{ manager, container }] : [];
    }),
  );
  return { ...page, inManagers: (await Promise.all(looked)).flat() };
}
