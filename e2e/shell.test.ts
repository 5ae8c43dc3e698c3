import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { follow, signInAt } from './person.ts';

let demo: Demo;
let browser: Browser;
const contexts = new Map<string, BrowserContext>();

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

/** A page of a signed-in user; each user signs in once. */
async function pageOf(host: string, email: string, path = '/'): Promise<Page> {
  const known = contexts.get(email);
  if (known) {
    const page = await known.newPage();
    await page.goto(demo.url(host, path));
    return page;
  }
  const page = await signInAt(browser, demo.url(host, path), email, demo.password);
  contexts.set(email, page.context());
  return page;
}

async function seriousFindings(page: Page): Promise<string[]> {
  await page.waitForLoadState('networkidle');
  return axeFindings(page, { serious: true });
}

const LANDINGS = [
  ['root', 'localhost', 'root@demo.test', '/configuration/agency-list'],
  ['a second root', 'summit.localhost', 'enterprise@demo.test', '/configuration/agency-list'],
  ['sales', 'localhost', 'sales@demo.test', '/configuration/sales-connect-account'],
  ['an account executive', 'localhost', 'executive@demo.test', '/configuration/agency-list'],
  ['an agency', 'acme.localhost', 'agency@demo.test', '/visitor-id/dashboard'],
  ['an administrator', 'acme.localhost', 'admin@demo.test', '/visitor-id/dashboard'],
  ['an agency that is not set up', 'fresh.localhost', 'newagency@demo.test', '/user/profile-setup'],
  ['a client', 'acme.localhost', 'client@demo.test', '/visitor-id/dashboard'],
] as const;

describe('[ROUT-05] [NAV-01] the way in and the sidebar', () => {
  test.each(LANDINGS)('%s lands where they begin', async (_, host, email, path) => {
    const page = await pageOf(host, email);
    await page.waitForURL((url) => url.pathname === path);
    await page.goto(demo.url(host, '/login'));
    await page.waitForURL((url) => url.pathname === path);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.close();
  });

  test('each role has its own links', async () => {
    const linksOf = async (host: string, email: string) => {
      const page = await pageOf(host, email);
      const nav = page.getByRole('navigation', { name: 'Main' });
      const links = nav.locator('ul a');
      await links.first().waitFor();
      const names = await links.allInnerTexts();
      const shows = await nav.getByRole('button', { name: /^Show pages of / }).all();
      // One entry is open at a time.
      for (const name of await Promise.all(shows.map((show) => show.getAttribute('aria-label')))) {
        await nav.getByRole('button', { name: name ?? '' }).click();
        names.push(...(await links.allInnerTexts()));
      }
      await page.close();
      return [...new Set(names.map((name) => name.trim().split('\n')[0]))];
    };
    expect(await linksOf('localhost', 'root@demo.test')).toEqual(
      expect.arrayContaining(['Agency List', 'Sales Rep & AE List', 'Exclusion List', 'People data']),
    );
    const client = await linksOf('acme.localhost', 'client@demo.test');
    expect(client).toEqual(expect.arrayContaining(['Home', 'All leads', 'Visitor ID', 'Banners', 'Lists']));
    expect(client).not.toContain('General Settings');
    expect(client).not.toContain('Client Management');
    expect(await linksOf('localhost', 'sales@demo.test')).toEqual(['Connect your account']);
    expect(await linksOf('fresh.localhost', 'newagency@demo.test')).not.toContain('Home');
  });

  test('[NAV-02] the profile menu of a client and of sales', async () => {
    const menuOf = async (host: string, email: string) => {
      const page = await pageOf(host, email);
      await page.getByRole('button', { name: /profile menu/ }).click();
      const items = page.getByRole('menuitem');
      await items.first().waitFor();
      const names = await items.allInnerTexts();
      await page.close();
      return names;
    };
    const client = await menuOf('acme.localhost', 'client@demo.test');
    expect(client).toEqual(
      expect.arrayContaining(['Profile', 'Card Setting', 'Integrations', 'Exclusion List']),
    );
    const sales = await menuOf('localhost', 'sales@demo.test');
    expect(sales).not.toContain('Profile');
    expect(sales).toEqual(
      expect.arrayContaining(['Change Password', 'Two Factor Authentication', 'Log out']),
    );
  });
});

