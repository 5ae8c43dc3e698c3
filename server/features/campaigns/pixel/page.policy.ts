/** A tag of the pixel as a page has it. */
export interface Tag {
  /** The host that the script comes from, with its port; undefined if the address has none. */
  host: string | undefined;
  key: string;
  /** `http:` or `https:` if the address says so. */
  protocol: string | undefined;
  /**
   * `script`: a script element loads it. `code`: a script of the page does. `held`: a script element that browsers do
   * not run, because its type is none of a script or its address is kept in another attribute; `data`: it is among
   * the data of the page.
   */
  as: 'script' | 'code' | 'held' | 'data';
  /** The attributes of its element, in lowercase. */
  attributes: ReadonlyMap<string, string>;
}

/** What the HTML of a page says about the pixel. */
export interface PageParts {
  /** Those that a browser comes across. */
  tags: Tag[];
  inComments: Tag[];
  inNoscript: Tag[];
  /** Those in curly quotation marks. */
  inCurlyQuotes: Tag[];
  /** Those that visitors read: the signs of their elements are written out. */
  shown: Tag[];
  /** The addresses of the scripts of the page, as written. */
  sources: string[];
  /** Content policies of meta elements. */
  policies: string[];
  /** How many letters a reader sees before any script has run. */
  letters: number;
}

/** `/p/v1/<key>.js`, its slashes possibly escaped as in a script's string; group 1 is the key. */
const SCRIPT_PATH = /\\?\/p\\?\/v1\\?\/([a-z0-9]{8,40})\.js/gi;
/** The maximum length of a host name with its port. */
const HOST_LENGTH = 259;
const NONE: ReadonlyMap<string, string> = new Map();
const SCRIPT_TYPES =
  /^(module|((application|text)\/(x-)?(java|ecma)script|text\/(jscript|livescript|javascript1\.[0-5]))(;.*)?|[0-9a-f]{24}-(text\/javascript|module))$/;
const DATA_TYPES =
  /^(importmap|speculationrules|application\/([a-z.+-]*json)|text\/(html|template|x-template))$/;

/** The tags whose addresses a text has, each as `as`; only those that are among the right words, if `isAmong` is given. */
export function tagsIn(
  text: string,
  as: Tag['as'] = 'code',
  isAmong: (before: string, after: string) => boolean = () => true,
): Tag[] {
  return [...text.matchAll(SCRIPT_PATH)].flatMap(({ 0: path, index, 1: key }) => {
    const end = index + path.length;
    if (!isAmong(text.slice(Math.max(0, index - HOST_LENGTH - 200), index), text.slice(end, end + 8)))
      return [];
    return [{ ...beforePath(text, index), key: key!, as, attributes: NONE }];
  });
}

