import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt } from './person.ts';

const HOST = 'acme.localhost';
let demo: Demo;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
  page = await signInAt(browser, demo.url(HOST, '/'), 'agency@demo.test', demo.password);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const next = () => page.getByRole('button', { name: 'Next' }).click();
const at = (heading: string) => page.getByRole('heading', { name: heading, exact: true }).waitFor();
const serious = () => axeFindings(page, { serious: true });

/** Chooses the product and the client, and names the campaign. */
async function begin(product: RegExp, name: string): Promise<void> {
  await page.goto(demo.url(HOST, '/campaign-setup'));
  await page.getByRole('radio', { name: product }).click();
  expect(await serious()).toEqual([]);
  await page.getByRole('combobox', { name: 'Client' }).fill('Northwind');
  await page.getByRole('option', { name: /Northwind/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await next();
  await at('Audience');
}

/** From the review on: the estimate, a running campaign, and one of its leads in its list. */
async function finish(slug: string, name: string, price: string): Promise<void> {
  await at('Price');
  await page.getByLabel('Payment term').first().click();
  await page.getByRole('option', { name: 'Weekly' }).click();
  const estimate = page.getByRole('region', { name: 'Estimate' });
  await estimate.getByText('People found, 7 days').waitFor();
  const shown = await estimate.locator('dd').allTextContents();
  expect(Number(shown[0]!.replaceAll(',', ''))).toBeGreaterThan(0);
  expect(shown[3]).toMatch(/^About .*\$/);
  await estimate.getByText(/now, then about .* a day\. \$.* up front\./).waitFor();
  await page.getByText(price).first().waitFor();
  expect(await serious()).toEqual([]);
  await page.getByRole('switch', { name: 'Start immediately' }).press('Space');
  await page.getByRole('button', { name: 'Save and start' }).press('Enter');
  await page.waitForURL(new RegExp(`/${slug}/campaign-management\\?campaign=`));
  const id = new URL(page.url()).searchParams.get('campaign')!;
  await page.getByRole('dialog', { name: 'Campaign' }).getByText(name).first().waitFor();
  await page.getByRole('dialog', { name: 'Campaign' }).getByText('Active').first().waitFor();
  // So wide that the list shows what leads were matched by.
  await page.setViewportSize({ width: 1800, height: 900 });
  await expect
    .poll(async () => {
      await page.goto(demo.url(HOST, `/${slug}/dashboard?campaign=${id}`));
      const row = page.getByRole('row').filter({ hasText: 'Intent' }).first();
      return row.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    })
    .toBe(true);
}

test('[CAMP-03] [CAMP-11] an Enhance ID campaign is built to its first lead', async () => {
  await begin(/Enhance ID/, 'Tents for everybody');
  await next();
  await page.getByText('Enter at least one keyword').waitFor();
  await page.getByRole('textbox', { name: 'Keywords' }).fill('family tents, Family Tent\nhiking boots');
  await page.getByText('2 keywords; 1 left out because another keyword has the same form').waitFor();
  await next();
  await at('Leads');
  await page.getByRole('checkbox', { name: 'Age range' }).press('Space');
  await page.getByRole('checkbox', { name: 'Income range' }).press('Space');
  await page.getByText(/A lead costs \$3\.50 with this data, \$3\.00 without/).waitFor();
  await page.getByRole('complementary', { name: 'Summary' }).getByText('Income range').waitFor();
  await next();
  await finish('enhance-id', 'Tents for everybody', '$3.50');
});

test('[CAMP-04] [CAMP-11] a B2B ID campaign is built to its first lead, with its audience', async () => {
  await begin(/B2B ID/, 'Buyers of software');
  await page
    .getByRole('textbox', { name: 'Keywords' })
    .fill('crm software\noffice furniture\npayroll services');
  // By keyboard, since the list moves with each choice.
  const seniority = page.getByRole('combobox', { name: 'Seniority' }).first();
  const chosen = ['Manager', 'Director', 'Owner'];
  for (const name of chosen) {
    await seniority.fill(name);
    await page.getByRole('option', { name, exact: true }).waitFor({ state: 'attached' });
    await seniority.press('ArrowDown');
    await seniority.press('Enter');
  }
  await seniority.press('Escape');
  for (const name of chosen) await page.getByText(name, { exact: true }).first().waitFor();
  expect(await serious()).toEqual([]);
  await next();
  await at('Leads');
  await page.getByRole('checkbox', { name: 'Industry' }).press('Space');
  await next();
  await finish('b2b-id', 'Buyers of software', '$6.00');
  await page.getByRole('row').filter({ hasText: 'Intent' }).first().getByRole('button').first().click();
  await page.getByRole('dialog', { name: 'Lead' }).getByText('Industry').first().waitFor();
});

test('[CAMP-07] many campaigns are archived at once, and brought back', async () => {
  await page.goto(demo.url(HOST, '/enhance-id/campaign-management'));
  await page
    .getByRole('row', { name: /Tents for everybody/ })
    .getByRole('checkbox')
    .check();
  await page
    .getByRole('row', { name: /Outdoor families/ })
    .getByRole('checkbox')
    .check();
  await page.getByRole('button', { name: 'Archive 2' }).click();
  await page
    .getByRole('dialog', { name: 'Archive 2 campaigns?' })
    .getByRole('button', { name: 'Archive' })
    .click();
  const notice = page.getByRole('alert').filter({ hasText: '2 campaigns are archived' });
  await notice.waitFor();
  await page.getByText('No campaigns yet').waitFor();
  await notice.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('2 campaigns are restored and paused').waitFor();
  await page
    .getByRole('row', { name: /Outdoor families/ })
    .getByText('Paused')
    .waitFor();
});

test('[CAMP-03] the root sets the least price and the minimum leads per day', async () => {
  const root = await signInAt(
    browser,
    demo.url('localhost', '/configuration/general-setting?tab=minimums'),
    'root@demo.test',
    demo.password,
  );
  await root.getByRole('textbox', { name: 'Enhance ID, Prepaid' }).fill('2.5');
  await root.getByRole('textbox', { name: 'Enhance ID, Prepaid' }).press('Tab');
  await root.getByRole('button', { name: 'Save' }).first().click();
  await root.getByText('Setting has been saved.').first().waitFor();
  expect(await axeFindings(root, { serious: true })).toEqual([]);
  await root.context().close();
});

test('[CAMP-07] [CAMP-11] before many campaigns are activated, it says what comes and costs at once', async () => {
  for (const name of [/Tents for everybody/, /Outdoor families/])
    await page.getByRole('row', { name }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Activate 2' }).click();
  const asked = page.getByRole('dialog', { name: 'Activate 2 campaigns?' });
  await asked.getByText(/leads on the first day for \$/).waitFor();
  await expect.poll(() => asked.getByRole('row').count()).toBe(3);
  expect(await serious()).toEqual([]);
  await asked.getByRole('button', { name: 'Activate 2 campaigns' }).click();
  await page.getByText('2 campaigns are active').waitFor();
  await page
    .getByRole('row', { name: /Outdoor families/ })
    .getByText('Active')
    .waitFor();
});
