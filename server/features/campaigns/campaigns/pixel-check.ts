import { Refusal } from '../../../../contract/errors.ts';
import { messages } from '../../../../contract/messages.ts';
import type { LimitRule } from '../../../platform/limits.ts';
import { type Outbound, type OutboundAnswer, OutboundError } from '../../../platform/outbound.ts';

/** The result of checking a page: `detail` is the cause as a code, `message` puts it into words. */
export interface PageCheck {
  result: 'found' | 'not_found';
  detail:
    | 'tag'
    | 'tag_manager'
    | 'status'
    | 'other_host'
    | 'comment'
    | 'curly_quotes'
    | 'other_key'
    | 'no_tag_in_manager'
    | 'missing';
  message: string;
}

/** A check makes this server fetch a third-party page: this many per hour and user, then with pauses. */
export const LOOKS: LimitRule = { name: 'pixel-check', max: 30, base: 60, cap: 900, window: 3600 };

const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
const CHALLENGE_TITLES = [
  'just a moment',
  'attention required',
  'access denied',
  'verifying you are human',
  'ddos-guard',
];
const CHALLENGE_MARKS =
  /_cf_chl_opt|cdn-cgi\/challenge-platform\/h\/|captcha-delivery\.com|_Incapsula_Resource|px-captcha/i;

/** Whether a page is a bot filter's challenge instead of the page that was requested. */
function isChallenge(html: string): boolean {
  const [, title = ''] = /<title>([^<]{0,200})/i.exec(html) ?? [];
  const words = title.trim().toLowerCase();
  return CHALLENGE_TITLES.some((one) => words.startsWith(one)) || CHALLENGE_MARKS.test(html);
}

/**
 * Fetches a page and looks for the visitor script of one site key (spec calls 8, embed-code check): in its script tags,
 * then in the tag managers that it loads. At most 2 MB and 3 redirects, never a private address. `hosts`: where the
 * script may come from; empty: anywhere. Throws Refusal 'blocked' (504) if the page cannot be read.
 */
export async function checkPage(look: {
  siteUrl: string;
  siteKey: string;
  hosts?: string[];
  outbound: Outbound;
}): Promise<PageCheck> {
  const page = await read(look.outbound, look.siteUrl);
  if (page.status >= 300) {
    return {
      result: 'not_found',
      detail: 'status',
      message: `The page responded with ${page.status}. Check the address of the site.`,
    };
  }
  const html = page.body.toString('utf8');
  const found = inPage(html, look) ?? (await inTagManagers(html, look));
  if (found.detail === 'missing' && page.truncated)
    return {
      ...found,
      message: 'The tag is not in the first 2 MB of the page. Add it to the head of the page.',
    };
  return found;
}

async function read(outbound: Outbound, url: string): Promise<OutboundAnswer> {
  let page: OutboundAnswer;
  try {
    page = await outbound.fetch(url, {
      plainHttp: true,
      redirects: 3,
      maxBytes: 2 * 1024 * 1024,
      headers: {
        'user-agent': USER_AGENT,
        accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
        'accept-language': 'en-US,en;q=0.9',
        'accept-encoding': 'identity',
      },
    });
  } catch (error) {
    if (error instanceof OutboundError) throw new Refusal('blocked', messages.crawlBlocked);
    throw error;
  }
  const challenged =
    page.headers['cf-mitigated'] === 'challenge' || isChallenge(page.body.toString('utf8', 0, 100_000));
  if ([401, 403, 407, 429].includes(page.status) || page.status >= 500 || challenged) {
    throw new Refusal('blocked', messages.crawlBlocked);
  }
  return page;
}

/** `/p/v1/<key>.js`, its slashes possibly escaped as in a script's string; group 1 is the key. */
const SCRIPT_PATH = /\\?\/p\\?\/v1\\?\/([a-z0-9]{8,40})\.js/gi;
/** The maximum length of a host name with its port. */
const HOST_LENGTH = 259;

