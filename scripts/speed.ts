// npm run speed [-- --at=http://localhost:8080 --password=...]: what the first load of the login page and of Home takes
// over the network, and the time from a click to the content of ten pages, in a browser with 60 ms and 9 Mbit. Starts a
// demo of its own, unless it is told where one runs. The figures are in docs/decisions/0190-first-load.md.
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { createDemo, demoFolder } from '../e2e/demo.ts';
import { launchChromium } from './chromium.ts';

const { values: options } = parseArgs({
  options: { at: { type: 'string' }, password: { type: 'string' }, rounds: { type: 'string', default: '5' } },
});
const ROUNDS = Number(options.rounds);
/** The line to which the limits apply: milliseconds there and back, and bytes per second. */
const LINE = { offline: false, latency: 60, downloadThroughput: 9e6 / 8, uploadThroughput: 9e6 / 8 };

/** Which page is opened from which, by a link of the sidebar. */
const CLICKS: { as: string; from: string; to: string }[] = [
  { as: 'client@demo.test', from: '/configuration/statement', to: '/dashboard' },
  { as: 'client@demo.test', from: '/dashboard', to: '/visitor-id/campaign-management' },
  { as: 'client@demo.test', from: '/dashboard', to: '/configuration/statement' },
  { as: 'client@demo.test', from: '/dashboard', to: '/configuration/invoices' },
  { as: 'agency@demo.test', from: '/dashboard', to: '/configuration/administrator-list' },
  { as: 'agency@demo.test', from: '/dashboard', to: '/configuration/client-management' },
  { as: 'agency@demo.test', from: '/dashboard', to: '/configuration/general-setting' },
  { as: 'agency@demo.test', from: '/dashboard', to: '/configuration/role-list' },
  { as: 'agency@demo.test', from: '/dashboard', to: '/configuration/margins' },
  { as: 'root@demo.test', from: '/configuration/people-import', to: '/configuration/agency-list' },
];

const demo = options.at ? undefined : await createDemo(demoFolder(), { DEMO_DAYS: '60' });
const password = options.password ?? demo?.password ?? '';
const port = options.at ? new URL(options.at).port : String(demo?.port);
const hostOf = (as: string): string => (as.startsWith('root') ? 'localhost' : 'acme.localhost');
const url = (host: string, path: string): string => `http://${host}:${port}${path}`;
const browser = await launchChromium();

/** A page on the line above, in a browser that has nothing in its cache. Counts what comes over the network. */
async function open(state?: Awaited<ReturnType<BrowserContext['storageState']>>) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    ...(state ? { storageState: state } : {}),
  });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const counted = { requests: 0, bytes: 0 };
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith('http')) counted.requests++;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counted.bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', LINE);
  return { context, page, counted };
}

/** Runs inside the page: the time at which it shows its content, which is 300 ms of a title without a placeholder. */
const CONTENT = `(before, path) => new Promise((done, fail) => {
  const until = performance.now() + 30000;
  let since;
  const look = () => {
    const main = document.querySelector('main');
    const title = main?.querySelector('h1')?.textContent;
    const waits = [...(main?.querySelectorAll('[aria-busy=true], .mantine-Skeleton-root') ?? [])].some((one) => one.offsetHeight > 0);
    const now = performance.now();
    if (location.pathname !== path || !title || title === before || waits) since = undefined;
    else since ??= now;
    if (since !== undefined && now - since > 300) done(since);
    else if (now > until) fail(new Error('no content at ' + location.pathname + ' ' + title));
    else requestAnimationFrame(look);
  };
  look();
})`;

/** The sessions, by who has signed in. */
const states = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>();

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const kb = (bytes: number): string => `${Math.round(bytes / 1024)} KB`;

/** Opens a page for the first time, as often as there are rounds, and prints what that took. */
async function firstLoad(name: string, host: string, path: string, as?: string) {
  const rounds: { first: number; content: number; requests: number; bytes: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { context, page, counted } = await open(as ? states.get(as) : undefined);
    await page.goto(url(host, path));
    const content = path === '/login' ? 0 : await page.evaluate<number>(`(${CONTENT})(null, '${path}')`);
    await page.waitForLoadState('networkidle');
    const first = await page.evaluate<number>(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`,
    );
    rounds.push({ first, content, ...counted });
    // Each load renews the session, and a token that was used before ends it.
    if (as) states.set(as, await context.storageState());
    await context.close();
  }
  const of = (key: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[key]));
  console.log(
    `${name}: ${of('requests')} requests, ${kb(of('bytes'))}, first content ${Math.round(of('first'))} ms` +
      (of('content') ? `, everything ${Math.round(of('content'))} ms` : ''),
  );
}

/** Presses arrows of the sidebar until a link is there. */
async function reveal(page: Page, path: string): Promise<void> {
  const link = page.locator(`nav a[href="${path}"]`).first();
  const arrows = page.locator('nav button[aria-expanded=false]');
  for (let at = 0; !(await link.isVisible()) && at < (await arrows.count()); at++) {
    await arrows.nth(at).click();
    // An open one is no longer among those that are closed, and closes the others.
    if (await link.isVisible()) return;
    const open = page.locator('nav button[aria-expanded=true]').first();
    if (await open.isVisible()) await open.click();
  }
}

try {
  await firstLoad('Login', 'acme.localhost', '/login');
  for (const as of new Set(CLICKS.map((click) => click.as))) {
    const { context, page } = await open();
    await page.goto(url(hostOf(as), '/login'));
    await page.getByLabel(/^E-?mail/).fill(as);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: /^(Sign|Log) in$/ }).click();
    await page.waitForURL((at) => !at.pathname.startsWith('/login'));
    await page.waitForLoadState('networkidle');
    states.set(as, await context.storageState());
    await context.close();
  }
  await firstLoad('Home of a client', 'acme.localhost', '/dashboard', 'client@demo.test');
  for (const { as, from, to } of CLICKS) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { context, page } = await open(states.get(as));
      await page.goto(url(hostOf(as), from));
      await page.waitForLoadState('networkidle');
      await reveal(page, to);
      if (!(await page.locator(`nav a[href="${to}"]`).first().isVisible())) {
        await context.close();
        break;
      }
      const before = await page.locator('main h1').first().textContent();
      await page.evaluate(`addEventListener('click', () => { window.clickedAt = performance.now() }, true)`);
      const content = page.evaluate<number>(`(${CONTENT})(${JSON.stringify(before)}, '${to}')`);
      await page.locator(`nav a[href="${to}"]`).first().click();
      times.push((await content) - (await page.evaluate<number>('window.clickedAt')));
      states.set(as, await context.storageState());
      await context.close();
    }
    console.log(`${as.split('@')[0]} ${to}: ${times.length ? `${Math.round(median(times))} ms` : 'no link'}`);
  }
} finally {
  await browser.close();
  await demo?.close();
}