/** A curly quotation mark, as it is or as editors write it. */
const CURLY = /^(?:[“”„‘’″]|&(?:[rl][sd]quo|#82(?:16|17|20|21|22|43));)/;
/** The beginning of a script element with its first sign escaped, as in text and in strings of scripts. */
const WRITTEN_OUT = ['&lt;script', '&#60;script', '&#x3c;script', '\\u003cscript'];
const isWrittenOut = (before: string): boolean => {
  const lower = before.toLowerCase();
  return WRITTEN_OUT.some((sign) => lower.includes(sign));
};

/** The host and protocol of an address whose path begins at `end`, its slashes possibly escaped. */
function beforePath(text: string, end: number): Pick<Tag, 'host' | 'protocol'> {
  const before = text.slice(Math.max(0, end - HOST_LENGTH - 16), end).replaceAll('\\/', '/');
  const slash = before.lastIndexOf('/');
  const host = before.slice(slash + 1).toLowerCase();
  if (slash < 1 || before[slash - 1] !== '/' || !/^[a-z0-9.-]+(:\d{1,5})?$/.test(host))
    return { host: undefined, protocol: undefined };
  const scheme = before.slice(0, slash - 1).toLowerCase();
  return {
    host,
    protocol: scheme.endsWith('https:') ? 'https:' : scheme.endsWith('http:') ? 'http:' : undefined,
  };
}

/** A script without its comments. Inside of a string, `/*` mostly follows a word or a sign, as in `image/*`. */
const withoutComments = (script: string): string =>
  script.replace(/(^|[\s;,{}()])\/\*[\s\S]*?(?:\*\/|$)/g, '$1').replace(/^[ \t]*\/\/.*$/gm, '');

/** Elements whose contents are text to a browser that runs scripts. */
const TEXT_ELEMENTS = new Set(['style', 'textarea', 'title', 'noscript', 'script']);

/**
 * Takes a page apart in one pass from front to end: the page is not trusted, and an expression that looks back could be
 * made to run for hours.
 */
export function partsOf(html: string): PageParts {
  const lower = html.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const until = (text: string, from: number) => {
    const at = lower.indexOf(text, from);
    return at < 0 ? html.length : at;
  };
  const tags: Tag[] = [];
  const sources: string[] = [];
  const policies: string[] = [];
  let comments = '';
  let noscripts = '';
  let letters = 0;
  for (let at = 0; at < html.length; ) {
    const open = until('<', at);
    letters += lettersIn(html, at, open);
    at = open;
    if (lower.startsWith('<!--', at)) {
      const end = until('-->', at + 4);
      comments += `${html.slice(at + 4, end)}\n`;
      at = end + 3;
      continue;
    }
    if (!/^[a-z/!?]$/.test(lower.charAt(at + 1))) {
      at++;
      continue;
    }
    const name = /^<([a-z]{4,8})[\s/>]/.exec(lower.slice(at, at + 12))?.[1] ?? '';
    const close = tagEnd(html, at + 1);
    if (!TEXT_ELEMENTS.has(name) && name !== 'meta') {
      at = close + 1;
      continue;
    }
    const attributes = attributesOf(html.slice(at + name.length + 1, close));
    if (name === 'meta') {
      if (attributes.get('http-equiv')?.toLowerCase() === 'content-security-policy')
        policies.push(attributes.get('content') ?? '');
      at = close + 1;
      continue;
    }
    const end = until(`</${name}`, close);
    const body = html.slice(close + 1, end);
    if (name === 'noscript') noscripts += `${body}\n`;
    if (name === 'script') {
      tags.push(...scriptTags(attributes, body));
      const source = attributes.get('src');
      if (source) sources.push(source);
    }
    at = end + 1;
  }
  return {
    tags,
    inComments: tagsIn(comments),
    inNoscript: tagsIn(noscripts),
    inCurlyQuotes: tagsIn(html, 'code', (_before, after) => CURLY.test(after)),
    shown: tagsIn(html, 'code', isWrittenOut),
    sources,
    policies,
    letters,
  };
}

/** How many characters between two places are more than space. */
function lettersIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > 32) count++;
  return count;
}

function scriptTags(attributes: ReadonlyMap<string, string>, body: string): Tag[] {
  const type = (attributes.get('type') ?? '').trim().toLowerCase();
  const isScript = type === '' || SCRIPT_TYPES.test(type);
  const source = attributes.get('src');
  const own = (tag: Tag): Tag => ({ ...tag, attributes });
  if (source !== undefined && !CURLY.test(source))
    return tagsIn(source, isScript ? 'script' : 'held').map(own);
  // Consent tools and optimizers move the address to an attribute that browsers do not know.
  const kept = [...attributes].flatMap(([name, value]) =>
    name.startsWith('data-') ? tagsIn(value, 'held') : [],
  );
  if (kept.length > 0 && source === undefined) return kept.map(own);
  if (source !== undefined) return [];
  if (DATA_TYPES.test(type)) return tagsIn(body, 'data').map(own);
  return tagsIn(withoutComments(body), isScript ? 'code' : 'held').map(own);
}

/** The position of a tag's `>`, ignoring those inside quotation marks, which open after a `=` only. */
function tagEnd(html: string, from: number): number {
  let before = '';
  for (let at = from; at < html.length; at++) {
    const letter = html[at]!;
    if (letter === '>') return at;
    if (before === '=' && (letter === '"' || letter === "'")) {
      const end = html.indexOf(letter, at + 1);
      if (end < 0) return html.length;
      at = end;
    }
    if (!/\s/.test(letter)) before = letter;
  }
  return html.length;
}

/** What is read of a tag's attributes. */
const MOST_ATTRIBUTES = 8_192;
const ATTRIBUTE = /([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

/** The attributes of a tag by name in lowercase; the first of a name counts, as in browsers. */
function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name, double, single, bare] of text.slice(0, MOST_ATTRIBUTES).matchAll(ATTRIBUTE)) {
    const key = name!.toLowerCase();
    if (!found.has(key)) found.set(key, (double ?? single ?? bare ?? '').replaceAll('&amp;', '&'));
  }
  return found;
}
