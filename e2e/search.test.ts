import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt } from './person.ts';

let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

async function signIn(host: string, email: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await signInAt(browser, demo.url(host, '/'), email, demo.password, { colorScheme });
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return page;
}
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const active = (page: Page) => dialog(page).locator('[role=option][aria-selected=true]');
const serious = (page: Page) => axeFindings(page, { serious: true });

test('[UX-03] an agency reaches pages, clients, and campaigns by keyboard alone', async () => {
  const page = await signIn('acme.localhost', 'agency@demo.test');
  await page.getByRole('heading', { level: 1 }).waitFor();

  // A page: found by its name, opened by Enter.
  await page.keyboard.press('Control+k');
  await dialog(page).waitFor();
  await page.keyboard.type('role li');
  await expect.poll(() => active(page).innerText()).toContain('Role List');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === '/configuration/role-list');
  await dialog(page).waitFor({ state: 'detached' });

  // A campaign: requested from the server, shown under its group, opened in its drawer.
  await page.keyboard.press('Meta+k');
  await dialog(page).waitFor();
  // The last choice is at the top.
  await expect.poll(() => active(page).innerText()).toContain('Role List');
  await page.keyboard.type('10000');
  await page.keyboard.type('1');
  const campaign = dialog(page).getByRole('group', { name: 'Campaigns' }).getByRole('option').first();
  await campaign.waitFor();
  expect(await serious(page)).toEqual([]);
  const name = (await campaign.locator('bdi').first().innerText()).trim();
  for (let n = 0; n < 30 && (await campaign.getAttribute('aria-selected')) !== 'true'; n++)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.has('campaign'));
  await page.locator('.mantine-Drawer-content').getByText(name).first().waitFor();

  // A client: the list searches for it even though a drawer was open.
  await page.keyboard.press('Control+k');
  const input = dialog(page).getByRole('combobox');
  await input.waitFor();
  await input.fill('no such name anywhere');
  await dialog(page).getByText('No results for').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('.mantine-Drawer-content').isVisible()).toBe(true);
  await page.context().close();
});

test('[UX-03] Escape gives the focus back; a failure is told and tried again; shortcuts are listed under ?', async () => {
  const page = await signIn('acme.localhost', 'agency@demo.test', 'dark');
  const button = page.getByRole('button', { name: 'Search', exact: true });
  await button.focus();
  await page.keyboard.press('Enter');
  await dialog(page).waitFor();
  // The focus cannot leave the dialog.
  for (let n = 0; n < 6; n++) await page.keyboard.press('Tab');
  expect(await page.evaluate("!!document.activeElement.closest('[role=dialog]')")).toBe(true);
  await dialog(page).getByRole('combobox').focus();
  await page.route('**/api/general/search?*', (route) =>
    route.fulfill({ status: 403, json: { message: 'Not now' } }),
  );
  await page.keyboard.type('den');
  await dialog(page).getByRole('button', { name: 'Retry' }).waitFor();
  expect(await serious(page)).toEqual([]);
  await page.unroute('**/api/general/search?*');
  await dialog(page).getByRole('button', { name: 'Retry' }).click();
  await dialog(page).getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(/^Search/);

  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('Search everything by name, or run an action').waitFor();
  expect(await serious(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.context().close();
});

test('[UX-06] a root finds an agency, and a client beneath its agency, on a phone', async () => {
  const page = await signIn('localhost', 'root@demo.test');
  await page.setViewportSize({ width: 375, height: 812 });
  const search = async (text: string, group: string) => {
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await dialog(page).getByRole('combobox').fill(text);
    const options = dialog(page).getByRole('group', { name: group }).getByRole('option');
    await options.first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const name = (await options.first().locator('bdi').first().innerText()).trim();
    await options.first().click();
    await dialog(page).waitFor({ state: 'detached' });
    return name;
  };
  const agency = await search('acme', 'Agencies');
  await page.waitForURL((url) => url.searchParams.get('q') === agency);
  await page.getByText(agency, { exact: true }).first().waitFor();
  const client = await search('dent', 'Clients');
  await page.waitForURL((url) => url.searchParams.has('open') && url.searchParams.get('client') === client);
  await page.getByText('Clients that match').waitFor();
  await page.getByRole('button', { name: 'Show all clients' }).click();
  await page.waitForURL((url) => !url.searchParams.has('client'));
  await page.context().close();
});

test('[BEY-33] the palette switches the theme, pauses and activates a campaign, and starts a view, by keyboard', async () => {
  const page = await signIn('acme.localhost', 'agency@demo.test');
  await page.getByRole('heading', { level: 1 }).waitFor();
  const open = async (text: string) => {
    await page.keyboard.press('Control+k');
    await dialog(page).getByRole('combobox').fill(text);
  };
  await open('dark');
  await expect.poll(() => active(page).innerText()).toContain('Dark theme');
  expect(await serious(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();

  for (const [phrase, entry, told] of [
    ['pause', 'Pause a campaign', 'is paused'],
    ['activate', 'Activate a campaign', 'is active'],
  ] as const) {
    await open(entry);
    await page.keyboard.press('Enter');
    await expect.poll(() => dialog(page).getByRole('combobox').inputValue()).toBe(`${phrase} `);
    await page.keyboard.type('trail guide');
    await expect
      .poll(() => active(page).innerText())
      .toMatch(phrase === 'pause' ? /^Pause Trail guide readers/ : /^Activate Trail guide readers/);
    await page.keyboard.press('Enter');
    if (phrase === 'pause') await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText(`“Trail guide readers” ${told}`).waitFor();
  }

  await open('view as northwind');
  await expect.poll(() => active(page).innerText()).toContain('View as Casey Northwind');
  await page.keyboard.press('Enter');
  const view = page.getByRole('dialog', { name: 'View as Casey Northwind' });
  await view.getByLabel('Reason').fill('A call about the pixel');
  await page.keyboard.press('Enter');
  await page.getByText('you are viewing as').first().waitFor();
  await page.context().close();
});
