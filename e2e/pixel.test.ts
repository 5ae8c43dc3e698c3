import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildPixel } from '../pixel/build.ts';
import { openBrowser } from './browser.ts';

// The built script in a real browser: pages on shop.localhost, script and /v on agency.localhost.

declare global {
  interface Window {
    lead(command?: string, argument?: unknown): void;
    leadConsent(given: boolean): void;
  }
}

interface SentEvent {
  i: string;
  n?: string;
  v?: string;
  u?: string;
  r?: string;
  t?: string;
  h?: string;
  m?: string;
  s?: string;
  g?: number;
  c?: number;
}
interface Hit {
  body: string;
  status: number;
  headers: IncomingMessage['headers'];
}

const email = 'Jane.Doe@Example.com';
const sha256 = createHash('sha256').update('jane.doe@example.com').digest('hex');
const uuid7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

let browser: Browser;
let server: Server;
let outDir: string;
let script: string;
let shop: string;
let agency: string;

let hits: Hit[];
let urls: string[];
/** The next responses of /v; 204 once the list is empty. 0 drops the connection. */
let answers: number[];
let context: BrowserContext;
let page: Page;
let problems: string[];

const tag = (key = 'site1', attributes = '') =>
  `<script async src="${agency}/p/v1/${key}.js"${attributes}></script>`;
const html = (head: string, body = '') =>
  `<!doctype html><html><head><meta charset="utf-8"><title>Boots</title>${head}</head><body>${body}</body></html>`;
const form = `<form action="/thanks" method="post"><input name="name"><input type="password" name="email_password">
  <input type="email" name="mail"><input type="hidden" name="email2" value="hidden@example.com"><button>Go</button></form>`;

/** The pages of the shop by path; the query does not matter. */
const pages: Record<string, () => { body: string; headers?: Record<string, string> }> = {
  '/': () => ({ body: html(tag()) }),
  '/csp': () => ({
    body: html(tag()),
    headers: {
      'content-security-policy': `default-src 'none'; script-src ${agency}; connect-src ${agency}; require-trusted-types-for 'script'`,
    },
  }),
  '/form': () => ({ body: html(tag(), form) }),
  '/thanks': () => ({ body: html('') }),
  '/twice': () => ({ body: html(tag() + tag()) }),
  '/two': () => ({ body: html(tag('site1') + tag('site2')) }),
  '/wait': () => ({ body: html(tag('site1', ' data-consent="wait"'), form) }),
  '/wait-global': () => ({ body: html(`<script>window.leadConsent = 'wait'</script>${tag()}`) }),
  '/queued': () => ({
    body: html(
      `<script>window.lead=window.lead||function(){(lead.q=lead.q||[]).push(arguments)};lead('identify','${email}');lead('thanks')</script>${tag()}`,
    ),
  }),
  '/titled': () => ({ body: html(tag()).replace('Boots', `Hello ${email} again`) }),
};

/** Serves demo/shop with its placeholders filled in. */
async function demoShop(pathname: string, response: ServerResponse) {
  const types: Record<string, string> = {
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
  };
  const text = await readFile(join(import.meta.dirname, '../demo/shop', pathname), 'utf8');
  response.setHeader('content-type', types[extname(pathname)] ?? 'text/html');
  response.end(
    text
      .replaceAll('{{PIXEL_TAG}}', tag())
      .replaceAll('{{HASHED_LINK}}', `/product.html?em_sha256=${sha256}`)
      .replaceAll('{{DASHBOARD_URL}}', `${shop}/thanks`)
      .replaceAll('{{DEMO_EMAILS}}', `${email}, second@example.com`),
  );
}

beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'pixel-'));
  script = await readFile((await buildPixel({ outDir })).file, 'utf8');
  server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://any');
    urls.push(`${request.headers.host}${request.url}`);
    if (request.headers.host?.startsWith('agency')) {
      response.setHeader('access-control-allow-origin', '*');
      if (pathname.startsWith('/p/v1/'))
        return response.setHeader('content-type', 'text/javascript').end(script);
      let body = '';
      for await (const chunk of request) body += chunk;
      const status = answers.shift() ?? 204;
      hits.push({ body, status, headers: request.headers });
      if (!status) return response.destroy();
      response.statusCode = status;
      return response.end();
    }
    if (request.headers.host?.startsWith('demo')) return demoShop(pathname, response);
    const found = pages[pathname]?.();
    response.statusCode = found ? 200 : 204;
    response.setHeader('content-type', 'text/html');
    for (const [name, value] of Object.entries(found?.headers ?? {})) response.setHeader(name, value);
    response.end(found?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  shop = `http://shop.localhost:${port}`;
  agency = `http://agency.localhost:${port}`;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
  await rm(outDir, { recursive: true, force: true });
});

