import { execFileSync } from 'node:child_process';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPixel } from '../pixel/build.ts';
import { findChromium } from '../scripts/chromium.ts';
import { createBrowser } from '../server/features/campaigns/pixel/browser.ts';
import { diagnose, type Page } from '../server/features/campaigns/pixel/diagnosis.policy.ts';
import { createOutbound } from '../server/platform/outbound.ts';
import { KEY, pixelPages, pixelScripts } from '../server/test/pixel-pages.ts';
import { openBrowser } from './browser.ts';
import { PATIENCE_MS } from './patience.ts';

// The check of a pixel in a real browser: pages on shop.localhost, which the browser may reach, and agency.localhost,
// for which the check answers itself. Everything else on this machine is what it must not reach.

let server: Server;
let shop: string;
let agency: string;
let outDir: string;
let before: string | undefined;
let script: Buffer;
let chromiumPath: string;
let pages: Record<string, { status?: number; headers?: Record<string, string>; html: string }>;
let scripts: Record<string, string>;
let asked: string[] = [];
/** Done before '/stored' is answered: the browser waits for the answer, and its time does not run out meanwhile. */
let whenStored = (): void => {};

const html = (body: string): string =>
  `<!doctype html><html><head><title>Boots</title></head><body>${body}</body></html>`;
const pixelPage = () => pixelPages(agency, shop);

/** What must not be reached: a TCP and a UDP port of this machine, which note whoever comes. */
let inside: { tcp: TcpServer; udp: UdpSocket; port: number; visits: () => number; forget: () => void };

async function listenInside() {
  let visits = 0;
  const tcp = createTcpServer((socket) => {
    visits++;
    socket.on('error', () => {});
    socket.destroy();
  });
  await new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', () => void visits++);
  await new Promise<void>((done) => udp.bind(port, '127.0.0.1', done));
  const forget = (): void => {
    visits = 0;
  };
  return { tcp, udp, port, visits: () => visits, forget };
}

beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'pixel-'));
  // Profiles of their own place, since other tests open pages in the meantime; the browser may be of another user.
  chmodSync(outDir, 0o711);
  before = process.env.TMPDIR;
  process.env.TMPDIR = outDir;
  script = await readFile((await buildPixel({ outDir })).file);
  chromiumPath = (await findChromium()).executablePath;
  inside = await listenInside();
  server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    asked.push(request.headers.host + request.url!);
    if (path === '/stored') whenStored();
    const found = pages[path];
    if (found)
      response
        .writeHead(found.status ?? 200, { 'content-type': 'text/html', ...found.headers })
        .end(found.html);
    else if (scripts[path]) response.writeHead(200, { 'content-type': 'text/javascript' }).end(scripts[path]);
    else if (path === '/away')
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end();
    else if (path === '/file')
      response.writeHead(200, { 'content-disposition': 'attachment; filename=x.bin' }).end('file');
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  shop = `http://shop.localhost:${port}`;
  agency = `http://agency.localhost:${port}`;
  pages = pixelPage();
  scripts = pixelScripts(agency);
});
afterAll(async () => {
  inside?.tcp.close();
  inside?.udp.close();
  server?.closeAllConnections();
  server?.close();
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await rm(outDir, { recursive: true, force: true });
});

const log = { info: () => {}, warn: () => {} };
const isOurs = (host: string): boolean => host === new URL(agency).host;
/**
 * The sandbox cannot be had everywhere that tests run; these pages are our own. Their time does not run out, however busy
 * the machine is.
 */
const browserOf = (pixelBrowser: 'sandboxed' | 'unsandboxed' = 'unsandboxed', path: string = chromiumPath) =>
  createBrowser(
    { pixelBrowser, chromiumPath: path },
    createOutbound({ allow: [new URL(shop).host] }),
    log,
    PATIENCE_MS,
  );
/** One whose pages have the time that users' pages have. */
const hurriedBrowser = () =>
  createBrowser(
    { pixelBrowser: 'unsandboxed', chromiumPath },
    createOutbound({ allow: [new URL(shop).host] }),
    log,
  );
const openWith = (browser: ReturnType<typeof browserOf>, path: string, by = path) =>
  browser.open({
    url: path.includes(':') ? path : shop + path,
    siteKey: KEY,
    by,
    isOurs: async (host) => isOurs(host),
    script: async () => script,
  });
async function open(path: string, browser = browserOf()): Promise<Page> {
  const page = await openWith(browser, path);
  if (typeof page === 'string') throw new Error(`${path} was not opened: ${page}`);
  return page;
}
const diagnosisOf = (page: Page) =>
  diagnose(
    { ...page, inManagers: [] },
    {
      siteKey: KEY,
      tag: `<script async src="${agency}/p/v1/${KEY}.js"></script>`,
      script: `${agency}/p/v1/${KEY}.js`,
      isOurs,
      isSite: (host) => host === 'shop.localhost',
    },
  );

const profiles = (): string[] => readdirSync(outDir).filter((name) => name.startsWith('lead-browser-'));

