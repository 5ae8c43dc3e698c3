import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The user agent of a person's browser: a headless one identifies itself and is dropped as a bot. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

/**
 * Opens an address in its own browser context, where a user is signed in already. The form is not filled in: how people
 * sign in has tests of its own (ways-in.test.ts), and it would be one more page for each that a test is about.
 */
export async function signInAt(
  browser: Browser,
  address: string,
  email: string,
  password: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ userAgent, ...options });
  const page = await context.newPage();
  const blank = new URL('/blank', address).href;
  await page.route(blank, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(blank);
  const said = await page.evaluate(
    async (given) => {
      const headers = { 'content-type': 'application/json' };
      const { ok, status } = await fetch('/api/login', {
        method: 'POST',
        headers,
        body: JSON.stringify(given),
      });
      if (ok) localStorage.setItem('session', '1');
      return status;
    },
    { username: email, password },
  );
  if (said !== 200) throw new Error(`${email} could not sign in: ${said}`);
  await page.goto(address);
  await page.waitForURL((url) => !['/login', '/'].includes(url.pathname));
  return page;
}

/** Follows a link of the sidebar: an entry, or one of its pages, which are shown first if they are not. */
export async function follow(page: Page, entry: string, label?: string): Promise<void> {
  const nav = page.getByRole('navigation', { name: 'Main' });
  if (!label) return nav.getByRole('link', { name: entry, exact: true }).click();
  const pages = nav.getByRole('list', { name: entry, exact: true });
  const show = nav.getByRole('button', { name: `Show pages of ${entry}` });
  await show.or(pages).first().waitFor();
  if (await show.isVisible()) await show.click();
  await pages.getByRole('link', { name: label, exact: true }).click();
}

/** Reads an agreement to its end, by keyboard. */
export async function readToEnd(where: Page | Locator): Promise<void> {
  const text = where.getByRole('region', { name: 'Agreement text' });
  await expect
    .poll(async () => {
      await text.press('End');
      return text.evaluate((box) => box.scrollTop + box.clientHeight >= box.scrollHeight - 1);
    })
    .toBe(true);
}
