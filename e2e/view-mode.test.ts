import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt, userAgent } from './person.ts';

let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const banner = (page: Page) => page.getByRole('region', { name: 'View mode' });

describe('[NAV-03] [BEY-12] view mode in the browser', () => {
  test('a root sees a client’s dashboard, in every tab, cannot change the password, and returns', async () => {
    const context = await browser.newContext({ userAgent });
    const page = await context.newPage();
    const tokens: string[] = [];
    page.on('request', (request) => {
      const [, token] = /^Bearer (.+)$/.exec(request.headers().authorization ?? '') ?? [];
      if (token) tokens.push(token);
    });
    await page.goto(demo.url('localhost', '/login'));
    await page.getByLabel('Email').fill('root@demo.test');
    await page.getByLabel('Password', { exact: true }).fill(demo.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/login'));
    const second = await context.newPage();
    await second.goto(demo.url('localhost', '/dashboard'));
    await second.getByRole('link', { name: 'Agency List' }).waitFor();
    // A page behind another one is drawn rarely, and a click may then hit what is no longer there.
    await page.bringToFront();

    await page.getByRole('link', { name: 'Agency List' }).click();
    await expect.poll(() => banner(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Clients of Acme Leads' }).click();
    await page.getByRole('button', { name: 'Actions for Northwind Outfitters' }).click();
    await page.getByRole('menuitem', { name: 'View as client' }).click();
    const reason = page.getByLabel('Reason');
    await reason.fill('no');
    await page.getByRole('button', { name: 'View as Casey Northwind' }).click();
    await page.getByText('at least 5 characters').waitFor();
    await reason.fill('Support call about the pixel');
    await reason.press('Enter');

    await banner(page).waitFor();
    expect(new URL(page.url()).pathname).toBe('/visitor-id/dashboard');
    await expect
      .poll(() => banner(page).innerText())
      .toMatch(
        /Robin Master, you are viewing as Casey Northwind of Northwind Outfitters\.[\s\S]*(30:00|29:\d\d) left/,
      );
    await page.getByRole('heading', { name: 'By campaign' }).waitFor();
    // The client's own things, and none of the root's.
    await expect.poll(() => page.getByText('Harbor Dental Care').count()).toBe(0);
    await expect.poll(() => page.getByRole('link', { name: 'Agency List' }).count()).toBe(0);
    // The other tab follows automatically, and view mode survives a reload.
    await banner(second).waitFor();
    await page.reload();
    await banner(page).waitFor();

    const { id, isViewMode } = await (
      await page.request.get(demo.url('localhost', '/api/user'), {
        headers: { authorization: `Bearer ${tokens.at(-1)}` },
      })
    ).json();
    expect(isViewMode).toBe(true);
    const refused = await page.request.post(demo.url('localhost', '/api/user/resetpassword'), {
      headers: { authorization: `Bearer ${tokens.at(-1)}` },
      data: { usrID: id, currpassword: demo.password, newpassword: 'another long password' },
    });
    expect([refused.status(), (await refused.json()).message]).toEqual([
      403,
      'This is not available while you view as someone else. Return to your own account first.',
    ]);

    await banner(page).getByRole('button', { name: 'Renew' }).click();
    await page.getByText('The view was extended by 30 minutes.').waitFor();
    await banner(page).getByRole('button', { name: 'Return to my account' }).click();
    await page.waitForURL('**/configuration/agency-list');
    await page.getByRole('button', { name: 'Actions for Acme Leads' }).waitFor();
    await expect.poll(() => banner(page).count()).toBe(0);
    await second.getByRole('link', { name: 'Agency List' }).waitFor();
    await expect.poll(() => banner(second).count()).toBe(0);
    // No page of the person viewed comes back from the browser's cache.
    await page.goBack();
    await page.waitForLoadState('networkidle');
    await expect.poll(() => banner(page).count()).toBe(0);
    await expect.poll(() => page.getByText('Northwind Outfitters').count()).toBe(0);
    // An agency with completed setup starts at its dashboard, under its own logo (ROUT-11).
    await page.goto(demo.url('localhost', '/configuration/agency-list'));
    await page.getByRole('button', { name: 'Actions for Acme Leads' }).click();
    await page.getByRole('menuitem', { name: 'View as agency' }).click();
    await page.getByLabel('Reason').fill('Asked how the dashboard looks');
    await page.getByLabel('Reason').press('Enter');
    await banner(page).waitFor();
    expect(new URL(page.url()).pathname).toBe('/visitor-id/dashboard');
    const mark = page.getByRole('navigation', { name: 'Main' });
    await mark.getByText('Acme Leads', { exact: true }).first().waitFor();
    const logo = mark.locator('img').first();
    await expect.poll(() => logo.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    await context.close();
  });

  test('an agency views as its client; who is no system user has no Agency List', async () => {
    const address = demo.url('acme.localhost', '/configuration/agency-list');
    const page = await signInAt(browser, address, 'agency@demo.test', demo.password);
    await page.getByText('Page Not Found').waitFor();
    await page.goto(demo.url('acme.localhost', '/configuration/client-management'));
    await page.getByRole('button', { name: 'Actions for Northwind Outfitters' }).click();
    await page.getByRole('menuitem', { name: 'View as client' }).click();
    await page.getByLabel('Reason').fill('Asked us to look');
    await page.getByLabel('Reason').press('Enter');
    await banner(page).waitFor();
    await banner(page).getByRole('button', { name: 'Return to my account' }).click();
    await page.waitForURL('**/configuration/client-management');
    await page.context().close();
  });
});
