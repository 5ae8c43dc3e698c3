import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { follow, signInAt } from './person.ts';

let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const signIn = (host: string, email: string, path = '/', options = {}): Promise<Page> =>
  signInAt(browser, demo.url(host, path), email, demo.password, options);
const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });

async function chooseClient(page: Page, name: string): Promise<void> {
  await page.getByText('One client', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Client' }).fill(name.slice(0, 6));
  await page.getByRole('option', { name }).click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
}

test('[CONF-04] an agency chooses what a client may ask for, by keyboard; the root narrows the agency', async () => {
  const agency = await signIn('acme.localhost', 'agency@demo.test', '/dashboard');
  await follow(agency, 'Lists', 'Data Enrichment');
  await agency.getByText('This is what your company can use.', { exact: false }).waitFor();
  // The agency cannot change what it is offered.
  await expect.poll(() => box(agency, 'Gender').isDisabled()).toBe(true);
  expect(await axeFindings(agency)).toEqual([]);

  await chooseClient(agency, 'Harbor Dental Care');
  const save = agency.getByRole('button', { name: 'Save harbor dental care' });
  await expect.poll(() => save.isDisabled()).toBe(true);
  await box(agency, 'Gender').focus();
  await agency.keyboard.press('Space');
  await agency.keyboard.press('Tab');
  await agency.keyboard.press('Space'); // the next one: marital status
  await expect.poll(() => box(agency, 'Marital status').isChecked()).toBe(false);
  await agency.getByText('8 of 10 chosen').waitFor();
  await agency.getByText('Unsaved changes').waitFor();
  expect(await axeFindings(agency)).toEqual([]);
  // Leaving the page asks for confirmation first.
  await follow(agency, 'Home');
  const leaving = agency.getByRole('dialog', { name: 'Leave without saving?' });
  await leaving.getByText('Your changes to the data fields will be lost.').waitFor();
  await agency.keyboard.press('Escape');
  await save.focus();
  await agency.keyboard.press('Enter');
  await agency.getByText('Setting has been saved.').waitFor();
  await expect.poll(() => save.isDisabled()).toBe(true);
  await agency.reload();
  await agency.getByText('8 of 10 chosen').waitFor();
  await expect.poll(() => box(agency, 'Gender').isChecked()).toBe(false);

  // The root removes a field from the whole agency; the client is no longer offered it.
  const root = await signIn('localhost', 'root@demo.test', '/configuration/data-enrichment?of=one');
  await root.getByRole('combobox', { name: 'Agency' }).fill('Acme');
  await root.getByRole('option', { name: 'Acme Leads' }).click();
  await box(root, 'Veteran').uncheck();
  await root.getByRole('button', { name: 'Save acme leads' }).click();
  await root.getByText('Setting has been saved.').waitFor();
  await agency.reload();
  await agency.getByText('7 of 10 chosen').waitFor();
  await expect.poll(() => box(agency, 'Veteran').isDisabled()).toBe(true);
  await agency.getByText('Not available to this company.').first().waitFor();

  // A root's account with a vendor: the key is kept and not shown again.
  await root.goto(demo.url('localhost', '/configuration/data-enrichment'));
  await root.getByLabel('API key', { exact: true }).fill('a-key-of-mine');
  await root.getByRole('button', { name: 'Save people data labs' }).click();
  await root.getByText('A key is saved and encrypted.', { exact: false }).waitFor();
  await expect.poll(() => root.getByLabel('API key', { exact: true }).inputValue()).toBe('');
  expect(await axeFindings(root)).toEqual([]);
  await root.getByRole('button', { name: 'Remove key' }).click();
  await root.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await root.getByText('The key is encrypted and never shown again.', { exact: false }).waitFor();
});

test('[CONF-04] the page fits a phone', async () => {
  const page = await signIn('acme.localhost', 'agency@demo.test', '/configuration/data-enrichment', {
    viewport: { width: 375, height: 720 },
  });
  await box(page, 'SIC code').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
});
