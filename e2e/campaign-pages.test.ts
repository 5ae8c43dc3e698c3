import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt, userAgent } from './person.ts';

let demo: Demo;
let browser: Browser;
let agency: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
  agency = await as('agency@demo.test');
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});
const at = (path: string) => demo.url('acme.localhost', path);
const as = (email: string, path = '/') => signInAt(browser, at(path), email, demo.password);

test('[CAMP-14] administrators reach leads-management by its address; no one else gets the page', async () => {
  const admin = await as('admin@demo.test', '/visitor-id/leads-management');
  await admin.getByRole('heading', { name: 'Leads Management' }).waitFor();
  const rows = admin.getByRole('region', { name: 'Leads' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBeGreaterThan(5);
  await expect.poll(() => admin.locator('a[href*="leads-management"]').count()).toBe(0);
  await rows.first().getByRole('button').click();
  await admin.getByRole('dialog').getByText('Why it matched').waitFor();
  await admin.keyboard.press('Escape');
  expect(await axeFindings(admin, { serious: true })).toEqual([]);
  for (const [page, email] of [
    [agency, 'agency'],
    [await as('client@demo.test'), 'client'],
  ] as const) {
    await page.goto(at('/visitor-id/leads-management'));
    await page.getByText('The page you requested could not be found.').waitFor();
    expect([email, await page.getByRole('table').count()]).toEqual([email, 0]);
  }
});

test('[CAMP-11] /client shows what clients bring in and leads to their campaigns; /campaign tells products apart', async () => {
  await agency.goto(at('/client'));
  const clients = agency.getByRole('region', { name: 'Clients' });
  await clients.getByRole('button', { name: 'Leads 30d' }).click();
  await clients.getByRole('button', { name: 'Leads 30d' }).click();
  await expect.poll(() => clients.locator('tbody tr').first().innerText()).toContain('Northwind Outfitters');
  expect(await axeFindings(agency)).toEqual([]);
  await clients.getByRole('button', { name: 'Harbor Dental Care' }).press('Enter');
  await agency.getByRole('heading', { name: 'Campaigns' }).waitFor();
  const campaigns = agency.getByRole('region', { name: 'Campaigns' });
  await campaigns.getByText('Looking for a dentist').waitFor();
  await expect.poll(() => campaigns.getByText('Northwind Outfitters').count()).toBe(0);
  const row = campaigns.locator('tbody tr', { hasText: 'Looking for a dentist' });
  await expect.poll(() => row.innerText()).toContain('Search ID');
  await expect.poll(() => row.innerText()).not.toMatch(/ago/);
  await agency.getByRole('button', { name: 'New campaign' }).click();
  await agency.waitForURL(/\/campaign-setup/);
  // The compact table of a product has the product's name as its title.
  await agency.goto(at('/search-id/campaign-management-v1'));
  await agency.getByRole('heading', { name: 'Search ID', level: 1 }).waitFor();
});

test('[DASH-01] [CAMP-08] a product’s dashboard shows its own figures, charted by the report’s call', async () => {
  const charts: (string | null)[] = [];
  agency.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.endsWith('/report/chart')) charts.push(url.searchParams.get('moduleType'));
  });
  const shown = async (slug: string, name: string) => {
    const answer = agency.waitForResponse((one) => new URL(one.url()).pathname === '/api/dashboard');
    await agency.goto(at(`/${slug}/dashboard`));
    const { totals } = (await (await answer).json()) as { totals: { leads: number } };
    await agency.getByRole('heading', { name: `${name} Dashboard` }).waitFor();
    const chart = agency.getByRole('region', { name: 'Leads over time' });
    await chart.locator('svg').first().waitFor();
    await chart.getByRole('button', { name: 'View as table' }).click();
    const cells = chart.locator('tbody tr td:nth-child(2)');
    await expect.poll(() => cells.count()).toBe(30);
    const days = (await cells.allInnerTexts()).map((text) => Number(text.replaceAll(',', '')));
    expect(days.reduce((sum, day) => sum + day, 0)).toBe(totals.leads);
    return totals.leads;
  };
  const site = await shown('visitor-id', 'Visitor ID');
  const search = await shown('search-id', 'Search ID');
  expect(search).toBeGreaterThan(0);
  expect(site).toBeGreaterThan(search);
  expect(new Set(charts)).toEqual(new Set(['local', 'locator']));
});