/**
 * The pages that are opened: all with RUNS=whole, otherwise those of which a browser finds something else than reading
 * does (reader.test.ts), and every fourth of the others.
 */
const opened = Object.entries(pixelPages('http://agency.localhost', 'http://shop.localhost'))
  .filter(([, page], i) => process.env.RUNS === 'whole' || page.opened !== page.read || i % 4 === 0)
  .map(([path]) => path);

describe('[BEY-10] the pixel of a page that a browser opens', () => {
  it.each(opened)('names the cause of %s, with what to paste', async (path) => {
    asked = [];
    const { cause, message, fixes } = diagnosisOf(await open(path));
    const { opened, paste } = pixelPage()[path]!;
    expect([path, cause]).toEqual([path, opened]);
    expect(message).toMatch(/^[A-Z].{10,}\.$/);
    if (paste) expect(fixes.map(({ code }) => code).join('\n')).toContain(paste);
    // We answer for ourselves: a check is no visit.
    expect(asked.filter((one) => one.startsWith('agency'))).toEqual([]);
    expect(profiles()).toEqual([]);
  });

  it('says so of a page whose scripts never end, and ends them', async () => {
    pages['/endless'] = {
      html: html(`<script>for(;;);</script><script async src="${agency}/p/v1/${KEY}.js"></script>`),
    };
    const page = await open('/endless', hurriedBrowser());
    expect(page.ran?.html).toBeUndefined();
    expect(diagnosisOf(page)).toMatchObject({ cause: 'blocked', message: /busy without end/ });
    expect(profiles()).toEqual([]);
  });

  it('judges the page that it was led to by a script', async () => {
    pages['/language'] = { html: html(`<script>location.replace('/tag')</script>`) };
    const page = await open('/language');
    expect(page.url).toBe(`${shop}/tag`);
    expect(diagnosisOf(page).cause).toBe('tag');
  });

  it('is not held up by a page that asks, prints, floods, or takes memory', async () => {
    pages['/asks'] = {
      html: html(`<script>alert(1);confirm(2);prompt(3);onbeforeunload=()=>'no'</script>
        <script async src="${agency}/p/v1/${KEY}.js"></script>`),
    };
    expect(diagnosisOf(await open('/asks')).cause).toBe('tag');
    pages['/floods'] = {
      html: html(
        `<script>const data='data:,'+'x'.repeat(4e6);setInterval(()=>fetch(data+Math.random()),1)</script>`,
      ),
    };
    // Out of memory, or, on a busy machine, silent for so long that it counts as quiet.
    const ended = (page: Awaited<ReturnType<typeof openWith>>) =>
      typeof page === 'object' || page === 'failed';
    expect(ended(await openWith(browserOf(), '/floods'))).toBe(true);
    pages['/eats'] = {
      html: html('<script>const all=[];for(;;)all.push(new Uint8Array(6e7).fill(1))</script>'),
    };
    expect(ended(await openWith(browserOf(), '/eats'))).toBe(true);
    expect(profiles()).toEqual([]);
  });

  it('keeps what a page stores off the disk, and its frames in one process', async () => {
    pages['/stores'] = {
      html: html(`<script>
        const fill = async () => {
          const cache = await caches.open('a');
          for (let i = 0; i < 10; i++) await cache.put('/cached' + i, new Response(new Uint8Array(1e7)));
        };
        // A page that asks for nothing for a while has done what it does, and to store takes long on a busy machine.
        const asking = setInterval(() => fetch('/asking'), 500);
        fill().then(() => fetch('/stored')).finally(() => clearInterval(asking));
        for (let i = 0; i < 20; i++) {
          const frame = document.createElement('iframe');
          frame.src = location.origin.replace('shop', 'shop' + i);
          document.body.append(frame);
        }
      </script>`),
    };
    const seen: { bytes: number; renderers: number }[] = [];
    whenStored = () => {
      const [profile = ''] = profiles();
      const sizes = readdirSync(join(outDir, profile), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
      seen.push({ bytes: sizes.reduce((sum, size) => sum + size, 0), renderers: renderersOf(profile) });
    };
    await open('/stores');
    whenStored = () => {};
    expect(seen[0]!.bytes).toBeLessThan(2e7);
    expect(seen[0]!.renderers).toBeGreaterThan(0);
    expect(seen[0]!.renderers).toBeLessThan(5);
  });

  it('opens neither files nor what is none of a page', async () => {
    const browser = browserOf();
    for (const address of [
      'file:///etc/passwd',
      'chrome://version',
      'data:text/html,x',
      'javascript:1',
      '/file',
    ])
      expect([address, await openWith(browser, address)]).toEqual([address, 'failed']);
  });
});

/** How many processes show pages beneath the browser with a profile; not each browser names it to all of them. */
function renderersOf(profile: string): number {
  const all = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const family = new Set(all.filter((one) => one.join(' ').includes(profile)).map(([pid]) => pid));
  const more = () => all.filter(([pid, parent]) => family.has(parent) && !family.has(pid));
  for (let found = more(); found.length > 0; found = more()) for (const [pid] of found) family.add(pid);
  return all.filter(([pid, , ...args]) => family.has(pid) && args.includes('--type=renderer')).length;
}

/** A page that tries everything to reach a port of this machine, by each of its names. */
function prying(port: number): string {
  const hosts = [
    '127.0.0.1',
    'localhost',
    'x.localhost',
    '0.0.0.0',
    '[::1]',
    '2130706433',
    '[::ffff:127.0.0.1]',
  ];
  const each = hosts.map((host) => `${host}:${port}`);
  return html(`
    ${each.map((one) => `<img src="http://${one}/img"><iframe src="http://${one}/frame"></iframe><link rel="prefetch" href="http://${one}/prefetch"><link rel="stylesheet" href="http://${one}/style"><script async src="http://${one}/script"></script>`).join('')}
    <iframe src="/away"></iframe><img src="/away">
    <form id="f" method="post" action="http://127.0.0.1:${port}/form" target="frame"><input name="a"></form><iframe name="frame"></iframe>
    <script type="speculationrules">{"prerender":[{"source":"list","urls":["http://127.0.0.1:${port}/prerender"]}]}</script>
    <script>
      document.getElementById('f').submit();
      for (const one of ${JSON.stringify(each)}) {
        const attempt = (run) => { try { Promise.resolve(run()).catch(() => {}) } catch {} };
        attempt(() => fetch('http://' + one + '/fetch', { mode: 'no-cors' }));
        attempt(() => navigator.sendBeacon('http://' + one + '/beacon', 'x'));
        attempt(() => new WebSocket('ws://' + one + '/socket'));
        attempt(() => new WebSocket('wss://' + one + '/socket'));
        attempt(() => new EventSource('http://' + one + '/events'));
        attempt(() => new WebTransport('https://' + one + '/transport').ready);
        attempt(() => open('http://' + one + '/window'));
        attempt(async () => {
          const peer = new RTCPeerConnection({ iceServers: [
            { urls: 'stun:' + one },
            { urls: ['turn:' + one + '?transport=udp', 'turn:' + one + '?transport=tcp', 'turns:' + one], username: 'a', credential: 'b' },
          ] });
          peer.createDataChannel('x');
          await peer.setLocalDescription(await peer.createOffer());
          await peer.setRemoteDescription({ type: 'answer', sdp: peer.localDescription.sdp.replace('a=setup:actpass', 'a=setup:active') }).catch(() => {});
          await peer.addIceCandidate({ candidate: 'candidate:1 1 udp 2122260223 127.0.0.1 ${port} typ host', sdpMid: '0', sdpMLineIndex: 0 }).catch(() => {});
        });
      }
      fetch('/tried');
    </script>`);
}

describe('[BEY-10] a page that a browser opens', () => {
  it('reaches nothing of this network, by no way', async () => {
    pages['/prying'] = { html: prying(inside.port) };
    asked = [];
    inside.forget();
    await open('/prying');
    // It ran: its own site was asked, and its site alone.
    expect(asked).toContain(`${new URL(shop).host}/tried`);
    expect(asked.filter((one) => !one.startsWith(new URL(shop).host))).toEqual([]);
    expect(inside.visits()).toBe(0);
  });

  it('would have reached it otherwise, by TCP and by UDP', async () => {
    inside.forget();
    let packets = 0;
    inside.udp.on('message', () => void packets++);
    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(`${shop}/prying`);
    await expect.poll(() => inside.visits() - packets).toBeGreaterThan(0);
    await expect.poll(() => packets).toBeGreaterThan(0);
    await browser.close();
  });

  it('is opened one at a time, with one that waits, and is read when there is no browser, or none is wanted', async () => {
    const browser = browserOf();
    const all = await Promise.all(['/tag', '/bare', '/injected'].map((path) => openWith(browser, path)));
    expect(all.filter((one) => one === 'busy')).toHaveLength(1);
    expect(all.filter((one) => typeof one !== 'string')).toHaveLength(2);
    expect(await openWith(browserOf('unsandboxed', '/nowhere/chromium'), '/tag')).toBe('no_browser');
    const off = createBrowser({ pixelBrowser: 'off', chromiumPath }, createOutbound({ allow: [] }), log);
    expect(await openWith(off, '/tag')).toBe('off');
  });

  it('has a sandbox unless an operator does without', async () => {
    const page = await openWith(browserOf('sandboxed'), '/tag');
    if (typeof page === 'string') expect(page).toBe('no_sandbox');
    else expect(diagnosisOf(page).cause).toBe('tag');
  });

  it('is ended when the server stops', async () => {
    const browser = browserOf();
    const opening = openWith(browser, '/endless');
    await expect.poll(() => profiles().length).toBe(1);
    await expect.poll(() => asked.filter((one) => one.endsWith('/endless')).length).toBeGreaterThan(0);
    await browser.close();
    expect(await opening).toBe('failed');
    expect(profiles()).toEqual([]);
    expect(await openWith(browser, '/tag')).toBe('failed');
  });
});
