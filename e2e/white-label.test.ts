import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDns, type TestDns } from '../server/test/dns.ts';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { follow, userAgent } from './person.ts';

const ACME = 'acme.localhost';
const SETTINGS = '/configuration/general-setting';
/** Would run if anything that tenants enter could. */
const HOSTILE = `</title></script><svg onload="window.hacked=1"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;

let demo: Demo;
let dns: TestDns;
let browser: Browser;
let context: BrowserContext;
const tokens = new Map<string, string>();

beforeAll(async () => {
  dns = await startDns();
  dns.set('A', 'edge.platform.test', '192.0.2.10');
  [demo, browser] = await Promise.all([
    startDemo({ DNS_SERVERS: dns.address, DOMAIN_TARGET: 'edge.platform.test' }),
    openBrowser(),
  ]);
  context = await browser.newContext({ userAgent });
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
  await dns?.close();
});

async function signIn(page: Page, host: string, email: string): Promise<void> {
  await page.context().clearCookies();
  await page.goto(demo.url(host, '/healthz'));
  await page.evaluate(() => localStorage.clear());
  await page.goto(demo.url(host, '/login'));
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(demo.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/login'));
}

/** Node does not resolve *.localhost, browsers do: the host is sent in the header. */
async function ask(
  host: string,
  path: string,
  init: { method?: string; body?: unknown; token?: string; cookie?: string } = {},
) {
  const { request } = await import('node:http');
  return new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((done, failed) => {
    const call = request(
      {
        host: '127.0.0.1',
        port: demo.port,
        path,
        method: init.method ?? 'GET',
        headers: {
          host: `${host}:${demo.port}`,
          ...(init.token ? { authorization: `Bearer ${init.token}` } : {}),
          ...(init.cookie ? { cookie: init.cookie } : {}),
          ...(init.body ? { 'content-type': 'application/json' } : {}),
        },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => done({ status: response.statusCode!, text, headers: response.headers }));
      },
    );
    call.on('error', failed);
    call.end(init.body ? JSON.stringify(init.body) : undefined);
  });
}

async function save(comsetname: string, comsetval: unknown): Promise<void> {
  let token = tokens.get(ACME);
  if (!token) {
    const { text } = await ask(ACME, '/api/login', {
      method: 'POST',
      body: { username: 'agency@demo.test', password: demo.password },
    });
    token = JSON.parse(text).access_token as string;
    tokens.set(ACME, token);
  }
  const answer = await ask(ACME, '/api/configuration/setting', {
    method: 'PUT',
    token,
    body: { comsetname, comsetval },
  });
  if (answer.status !== 200) throw new Error(answer.text);
}

const BRAND = {
  name: 'Acme Leads',
  tagline: 'More of the right customers',
  box_bgcolor: '#0b7285',
  text_color: null,
  link_color: '#0b7285',
  template_bgcolor: null,
  sidebar_bgcolor: '#0b3b45',
  font_theme: null,
  logo: null,
  favicon: null,
};
const NO_CODE = { placeEmbedded: 'footer', embeddedcode: '' };

/** Contrast of an element's text with its own background, as it is painted. */
const contrastOf = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const light = (text: string): number => {
        const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/g) ?? []).map((part) => {
          const s = Number(part) / 255;
          return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const { color, backgroundColor } = getComputedStyle(element);
      const [a, b] = [light(color), light(backgroundColor)].sort((x, y) => x - y) as [number, number];
      return (b + 0.05) / (a + 0.05);
    });

describe('[TEN-03] the host decides the look before anyone has signed in', () => {
  test('name, title, icon and colors are there with the page; nothing of the platform is', async () => {
    const { text } = await ask(ACME, '/login');
    expect(text).toContain('<title>Acme Leads</title>');
    expect(text).toMatch(/<link rel="icon" href="\/brand\/[0-9a-f-]{36}\.png"/);
    for (const path of [
      '/login',
      '/api/general/domain-info',
      '/no/such/page',
      '/api/nothing',
      '/api/reference',
    ])
      expect([path, /meridian/i.test((await ask(ACME, path)).text)]).toEqual([path, false]);
    expect((await ask('localhost', '/login')).text).toContain('<title>Meridian</title>');
    const page = await context.newPage();
    await page.goto(demo.url(ACME, '/login'));
    await page.getByText('More of the right customers').waitFor();
    expect(await page.title()).toBe('Sign in · Acme Leads');
    await page.close();
  });

  test('[BEY-11] whatever colors are chosen can be read, in both themes', async () => {
    for (const color of ['#ffff00', '#777777', '#ffffff', '#000000']) {
      await save('branding', {
        ...BRAND,
        box_bgcolor: color,
        text_color: color,
        link_color: color,
        sidebar_bgcolor: color,
      });
      for (const colorScheme of ['light', 'dark'] as const) {
        const own = await browser.newContext({ userAgent, colorScheme });
        const page = await own.newPage();
        await page.goto(demo.url(ACME, '/login'));
        await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
        expect([color, colorScheme, (await contrastOf(page, 'button[type=submit]')) >= 4.5]).toEqual([
          color,
          colorScheme,
          true,
        ]);
        expect([color, colorScheme, await axeFindings(page, { rules: ['color-contrast'] })]).toEqual([
          color,
          colorScheme,
          [],
        ]);
        await own.close();
      }
    }
    await save('branding', BRAND);
  });
});

describe('[CONF-03] general settings', () => {
  test('branding: what is chosen shows at once, is corrected and told, and is worn after the save', async () => {
    const page = await context.newPage();
    await signIn(page, ACME, 'agency@demo.test');
    await follow(page, 'Settings', 'General Settings');
    await page.getByRole('heading', { name: 'General Settings' }).waitFor();
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await preview.waitFor();
    await page.getByLabel('Name', { exact: false }).first().fill('Acme Growth');
    await page.getByLabel('Accent', { exact: true }).fill('#ffff00');
    await preview.getByText('Accent, light theme').waitFor();
    await expect.poll(() => preview.getByText('Acme Growth').count()).toBeGreaterThan(2);
    await page.getByText('You have unsaved changes.').waitFor();
    const logo = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10"><rect width="30" height="10" fill="#0b7285"/></svg>',
    );
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: logo });
    await page.getByAltText('Logo (current)').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Setting has been saved.').waitFor();
    await page.getByText('Changed: Name, Accent, Logo.').waitFor();
    // The page frame shows it without a reload: a wide logo in place of sign and name.
    const mark = page.getByRole('navigation', { name: 'Main' }).locator('img').first();
    await expect.poll(() => mark.getAttribute('alt')).toBe('Acme Growth');
    await expect.poll(() => mark.boundingBox()).toMatchObject({ width: 108, height: 36 });
    // There are no unsaved changes to ask about.
    await follow(page, 'Home');
    await page.waitForURL(/dashboard/);
    await page.close();
    await save('branding', BRAND);
  });

  test('domain: records with their state, verified by “Check now”', async () => {
    const page = await context.newPage();
    await signIn(page, 'bluepeak.localhost', 'agency2@demo.test');
    await page.goto(demo.url('bluepeak.localhost', `${SETTINGS}?tab=domain`));
    await page.getByRole('textbox', { name: 'Domain', exact: true }).fill('*.customer.test');
    await page.getByRole('button', { name: 'Enter domain' }).click();
    await page.getByText('must be a single name, not a wildcard').waitFor();
    await page.getByRole('textbox', { name: 'Domain', exact: true }).fill('Leads.Customer.test');
    await page.getByRole('button', { name: 'Enter domain' }).click();
    await page.getByText('Waiting for DNS records').waitFor();
    const value = await page.getByText(/^verify=[0-9a-f]{40}$/).textContent();
    dns.set('TXT', '_verify.leads.customer.test', value!.trim());
    dns.set('CNAME', 'leads.customer.test', 'edge.platform.test');
    // The job may have checked a moment ago; then the button says so and is pressed again.
    await expect
      .poll(
        async () => {
          await page.getByRole('button', { name: 'Check now' }).click();
          await page.waitForTimeout(1_500);
          return page.getByText('Verified', { exact: true }).count();
        },
        { interval: 2_000 },
      )
      .toBe(1);
    await page.getByText('leads.customer.test is in use.').waitFor();
    expect(JSON.parse((await ask('leads.customer.test', '/api/general/domain-info')).text).name).toBe(
      'Blue Peak',
    );
    await page.close();
  });

  test('every tab stands up to axe in both themes, and the form is usable by keyboard', async () => {
    const page = await context.newPage();
    await signIn(page, ACME, 'agency@demo.test');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const tab of ['', '?tab=domain', '?tab=embed', '?tab=modules', '?tab=registration']) {
        await page.goto(demo.url(ACME, `${SETTINGS}${tab}`));
        await page
          .getByRole('button', { name: /Save|Enter domain/ })
          .first()
          .waitFor();
        expect([tab, colorScheme, await axeFindings(page)]).toEqual([tab, colorScheme, []]);
      }
    }
    await page.getByRole('tab', { name: 'Branding' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/tab=domain/);
    await page.keyboard.press('ArrowLeft');
    await page.getByLabel('Tagline').focus();
    await page.keyboard.type(' today');
    await page.keyboard.press('Enter');
    await page.getByText('Changed: Tagline.').waitFor();
    await page.close();
    await save('branding', BRAND);
  });
});

describe('[TEN-09] embed code', () => {
  const code = (place: string) => ({
    placeEmbedded: place,
    // Unclosed tags: they must not swallow the page.
    embeddedcode: `<div id="embedded"><script>window.embedRuns = (window.embedRuns ?? 0) + 1</script><b><!-- open`,
  });
  const seen = (page: Page) =>
    page.evaluate(() => ({
      ran: (window as unknown as { embedRuns?: number }).embedRuns ?? 0,
      parent: document.getElementById('embedded')?.parentElement?.tagName ?? null,
      last: document.body.lastElementChild?.id ?? '',
    }));

  test('runs once on its own host, in its place, and nowhere else', async () => {
    const page = await context.newPage();
    await signIn(page, ACME, 'agency@demo.test');
    await save('rootAgencyEmbeddedCode', code('footer'));
    await page.goto(demo.url(ACME, '/client'));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(await seen(page)).toMatchObject({ ran: 1, parent: 'BODY' });
    // It never runs where a password is typed, however one gets there, and runs again back on the other pages.
    await page.getByRole('button', { name: /profile menu/ }).click();
    await page.getByRole('menuitem', { name: 'Change Password' }).click();
    await page.getByRole('textbox', { name: 'Current password' }).waitFor();
    expect([new URL(page.url()).pathname, await seen(page)]).toMatchObject(['/user/profile', { ran: 0 }]);
    await page.keyboard.press('Escape');
    await page.goBack();
    await expect.poll(async () => (await seen(page)).ran).toBe(1);
    for (const [host, path] of [
      [ACME, '/login'],
      ['localhost', '/client'],
      ['bluepeak.localhost', '/client'],
      ['summit.localhost', '/client'],
      [ACME, '/api/general/domain-info'],
    ])
      expect([host, path, (await ask(host!, path!)).text.includes('window.embedRuns')]).toEqual([
        host,
        path,
        false,
      ]);
    for (const place of ['body', 'head']) {
      await save('rootAgencyEmbeddedCode', code(place));
      await page.goto(demo.url(ACME, '/client'));
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      expect([place, (await seen(page)).ran]).toEqual([place, 1]);
    }
    await page.close();
  });

  test('ends the service worker, whose files it could change, before it runs', async () => {
    await save('rootAgencyEmbeddedCode', NO_CODE);
    const own = await context.browser()!.newContext({ serviceWorkers: 'allow' });
    const page = await own.newPage();
    await signIn(page, ACME, 'agency@demo.test');
    const workers = () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
    await expect.poll(workers, { message: 'the worker is there' }).toBe(1);
    await page.reload();
    const isControlled = () => page.evaluate(() => navigator.serviceWorker.controller !== null);
    await expect.poll(isControlled, { message: 'the worker has the page' }).toBe(true);
    // The code asks for the worker again at once, and fills what it would answer the pages with that are kept free of it.
    const script = (await ask(ACME, '/user/profile')).text.match(/\/assets\/[\w.-]+\.js/)![0];
    const taking = `<script>window.embedRuns = 1; window.took = (async () => {
      await navigator.serviceWorker.register('/sw.js');
      const files = await caches.open('assets');
      await files.put('${script}', new Response('window.taken = true', { headers: { 'content-type': 'text/javascript' } }));
    })()</script>`;
    await save('rootAgencyEmbeddedCode', { placeEmbedded: 'footer', embeddedcode: taking });
    await page.goto(demo.url(ACME, '/client'));
    await expect.poll(async () => (await seen(page)).ran, { message: 'the code runs' }).toBe(1);
    await page.evaluate(() => (window as unknown as { took: Promise<void> }).took);
    await page.goto(demo.url(ACME, '/user/profile'));
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(await page.evaluate(() => 'taken' in window)).toBe(false);
    expect((await ask('localhost', '/sw.js')).text).not.toContain('registration.unregister');
    await own.close();
    await save('rootAgencyEmbeddedCode', NO_CODE);
  });

  test('never in view mode: neither sent nor, by what the browser keeps, run', async () => {
    await save('rootAgencyEmbeddedCode', code('footer'));
    const login = await ask(ACME, '/api/login', {
      method: 'POST',
      body: { username: 'agency@demo.test', password: demo.password },
    });
    const cookie = String((login.headers['set-cookie'] as string[])[0]).split(';')[0]!;
    const token = JSON.parse(login.text).access_token as string;
    const page = async () => {
      const { text, headers } = await ask(ACME, '/dashboard', { cookie });
      return [
        text.includes('window.embedRuns'),
        String(headers['content-security-policy']).includes('nonce'),
      ];
    };
    expect(await page()).toEqual([true, true]);
    const list = JSON.parse((await ask(ACME, '/api/configuration/company/list?PerPage=100', { token })).text);
    const usrID = (list.data as { user_id: string | null }[]).find((one) => one.user_id)!.user_id;
    const begun = await ask(ACME, '/api/user/switch', {
      method: 'POST',
      token,
      body: { usrID, reason: 'Looking at the embed code' },
    });
    expect([begun.status, begun.text]).toEqual([200, expect.stringContaining('access_token')]);
    expect(await page()).toEqual([false, false]);
    await ask(ACME, '/api/user/switch/revert', {
      method: 'POST',
      token: JSON.parse(begun.text).access_token,
      body: {},
    });
    expect(await page()).toEqual([true, true]);
    // The browser's own mark of a view is enough.
    const own = await browser.newContext({ userAgent });
    await own.addInitScript(() => localStorage.setItem('original_user', 'somebody'));
    const marked = await own.newPage();
    await marked.goto(demo.url(ACME, '/client'));
    await marked.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect((await seen(marked)).ran).toBe(0);
    await own.close();
    await save('rootAgencyEmbeddedCode', NO_CODE);
  });
});

describe('[BEY-11] nothing that a tenant enters runs', () => {
  test('hostile names, taglines, module names and logos are only shown', async () => {
    await save('branding', { ...BRAND, name: HOSTILE, tagline: HOSTILE });
    await save('modulenames', {
      ...Object.fromEntries(
        ['local', 'locator', 'enhance', 'b2b', 'simplifi'].flatMap((m) => [
          [`lead${m}name`, ''],
          [`lead${m}url`, ''],
        ]),
      ),
      leadlocalname: '<img src=x onerror=hacked=1>',
      leadlocalurl: 'visitor-id',
    });
    const page = await context.newPage();
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    const hacked = () => page.evaluate(() => (window as unknown as { hacked?: number }).hacked ?? 0);
    await signIn(page, ACME, 'agency@demo.test');
    for (const path of [
      '/dashboard',
      '/visitor-id/campaign-management',
      SETTINGS,
      `${SETTINGS}?tab=modules`,
    ]) {
      await page.goto(demo.url(ACME, path));
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      await page.waitForTimeout(300);
      expect([path, await hacked(), dialogs]).toEqual([path, 0, 0]);
    }
    // It is there, as text.
    await page.getByRole('button', { name: 'Show pages of Campaigns' }).click();
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Main' }).innerText())
      .toContain('<img src=x onerror=hacked=1>');
    await page.goto(demo.url(ACME, '/login'));
    expect([await hacked(), dialogs]).toEqual([0, 0]);
    const hostile = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="top.hacked=1"><script>top.hacked=1</script><rect width="9" height="9"/></svg>',
    );
    await page.goto(demo.url(ACME, SETTINGS));
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'x.svg', mimeType: 'image/svg+xml', buffer: hostile });
    const url = await page.getByAltText('Logo (current)').getAttribute('src');
    const picture = await ask(ACME, url!);
    expect([picture.headers['content-type'], picture.text.includes('hacked')]).toEqual(['image/png', false]);
    // Also when opened directly.
    const alone = await context.newPage();
    await alone.goto(demo.url(ACME, url!));
    expect(await alone.evaluate(() => (window as unknown as { hacked?: number }).hacked ?? 0)).toBe(0);
    await alone.close();
    await page.close();
    await save('branding', BRAND);
  });
});

describe('[TEN-03] nothing jumps', () => {
  test('the layout shift of login and dashboard stays below 0.02 in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const own = await browser.newContext({ userAgent, colorScheme });
      await own.addInitScript(() => {
        const all = window as unknown as { shift: number };
        all.shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          })[])
            if (!entry.hadRecentInput) all.shift += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
      });
      const page = await own.newPage();
      const shift = async () => {
        await page.waitForTimeout(1_000);
        return page.evaluate(() => (window as unknown as { shift: number }).shift);
      };
      await page.goto(demo.url(ACME, '/login'));
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      expect([colorScheme, 'login', await shift()]).toEqual([
        colorScheme,
        'login',
        expect.toSatisfy((n: number) => n < 0.02),
      ]);
      // Checks the measurement itself: something that does shift the page is detected.
      await page.evaluate(() => {
        const block = document.createElement('div');
        block.style.height = '300px';
        document.body.prepend(block);
      });
      expect(await shift()).toBeGreaterThan(0.02);
      await signIn(page, ACME, 'client@demo.test');
      await page.goto(demo.url(ACME, '/dashboard'));
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      await page.locator('table, ul[aria-label]').last().waitFor();
      expect([colorScheme, 'dashboard', await shift()]).toEqual([
        colorScheme,
        'dashboard',
        expect.toSatisfy((n: number) => n < 0.02),
      ]);
      await own.close();
    }
  });
});
