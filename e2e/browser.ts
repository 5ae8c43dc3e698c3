import type { Browser } from 'playwright-core';
import { launchChromium } from '../scripts/chromium.ts';
import { PATIENCE_MS } from './patience.ts';

/**
 * A browser whose pages wait as long as the tests do, and move nothing: on a busy machine a click is slow, not wrong,
 * and does not hit what is on its way elsewhere.
 */
export async function openBrowser(): Promise<Browser> {
  const browser = await launchChromium();
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
