import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The user agent of a person's browser: a headless one identifies itself and is dropped as a bot. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

/** Opens a page in its own browser context and signs a user in. `login`: the address of the login page. */
export async function signInAt(
  browser: Browser,
  login: string,
  email: string,
  password: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ userAgent, ...options });
  const page = await context.newPage();
  await page.goto(login);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => !['/login', '/'].includes(url.pathname));
  return page;
}