function inPage(
  html: string,
  { siteKey, hosts = [] }: { siteKey: string; hosts?: string[] },
): PageCheck | undefined {
  const no = (detail: PageCheck['detail'], message: string): PageCheck => ({
    result: 'not_found',
    detail,
    message,
  });
  const { scripts, comments } = partsOf(html);
  const loaded = scripts.flatMap(({ attributes, body }) => {
    const source = /(?:^|\s)src\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>“”„‘’″][^\s"'>]*))/i.exec(attributes);
    return addresses(source ? (source[1] ?? source[2] ?? source[3] ?? '') : withoutComments(body));
  });
  const ours = loaded.filter((address) => address.key === siteKey);
  const rightHost = ours.filter(
    ({ host }) => hosts.length === 0 || (host !== undefined && hosts.includes(host)),
  );
  if (rightHost.length) return { result: 'found', detail: 'tag', message: 'The tag is on the page.' };
  if (ours.length) {
    return no(
      'other_host',
      `The page has the tag but loads it from ${ours[0]!.host ?? 'the site itself'}. Copy the tag again.`,
    );
  }
  if (addresses(comments).some(({ key }) => key === siteKey)) {
    return no('comment', 'The tag is on the page but inside an HTML comment, so browsers skip it.');
  }
  const stray = addresses(html).filter(({ key }) => key === siteKey);
  if (stray.length && /[“”„‘’″]/.test(html)) {
    return no(
      'curly_quotes',
      'The tag is on the page, but its quotation marks were changed to curly ones. Paste it as plain text.',
    );
  }
  if (loaded.length) {
    return no(
      'other_key',
      'The page has a tag, but it belongs to another campaign. Copy the tag of this campaign.',
    );
  }
  return undefined;
}

function addresses(text: string): { host: string | undefined; key: string }[] {
  return [...text.matchAll(SCRIPT_PATH)].map(({ index, 1: key }) => ({
    host: hostBefore(text, index),
    key: key!,
  }));
}

/** The host of an address whose path begins at `end`: the text between it and two slashes, possibly escaped. */
function hostBefore(text: string, end: number): string | undefined {
  const before = text.slice(Math.max(0, end - HOST_LENGTH - 4), end);
  const slash = before.lastIndexOf('/');
  const host = before.slice(slash + 1);
  const isAfterTwo =
    slash > 0 && (before[slash - 1] === '/' || (before[slash - 1] === '\\' && before[slash - 2] === '/'));
  return isAfterTwo && /^[a-z0-9.-]+(:\d{1,5})?$/i.test(host) ? host.toLowerCase() : undefined;
}

const withoutComments = (script: string): string =>
  script.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '').replace(/^[ \t]*\/\/.*$/gm, '');

/**
 * The script elements and comments of a page, in one pass from front to end: the page is not trusted, and an expression
 * that looks back could be made to run for hours.
 */
function partsOf(html: string): { scripts: { attributes: string; body: string }[]; comments: string } {
  const lower = html.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const until = (text: string, from: number) => {
    const at = lower.indexOf(text, from);
    return at < 0 ? html.length : at;
  };
  const scripts: { attributes: string; body: string }[] = [];
  let comments = '';
  for (let at = until('<', 0); at < html.length; at = until('<', at)) {
    if (lower.startsWith('<!--', at)) {
      const end = until('-->', at + 4);
      comments += `${html.slice(at + 4, end)}\n`;
      at = end;
    } else if (/^<script[\s/>]$/.test(lower.slice(at, at + 8))) {
      const close = tagEnd(html, at + 7);
      const end = until('</script', close);
      scripts.push({ attributes: html.slice(at + 7, close), body: html.slice(close + 1, end) });
      at = end + 1;
    } else {
      at++;
    }
  }
  return { scripts, comments };
}

/** The position of a tag's `>`, ignoring those inside quotation marks. */
function tagEnd(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < html.length; at++) {
    const letter = html[at]!;
    if (quote) quote = letter === quote ? '' : quote;
    else if (letter === '>') return at;
    else if (letter === '"' || letter === "'") quote = letter;
  }
  return html.length;
}

/** Tags that a manager injects never appear in the page, so its public container is read, too. */
async function inTagManagers(
  html: string,
  look: { siteKey: string; outbound: Outbound },
): Promise<PageCheck> {
  const containers = [...new Set(html.match(/\bGTM-[A-Z0-9]{4,12}\b/g) ?? [])].slice(0, 3);
  if (containers.length === 0) {
    return { result: 'not_found', detail: 'missing', message: 'The tag is not on the page.' };
  }
  const texts = await Promise.all(
    containers.map((id) =>
      look.outbound
        .fetch(`https://www.googletagmanager.com/gtm.js?id=${id}`, {
          timeoutMs: 5_000,
          maxBytes: 2 * 1024 * 1024,
          headers: { 'user-agent': USER_AGENT },
        })
        .then((answer) => (answer.status === 200 ? answer.body.toString('utf8') : ''))
        .catch(() => ''),
    ),
  );
  const names = containers.join(', ');
  if (texts.some((text) => addresses(text).some(({ key }) => key === look.siteKey))) {
    return { result: 'found', detail: 'tag_manager', message: `The tag manager ${names} loads the tag.` };
  }
  return {
    result: 'not_found',
    detail: 'no_tag_in_manager',
    message: `The tag is not on the page itself. The page has a tag manager (${names}), but the tag was not found there either.`,
  };
}
