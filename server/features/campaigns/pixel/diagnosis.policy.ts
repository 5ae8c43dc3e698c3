import type { PixelCause } from '../../../../contract/campaigns/pixel.ts';
import { type Changes, changesFor } from './csp.policy.ts';
import {
  consentLine,
  consentToolOf,
  type FoundManager,
  isAppFrame,
  MANAGERS,
  type Manager,
  managersIn,
  optimizerOf,
} from './marks.policy.ts';
import { type PageParts, partsOf, type Tag } from './page.policy.ts';

/** A page that was read or opened. */
export interface Page {
  /** The address that answered, after redirects. */
  url: string;
  status: number;
  /** The page as served, up to 2 MB. */
  html: string;
  /** There is more of it. */
  isCut: boolean;
  /** Its Content-Security-Policy headers. */
  policies: string[];
  /** What happened in a browser, if one opened it. */
  ran?: Ran | undefined;
}

/** What is known of a page. */
export interface PageFacts extends Page {
  /** The managers whose containers have the tag, as far as they could be read. */
  inManagers: { manager: Manager; container: string }[];
}

/** What happened when a browser opened a page. */
export interface Ran {
  /** The page after its scripts ran; undefined if it did not answer any more. */
  html: string | undefined;
  /** Requests for the pixel's script with our key. */
  scripts: {
    url: string;
    /** The scripts that asked for it; none if the page itself did. */
    by: string[];
    outcome: 'loaded' | 'failed' | 'waiting';
    /** Why it failed, as the browser calls it: csp, mixed-content, net::ERR_… */
    reason: string;
  }[];
  /** How many of the pixel's events with our key were sent. */
  events: number;
  /** Why the browser did not send one; empty if nothing failed. */
  eventFailure: string;
  /** The addresses of all scripts that were asked for. */
  sources: string[];
}

/** What the page is expected to have. */
export interface Expected {
  siteKey: string;
  /** The tag to paste, and the address of its script. */
  tag: string;
  script: string;
  /** Whether a host, possibly with a port, is one of ours; false where that is not known is never given. */
  isOurs: (host: string) => boolean;
  /** Whether a host is one of the campaign's sites. */
  isSite: (host: string) => boolean;
}

export interface Fix {
  label: string;
  code: string;
}

/** A cause, in words, with what to paste. */
export interface Diagnosis {
  cause: PixelCause;
  tone: 'good' | 'warn' | 'bad';
  message: string;
  fixes: Fix[];
}

const TONES: Partial<Record<PixelCause, Diagnosis['tone']>> = {
  tag: 'good',
  tag_manager: 'good',
  consent: 'warn',
  delayed: 'warn',
  duplicate: 'warn',
};

const says = (cause: PixelCause, message: string, fixes: Fix[] = []): Diagnosis => ({
  cause,
  tone: TONES[cause] ?? 'bad',
  message,
  fixes,
});

/** A host of a page in a text: what strangers choose is cut. */
const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
const hostIn = (address: string): string => URL.parse(address)?.host ?? '';

/** A script that adds the tag, for tag managers that take no HTML. */
export const loaderOf = (script: string): string =>
  `(function(d){var s=d.createElement('script');s.async=true;s.src='${script}';d.head.appendChild(s)})(document)`;

/** What to paste into a tag manager, and where. */
const inIts = (manager: Manager, { tag, script }: Expected): Fix => ({
  label: manager.place,
  code: manager.takesTag ? tag : loaderOf(script),
});

const inHead = (tag: string): Fix => ({ label: 'Paste before </head>', code: tag });

