import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound, OutboundError } from '../../../platform/outbound.ts';
import { checkPage } from './pixel-check.ts';

const key = 'abcdefgh23456789wxyz';
const src = `https://leads.acme.test/p/v1/${key}.js`;
const gtm = "<script>(function(w,d,s,l,i){})(window,document,'script','dataLayer','GTM-ABC123');</script>";

/** A site with one page per fault. */
const pages: Record<
  string,
  { status?: number; headers?: Record<string, string>; html?: string; hang?: boolean }
> = {
  '/tag': { html: `<html><head><script async src="${src}"></script></head></html>` },
  '/single': { html: `<script defer data-x='a>b' src='//leads.acme.test/p/v1/${key}.js'></script>` },
  '/bare': { html: `<SCRIPT SRC=${src} ASYNC></SCRIPT>` },
  '/injected': {
    html: `<script>var s=document.createElement('script');s.src='${src.replaceAll('/', '\\/')}';</script>`,
  },
  '/in-comment': { html: `<!-- <script async src="${src}"></script> -->` },
  '/script-comment': { html: `<script>\n// s.src='${src}'\n</script>` },
  '/curly': { html: `<script async src=”${src}”></script>` },
  '/other-key': {
    html: '<script async src="https://leads.acme.test/p/v1/zzzzzzzz22222222zzzz.js"></script>',
  },
  '/other-host': { html: `<script async src="https://old.test/p/v1/${key}.js"></script>` },
  '/none': { html: '<h1>Hello</h1>' },
  '/text-only': { html: `<p>Copy ${src}</p>` },
  '/gtm': { html: gtm },
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
  '/big': { html: `${' '.repeat(3 * 1024 * 1024)}<script src="${src}"></script>` },
  '/hang': { hang: true },
  ...Object.fromEntries([401, 403, 404, 429, 500, 503].map((status) => [`/${status}`, { status, html: '' }])),
};

let server: Server;
let site: string;
let outbound: Outbound;
let agent: string | undefined;