beforeEach(async () => {
  hits = [];
  urls = [];
  answers = [];
  problems = [];
  context = await browser.newContext();
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective}`),
    );
  });
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/ (400|503) |ERR_/.test(message.text())) problems.push(message.text());
  });
});
afterEach(async () => {
  await context.close();
  expect(problems).toEqual([]);
  const seen = [...urls.filter((url) => url.startsWith('agency')), ...hits.map((hit) => hit.body)].join('\n');
  expect(seen).not.toMatch(/@|%40/);
  expect(seen.toLowerCase()).not.toContain('jane.doe');
});

/** All events received, one per id, in order of arrival. */
const events = (key = 'site1'): SentEvent[] => {
  const byId = new Map<string, SentEvent>();
  for (const hit of hits) {
    const body = JSON.parse(hit.body) as { k: string; e: SentEvent[] };
    if (body.k === key) for (const event of body.e) byId.set(event.i, event);
  }
  return [...byId.values()];
};
const received = async (count: number, key?: string) => {
  await expect.poll(() => events(key).length).toBeGreaterThanOrEqual(count);
  return events(key);
};
/** Gives a script that would send something enough time to do so. */
const quiet = () => page.waitForTimeout(400);
const ids = () => page.evaluate(() => [localStorage._lvid, document.cookie]);

describe('visitor script in a page', () => {
  it('[CAMP-01] [RUN-04] sends one view with id, visitor, address without fragment, referrer and title', async () => {
    const before = Date.now();
    await page.goto(`${shop}/thanks`);
    await page.goto(`${shop}/?a=1#part`, { referer: 'https://search.example/?q=boots' });
    const [event, ...more] = await received(1);
    await quiet();
    expect(more).toEqual([]);
    expect(events()).toHaveLength(1);
    expect(event).toEqual({
      i: expect.stringMatching(uuid7),
      v: expect.stringMatching(uuid7),
      u: `${shop}/?a=1`,
      r: 'https://search.example/?q=boots',
      t: 'Boots',
    });
    const time = Number.parseInt(event!.i.replace('-', '').slice(0, 12), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
    expect(hits[0]!.headers['content-type']).toMatch(/^text\/plain/);
    expect(hits[0]!.headers.cookie).toBeUndefined();
    expect(await ids()).toEqual([event!.v, '']);
  });

  it('keeps the visitor over page loads, gives each view its own id', async () => {
    await page.goto(`${shop}/`);
    await received(1);
    await page.evaluate(() => location.assign('/?page=2'));
    const [first, second] = await received(2);
    expect(second!.v).toBe(first!.v);
    expect(second!.i).not.toBe(first!.i);
    expect(second!.r).toBe(`${shop}/`);
  });

  it('[CAMP-01] follows pushState, replaceState and back, but only when path or query changed', async () => {
    await page.goto(`${shop}/`);
    await received(1);
    await page.evaluate(() => {
      history.pushState({}, '', '/shoes?size=9');
      document.title = 'Shoes';
    });
    const second = (await received(2))[1]!;
    expect(second).toMatchObject({ u: `${shop}/shoes?size=9`, r: `${shop}/`, t: 'Shoes' });
    await page.evaluate(() => history.replaceState({ state: 1 }, '', '/shoes?size=9#top'));
    await quiet();
    expect(events()).toHaveLength(2);
    await page.evaluate(() => history.replaceState({}, '', '/shoes?size=10'));
    await received(3);
    await page.evaluate(() => history.back());
    expect((await received(4))[3]).toMatchObject({ u: `${shop}/`, r: `${shop}/shoes?size=10` });
  });

  it('[CAMP-01] runs without a violation under a policy that allows one host', async () => {
    await page.goto(`${shop}/csp`);
    await received(1);
    // The beacon is under the same policy; problems must stay empty.
    answers = [503];
    await page.evaluate(() => history.pushState({}, '', '/csp?next'));
    await received(2);
    await page.goto('about:blank');
    await expect.poll(() => hits.length).toBeGreaterThanOrEqual(3);
  });

  it('honors Global Privacy Control: no visitor, no hash, nothing stored', async () => {
    await page.goto(`${shop}/`);
    await received(1);
    expect((await ids())[0]).toMatch(uuid7);
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true }),
    );
    await page.goto(`${shop}/form?em_sha256=${sha256}`, { referer: `${shop}/?em_sha256=${sha256}` });
    await received(2);
    await page.fill('[type=email]', email);
    await page.click('[name=name]');
    await page.evaluate((value) => window.lead('identify', value), email);
    await quiet();
    expect(events().slice(1)).toEqual([
      {
        i: expect.stringMatching(uuid7),
        u: `${shop}/form?em_sha256=`,
        r: `${shop}/?em_sha256=`,
        t: 'Boots',
        g: 1,
      },
    ]);
    expect(await ids()).toEqual([undefined, '']);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  });

  it('[BEY-07] sends the GPP string of the page’s consent manager, as it is at the time', async () => {
    await page.addInitScript(() => {
      const state = { gppString: 'DBABLA~CAAqAAAAAABA.QA' };
      Object.assign(window, {
        gppState: state,
        __gpp: (command: string, done: (state: object) => void) => command === 'ping' && done(state),
      });
    });
    await page.goto(`${shop}/`);
    await received(1);
    await page.evaluate(() => {
      (window as unknown as { gppState: { gppString: string } }).gppState.gppString =
        'DBABLA~CAAaAAAAAABA.QA';
      window.lead('thanks');
    });
    await received(2);
    expect(hits.map(({ body }) => JSON.parse(body).p)).toEqual([
      'DBABLA~CAAqAAAAAABA.QA',
      'DBABLA~CAAaAAAAAABA.QA',
    ]);
    expect(problems).toEqual([]);
  });

  it.each(['/wait', '/wait-global'])('%s: sends and stores nothing until consent is given', async (path) => {
    await page.goto(shop + path);
    await page.waitForFunction(() => typeof window.leadConsent === 'function');
    await page.evaluate((value) => window.lead('identify', value), email);
    await page.evaluate(() => history.pushState({}, '', '/wait?step=2'));
    await quiet();
    expect(hits).toEqual([]);
    expect(await ids()).toEqual([undefined, '']);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);

    await page.evaluate(() => window.leadConsent(true));
    const [view, identify] = await received(2);
    expect(view).toMatchObject({ u: `${shop}/wait?step=2`, v: expect.stringMatching(uuid7) });
    expect(identify).toMatchObject({ n: 'identify', h: sha256, v: view!.v });
    expect((await ids())[0]).toBe(view!.v);

    await page.evaluate(() => window.leadConsent(false));
    await page.evaluate(() => history.pushState({}, '', '/wait?step=3'));
    await quiet();
    expect(events()).toHaveLength(2);
    expect(await ids()).toEqual([undefined, '']);
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);

    await page.evaluate(() => window.lead('consent', true));
    const third = (await received(3))[2]!;
    expect(third.v).not.toBe(view!.v);
  });

  it('[CAMP-01] takes an email from a form, hashed, once, and no other field', async () => {
    await page.goto(`${shop}/form`);
    await received(1);
    await page.fill('[name=name]', 'someone@else.example');
    await page.fill('[type=password]', 'secret@else.example');
    await page.fill('[type=email]', `  ${email} `);
    await page.press('[type=email]', 'Enter');
    await page.waitForURL(`${shop}/thanks`);
    const [view, identify] = await received(2);
    expect(identify).toMatchObject({ n: 'identify', h: sha256, v: view!.v, u: `${shop}/form` });
    await quiet();
    expect(events()).toHaveLength(2);
    const elsewhere = createHash('sha256').update('someone@else.example').digest('hex');
    expect(hits.map((hit) => hit.body).join()).not.toContain(elsewhere);
  });

  it('takes a corrected email when the field is left, without a submit', async () => {
    await page.goto(`${shop}/form`);
    await received(1);
    await page.fill('[type=email]', 'jane.doe');
    await page.click('[name=name]');
    await quiet();
    expect(events()).toHaveLength(1);
    await page.fill('[type=email]', email);
    await page.click('[name=name]');
    expect((await received(2))[1]).toMatchObject({ n: 'identify', h: sha256 });
  });

  it.each([
    [`em_sha256=${sha256.toUpperCase()}`, { h: sha256 }, 'em_sha256='],
    [`hem=${'a'.repeat(32)}`, { m: 'a'.repeat(32) }, 'hem='],
    [`em_md5=${'b'.repeat(32)}`, { m: 'b'.repeat(32) }, 'em_md5='],
    [`em_sha1=${'c'.repeat(40)}&em_campaign=x`, { s: 'c'.repeat(40) }, 'em_sha1=&em_campaign=x'],
    [`em=${encodeURIComponent(email)}`, { h: sha256 }, 'em='],
    [`email=${email}&em=`, { h: sha256 }, 'email=&em='],
    [`next=%252Fa%253Fmail%253D${encodeURIComponent(encodeURIComponent(email))}&b=1`, {}, 'next=&b=1'],
    ['hem=nonsense&x=%', {}, 'hem=&x=%'],
  ])(
    '[CAMP-01] reads the identity from the address ?%s and leaves it out of it',
    async (query, found, rest) => {
      await page.goto(`${shop}/?${query}`);
      const [view] = await received(1);
      expect(view).toEqual({
        i: view!.i,
        v: view!.v,
        u: `${shop}/?${rest}`,
        t: 'Boots',
        ...found,
      });
    },
  );

  it('leaves plain emails out of the referrer and the title too', async () => {
    await page.goto(`${shop}/thanks?email=${email}`);
    await page.evaluate(() => {
      location.href = '/titled';
    });
    const [view] = await received(1);
    expect(view).toMatchObject({ r: `${shop}/thanks?email=`, t: 'Hello  again' });
  });

  it('[RUN-04] repeats an event that was answered 503 with the same id, also after a new load', async () => {
    answers = [503, 503];
    await page.goto(`${shop}/`);
    await received(1);
    const first = events()[0]!.i;
    await page.goto(`${shop}/?again`);
    await expect.poll(() => hits.filter((hit) => hit.status === 204).length).toBeGreaterThanOrEqual(1);
    const accepted = hits.filter((hit) => hit.status === 204).flatMap((hit) => JSON.parse(hit.body).e);
    expect(accepted.map((event) => event.i)).toContain(first);
    await received(2);
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('_lvidsite1'))).toBe('[]');
  });

  it('repeats by itself after a lost connection, and gives up on a final refusal', async () => {
    answers = [0];
    await page.goto(`${shop}/`);
    await expect.poll(() => hits.length).toBe(2);
    expect(JSON.parse(hits[1]!.body)).toEqual(JSON.parse(hits[0]!.body));
    answers = [400];
    await page.evaluate(() => history.pushState({}, '', '/?bad'));
    await received(2);
    await page.evaluate(() => history.pushState({}, '', '/?good'));
    await received(3);
    expect(JSON.parse(hits.at(-1)!.body).e).toHaveLength(1);
  });

  it('sends ten events at most in one body', async () => {
    answers = Array(30).fill(503);
    await page.goto(`${shop}/`);
    for (let n = 0; n < 24; n++) {
      await page.evaluate((at) => history.pushState({}, '', `/?n=${at}`), n);
      await page.waitForTimeout(5);
    }
    answers = [];
    await page.evaluate(() => history.pushState({}, '', '/?last'));
    await received(26);
    for (const hit of hits) expect(JSON.parse(hit.body).e.length).toBeLessThanOrEqual(10);
  });

  it('works where storage is blocked: cookie when there is no localStorage, memory when there is neither', async () => {
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('blocked', 'SecurityError');
          },
        });
    });
    await page.goto(`${shop}/`);
    await received(1);
    await page.goto(`${shop}/?page=2`);
    const [first, second] = await received(2);
    expect(second!.v).toBe(first!.v);
    expect(await page.evaluate(() => document.cookie)).toBe(`_lvid=${first!.v}`);

    await page.addInitScript(() => {
      Object.defineProperty(document, 'cookie', {
        get() {
          throw new DOMException('blocked', 'SecurityError');
        },
        set() {
          throw new DOMException('blocked', 'SecurityError');
        },
      });
    });
    await page.goto(`${shop}/?page=3`);
    await received(3);
    await page.evaluate(() => history.pushState({}, '', '/?page=4'));
    const [, , third, fourth] = await received(4);
    expect(third!.v).toMatch(uuid7);
    expect(third!.v).not.toBe(first!.v);
    expect(fourth!.v).toBe(third!.v);
  });

  it('does nothing the second time on one page; another campaign runs beside it', async () => {
    await page.goto(`${shop}/twice`);
    await received(1);
    await quiet();
    expect(events()).toHaveLength(1);
    hits = [];
    await page.goto(`${shop}/two`);
    await received(1, 'site1');
    await received(1, 'site2');
    await page.evaluate((value) => window.lead('identify', value), email);
    for (const key of ['site1', 'site2'])
      expect((await received(2, key)).map((event) => event.h)).toEqual([undefined, sha256]);
  });

  it('honors commands that were given before it was loaded', async () => {
    await page.goto(`${shop}/queued`);
    const sent = await received(3);
    expect(sent.map((event) => event.n ?? 'view').sort()).toEqual(['identify', 'thanks', 'view']);
    expect(sent.find((event) => event.n === 'identify')!.h).toBe(sha256);
    // An unknown command or an invalid value must not disturb the page.
    await page.evaluate(() => {
      window.lead('nonsense');
      window.lead('identify', { toString: null });
      window.lead();
    });
    await quiet();
    expect(events()).toHaveLength(3);
  });
});