/** Names why the pixel works on a page or does not. */
export function diagnose(facts: PageFacts, expected: Expected): Diagnosis {
  if (facts.status >= 300)
    return says('status', `The page responded with ${facts.status}. Check the address of the site.`);
  const served = partsOf(facts.html);
  const now = facts.ran?.html === undefined ? served : partsOf(facts.ran.html);
  const look: Look = { facts, expected, served, now };
  const found = facts.ran ? (asRun(look, facts.ran) ?? asWritten(look)) : (asRead(look) ?? asWritten(look));
  const host = URL.parse(facts.url)?.hostname ?? '';
  if (found.tone === 'bad' || !host || expected.isSite(host)) return found;
  return says(
    'other_site',
    `The site’s address redirects to ${cut(host)}, which is not one of this campaign’s sites, so its visits are refused. Add it under Other domains.`,
    [{ label: 'Add under Other domains in the campaign’s setup', code: cut(host) }],
  );
}

interface Look {
  facts: PageFacts;
  expected: Expected;
  /** The page as served, and as it is now. */
  served: PageParts;
  now: PageParts;
}

/** Judges by what a browser did; undefined if it never asked for the script. */
function asRun(look: Look, ran: Ran): Diagnosis | undefined {
  const { expected } = look;
  const ours = ran.scripts.filter(({ url }) => expected.isOurs(hostIn(url)));
  if (ours.length === 0) {
    const [other] = ran.scripts;
    return other && otherHost(look, hostIn(other.url));
  }
  if (ran.events > 0)
    return works(
      look,
      ours.flatMap(({ by }) => by),
    );
  const loaded = ours.find(({ outcome }) => outcome === 'loaded');
  // Browsers fetch scripts ahead of time: a consent tool may have kept it from being run since.
  if (loaded && running(look.now, expected).length === 0 && heldIn(look.now, expected)) return undefined;
  if (!loaded) {
    const [{ reason, outcome }] = ours as [Ran['scripts'][number]];
    if (reason === 'csp') return policyInTheWay(look);
    if (reason === 'mixed-content') return mixedContent(expected);
    return blocked(
      expected,
      outcome === 'waiting'
        ? 'The pixel is on the page, but its script did not load in time.'
        : `The pixel is on the page, but the browser could not load its script (${cut(reason || 'blocked')}). A privacy tool, a firewall, or a script on the site is blocking it.`,
    );
  }
  if (ran.eventFailure === 'csp') return policyInTheWay(look);
  if (waits(look)) return consent(look);
  if (ofKey(look.now.tags, expected).some(({ attributes }) => attributes.has('integrity')))
    return pinned(expected);
  return blocked(
    expected,
    `The pixel is on the page and its script loads, but no event was sent${ran.eventFailure ? ` (${cut(ran.eventFailure)})` : ''}. A privacy tool or a script on the site is blocking it.`,
  );
}

/** Judges by the HTML alone; undefined if no browser would come across the tag. */
function asRead(look: Look): Diagnosis | undefined {
  const { facts, expected, served } = look;
  const live = running(served, expected);
  if (live.length === 0) return inManager(look);
  const ours = live.filter(({ host }) => host !== undefined && expected.isOurs(host));
  if (ours.length === 0) return otherHost(look, live[0]!.host ?? '');
  if (facts.url.startsWith('https:') && ours.every(({ protocol }) => protocol === 'http:'))
    return mixedContent(expected);
  if (isForbidden(look)) return policyInTheWay(look);
  if (ours.some(({ attributes }) => attributes.has('integrity'))) return pinned(expected);
  if (waits(look)) return consent(look);
  return works(look, []);
}

/** The names of the containers that have the tag. */
const containersOf = ({ facts: { inManagers } }: Look): string =>
  cut([...new Set(inManagers.map(({ container }) => container))].join(', '));

/** A container that has the tag, which no browser has opened the page to try. */
const inManager = (look: Look): Diagnosis | undefined =>
  look.facts.inManagers.length > 0
    ? says('tag_manager', `The pixel is in the tag manager (${containersOf(look)}).`)
    : undefined;

