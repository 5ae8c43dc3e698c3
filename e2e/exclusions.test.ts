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
const choose = (page: Page, name: string, content: string) =>
  page.getByTestId('file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
const submitted = (page: Page) =>
  page.getByText('Your Suppression file has been Submitted, Thank you!').waitFor();
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

test('[EXCL-01] [EXCL-02] [EXCL-03] a client uploads a list, reads its report, takes it back and purges', async () => {
  const page = await signIn('acme.localhost', 'client@demo.test');
  await page.getByRole('button', { name: /profile menu/ }).click();
  await page.getByRole('menuitem', { name: 'Exclusion List' }).click();
  const modal = page.getByRole('dialog', { name: 'Exclusion List' });
  await modal.getByText('No one is excluded here yet').waitFor();
  await choose(page, 'people.xlsx', 'x');
  await modal.getByText('Invalid file format. This upload only supports CSV files.').waitFor();
  await choose(page, 'empty.csv', '');
  await modal
    .getByText('Whoops that did not work, please check your file for errors and try again.', { exact: false })
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);

  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/suppressionlist/progress')) asked.push(request.url());
  });
  const progress = page.waitForRequest(/suppressionlist\/progress/);
  await choose(page, 'Opt Outs March.csv', `email\ngone@people.test\n${MD5}\nnot an address\n`);
  await submitted(page);
  const row = modal.getByRole('row', { name: /opt_outs_march\.csv/ });
  await row.getByText('Active').waitFor();
  await progress;
  await row.getByRole('button', { name: 'opt_outs_march.csv' }).click();
  const report = modal.getByRole('region', { name: 'Report for opt_outs_march.csv' });
  await report.getByText('3 rows read: 2 email addresses.').waitFor();
  await report.getByText('Line 4').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    report.getByRole('button', { name: 'Download bad rows' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^exclusion-report-.*\.csv$/);

  await report.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('dialog', { name: /Undo/ }).getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Undone').waitFor();

  await choose(page, 'second.csv', 'second@people.test\n');
  const second = modal.getByRole('row', { name: /second\.csv/ });
  await second.getByText('Active').waitFor();
  await modal.getByRole('button', { name: 'Purge existing records' }).click();
  const sure = page.getByRole('dialog', { name: 'Record Purge Confirmation' });
  await sure.getByText('Are you sure you want to purge existing records?').waitFor();
  await sure.getByRole('button', { name: 'Cancel' }).click();
  await sure.waitFor({ state: 'detached' });
  await modal.getByRole('button', { name: 'Purge existing records' }).click();
  await sure.getByRole('button', { name: 'Purge records' }).click();
  await page.getByText('Purged 1 entry from 1 list.').waitFor();
  await second.getByText('Undone').waitFor();

  // Once closed, it sends no more requests.
  await page.keyboard.press('Escape');
  await modal.waitFor({ state: 'detached' });
  const before = asked.length;
  await page.waitForTimeout(2500);
  expect(asked).toHaveLength(before);
});

test('[EXCL-06] [BEY-08] from campaign management: the lists of the campaign and of its client; the agency has its own', async () => {
  const page = await signIn('acme.localhost', 'agency@demo.test', '/visitor-id/campaign-management');
  await page.getByRole('button', { name: 'Actions for Outdoor shop visitors' }).click();
  await page.getByRole('menuitem', { name: 'Exclusion list' }).click();
  const modal = page.getByRole('dialog', { name: 'Exclusion List' });
  await choose(page, 'campaign.csv', 'only-here@people.test\n');
  await submitted(page);
  await modal
    .getByRole('row', { name: /campaign\.csv/ })
    .getByText('Active')
    .waitFor();
  await modal.getByText(/^All campaigns of /).click();
  await modal.getByText('in any campaign', { exact: false }).waitFor();
  await expect.poll(() => modal.getByRole('row', { name: /campaign\.csv/ }).count()).toBe(0);
  await page.keyboard.press('Escape');

  await follow(page, 'Lists', 'Exclusion Lists');
  await page.getByRole('heading', { name: 'Exclusion Lists' }).waitFor();
  await choose(
    page,
    'agency.csv',
    'email,phone,domain\na@people.test,,\n,202-555-0142,\n,,blocked.example\n',
  );
  await submitted(page);
  const row = page.getByRole('row', { name: /agency\.csv/ });
  await row.getByText('Active').waitFor();
  await row.getByRole('button', { name: 'agency.csv' }).click();
  await page.getByText('3 rows read: 1 email address, 1 phone number, 1 domain.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByText('One client').click();
  await page.getByText('Choose a client', { exact: true }).waitFor();
});

test("[EXCL-04] the root's list; no one else reaches its page", async () => {
  const page = await signIn('localhost', 'root@demo.test', '/configuration/opt-out-list');
  await page
    .getByRole('row', { name: /demo_opt_outs\.csv/ })
    .getByText('Active')
    .waitFor();
  await choose(page, 'Everybody.csv', 'nobody@people.test\n+1 202 555 0143\n');
  await submitted(page);
  await page
    .getByRole('row', { name: /everybody\.csv/ })
    .getByText('Active')
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const agency = await signIn('acme.localhost', 'agency@demo.test', '/configuration/opt-out-list');
  await agency.getByText('Page Not Found').waitFor();
});

test('[BEY-20] a client lists its customers, sees who was on its site, and has an alert about them', async () => {
  const page = await signIn('acme.localhost', 'client@demo.test', '/configuration/exclusion-lists');
  await page.getByText('Known customers', { exact: true }).click();
  const seen = page.getByRole('region', { name: 'Seen recently' });
  await seen.getByRole('row').nth(1).waitFor();
  await choose(page, 'Customers.csv', 'name,email\nOur Ada,ada@ours.test\n,not an address\n');
  const row = page.getByRole('row', { name: /^customers\.csv/ });
  await row.getByText('Active').waitFor();
  await row.getByRole('button', { name: 'customers.csv' }).click();
  const report = page.getByRole('region', { name: 'Report for customers.csv' });
  await report.getByText('2 rows read: 1 email address.').waitFor();
  await report.getByText('Line 3').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await report.getByRole('button', { name: 'Remove' }).click();
  await page
    .getByRole('dialog', { name: /Remove/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await row.getByText('Undone').waitFor();
  await page.getByRole('link', { name: 'New alert' }).click();
  const alert = page.getByRole('dialog', { name: 'Alert' });
  await alert.getByText('lists of known customers').waitFor();
  await alert.getByRole('button', { name: 'Show what it would have sent' }).click();
  await alert.getByText('customer on the site').first().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.context().close();
});