describe('demo shop', () => {
  const home = () => shop.replace('shop.', 'demo.');

  it('[RUN-04] a chip and one click make an identified visitor, and the thank-you page counts', async () => {
    await page.goto(`${home()}/index.html`);
    await page.getByRole('button', { name: email }).click();
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.waitForURL(`${home()}/thanks.html?`);
    await received(4);
    expect(events().map((event) => [event.n, event.h])).toEqual(
      expect.arrayContaining([
        ['identify', sha256],
        ['thanks', undefined],
      ]),
    );
    // On a page without a form, the chip leads to the newsletter page and fills in the form there.
    await page.getByRole('button', { name: 'second@example.com' }).click();
    await page.waitForURL(`${home()}/newsletter.html`);
    await expect.poll(() => page.inputValue('[type=email]')).toBe('second@example.com');
  });

  it('identifies by the link of a newsletter, and its tabs are views', async () => {
    await page.goto(`${home()}/index.html`);
    await page.getByRole('link', { name: 'Arrive from a newsletter' }).click();
    await page.getByRole('link', { name: 'Care', exact: true }).click();
    await expect.poll(() => page.textContent('[data-text]')).toContain('Brush off the mud');
    const sent = await received(3);
    expect(sent.find((event) => event.u?.includes('em_sha256='))).toMatchObject({ h: sha256 });
    expect(sent.at(-1)).toMatchObject({ u: `${home()}/product.html?item=pack&tab=care` });
  });

  it('sends nothing behind its consent banner until the answer, which it remembers', async () => {
    await page.goto(`${home()}/index.html`);
    await received(1);
    await page.getByRole('button', { name: 'Try it with a consent banner' }).click();
    await page.getByRole('button', { name: 'Yes, that is fine' }).waitFor();
    hits = [];
    await quiet();
    expect(hits).toEqual([]);
    await page.getByRole('button', { name: 'Yes, that is fine' }).click();
    expect((await received(1))[0]).toMatchObject({ u: expect.any(String) });
    await page.goto(`${home()}/product.html`);
    expect((await received(2))[1]).toMatchObject({ u: expect.any(String) });
  });

  it.each(['index', 'product', 'newsletter', 'thanks'])('%s.html fits a phone', async (name) => {
    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto(`${home()}/${name}.html`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    expect(await page.content()).not.toContain('{{');
  });
});