/** A browser opened the page, and the container did not load the tag that it has. */
function notFired(look: Look): Diagnosis {
  const tool = consentToolOf(textOf(look));
  const where = `The pixel is in the tag manager (${containersOf(look)}), but was not loaded when the page was opened.`;
  if (tool)
    return says(
      'consent',
      `${where} Usually, it waits for the consent banner (${tool.name}), and visitors who do not agree are not counted. If no visits arrive, check its trigger.`,
    );
  return says(
    'not_fired',
    `${where} Check its trigger, and publish the container.`,
    look.facts.inManagers.slice(0, 1).map(({ manager }) => inIts(manager, look.expected)),
  );
}

/** It works: by what, and what is worth knowing. `by`: the addresses of scripts that asked for it. */
function works(look: Look, by: string[]): Diagnosis {
  const { expected, now } = look;
  const scripts = ofKey(now.tags, expected).filter(({ as }) => as === 'script');
  const manager = MANAGERS.find(({ container }) => by.some((address) => address.match(container)));
  const isManaged = manager || by.some((address) => /\/\/www\.googletagmanager\.com\//.test(address));
  const isPasted = running(look.served, expected).length > 0;
  if (scripts.length > 1 || (isManaged && isPasted))
    return says(
      'duplicate',
      `The pixel works, but the page has it ${scripts.length > 1 ? `${scripts.length} times` : 'and a tag manager loads it too'}. Only the first counts. Remove the others.`,
      [{ label: 'Keep this once', code: expected.tag }],
    );
  if (isManaged)
    return says(
      'tag_manager',
      `The tag manager ${manager?.name ?? 'Google Tag Manager'} loads the pixel, and it works.`,
    );
  const held = heldIn(look.served, expected);
  if (held && optimizerOf(wordsOfTag(held))) return delayed(look, held);
  // Where the visitor is, the banner may not ask.
  if (held && consentToolOf(wordsOfTag(held))) return consent(look, held);
  return says(
    'tag',
    look.facts.ran ? 'The pixel is on the page, and it works.' : 'The pixel is on the page.',
  );
}

/** Why the script was never asked for. */
function asWritten(look: Look): Diagnosis {
  const { facts, expected, served, now } = look;
  const tag = inHead(expected.tag);
  const held = heldIn(now, expected) ?? heldIn(served, expected);
  if (held) return isConsents(held) ? consent(look, held) : delayed(look, held);
  if (facts.ran && running(served, expected).length > 0) {
    if (isForbidden(look)) return policyInTheWay(look);
    return blocked(
      expected,
      facts.ran.html === undefined
        ? 'The pixel is on the page, but other scripts on the page keep the browser busy, so it never runs.'
        : 'The pixel is on the page, but it never ran. A privacy tool or a script on the site removes it first.',
    );
  }
  if (facts.ran && running(now, expected).length > 0) return singlePage(look, 'inserted');
  if (facts.inManagers.length > 0) return notFired(look);
  if (ofKey(served.inNoscript, expected).length > 0)
    return says(
      'noscript',
      'The pixel is inside a noscript element, which browsers use only when scripts are off. Move it out.',
      [tag],
    );
  if (ofKey([...served.inComments, ...now.inComments], expected).length > 0)
    return says('comment', 'The pixel is on the page but inside an HTML comment, so browsers skip it.', [
      tag,
    ]);
  if (ofKey([...served.tags, ...now.tags], expected).some(({ as }) => as === 'data'))
    return singlePage(look, 'data');
  if (ofKey([...served.shown, ...now.shown], expected).length > 0)
    return says(
      'shown_as_text',
      'The pixel code appears on the page as text. Paste it where the editor accepts HTML, or into the head of the page.',
      [tag],
    );
  if (ofKey([...served.inCurlyQuotes, ...now.inCurlyQuotes], expected).length > 0)
    return says(
      'curly_quotes',
      'The pixel is on the page, but its quotation marks were changed to curly ones. Paste it as plain text.',
      [tag],
    );
  if ([...served.tags, ...now.tags].some(({ as }) => as === 'script' || as === 'code'))
    return says('other_key', 'The page has another campaign’s pixel. Copy this campaign’s pixel code.', [
      tag,
    ]);
  const managers = managersIn(textOf(look));
  if (managers.length > 0) return notInManager(managers, expected);
  if (isAppFrame(facts.html, served.letters)) return singlePage(look, 'absent');
  if (facts.isCut && !facts.ran)
    return says(
      'missing',
      'The pixel is not in the first 2 MB of the page. Add it to the head of the page.',
      [tag],
    );
  return says('missing', 'The pixel is not on the page.', [tag]);
}

function notInManager(managers: FoundManager[], expected: Expected): Diagnosis {
  const names = managers.map(({ manager, containers }) =>
    manager.name === 'Google Tag Manager' ? containers.join(', ') : manager.name,
  );
  return says(
    'no_tag_in_manager',
    `The pixel is not on the page itself. The page has a tag manager (${cut(names.join(', '))}), but the pixel was not found there either. If you added it there, publish the container.`,
    managers.map(({ manager }) => inIts(manager, expected)),
  );
}

/** What an app that is built in the browser does with the tag. */
const IN_APP = {
  inserted:
    'The site is an app that builds its pages in the browser and adds the pixel as content. Browsers do not run scripts that are added that way.',
  data: 'The site is an app that builds its pages in the browser and has the pixel only in its data. Browsers do not run it from there.',
  absent: 'The site is an app that builds its pages in the browser, and the pixel is not in its HTML file.',
};

function singlePage({ expected, facts }: Look, how: keyof typeof IN_APP): Diagnosis {
  const later = facts.ran
    ? ' The app does not add it later.'
    : ' We could not tell whether the app adds it later.';
  return says('single_page', `${IN_APP[how]}${how === 'absent' ? later : ''}`, [
    {
      label: 'Paste before </head> in the HTML file that the app starts from, such as index.html',
      code: expected.tag,
    },
  ]);
}

const otherHost = ({ expected }: Look, host: string): Diagnosis =>
  says(
    'other_host',
    `The page has the pixel but loads it from ${cut(host) || 'the site itself'}. Copy the pixel code again.`,
    [inHead(expected.tag)],
  );

const blocked = (expected: Expected, message: string): Diagnosis =>
  says('blocked', message, [{ label: 'Allow this address', code: expected.script }]);

const mixedContent = (expected: Expected): Diagnosis =>
  says(
    'blocked',
    'The page loads over HTTPS but the pixel over HTTP, so browsers block it as insecure. Copy the pixel code again.',
    [inHead(expected.tag)],
  );

const pinned = (expected: Expected): Diagnosis =>
  says(
    'blocked',
    'The pixel has an integrity attribute, so browsers block each new version of the script. Paste it without one.',
    [inHead(expected.tag)],
  );

const isForbidden = (look: Look): boolean => {
  const { lines, isNonceMissing } = changesOf(look);
  return isNonceMissing || lines.length > 0;
};

function changesOf({ facts, expected, served, now }: Look): Changes {
  const tag = ofKey([...served.tags, ...now.tags], expected)[0];
  const script = facts.ran?.scripts.find(({ url }) => expected.isOurs(hostIn(url)))?.url ?? expected.script;
  const origin = URL.parse(facts.url)?.origin ?? '';
  return changesFor([...facts.policies, ...served.policies], {
    self: origin,
    script,
    collector: new URL('/v', script).href,
    nonce: tag?.attributes.get('nonce'),
    isLoaded: tag?.as === 'code' || (facts.ran?.scripts.some(({ by }) => by.length > 0) ?? false),
  });
}

function policyInTheWay(look: Look): Diagnosis {
  const { expected } = look;
  const { origin } = new URL(expected.script);
  const { lines, isNonceMissing } = changesOf(look);
  // What is only known from the browser is not in a policy that can be read.
  const needed = isForbidden(look) ? lines : [`script-src ${origin}`, `connect-src ${origin}`];
  return says(
    'csp',
    isNonceMissing
      ? 'The site’s Content-Security-Policy only runs scripts with its nonce, and the pixel has none.'
      : 'The pixel is on the page, but the site’s Content-Security-Policy does not allow it.',
    [
      ...(isNonceMissing
        ? [
            {
              label: 'Paste with the nonce your server creates for each page',
              code: expected.tag.replace('<script ', '<script nonce="NONCE" '),
            },
          ]
        : []),
      ...needed.map((line) => ({
        label: `Set ${line.split(' ')[0]} in the Content-Security-Policy to this`,
        code: line,
      })),
    ],
  );
}

/** Whether the pixel was set to wait for consent. */
function waits({ facts, expected, served, now }: Look): boolean {
  const tags = ofKey([...served.tags, ...now.tags], expected);
  return (
    tags.some(({ attributes }) => attributes.get('data-consent') === 'wait') ||
    /leadConsent\s{0,9}=\s{0,9}["']wait/.test(facts.html)
  );
}

const wordsOfTag = ({ attributes }: Tag): string =>
  [...attributes].map(([name, value]) => `${name}=${value}`).join(' ');

/** Whether a tag that does not run is held for consent; if not, an optimizer holds it. */
const isConsents = (held: Tag): boolean =>
  optimizerOf(wordsOfTag(held)) === undefined || consentToolOf(wordsOfTag(held)) !== undefined;

/** Everything of a page that may name the tools it has. */
const textOf = ({ facts: { html, ran }, served }: Look): string =>
  [html, ran?.html ?? '', ...served.sources, ...(ran?.sources ?? [])].join('\n');

function consent(look: Look, held?: Tag): Diagnosis {
  const { expected } = look;
  const tool = (held && consentToolOf(wordsOfTag(held))) ?? consentToolOf(textOf(look));
  const banner = tool ? `the consent banner (${tool.name})` : 'a consent banner';
  const exempt = tool?.exempt ? ` ${tool.exempt}` : '';
  const waiting = expected.tag.replace('<script async', `<script async data-consent="wait"${exempt}`);
  if (!held)
    return says(
      'consent',
      `The pixel is on the page and waits for ${banner}. Visitors count once they agree and the banner notifies the pixel. If none arrive, add this line.`,
      [{ label: 'Add to every page, after the banner', code: consentLine(tool) }],
    );
  return says(
    'consent',
    `The pixel is on the page, but ${banner} holds it until the visitor agrees. Visitors who do not agree are not counted. If none arrive, let the pixel wait for consent itself.`,
    [
      { label: 'Replace the pixel with', code: waiting },
      { label: 'Add to every page, after the banner', code: consentLine(tool) },
    ],
  );
}

function delayed({ expected }: Look, held: Tag): Diagnosis {
  const name = optimizerOf(wordsOfTag(held)) ?? 'An optimizer';
  return says(
    'delayed',
    `The pixel is on the page, but ${name} delays it until the visitor moves or scrolls. Visitors who leave before then are not counted. Exclude this address from the delay.`,
    [{ label: 'Exclude from delayed scripts', code: `${new URL(expected.script).host}/p/v1/` }],
  );
}

/** A tag that is there and does not run. */
const heldIn = (parts: PageParts, expected: Expected): Tag | undefined =>
  ofKey(parts.tags, expected).find(({ as }) => as === 'held');

const ofKey = (tags: readonly Tag[], { siteKey }: Expected): Tag[] =>
  tags.filter(({ key }) => key === siteKey);

/** The tags that a browser would load the script for. */
const running = (parts: PageParts, expected: Expected): Tag[] =>
  ofKey(parts.tags, expected).filter(({ as }) => as === 'script' || as === 'code');
