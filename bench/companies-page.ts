import type { Page } from 'playwright-core';
import { signInAt } from '../e2e/person.ts';
import { launchChromium } from '../scripts/chromium.ts';
import type { Result } from './import.ts';
import { median } from './stage.ts';

/** Rows per page: the most that the list offers. */
const ROWS = 100;
/** The most a browser can draw. */
const FRAMES = 60;
/** With more nodes than this, the page would be holding more than its rows. */
const NODES = 20_000;
const ROUNDS = 3;

// Code that runs in the page is passed as text, because the types here are the server's.
/** Watches the page's main thread from now on. */
const watch = (page: Page) =>
  page.evaluate(`{
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((task) => task.duration)))
      .observe({ type: 'longtask' });
  }`);
/** The longest task since the last call, in milliseconds; 0 if none took 50. */
const longest = (page: Page): Promise<number> =>
  page.evaluate<number>('Math.round(Math.max(0, ...window.tasks.splice(0)))');
const nodesOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`document.querySelectorAll('*').length`);

/** Scrolls to the bottom and back, a little each frame. Returns frames per second. */
const scroll = (page: Page): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const whole = document.documentElement.scrollHeight - innerHeight;
    const steps = 120;
    await frame();
    const began = performance.now();
    for (let step = 1; step <= steps; step++) {
      scrollTo(0, whole * (1 - Math.abs(1 - (2 * step) / steps)));
      await frame();
    }
    return (steps * 1000) / (performance.now() - began);
  })()`);

/**
 * The agency list in Chromium, 100 rows per page: how smoothly it scrolls compared with the most a browser can draw.
 * Also prints how many nodes the page has and how long its longest tasks are while it opens, scrolls, turns pages,
 * sorts and opens an agency. Fails when the page holds more than its rows.
 */
export async function benchCompaniesPage(given: {
  origin: string;
  email: string;
  password: string;
  /** How many agencies there are. */
  agencies: number;
}): Promise<Result> {
  const browser = await launchChromium();
  try {
    const page = await signInAt(browser, `${given.origin}/login`, given.email, given.password, {
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'no-preference',
    });
    const rows = page.getByRole('button', { name: /^Clients of / });
    const shown = (first: number) =>
      page
        .getByText(`Showing ${first.toLocaleString('en-US')} to `, { exact: false })
        .first()
        .waitFor();
    const open = async (): Promise<number> => {
      const began = performance.now();
      await page.goto(`${given.origin}/configuration/agency-list?per=${ROWS}&sort=company_name&dir=asc`);
      await shown(1);
      return performance.now() - began;
    };
    await open();
    const opened = await open();
    await watch(page);
    const nodes = await nodesOf(page);
    const count = await rows.count();
    if (count !== Math.min(ROWS, given.agencies)) throw new Error(`The page shows ${count} rows`);
    if (nodes > NODES) throw new Error(`The page has ${nodes} nodes for ${count} rows`);
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rates.push(await scroll(page));
    const scrolling = await longest(page);

    const turns: number[] = [];
    for (let turn = 1; turn <= 5; turn++) {
      const began = performance.now();
      await page.getByRole('button', { name: 'next page' }).click();
      await shown(turn * ROWS + 1);
      turns.push(performance.now() - began);
    }
    const turning = await longest(page);
    await page.getByRole('button', { name: 'E-MAIL', exact: true }).click();
    await shown(1);
    await page.waitForLoadState('networkidle');
    const sorting = await longest(page);
    await rows.first().click();
    await page
      .getByRole('region', { name: /^Clients of / })
      .first()
      .waitFor();
    await page.waitForLoadState('networkidle');
    const expanding = await longest(page);
    const after = await nodesOf(page);
    console.log(
      `companies: the page of ${given.agencies} agencies: opened in ${opened.toFixed(0)} ms, ${nodes} nodes for ${count} rows (${after} after five pages, a sort and an open agency), ` +
        `turned in ${median(turns).toFixed(0)} ms; longest task while scrolling ${scrolling} ms, turning pages ${turning} ms, sorting ${sorting} ms, opening an agency ${expanding} ms`,
    );
    if (after > NODES) throw new Error(`The page has ${after} nodes after five pages`);
    const ours = median(rates);
    return {
      name: `frames per second while scrolling ${ROWS} of ${given.agencies.toLocaleString('en-US')} agencies`,
      limit: FRAMES,
      ours,
      ratio: ours / FRAMES,
      target: 0.5,
    };
  } finally {
    await browser.close();
  }
}