describe('[KEYW-02] the keyword lead-count table', () => {
  const row = (id: number, more: object) => ({
    id: `00000000-0000-7000-8000-00000000000${id}`,
    company_id: '00000000-0000-7000-8000-0000000000aa',
    company_name: 'Harbor Dental Care',
    leadspeekID: null,
    leadspeek_api_id: null,
    target_location: 'Zip Code',
    states: [],
    cities: [],
    zip_code: '78701\n78702',
    zip_count: 2,
    city_count: 0,
    keyword_count: 2,
    keyword: `braces ${id}\nimplants`,
    count_without_geo: null,
    count: null,
    api_version: '1',
    created_at: '2026-03-10T15:00:00.000Z',
    finished_at: null,
    counted_at: null,
    waterfall: null,
    applied_at: null,
    applied_to: null,
    ...more,
  });
  let processing = 1;
  let page: Page;
  const asked: URLSearchParams[] = [];

  beforeAll(async () => {
    page = await as('client2@demo.test');
    // The server's response is tested elsewhere; this tests what the table does with it.
    await page.route(/getcountcampaignhistory/, (route) => {
      asked.push(new URL(route.request().url()).searchParams);
      const pending = row(1, { status: 'pending' });
      const data = [
        ...(processing ? [pending] : []),
        row(2, { status: 'error' }),
        row(3, { status: 'done', count_without_geo: 12_345, count: 1234 }),
        row(4, { status: 'done', count_without_geo: 0, count: 0 }),
      ];
      return route.fulfill({
        json: {
          data,
          current_page: 1,
          last_page: 1,
          per_page: 10,
          total: data.length,
          from: 1,
          to: data.length,
          processing,
        },
      });
    });
    await page.goto(at('/search-id/campaign-management'));
    await page
      .getByRole('button', { name: /^#\d+$/ })
      .first()
      .click();
    await page.getByRole('tab', { name: 'Keywords' }).click();
  });
  const table = () => page.getByRole('region', { name: 'Keyword counts' });
  const words = async (n: number) =>
    (
      await table()
        .locator('tbody tr', { hasText: `braces ${n}` })
        .innerText()
    ).split(/\s*\t\s*|\n+/);

  test('has the columns and words of the specification', async () => {
    await table().getByText('braces 4').waitFor();
    expect((await table().locator('thead th').allInnerTexts()).map((text) => text.trim())).toEqual([
      'Target location',
      'Keyword',
      'Without geo',
      'Historical Count',
      'Status',
      'Created',
      'Actions',
    ]);
    expect(await words(1)).toContain('Pending');
    await expect
      .poll(() =>
        table()
          .getByTitle(/delayed by over an hour.*email/)
          .count(),
      )
      .toBe(1);
    expect(await words(2)).toContain('Failed');
    expect(await words(3)).toEqual(expect.arrayContaining(['2 zip codes', '12,345', '1,234', 'Success']));
    expect(await words(4)).toContain('No Result');
    expect(await axeFindings(page, { serious: true })).toEqual([]);
  });

  test('Retry is disabled while a count is processing; its failure says so in the words of the specification', async () => {
    const retry = table().getByRole('button', { name: 'Retry' });
    await expect.poll(() => retry.isDisabled()).toBe(true);
    processing = 0;
    await expect.poll(() => retry.isEnabled()).toBe(true);
    await page.route(/queuecount/, (route) =>
      route.fulfill({ status: 503, json: { result: 'failed', message: 'x', errors: {} } }),
    );
    await retry.press('Enter');
    await page.getByText('Server might be busy. Please try again later.').waitFor();
  });

  test.each(['Historical Count', 'Keyword'])(
    '%s sorts up, down, and back to the list’s own order',
    async (title) => {
      const header = table().locator('thead').getByRole('button', { name: title });
      const column = { 'Historical Count': 'count', Keyword: 'keyword' }[title];
      for (const [order, aria] of [
        ['asc', 'ascending'],
        ['desc', 'descending'],
        [null, null],
      ] as const) {
        await header.press('Enter');
        // The default order is the same as at first and does not need to be requested again.
        await expect.poll(() => new URL(page.url()).searchParams.get('count_dir')).toBe(order);
        if (order)
          await expect
            .poll(() => [asked.at(-1)!.get('sortby'), asked.at(-1)!.get('order')])
            .toEqual([column, order]);
        await expect
          .poll(() => table().locator('th', { hasText: title }).getAttribute('aria-sort'))
          .toBe(aria);
      }
    },
  );
});

test('[BEY-10] the Install tab checks the site by keyboard, and shows events as they come in', async () => {
  const client = await as('client@demo.test', '/visitor-id/campaign-management');
  await client
    .locator('tbody tr', { hasText: 'Outdoor shop visitors' })
    .getByRole('button')
    .first()
    .press('Enter');
  // The demo was made on another port.
  await client.getByRole('textbox', { name: 'Site', exact: true }).fill(demo.url('shop.localhost'));
  await client.getByRole('button', { name: 'Save', exact: true }).click();
  await client.getByText('Changes saved').waitFor();
  await client.getByRole('tab', { name: 'Install' }).click();
  const check = client.getByRole('button', { name: 'Check my site' });
  await check.press('Enter');
  await client.getByText('Pixel found').waitFor();
  // The focus is where it was.
  await expect.poll(() => check.evaluate((button) => button === document.activeElement)).toBe(true);

  const events = client.getByRole('region', { name: 'Latest events' });
  // Browsers that say they are driven by a program are counted as bots.
  const shop = await (await browser.newContext({ userAgent })).newPage();
  await shop.goto(demo.url('shop.localhost', '/?seen=here'));
  await shop.evaluate(() => {
    document.title = '<b>Boots</b>';
    history.pushState({}, '', '/seen-here');
  });
  await events.getByText('/seen-here').waitFor();
  await events.getByText('<b>Boots</b>').waitFor();
  expect(await axeFindings(client)).toEqual([]);
});
