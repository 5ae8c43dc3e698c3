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

test('[BEY-13] an agency takes a template from a campaign, previews and pushes it to one client, and rolls it back', async () => {
  const page = await signInAt(
    browser,
    demo.url('acme.localhost', '/configuration/templates'),
    'agency@demo.test',
    demo.password,
  );
  await page.getByRole('button', { name: 'New template' }).first().click();
  const modal = page.getByRole('dialog', { name: 'New template' });
  await modal.getByLabel('Name').fill('House standard');
  await modal.getByRole('combobox', { name: 'Campaign' }).click();
  await page.getByRole('option').first().click();
  await modal.getByLabel('Note').fill('As all clients should have it');
  await modal.getByRole('button', { name: 'Create template' }).click();
  await page.getByRole('heading', { name: 'House standard' }).waitFor();
  await page.getByText('As all clients should have it').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Push', exact: true }).click();
  const rows = page.getByRole('region', { name: 'Campaigns to push to' }).locator('tbody tr');
  await rows.first().getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('status', { name: 'Preview' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: /^Push to 1 campaign/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Push', exact: true }).click();

  const push = page.getByRole('region', { name: 'Push' });
  await push.getByText(/^(Waiting for you|Pushed)$/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await push.getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await push.getByText('Rolled back', { exact: true }).waitFor();
  await expect
    .poll(() => push.getByText('Nothing to change').or(push.getByText('Restored')).count())
    .toBeGreaterThan(0);
});

test('[BEY-13] an agency opens the offboarding of a client from its list, starts it, and sees what is left', async () => {
  const page = await signInAt(
    browser,
    demo.url('acme.localhost', '/configuration/client-management'),
    'agency@demo.test',
    demo.password,
  );
  await page
    .getByRole('button', { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole('menuitem', { name: 'Offboard' }).click();
  const list = page.getByRole('list', { name: 'Checklist' });
  await list.getByText('Stop campaigns').waitFor();
  await page.getByRole('button', { name: 'Start offboarding' }).click();
  const modal = page.getByRole('dialog', { name: /^Offboard / });
  await modal.getByLabel('Keep as credit what no card paid').check();
  // The calendar, which covers a part of the dialog, closes when the field is left.
  const until = modal.getByLabel('Keep the data until');
  await until.fill('1/31/2099');
  await until.press('Tab');
  await modal.getByRole('button', { name: 'Start offboarding' }).click();
  await page.getByText('Under way', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'The client has its data' }).click();
  await list
    .getByRole('listitem')
    .filter({ hasText: 'Stop campaigns' })
    .getByText('Done', { exact: true })
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);
});
