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
  page = await signInAt(browser, demo.url(HOST, '/'), 'client@demo.test', demo.password);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const next = () => page.getByRole('button', { name: 'Next' }).click();
const at = (heading: string) => page.getByRole('heading', { name: heading, exact: true }).waitFor();

test('[CAMP-11] a campaign is built step by step, with its price, and saved as a draft', async () => {
  await page.goto(demo.url(HOST, '/campaign-setup'));
  await page.getByRole('heading', { name: 'Build Your Campaign' }).waitFor();
  const summary = page.getByRole('complementary', { name: 'Summary' });
  await next();
  await page.getByText('Enter a name').waitFor();
  await page.getByLabel('Name').fill('Built step by step');
  await page.getByRole('textbox', { name: 'Site', exact: true }).fill('shop.example.com');
  await summary.getByText('Visitors to shop.example.com, once the pixel is installed.').waitFor();
  await next();
  await at('Audience');
  await next();
  await at('Leads');
  await page.getByLabel('Lead limit').fill('20');
  await summary.getByText(/^Up to 20 leads a day/).waitFor();
  await page.getByLabel('Email after this many leads').fill('5');
  await next();
  await page.getByText('Enter at least one email address').waitFor();
  await page.getByLabel('Notification recipients').fill('desk@shop.example');
  await next();
  await at('Price');
  await page.getByText('for 20 leads a day').waitFor();
  expect(await axeFindings(page, { serious: true })).toEqual([]);
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await page.waitForURL(/campaign-management\?campaign=/);
  const drawer = page.getByRole('dialog', { name: 'Campaign' });
  await drawer.getByText('Built step by step').first().waitFor();
  await drawer.getByText('Paused').first().waitFor();
});

test('[CAMP-09] a test lead goes out once a minute, and says so', async () => {
  await page.getByRole('tab', { name: 'Delivery' }).click();
  await page.getByRole('button', { name: 'Send test lead' }).click();
  await page.getByText('The test lead is in the lead list.').waitFor();
  await page.getByRole('button', { name: 'Send test lead' }).click();
  await page
    .getByText('You can only attempt this test once every minute. Please try again later.')
    .first()
    .waitFor();
});

test('[CAMP-16] groups are made beside the list, and narrow it', async () => {
  await page.goto(demo.url(HOST, '/campaign'));
  await page.getByRole('button', { name: 'Campaign groups' }).click();
  await page.getByLabel('New group').fill('Spring');
  await page.getByRole('button', { name: 'Add group' }).click();
  await page.getByText('0 campaigns').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Group' }).click();
  const options = page.getByRole('listbox', { name: 'Group' }).getByRole('option');
  await expect.poll(() => options.allTextContents()).toEqual(['View All', 'Spring']);
  await page.getByRole('option', { name: 'Spring' }).click();
  await page.waitForURL(/group=/);
  await page.getByText('Built step by step').waitFor({ state: 'detached' });
});
