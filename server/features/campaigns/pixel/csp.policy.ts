/** A content security policy: its directives by name, in their order. */
type Policy = Map<string, string[]>;

/** What a policy is asked for. */
export interface Wanted {
  /** The origin of the page. */
  self: string;
  /** The address of the script. */
  script: string;
  /** The nonce of its element, if it has one. */
  nonce?: string | undefined;
  /** Where its events go. */
  collector: string;
  /** Another script loads it, which a policy with `strict-dynamic` lets do so. */
  isLoaded?: boolean;
}

/** What is read of a page's policies: a stranger can put thousands on a page, and each could add lines to the answer. */
const MOST_TEXT = 32_768;
const MOST_POLICIES = 10;

/** The policies of headers and meta elements: several are separated by commas, and all have to allow a thing. */
function policiesOf(texts: readonly string[]): Policy[] {
  return texts
    .join(',')
    .slice(0, MOST_TEXT)
    .split(',')
    .map((one) => {
      const policy: Policy = new Map();
      for (const part of one.split(';')) {
        const [name = '', ...sources] = part.trim().split(/\s+/);
        // The first directive of a name counts.
        if (name && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources);
      }
      return policy;
    })
    .filter((policy) => policy.size > 0)
    .slice(0, MOST_POLICIES);
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** Whether a source expression (CSP 3, 6.7.2) allows an address. */
function isAllowedBy(source: string, url: URL, page: URL | null): boolean {
  const text = source.toLowerCase();
  if (text === '*') return /^https?:$/.test(url.protocol);
  if (text === "'self'") return page !== null && (url.origin === page.origin || isSecured(page, url));
  if (/^[a-z][a-z0-9+.-]*:$/.test(text))
    return text === url.protocol || (text === 'http:' && url.protocol === 'https:');
  if (text.startsWith("'")) return false;
  const [, scheme, host = '', port, path] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_.-]+)(?::(\d+|\*))?(\/.*)?$/.exec(text) ?? [];
  if (!host) return false;
  const wanted = `${scheme ?? page?.protocol.slice(0, -1) ?? 'https'}:`;
  if (wanted !== url.protocol && !(wanted === 'http:' && url.protocol === 'https:')) return false;
  const isHost =
    host === '*' || (host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host);
  if (!isHost) return false;
  const defaults = url.protocol === 'https:' ? '443' : '80';
  if (
    port
      ? port !== '*' && port !== portOf(url) && !(port === '80' && portOf(url) === '443')
      : portOf(url) !== defaults
  )
    return false;
  if (!path || path === '/') return true;
  const at = url.pathname.toLowerCase();
  return path.endsWith('/') ? at.startsWith(path) : at === path;
}

/** The same host, once by http and once by https. */
const isSecured = (page: URL, url: URL): boolean =>
  page.hostname === url.hostname &&
  page.protocol === 'http:' &&
  url.protocol === 'https:' &&
  !page.port &&
  !url.port;

const allows = (sources: string[], address: string, self: string): boolean => {
  const url = URL.parse(address);
  const page = URL.parse(self);
  return url !== null && sources.some((source) => isAllowedBy(source, url, page));
};

function allowsScript(sources: string[], { script, nonce, isLoaded, self }: Wanted): boolean {
  const lower = sources.map((source) => source.toLowerCase());
  if (nonce && sources.includes(`'nonce-${nonce}'`)) return true;
  if (lower.includes("'strict-dynamic'")) return isLoaded ?? false;
  return allows(sources, script, self);
}

/** What has to change in a page's policies. */
export interface Changes {
  /** Directives, each as a whole with what it needs added. */
  lines: string[];
  /** Hosts do not count there: the tag itself needs the page's nonce. */
  isNonceMissing: boolean;
}

/**
 * What to change so that a page's policies let the pixel load and send; nothing if they do already. Where a policy has no
 * directive of its own for it, the line to add repeats what its default allows.
 */
export function changesFor(policies: readonly string[], wanted: Wanted): Changes {
  const lines = new Set<string>();
  let isNonceMissing = false;
  const origin = (address: string): string => URL.parse(address)?.origin ?? address;
  for (const policy of policiesOf(policies)) {
    const scriptName = ['script-src-elem', 'script-src', 'default-src'].find((name) => policy.has(name));
    const sources = (scriptName && policy.get(scriptName)) || [];
    if (scriptName && !allowsScript(sources, wanted)) {
      if (sources.some((source) => source.toLowerCase() === "'strict-dynamic'")) isNonceMissing = true;
      else
        lines.add(
          withSource(
            scriptName === 'default-src' ? 'script-src' : scriptName,
            sources,
            origin(wanted.script),
          ),
        );
    }
    const connectName = ['connect-src', 'default-src'].find((name) => policy.has(name));
    if (connectName && !allows(policy.get(connectName)!, wanted.collector, wanted.self))
      lines.add(withSource('connect-src', policy.get(connectName)!, origin(wanted.collector)));
    const sandbox = policy.get('sandbox');
    if (sandbox && !sandbox.some((one) => one.toLowerCase() === 'allow-scripts'))
      lines.add(['sandbox', ...sandbox, 'allow-scripts'].join(' '));
  }
  return { lines: [...lines], isNonceMissing };
}

function withSource(name: string, sources: string[], origin: string): string {
  const kept = sources.filter((source) => source.toLowerCase() !== "'none'");
  return [name, ...kept, origin].join(' ');
}