test('[NAV-05] the tour goes over the sidebar by keys and buttons, and gives the focus back', async () => {
  const page = await pageOf('acme.localhost', 'client@demo.test', '/dashboard');
  const start = async () => {
    await page.getByRole('button', { name: /profile menu/ }).click();
    await page.getByRole('menuitem', { name: 'Take the tour' }).click();
  };
  const at = (title: string) => page.getByRole('dialog').getByText(title, { exact: true }).waitFor();
  const button = (name: string) => page.getByRole('dialog').getByRole('button', { name });
  await start();
  await at('Home');
  await page.keyboard.press('ArrowRight');
  await at('Leads');
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('ArrowLeft');
  await at('Home');
  await button('Next').click();
  await at('Leads');
  await button('Previous').click();
  await at('Home');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await start();
  await button('Skip tour').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await start();
  await at('Home');
  while (!(await button('Finish').isVisible())) await page.keyboard.press('ArrowRight');
  await at('Your account');
  await button('Finish').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  // What is new is marked until it was read.
  const news = page.getByRole('menuitem', { name: /What’s new/ });
  await page.getByRole('button', { name: /profile menu/ }).press('Enter');
  await expect.poll(() => news.innerText()).toMatch(/\bnew$/i);
  await news.press('Enter');
  const entries = page.getByRole('dialog', { name: 'What’s new' });
  await entries.getByRole('heading', { name: 'Alerts' }).waitFor();
  expect(await entries.getByRole('heading', { name: 'Reports on what you earn' }).count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /profile menu/ }).press('Enter');
  await expect.poll(() => news.innerText()).toBe('What’s new');
  await news.press('Enter');
  await entries.getByRole('link', { name: 'Open Alerts' }).press('Enter');
  await page.waitForURL('**/alerts');
  await entries.waitFor({ state: 'detached' });
  await page.close();
});