beforeAll(async () => {
  server = createServer((request, reply) => {
    agent = request.headers['user-agent'];
    const page = pages[request.url!] ?? { status: 404 };
    if (page.hang) return;
    reply
      .writeHead(page.status ?? 200, { 'content-type': 'text/html', ...page.headers })
      .end(page.html ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  site = `http://shop.localhost:${port}`;
  const real = createOutbound({ allow: [`shop.localhost:${port}`], resolve: async () => ['127.0.0.1'] });
  outbound = {
    ...real,
    // The hanging page's timeout is shortened, so that the test need not wait; the tag manager cannot be reached.
    fetch: (url, request) => real.fetch(url, { ...request, timeoutMs: url.endsWith('/hang') ? 200 : 5_000 }),
  };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const check = (path: string, hosts?: string[]) =>
  checkPage({ siteUrl: site + path, siteKey: key, outbound, ...(hosts ? { hosts } : {}) });

describe('[CAMP-10] the look at a live page', () => {
  it.each(['/tag', '/single', '/bare', '/injected', '/hop'])('finds the tag of %s', async (path) => {
    expect(await check(path)).toMatchObject({ result: 'found', detail: 'tag' });
    expect(agent).toMatch(/^Mozilla\/5\.0 /);
  });

  it.each([
    ['/in-comment', 'comment'],
    ['/script-comment', 'missing'],
    ['/curly', 'curly_quotes'],
    ['/other-key', 'other_key'],
    ['/none', 'missing'],
    ['/text-only', 'missing'],
    ['/gtm', 'no_tag_in_manager'],
    ['/404', 'status'],
    ['/loop', 'status'],
    ['/big', 'missing'],
  ])('says why %s has none: %s', async (path, detail) => {
    expect(await check(path)).toMatchObject({ result: 'not_found', detail });
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
    ]) {
      pages['/hostile'] = { html: bit.repeat((2 * 1024 * 1024) / bit.length) };
      expect(await check('/hostile')).toMatchObject({ result: 'not_found' });
    }
  });

  it('tells a tag from another host when it knows the right ones', async () => {
    expect(await check('/other-host', ['leads.acme.test'])).toMatchObject({
      result: 'not_found',
      detail: 'other_host',
    });
    expect(await check('/tag', ['leads.acme.test'])).toMatchObject({ result: 'found' });
  });

  it.each(['/401', '/403', '/429', '/500', '/503', '/challenge', '/mitigated', '/hang', '/inside'])(
    'calls %s blocked, in the words of the specification',
    async (path) => {
      await expect(check(path)).rejects.toMatchObject({
        code: 'blocked',
        message: 'Blocked from crawling (Needs manual review at your url)',
      });
    },
  );

  it('calls a redirect to a private address, an odd port, a login or another protocol blocked, without following it', async () => {
    for (const path of Object.keys(pages).filter((one) => one.startsWith('/inside-')))
      await expect(check(path), path).rejects.toMatchObject({
        code: 'blocked',
        message: 'Blocked from crawling (Needs manual review at your url)',
      });
  });

  it('says where it looked when the page is longer than it reads', async () => {
    expect((await check('/big')).message).toMatch(/first 2 MB/);
    expect((await check('/none')).message).toBe('The tag is not on the page.');
  });

  it('looks into three containers at most, each once, with a limit of time and size and no redirect', async () => {
    const asked: [string, object | undefined][] = [];
    const counting: Outbound = {
      ...outbound,
      async fetch(url, request) {
        if (url.startsWith(site)) return outbound.fetch(url, request);
        asked.push([url, request]);
        const html = `<script async data-gtmsrc="${src}" type="text/gtmscript"></script>`;
        // How a container stores a custom HTML tag: as a JSON string in a script.
        const body = `var data = {"tags":[{"function":"__html","vtp_html":${JSON.stringify(html)
          .replaceAll('<', '\\u003C')
          .replaceAll('/', '\\/')}}]}`;
        const text = url.endsWith('GTM-AAAA3') ? body : '';
        return { status: 200, headers: {}, body: Buffer.from(text), truncated: false, url };
      },
    };
    const found = await checkPage({ siteUrl: `${site}/gtm-many`, siteKey: key, outbound: counting });
    expect(found).toMatchObject({ result: 'found', detail: 'tag_manager' });
    expect(asked.map(([url]) => url.split('=')[1])).toEqual(['GTM-AAAA1', 'GTM-AAAA2', 'GTM-AAAA3']);
    for (const [, request] of asked) {
      expect(request).toMatchObject({ timeoutMs: 5_000, maxBytes: 2 * 1024 * 1024 });
      expect(request).not.toHaveProperty('redirects');
    }
  });

  it('refuses private addresses as blocked', async () => {
    const look = { siteKey: key, outbound };
    for (const siteUrl of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://2130706433/',
      'https://inner.test/',
    ]) {
      await expect(checkPage({ siteUrl, ...look })).rejects.toMatchObject({ code: 'blocked' });
    }
  });

  it('finds a tag that a tag manager injects, and bears with a manager out of reach', async () => {
    const asked: string[] = [];
    const manager = (text: string | undefined): Outbound => ({
      ...outbound,
      async fetch(url, request) {
        if (!url.startsWith('https://www.googletagmanager.com/')) return outbound.fetch(url, request);
        asked.push(url);
        if (text === undefined) throw new OutboundError('dns', 'offline');
        return { status: 200, headers: {}, body: Buffer.from(text), truncated: false, url };
      },
    });
    const look = (text?: string) =>
      checkPage({ siteUrl: `${site}/gtm`, siteKey: key, outbound: manager(text) });
    const container = `{"vtp_html":"\\u003Cscript src=\\"${src.replaceAll('/', '\\/')}\\"\\u003E"}`;
    expect(await look(container)).toMatchObject({ result: 'found', detail: 'tag_manager' });
    expect(await look('{}')).toMatchObject({ result: 'not_found', detail: 'no_tag_in_manager' });
    expect(await look()).toMatchObject({ result: 'not_found', detail: 'no_tag_in_manager' });
    expect(new Set(asked)).toEqual(new Set(['https://www.googletagmanager.com/gtm.js?id=GTM-ABC123']));
  });
});
