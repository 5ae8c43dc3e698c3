import type { Browser } from 'playwright-core';
import { afterEach } from 'vitest';
import { launchChromium } from '../scripts/chromium.ts';
import { PATIENCE_MS } from './patience.ts';

/** The browsers of this file's tests. */
const opened: Browser[] = [];

/** What the pages showed when a test failed: elsewhere there is only the log to find out from. */
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const page of opened.flatMap((browser) => browser.contexts()).flatMap((context) => context.pages())) {
    const text = await page.locator('body').ariaSnapshot({ timeout: 10_000 }).catch(String);
    console.error(`${task.name}: ${page.url()} showed\n${text.slice(0, 4_000)}`);
  }
});

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
