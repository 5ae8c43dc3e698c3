import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { readToEnd, signInAt, userAgent } from './person.ts';

const HOST = 'acme.localhost';
let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const pageOf = (email: string, host = HOST): Promise<Page> =>
  signInAt(browser, demo.url(host), email, demo.password);

/** Opens a page from the sidebar, below the entry that it is under. */
async function inSidebar(page: Page, group: string, name: string): Promise<void> {
  const pages = page.getByRole('list', { name: group, exact: true });
  if (!(await pages.isVisible()))
    await page.getByRole('button', { name: `Show pages of ${group}`, exact: true }).click();
  await pages.getByRole('link', { name, exact: true }).click();
}

test('[DOC-01] [DOC-02] [BEY-15] a client reads a new version, accepts it, and keeps the signed file, which anyone can check', async () => {
  const page = await pageOf('client@demo.test');
  await inSidebar(page, 'Settings', 'Agreements');
  await page.getByRole('button', { name: 'Client agreement', exact: true }).click();
  await page.getByText('There is a new version').waitFor();
  const accept = page.getByRole('button', { name: 'Accept version 2' });
  await accept.click();
  await page.getByText('Please click agree before you continue').waitFor();
  await page.getByRole('checkbox', { name: /I have read this agreement/ }).press('Space');
  await readToEnd(page);
  await accept.click();
  await page.getByText('Version 2 is accepted').waitFor();
  expect(await axeFindings(page, { serious: true })).toEqual([]);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download PDF' }).click();
  const path = join(tmpdir(), `agreement-${process.pid}.pdf`);
  await (await download).saveAs(path);

  // A document that cannot be loaded says so, and can be tried again.
  let fails = true;
  await page.route('**/api/document/agreement/default_client', (route) =>
    fails ? route.abort() : route.continue(),
  );
  await page.reload();
  await page.getByText('Document Not Available').waitFor();
  await page
    .getByText('The document you are trying to access may be missing or temporarily unavailable.')
    .waitFor();
  fails = false;
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.getByText('Version 2 is accepted').waitFor();
  await page.context().close();

  // Nobody has to sign in to check it.
  const visitor = await (await browser.newContext({ userAgent })).newPage();
  const sent: string[] = [];
  visitor.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await visitor.goto(demo.url(HOST, '/verify'));
  await visitor.getByTestId('file').setInputFiles(path);
  await visitor.getByText('This file is genuine').waitFor();
  expect(sent).not.toContain('/api/general/verify');
  await visitor.getByRole('button', { name: 'Upload and check the signature' }).click();
  await visitor.getByText('The signature is valid').waitFor();
  expect(await axeFindings(visitor, { serious: true })).toEqual([]);
  const bytes = readFileSync(path);
  bytes[3000] = bytes[3000]! ^ 1;
  writeFileSync(path, bytes);
  await visitor.getByTestId('file').setInputFiles(path);
  await visitor.getByText('This file is not on record').waitFor();
  await visitor.getByRole('button', { name: 'Upload and check the signature' }).click();
  await visitor.getByText('The file has been changed').waitFor();
  await visitor.context().close();
});

test('[BETA-02] the agreement of B2B in trial stands before its campaigns until it is accepted', async () => {
  const host = 'cedar.localhost';
  const page = await pageOf('cedar@demo.test', host);
  const dialog = page.getByRole('dialog', { name: 'Service agreement: B2B' });
  // Its other agreement is offered whenever a page is loaded.
  await page.addLocatorHandler(page.getByRole('dialog', { name: 'Data Wallet agreement' }), (other) =>
    other.getByRole('button', { name: 'Not now' }).click(),
  );
  await page.goto(demo.url(host, '/configuration/agreements'));
  await page.getByText('Agency agreement').first().waitFor();
  await inSidebar(page, 'Campaigns', 'B2B ID');
  await dialog.waitFor();
  // Closing it leads back.
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForURL('**/configuration/agreements');
  await inSidebar(page, 'Campaigns', 'B2B ID');
  await readToEnd(dialog);
  await dialog.getByRole('checkbox').press('Space');
  // What cannot be stored is said in the specification's words, and leads back, too.
  await page.route('**/api/general/marketing-services-agreement-feature', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  const agree = dialog.getByRole('button', { name: 'I agree' });
  await agree.click();
  await page.getByText('Something went wrong, please try again later').waitFor();
  await page.waitForURL('**/configuration/agreements');
  await page.unroute('**/api/general/marketing-services-agreement-feature');
  await inSidebar(page, 'Campaigns', 'B2B ID');
  await readToEnd(dialog);
  await dialog.getByRole('checkbox').press('Space');
  await agree.click();
  await dialog.waitFor({ state: 'hidden' });
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await dialog.isVisible()).toBe(false);
  await page.context().close();
});
