import type { Browser } from 'playwright-core';
import { launchChromium } from '../scripts/chromium.ts';
import { PATIENCE_MS } from './patience.ts';

/** The browsers of this worker's tests. */
const opened: Browser[] = [];

/** What the open pages show: when a test fails elsewhere, there is only the log to find out from. */
export async function whatPagesShow(): Promise<string[]> {
  const pages = opened.flatMap((browser) => browser.contexts()).flatMap((context) => context.pages());
  return Promise.all(
    pages.map(async (page) => {
      const text = await page.locator('body').ariaSnapshot({ timeout: 10_000 }).catch(String);
      return `${page.url()} showed\n${text.slice(0, 4_000)}`;
    }),
  );
}

/** A page here lives for seconds: what V8's optimizing compilers do for it costs more than it brings. */
const BRIEF = '--js-flags=--no-turbofan --no-maglev';

/**
 * A browser whose pages wait as long as the tests do, and move nothing: on a busy machine a click is slow, not wrong,
 * and does not hit what is on its way elsewhere.
 */
export async function openBrowser(): Promise<Browser> {
  const browser = await launchChromium({ args: [BRIEF] });
  opened.push(browser);
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    // A worker's requests pass by what a test answers itself.
    const context = await newContext({ reducedMotion: 'reduce', serviceWorkers: 'block', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
