import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt, userAgent } from './person.ts';

let demo: Demo;
let browser: Browser;
beforeAll(async () => {
  // A demo of its own: the addresses of its ads have the port that it was seeded with.
  [demo, browser] = await Promise.all([startDemo({}, true), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

test('[BEY-26] a newcomer clicks an ad on the news site and is a lead with the ad in its journey and its cost in the report', async () => {
  const email = 'visitor6@demo.example';
  const reader = await (await browser.newContext({ userAgent })).newPage();
  const seen = reader.waitForResponse((response) => response.url().endsWith('/a/v1/view'));
  await reader.goto(demo.url('news.localhost'));
  const ad = reader.locator('.side .ad a');
  await ad.waitFor();
  expect((await seen).status()).toBe(204);
  const opened = reader.context().waitForEvent('page');
  // The visit tells of the click: whoever leaves before the pixel has loaded did not come by it.
  const arrived = reader
    .context()
    .waitForEvent('response', (response) => new URL(response.url()).pathname === '/v');
  await ad.click();
  const shop = await opened;
  await shop.waitForURL(/shop\.localhost.*adclid=[0-9a-f-]{36}/);
  await arrived;
  await shop.goto(demo.url('shop.localhost'));
  await shop.getByRole('button', { name: email }).first().click();
  await shop.locator('form button[type=submit]').first().click();
  await shop.waitForURL(/thanks/);

  const client = await signInAt(
    browser,
    demo.url('acme.localhost', '/login'),
    'client@demo.test',
    demo.password,
  );
  await expect
    .poll(
      async () => {
        await client.goto(demo.url('acme.localhost', `/leads?q=${encodeURIComponent(email)}`));
        await client.locator('tbody tr', { hasText: email }).first().waitFor({ timeout: 3_000 });
        return true;
      },
      { interval: 500 },
    )
    .toBe(true)
    .catch(() => expect.fail('the newcomer is no lead'));
  // The row has links, too: its middle may be one of them.
  await client.locator('tbody tr', { hasText: email }).first().getByRole('button').first().click();
  const journey = client.getByRole('list', { name: 'Journey' });
  await journey.getByText(/^Clicked the ad/).waitFor();
  await journey.getByText(/on news\.localhost/).waitFor();

  await client.goto(demo.url('acme.localhost', '/simplifi-id/campaign-management?tab=report&by=creative'));
  await client.getByText('Table', { exact: true }).first().click();
  await client
    .getByRole('cell', { name: /Creative .*300x250|Tarn 28/ })
    .first()
    .waitFor();
  await client.goto(demo.url('acme.localhost', '/simplifi-id/campaign-management'));
  await client.getByText('Sandbox exchange').first().waitFor();
});

test('[SIMP-03] a list is uploaded on the audiences page, shows its refused row, and is chosen for a campaign', async () => {
  const page = await signInAt(
    browser,
    demo.url('acme.localhost', '/login'),
    'client@demo.test',
    demo.password,
  );
  await page.goto(demo.url('acme.localhost', '/audience'));
  await page.getByRole('button', { name: 'New audience' }).click();
  const form = page.getByRole('dialog', { name: 'New audience' });
  const choose = async () =>
    form.locator('input[type=file]').setInputFiles({
      name: 'bought.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email\none@bought.example\nnobody\ntwo@bought.example\n'),
    });
  await choose();
  await form.getByText('Fill in the fields above, then choose the file again.').waitFor();
  await form.getByLabel('Name').fill('Bought list');
  await form.getByLabel('Anywhere else').check();
  await form.getByLabel(/I may use this list/).check();
  await choose();
  const drawer = page.getByRole('dialog', { name: 'Audience', exact: true });
  await drawer.getByText('Ready', { exact: true }).waitFor({ timeout: 20_000 });
  await drawer.getByText('Line 3').waitFor();
  await drawer.getByText(/^Google forbids lists that were bought/).waitFor();
  expect(await drawer.getByRole('button', { name: /^Download the file for/ }).count()).toBe(0);

  await page.goto(demo.url('acme.localhost', '/simplifi-id/campaign-management'));
  await page.getByText('Outdoor readers nationwide').first().click();
  const ad = page.getByRole('dialog', { name: 'Ad campaign' });
  await ad.getByRole('combobox', { name: 'Excluded audiences' }).click();
  await page.getByRole('option', { name: /^Bought list/ }).click();
  await page.keyboard.press('Escape');
  await ad.getByRole('button', { name: 'Save', exact: true }).click();
  await page.goto(demo.url('acme.localhost', '/audience'));
  await page.getByText('Bought list').first().click();
  await drawer.getByText('Outdoor readers nationwide').waitFor();
});
