/** A tool that asks visitors for consent, as pages show that they have it. */
interface ConsentTool {
  name: string;
  marks: RegExp;
  /** What the tool is told by, in the tag, that this script waits for the answer by itself. */
  exempt?: string;
  /** A statement that passes the visitor's answer on; without one, the tool's own settings have to. */
  answer?: string;
}

const CONSENT_TOOLS: readonly ConsentTool[] = [
  {
    name: 'Cookiebot',
    marks: /cookiebot\.com|data-cookieconsent/i,
    exempt: 'data-cookieconsent="ignore"',
    answer:
      "for (const name of ['CookiebotOnAccept', 'CookiebotOnDecline']) addEventListener(name, () => lead('consent', Cookiebot.consent.marketing))",
  },
  {
    name: 'OneTrust',
    marks: /cookielaw\.org|optanon|onetrust/i,
    exempt: 'data-ot-ignore',
    answer:
      "addEventListener('OneTrustGroupsUpdated', (event) => lead('consent', event.detail.includes('C0004')))",
  },
  {
    name: 'CookieYes',
    marks: /cookieyes/i,
    // Its first event tells of an answer on an earlier page, its second of one on this page.
    answer:
      "document.addEventListener('cookieyes_banner_load', (event) => lead('consent', event.detail.categories.advertisement));document.addEventListener('cookieyes_consent_update', (event) => lead('consent', event.detail.accepted.includes('advertisement')))",
  },
  {
    name: 'Osano',
    marks: /cmp\.osano\.com|data-osano/i,
    exempt: 'data-osano="ESSENTIAL"',
    answer:
      "for (const name of ['osano-cm-initialized', 'osano-cm-consent-saved']) Osano.cm.addEventListener(name, (consent) => lead('consent', consent.MARKETING === 'ACCEPT'))",
  },
  { name: 'Usercentrics', marks: /usercentrics/i, exempt: 'data-uc-allowed="true"' },
  { name: 'Didomi', marks: /didomi/i },
  { name: 'Termly', marks: /termly\.io/i },
  { name: 'iubenda', marks: /iubenda|_iub_cs/i },
  { name: 'Complianz', marks: /complianz|cmplz/i },
  { name: 'TrustArc', marks: /trustarc|trustecm/i },
  { name: 'Borlabs Cookie', marks: /borlabs-cookie/i },
  { name: 'Klaro', marks: /\bklaro/i },
];

/** The consent tool that a text shows signs of. */
export const consentToolOf = (text: string): ConsentTool | undefined =>
  CONSENT_TOOLS.find(({ marks }) => marks.test(text));

/** What lets commands be given before the script has arrived (pixel/README.md). */
const QUEUE = 'window.lead=window.lead||function(){(lead.q=lead.q||[]).push(arguments)}';

/** A script that passes the visitor's answer to the pixel. */
export const consentLine = (tool: ConsentTool | undefined): string =>
  `<script>${QUEUE};${tool?.answer ?? "/* once the visitor agrees: */ lead('consent', true)"}</script>`;

/** Optimizers that hold scripts back until the visitor does something, by what they make of a script's element. */
const OPTIMIZERS: readonly (readonly [name: string, marks: RegExp])[] = [
  ['WP Rocket', /rocketlazyloadscript|data-rocket-(?:src|type)/i],
  ['LiteSpeed Cache', /litespeed\/javascript/i],
  ['Perfmatters', /pmdelayedscript/i],
  ['Flying Scripts', /flying-scripts/i],
  ['Autoptimize', /data-ao-|aolazy/i],
];
export const optimizerOf = (text: string): string | undefined =>
  OPTIMIZERS.find(([, marks]) => marks.test(text))?.[0];

/** A tag manager, and how the pixel is put into it. */
export interface Manager {
  name: string;
  /** Where in the manager the code goes. */
  place: string;
  /** Whether it takes the tag itself; otherwise a script that adds it. */
  takesTag: boolean;
  /** The address of a container in the text of a page, or of a script that a browser loaded; group 1 tells which. */
  container: RegExp;
}

export const MANAGERS: readonly Manager[] = [
  {
    name: 'Google Tag Manager',
    place: 'In Google Tag Manager: a Custom HTML tag with the trigger All Pages',
    takesTag: true,
    container: /\b(GTM-[A-Z0-9]{4,12})\b/g,
  },
  {
    name: 'Tealium',
    place: 'In Tealium iQ: a JavaScript Code extension with the scope DOM Ready',
    takesTag: false,
    container:
      /\/\/(tags\.tiqcdn\.com\/utag\/[\w.-]{1,80}\/[\w.-]{1,80}\/[\w.-]{1,40})\/utag\.(?:sync\.)?js/g,
  },
  {
    name: 'Adobe Tags',
    place: 'In Adobe Tags: a rule with the event Library Loaded and the action Core, Custom Code, JavaScript',
    takesTag: false,
    container: /\/\/(assets\.adobedtm\.com\/[\w./-]{1,300}\.js)/g,
  },
];

/** Tag managers of a page, each with its containers. */
export interface FoundManager {
  manager: Manager;
  /** As the manager names them, at most three. */
  containers: string[];
}

/** The tag managers that a text loads. */
export const managersIn = (text: string): FoundManager[] =>
  MANAGERS.flatMap((manager) => {
    const found = new Set<string>();
    for (const [, which] of text.matchAll(manager.container)) {
      found.add(which!);
      if (found.size === 3) break;
    }
    return found.size ? [{ manager, containers: [...found] }] : [];
  });

/** Where apps that are built in the browser have their place in a page. */
const MOUNTS = /\sid=["']?(?:root|app|__next|__nuxt|___gatsby|q-app|svelte)["'\s>]|<app-root[\s>]/i;
/** Fewer letters than any page with contents of its own. */
const FEW_LETTERS = 400;

/** Whether a page, as served, is only the frame of an app that a script builds. */
export const isAppFrame = (html: string, letters: number): boolean =>
  letters < FEW_LETTERS && MOUNTS.test(html);

/** How the pages begin their titles that bot filters show instead of the page. */
const CHALLENGE_TITLES = ['just a moment...', 'attention required! | cloudflare', 'ddos-guard'];
/** What only those pages have; ordinary pages behind a filter have its other scripts. */
const CHALLENGE_MARKS = /_cf_chl_opt|Incapsula incident ID|captcha-delivery\.com\/captcha|id=["']px-captcha/i;

/** Whether a page is a bot filter's challenge instead of the page that was requested. */
export function isChallenge(html: string): boolean {
  const [, title = ''] = /<title>([^<]{0,200})/i.exec(html) ?? [];
  const words = title.trim().toLowerCase();
  return CHALLENGE_TITLES.some((one) => words.startsWith(one)) || CHALLENGE_MARKS.test(html);
}
