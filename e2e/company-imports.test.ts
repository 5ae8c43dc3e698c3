import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
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

test('[BEY-13] a full export is uploaded, tried, imported with its balances, equal, and its past invoices are shown', async () => {
  const agency = await signInAt(
    browser,
    demo.url('acme.localhost', '/configuration/client-management'),
    'agency@demo.test',
    demo.password,
  );
  await agency.getByRole('button', { name: /^Actions for Northwind Outfitters/ }).click();
  await agency.getByRole('menuitem', { name: 'Full export' }).click();
  const modal = agency.getByRole('dialog', { name: /^Full export of/ });
  await modal.getByRole('button', { name: 'Start export' }).click();
  const button = modal.getByRole('button', { name: 'Download' });
  await button.waitFor();
  const [download] = await Promise.all([agency.waitForEvent('download'), button.click()]);
  const archive = {
    name: 'northwind.tar.gz',
    mimeType: 'application/gzip',
    buffer: readFileSync(await download.path()),
  };

  const root = await signInAt(
    browser,
    demo.url('localhost', '/configuration/company-imports'),
    'root@demo.test',
    demo.password,
  );
  await root.getByRole('combobox', { name: 'Receiving agency' }).click();
  await root.getByRole('option', { name: /Blue Peak/ }).click();
  // What is no archive is refused before anything is kept.
  const file = root.getByTestId('file');
  await file.setInputFiles({ name: 'leads.csv', mimeType: 'text/csv', buffer: Buffer.from('email') });
  await root.getByText('Its name ends in .tar.gz.').waitFor();
  await file.setInputFiles(archive);
  const run = root.getByRole('region', { name: 'Import', exact: true });
  await run.getByText('Ready to import', { exact: true }).waitFor();
  await run.getByText('Every row and every sum is as in the archive.').waitFor();
  // The demo has the company already.
  await run.getByText('everything gets new IDs').waitFor();
  expect(await axeFindings(root)).toEqual([]);

  await run.getByLabel('Open them here').check();
  await run.getByRole('button', { name: 'Import now' }).click();
  await run.getByText('Imported', { exact: true }).waitFor();
  await run.getByText('Every row and every sum is as in the archive.').waitFor();
  expect(await run.getByText('Different', { exact: true }).count()).toBe(0);

  await run.getByRole('link', { name: 'Money before the move' }).click();
  const past = root.getByRole('region', { name: 'Before the move', exact: true });
  await past.locator('tbody tr').first().click();
  const drawer = root.getByRole('dialog', { name: 'Before the move' });
  await drawer.getByRole('heading', { name: 'Lines' }).waitFor();
  expect(await axeFindings(root)).toEqual([]);
  const [pdf] = await Promise.all([
    root.waitForEvent('download'),
    drawer.getByRole('button', { name: 'Download PDF' }).click(),
  ]);
  expect(pdf.suggestedFilename()).toMatch(/^invoice-.+\.pdf$/);
  await root.keyboard.press('Escape');
  await past.getByText('Ledger', { exact: true }).click();
  await past.locator('tbody tr time').first().click();
  await drawer.getByRole('table', { name: 'Parts' }).waitFor();
});
