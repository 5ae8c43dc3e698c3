import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound, OutboundError } from '../../../platform/outbound.ts';
import { KEY, pixelPages } from '../../../test/pixel-pages.ts';
import { diagnose } from './diagnosis.policy.ts';
import { readPage, Unreachable, withManagers } from './reader.ts';

const AGENCY = 'https://leads.acme.test';
const script = `${AGENCY}/p/v1/${KEY}.js`;
const tag = `<script async src="${script}"></script>`;

/** What the site answers by path, besides the pages of every fault. */
const more: Record<
  string,
  { status?: number; headers?: Record<string, string | string[]>; html?: string; hang?: boolean }
> = {
  '/challenge': { html: '<html><head><title>Just a moment...</title></head></html>' },
  '/mitigated': { status: 200, headers: { 'cf-mitigated': 'challenge' }, html: '' },
  '/hop': { status: 302, headers: { location: '/tag' } },
  '/loop': { status: 302, headers: { location: '/loop' } },
  '/inside': { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
  ...Object.fromEntries(
    [
      'http://2130706433/',
      'http://0177.0.0.1/',
      'http://0x7f.1/',
      'http://[::ffff:127.0.0.1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://169.254.169.254/latest/meta-data/',
      'https://user:secret@93.184.215.14/',
      'https://93.184.215.14:22/',
      'http://93.184.215.14:8080/',
      'https://rebound.test/',
      'ftp://93.184.215.14/',
      'file:///etc/passwd',
      '//127.0.0.1/',
      'http://',
    ].map((location, i) => [`/inside-${i}`, { status: 302, headers: { location } }]),
  ),
  '/gtm-many': {
    html: ['GTM-AAAA1', 'GTM-AAAA2', 'GTM-AAAA3', 'GTM-AAAA4', 'GTM-AAAA1']
      .map((id) => `<!-- ${id} -->`)
      .join(''),
  },
  '/two-policies': {
    headers: { 'content-security-policy': [`script-src ${AGENCY} 'self'`, "script-src 'self'"] },
    html: tag,
  },
  '/big': { html: `${' '.repeat(3 * 1024 * 1024)}${tag}` },
  '/hang': { hang: true },
  ...Object.fromEntries([401, 403, 429, 500, 503].map((status) => [`/${status}`, { status, html: '' }])),
};

let server: Server;
let site: string;
let outbound: Outbound;
let agent: string | undefined;
let pages: ReturnType<typeof pixelPages>;

beforeAll(async () => {
  server = createServer((request, reply) => {
    agent = request.headers['user-agent'];
    const found = more[request.url!] ?? pages[request.url!];
    if (more[request.url!]?.hang) return;
    reply
      .writeHead(found ? (found.status ?? 200) : 404, { 'content-type': 'text/html', ...found?.headers })
      .end(found?.html ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  site = `http://shop.localhost:${port}`;
  pages = pixelPages(AGENCY, site);
  const real = createOutbound({ allow: [`shop.localhost:${port}`], resolve: async () => ['127.0.0.1'] });
  outbound = {
    ...real,
    // The hanging page's timeout is shortened, so that the test need not wait; tag managers cannot be reached.
    fetch: (url, request) => real.fetch(url, { ...request, timeoutMs: url.endsWith('/hang') ? 200 : 5_000 }),
  };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const check = async (path: string, at = { site, outbound }) =>
  diagnose(await withManagers(at.outbound, await readPage(at.outbound, at.site + path), KEY), {
    siteKey: KEY,
    tag,
    script,
    isOurs: (host) => host === 'leads.acme.test',
    isSite: (host) => host === 'shop.localhost',
  });

describe('[BEY-10] [CAMP-10] the reading of a live page', () => {
  it.each(Object.keys(pixelPages(AGENCY, '')))('names the cause of %s, with what to paste', async (path) => {
    const { read, opened, paste } = pages[path]!;
    const { cause, tone, message, fixes } = await check(path);
    expect([path, cause]).toEqual([path, read]);
    expect(message).toMatch(/^[A-Z].{10,}\.$/);
    expect(tone).toBe(
      ['tag', 'tag_manager'].includes(cause)
        ? 'good'
        : ['consent', 'delayed', 'duplicate'].includes(cause)
          ? 'warn'
          : 'bad',
    );
    if (paste && read === opened) expect(fixes.map(({ code }) => code).join('\n')).toContain(paste);
  });

  it('follows a redirect, and asks as a browser does', async () => {
    expect(await check('/hop')).toMatchObject({ cause: 'tag' });
    expect(agent).toMatch(/^Mozilla\/5\.0 /);
  });

  it('takes each of several policies for itself', async () => {
    const { cause, fixes } = await check('/two-policies');
    expect(cause).toBe('csp');
    expect(fixes.map(({ code }) => code)).toEqual([`script-src 'self' ${AGENCY}`]);
  });

  it('says which site a redirect leads to, if its visits would be refused', async () => {
    const elsewhere = diagnose(
      { ...(await readPage(outbound, `${site}/tag`)), inManagers: [] },
      {
        siteKey: KEY,
        tag,
        script,
        isOurs: () => true,
        isSite: (host) => host === 'other.test',
      },
    );
    expect(elsewhere).toMatchObject({
      cause: 'other_site',
      tone: 'bad',
      fixes: [{ code: 'shop.localhost' }],
    });
  });

  it('is not held up by a page made to be slow to read', async () => {
    for (const bit of [
      '<script',
      '<script>',
      '<!--',
      "<script src='",
      '<script>/*',
      '\n',
      '//',
      '</',
      '<script>\n//a.',
      '<noscript',
      '<noscript>',
      '<a b=',
      '<a b="',
      '<script a',
      '<script a =',
      '//assets.adobedtm.com/',
      '//tags.tiqcdn.com/utag/a/b/c',
      '1:{load:',
      'GTM-A',
      ' id=',
      '/p/v1/abcdefgh',
      `${script} `,
      'leadConsent ',
    ]) {
      more['/hostile'] = { html: bit.repeat((2 * 1024 * 1024) / bit.length) };
      expect((await check('/hostile')).tone, bit).toBe('bad');
    }
    more['/hostile'] = {
      headers: { 'content-security-policy': `script-src ${'a:'.repeat(5_000)}` },
      html: tag,
    };
    expect((await check('/hostile')).cause).toBe('csp');
  });

  it('says a few lines about policies, however many a page has', async () => {
    const meta = (policy: string) => `<meta http-equiv="content-security-policy" content="${policy}">`;
    const many = Array.from({ length: 20_000 }, (_, i) => meta(`connect-src h${i}.test`)).join('');
    for (const html of [
      tag + many,
      tag + meta(`default-src ${'a '.repeat(4_000)}`).repeat(200),
      tag + meta('script-src h.test,'.repeat(400)).repeat(200),
    ]) {
      more['/hostile'] = { html };
      const { cause, fixes } = await check('/hostile');
      expect(cause).toBe('csp');
      expect(fixes.length).toBeGreaterThan(0);
      expect(fixes.length).toBeLessThanOrEqual(30);
    }
    more['/hostile'] = { html: ` ${meta(',,,')}${meta("script-src 'self'")}${tag}` };
    expect((await check('/hostile')).fixes.map(({ code }) => code)).toEqual([`script-src 'self' ${AGENCY}`]);
  });

  it.each(['/401', '/403', '/429', '/500', '/503', '/challenge', '/mitigated', '/hang', '/inside'])(
    'calls %s blocked, in the words of the specification, and says why in plain words',
    async (path) => {
      const refused = await check(path).catch((error) => error);
      expect(refused).toBeInstanceOf(Unreachable);
      expect(refused).toMatchObject({
        code: 'blocked',
        message: 'Blocked from crawling (Needs manual review at your url)',
      });
      expect(refused.reason).toMatch(/^The .{10,}\.$/);
    },
  );

  it('calls a redirect to a private address, an odd port, a login or another protocol blocked, without following it', async () => {
    for (const path of Object.keys(more).filter((one) => one.startsWith('/inside-')))
      await expect(check(path), path).rejects.toMatchObject({ code: 'blocked' });
    expect((await check('/loop')).cause).toBe('status');
  });

  it('says where it looked when the page is longer than it reads', async () => {
    expect((await check('/big')).message).toMatch(/first 2 MB/);
    expect((await check('/missing')).message).toBe('The pixel is not on the page.');
  });

  it('refuses private addresses as blocked', async () => {
    for (const site of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://2130706433/',
      'https://inner.test/',
      'file:///etc/passwd',
    ])
      await expect(check('', { site, outbound }), site).rejects.toMatchObject({ code: 'blocked' });
  });

  /** Answers tag managers' addresses with texts, and everything else as before. */
  const managers = (texts: Record<string, string>, asked: [string, object | undefined][] = []): Outbound => ({
    ...outbound,
    async fetch(url, request) {
      if (url.startsWith(site)) return outbound.fetch(url, request);
      asked.push([url, request]);
      const text = texts[url];
      if (text === undefined) throw new OutboundError('dns', 'offline');
      return { status: 200, headers: {}, body: Buffer.from(text), truncated: false, url };
    },
  });

  it('looks into three containers at most, each once, with a limit of time and size and no redirect', async () => {
    const asked: [string, object | undefined][] = [];
    const html = `<script async data-gtmsrc="${script}" type="text/gtmscript"></script>`;
    // How a container stores a custom HTML tag: as a JSON string in a script.
    const body = `var data = {"tags":[{"function":"__html","vtp_html":${JSON.stringify(html)
      .replaceAll('<', '\\u003C')
      .replaceAll('/', '\\/')}}]}`;
    const google = 'https://www.googletagmanager.com/gtm.js?id=';
    const texts = { [`${google}GTM-AAAA1`]: '', [`${google}GTM-AAAA2`]: '', [`${google}GTM-AAAA3`]: body };
    expect(await check('/gtm-many', { site, outbound: managers(texts, asked) })).toMatchObject({
      cause: 'tag_manager',
      tone: 'good',
    });
    expect(asked.map(([url]) => url.split('=')[1])).toEqual(['GTM-AAAA1', 'GTM-AAAA2', 'GTM-AAAA3']);
    for (const [, request] of asked) {
      expect(request).toMatchObject({ timeoutMs: 5_000, maxBytes: 2 * 1024 * 1024 });
      expect(request).not.toHaveProperty('redirects');
    }
  });

  it('finds a tag that Tealium or Adobe keeps in a script of its own, and reads eight of them at most', async () => {
    const tealium = 'https://tags.tiqcdn.com/utag/acme/main/prod';
    const ids = Array.from({ length: 20 }, (_, i) => `"${i + 1}":{load:1}`).join(',');
    const asked: [string, object | undefined][] = [];
    const loader = `s.src="${script}"`;
    const texts = { [`${tealium}/utag.js`]: `cfg={${ids}}`, [`${tealium}/utag.8.js`]: loader };
    expect(await check('/tealium-without', { site, outbound: managers(texts, asked) })).toMatchObject({
      cause: 'tag_manager',
    });
    expect(asked).toHaveLength(9);
    const late = { [`${tealium}/utag.js`]: `cfg={${ids}}`, [`${tealium}/utag.9.js`]: loader };
    expect(await check('/tealium-without', { site, outbound: managers(late) })).toMatchObject({
      cause: 'no_tag_in_manager',
    });

    const adobe = 'https://assets.adobedtm.com/0a1b/2c3d';
    const source = `${adobe}/5566/RC00112233-source.min.js`;
    const library = { [`${adobe}/launch-4e5f.min.js`]: `{source:"${source}"}`, [source]: loader };
    expect(await check('/adobe-without', { site, outbound: managers(library) })).toMatchObject({
      cause: 'tag_manager',
    });
  });
});