describe('[ROUT-02] [ROUT-07] pages that are none', () => {
  test('are told inside the frame to who is signed in, with the status 404', async () => {
    const page = await pageOf('acme.localhost', 'agency@demo.test');
    for (const path of ['/no/such/page', '/site-id/dashboard', '/configuration/opt-out-list']) {
      const answer = await page.goto(demo.url('acme.localhost', path));
      await page.getByRole('heading', { name: 'Page Not Found' }).waitFor();
      await page.getByText('The page you requested could not be found.').waitFor();
      await expect.poll(() => page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(true);
      // A page that exists, but not for this user, is not an unknown address.
      expect(answer?.status()).toBe(path === '/configuration/opt-out-list' ? 200 : 404);
    }
    await page.getByRole('link', { name: 'Go to Homepage' }).click();
    await page.waitForURL((url) => url.pathname === '/visitor-id/dashboard');
    await page.close();
  });

  test('and bare to who is not', async () => {
    const page = await browser.newPage();
    await page.goto(demo.url('acme.localhost', '/no/such/page'));
    await page.getByRole('heading', { name: 'Page Not Found' }).waitFor();
    await expect.poll(() => page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
    await page.goto(demo.url('acme.localhost', '/user/sessions?tab=1'));
    await page.waitForURL((url) => url.pathname === '/login');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/user/sessions?tab=1');
    await page.close();
  });
});

describe('[UX-03] by keyboard alone', () => {
  test('from the skip link over the sidebar into the menu and back', async () => {
    const page = await pageOf('acme.localhost', 'agency@demo.test', '/visitor-id/dashboard');
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    const tabTo = async (name: string) => {
      for (let i = 0; i < 30; i++) {
        await page.keyboard.press('Tab');
        const label = 'document.activeElement.ariaLabel ?? document.activeElement.textContent';
        if ((await page.evaluate(label)) === name) return;
      }
    };
    await tabTo('Show pages of Clients');
    await page.keyboard.press('Enter');
    await tabTo('Client Management');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/configuration/client-management');
    await page.getByRole('button', { name: /profile menu/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Profile', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'Profile', exact: true }).waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.textContent')).toContain('profile menu');
    await page.close();
  });

  test('Escape closes the modal above a drawer, and the drawer only then', async () => {
    const page = await pageOf('acme.localhost', 'client@demo.test', '/visitor-id/campaign-management');
    const lists = page.locator('tbody:visible');
    await lists.last().locator('button').first().click();
    const drawer = page.locator('.mantine-Drawer-content');
    await drawer.waitFor();
    await drawer.getByLabel(/name/i).first().fill('Changed for a moment');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await expect.poll(() => drawer.isVisible()).toBe(true);
    await page.close({ runBeforeUnload: false });
  });
});

describe('[BEY-33] home', () => {
  test('a figure leads to its list, which has as many entries, and a day of the chart narrows the page to its hours', async () => {
    const page = await pageOf('acme.localhost', 'client@demo.test');
    // A period that has ended: nothing arrives while the test looks.
    await page.goto(demo.url('acme.localhost', '/dashboard?days=90'));
    const chart = page.getByRole('slider', { name: 'Leads over time' });
    await chart.focus();
    for (const key of ['End', 'ArrowLeft', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL((url) => url.searchParams.has('from'));
    await page.getByRole('button', { name: 'View as table' }).click();
    await page.getByRole('columnheader', { name: 'Hour' }).waitFor();
    await page.getByText('Leads over time').first().waitFor();
    const main = page.getByRole('main');
    const tile = main.getByRole('link', { name: 'Leads', exact: true }).locator('xpath=../..');
    await expect.poll(() => tile.innerText()).toMatch(/\d/);
    const count = /(\d[\d,]*)/.exec(await tile.innerText())?.[1];
    await tile.getByRole('link').click();
    await page.waitForURL((url) => url.pathname === '/leads');
    const shown = page.getByText(/^Showing /);
    await expect.poll(() => shown.innerText()).toContain(`of ${count} entries`);
    await page.getByRole('button', { name: /^Remove .*Received/ }).click();
    await page.waitForURL((url) => !url.searchParams.has('from'));
    await page.close();
  });

  test('an agency sees its margin and what needs someone; a newcomer sees the way to the first lead', async () => {
    const page = await pageOf('acme.localhost', 'agency@demo.test', '/dashboard');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('1 campaign is paused because the balance is used up').waitFor();
    await page.getByRole('link', { name: 'Margin', exact: true }).waitFor();
    await attention.getByRole('link', { name: 'Listing viewers' }).click();
    await page.getByRole('dialog').getByText('Listing viewers').first().waitFor();
    await page.close();
    const newcomer = await pageOf('oakwood-portal.localhost', 'oakwood@demo.test', '/dashboard');
    await newcomer.getByRole('region', { name: 'What leads look like' }).waitFor();
    await newcomer
      .getByRole('region', { name: 'Your first lead' })
      .getByRole('link', { name: 'Build a campaign' })
      .click();
    await newcomer.waitForURL((url) => url.pathname === '/campaign-setup');
    await newcomer.close();
  });
});

describe('[UX-06] [NAV-01] on a phone', () => {
  test('the menu opens, leads on, and minimizes after the click', async () => {
    const page = await pageOf('acme.localhost', 'agency@demo.test');
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto(demo.url('acme.localhost', '/visitor-id/dashboard'));
    await page.getByRole('button', { name: 'Open menu' }).click();
    await follow(page, 'Settings', 'Role List');
    await page.waitForURL((url) => url.pathname === '/configuration/role-list');
    await page.getByRole('button', { name: 'Open menu' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.close();
  });
});

test('[NAV-07] pages open without a network, and a new version asks before it reloads', async () => {
  const home = demo.url('acme.localhost');
  const allowing = { serviceWorkers: 'allow' } as const;
  const page = await signInAt(browser, home, 'client@demo.test', demo.password, allowing);
  const context = page.context();
  const nav = page.getByRole('navigation', { name: 'Main' });
  await nav.waitFor();
  const kept = () =>
    page.evaluate(async () => {
      const paths: string[] = [];
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
      return paths;
    });
  const isKept = async () => (await kept()).filter((path) => path.endsWith('.js')).length > 1;
  await expect.poll(isKept).toBe(true);
  // Never what the API says.
  expect((await kept()).filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
  await page.reload();
  await nav.waitFor();
  await context.setOffline(true);
  await page.reload();
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  await Promise.all([
    page.waitForEvent('framenavigated'),
    page.getByRole('button', { name: 'Retry' }).click(),
  ]);
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  // It goes on by itself once there is a network again.
  await context.setOffline(false);
  await nav.waitFor();
  await page.evaluate(async () => void (await navigator.serviceWorker.register('/sw.js?next')));
  await page.getByText('A new version is available.').waitFor();
  await Promise.all([
    page.waitForEvent('framenavigated'),
    page.getByRole('button', { name: 'Reload' }).click(),
  ]);
  await nav.waitFor();
  expect(await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL)).toContain('/sw.js?next');
  await context.close();
});

test('[NAV-04] the theme is kept as light-theme or dark-theme', async () => {
  const page = await pageOf('acme.localhost', 'agency@demo.test', '/user/card-setting');
  for (const [words, kept] of [
    ['Dark theme', 'dark-theme'],
    ['Light theme', 'light-theme'],
  ] as const) {
    await page.getByRole('button', { name: /profile menu/ }).click();
    await page.getByRole('menuitem', { name: words }).click();
    expect(await page.evaluate("localStorage.getItem('theme')")).toBe(kept);
  }
  await page.close();
});

describe('[NAV-08] [ROUT-13] [ROUT-14] while the setup is open', () => {
  test('an agency that is not set up sees the warning on its pages, and comes no further', async () => {
    const page = await pageOf('fresh.localhost', 'newagency@demo.test', '/configuration/general-setting');
    await page.waitForURL((url) => url.pathname === '/user/profile-setup');
    await page.getByText('Please complete your profile to fully use the system. (Go to Profile)').waitFor();
    await page.close();
  });

  test('sales go through the statuses of their account and are let on', async () => {
    const page = await pageOf('localhost', 'sales@demo.test', '/configuration/agency-list');
    await page.waitForURL((url) => url.pathname === '/configuration/sales-connect-account');
    await page.getByText('Connect your payment account').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Connect account' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/user/sandbox-account/'));
    await page.getByRole('button', { name: 'Submit and reject' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    // Leaving without submitting counts as started, and the form opens again.
    await page.goto(demo.url('localhost', '/configuration/agency-list'));
    await page.waitForURL((url) => url.pathname === '/configuration/sales-connect-account');
    await page.getByText('You started your account').waitFor();
    await page.getByText('The payment provider still needs:').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Complete the form' }).click();
    await page.getByRole('button', { name: 'Submit and accept' }).click();
    await page.waitForURL((url) => url.pathname === '/configuration/sales-connect-account');
    await page.getByText('Verification in progress').waitFor();
    // The sandbox takes half a minute to review it; the page updates by itself.
    await page.getByText('Your account is connected').waitFor();
    await follow(page, 'Agencies');
    await page.waitForURL((url) => url.pathname === '/configuration/agency-list');
    await page.close();
  });

  test('a sandbox card can be put on file in place of another, and is marked as sandbox', async () => {
    const page = await pageOf('acme.localhost', 'client@demo.test', '/user/card-setting');
    await page.getByRole('button', { name: 'Replace card' }).click();
    await page.getByText('Sandbox', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Test card' }).fill('0341');
    await page.getByRole('option', { name: /0341/ }).click();
    await page.getByRole('button', { name: 'Save card' }).click();
    await page.getByText('Card saved.').first().waitFor();
    await page.getByText(/ending in 0341/).waitFor();
    await page.close();
  });
});

test('[UX-05] the help is a titled modal with a film and words', async () => {
  const page = await pageOf('localhost', 'sales@demo.test', '/configuration/sales-connect-account');
  await page.getByRole('button', { name: 'Help: How connecting works' }).click();
  const help = page.getByRole('dialog', { name: 'How connecting works' });
  await help.locator('video').waitFor();
  await expect
    .poll(() =>
      help.locator('video').evaluate((film) => (film as unknown as { readyState: number }).readyState),
    )
    .toBeGreaterThan(0);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  await page.close();
});

test('[ROUT-09] a document is prepared and downloaded', async () => {
  const page = await pageOf('acme.localhost', 'agency@demo.test');
  const file = page.waitForEvent('download');
  await page.goto(demo.url('acme.localhost', '/download-auth/default_agency'));
  expect((await file).suggestedFilename()).toBe('default_agency.html');
  await page.getByText('Download Successful').first().waitFor();
  await page.goto(demo.url('acme.localhost', '/download-auth/none-such'));
  await page.getByText('Document Not Available').waitFor();
  await page.close();
});

test('[REPT-01] a list is downloaded as a file, and a download that fails says so and can be tried again', async () => {
  const page = await pageOf('acme.localhost', 'client@demo.test', '/visitor-id/campaign-management');
  const button = page.getByRole('button', { name: 'Download Data' }).first();
  let release = (): void => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(/\/api\/export\//, async (route) => {
    expect(route.request().method()).toBe('GET');
    await held;
    await route.abort();
  });
  await button.click();
  await page.getByText('Preparing your file...').waitFor();
  release();
  await page.getByText('There was an error downloading file').waitFor();
  await page.unroute(/\/api\/export\//);

  const file = page.waitForEvent('download');
  await button.click();
  expect((await file).suggestedFilename()).toMatch(/\.csv$/);
  await page.getByText('Download Successful').waitFor();
  await page.close();
});

describe('[UX-03] no serious finding of axe', () => {
  test.each([
    ['acme.localhost', 'agency@demo.test', '/visitor-id/dashboard'],
    ['acme.localhost', 'agency@demo.test', '/user/card-setting'],
    ['acme.localhost', 'agency@demo.test', '/integrations'],
    ['acme.localhost', 'agency@demo.test', '/no/such/page'],
    ['fresh.localhost', 'newagency@demo.test', '/user/profile-setup'],
    ['localhost', 'root@demo.test', '/configuration/agency-list'],
    ['acme.localhost', '', '/privacy-policy'],
    ['acme.localhost', '', '/term-of-use'],
    ['acme.localhost', '', '/service-billing-agreement'],
    ['acme.localhost', '', '/marketing-services-agreement-developer'],
  ])('%s %s %s', async (host, email, path) => {
    const page = email ? await pageOf(host, email, path) : await (await browser.newContext()).newPage();
    if (!email) await page.goto(demo.url(host, path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.close();
  });
});
