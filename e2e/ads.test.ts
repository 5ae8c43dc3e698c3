import { readFile } from 'node:fs/promises';
import { strFromU8, unzipSync } from 'fflate';
import { imageSize } from 'image-size';
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

test('[MED-01] a banner is designed by keyboard, saved, exported in exact sizes, and becomes a creative of an ad campaign', async () => {
  const page = await signInAt(browser, demo.url('acme.localhost', '/'), 'client@demo.test', demo.password);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.goto(demo.url('acme.localhost', '/banner/create'));
  await page.getByLabel('Name').fill('Autumn');
  await button('Offer with a panel').press('Enter');
  await button('Start designing').press('Enter');
  await page.getByLabel('Alternative text').fill('20% off in autumn');
  await page.getByLabel('Click address').fill('https://shop.northwind.example/');
  await page.getByText('Ready to be shown.').waitFor();

  // A layer is chosen in the list and moved by keys, in this size alone.
  await button('Offer').press('Enter');
  await page.getByLabel('Text', { exact: true }).fill('15% off');
  const x = page.getByLabel('X', { exact: true });
  expect(await x.inputValue()).toBe('16');
  await button('Offer').press('Shift+ArrowRight');
  expect(await x.inputValue()).toBe('26');
  await button('Offer').press('Control+z');
  expect(await x.inputValue()).toBe('16');
  await button('728x90').press('Enter');
  expect(await x.inputValue()).toBe('10');
  expect(await axeFindings(page, { serious: true })).toEqual([]);

  // Unsaved changes are asked about.
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Banners', exact: true })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await button('Save').click();
  await page.waitForURL(/\/banner\/create\?id=/);
  await page.getByText('For Northwind Outfitters').waitFor();

  const file = async (item: string) => {
    await button('Export').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: item, exact: true }).click(),
    ]);
    return [download.suggestedFilename(), await readFile((await download.path())!)] as const;
  };
  const [name, png] = await file('PNG');
  expect([name, imageSize(png)]).toMatchObject([
    'Autumn-300x250.png',
    { type: 'png', width: 300, height: 250 },
  ]);
  const [, all] = await file('JPG, all sizes');
  const files = Object.entries(unzipSync(new Uint8Array(all)));
  expect(files).toHaveLength(8);
  for (const [path, bytes] of files) {
    const { type, width, height } = imageSize(bytes);
    expect([path, type]).toEqual([`Autumn-${width}x${height}.jpg`, 'jpg']);
  }
  const [, html5] = await file('HTML5 (zip)');
  expect(strFromU8(unzipSync(new Uint8Array(html5))['index.html']!)).toContain('shop.northwind.example');

  await button('Use in a campaign').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Ad campaign').click();
  await page.getByRole('option', { name: 'Outdoor readers nationwide' }).click();
  for (const size of ['300x250', '728x90', '160x600', '300x600', '320x50', '300x50', '970x90'])
    await dialog.getByRole('checkbox', { name: size }).uncheck();
  await dialog.getByRole('button', { name: 'Add 1 creative' }).click();
  await page.getByText('1 creative was added to the campaign.').waitFor();
  await page.goto(demo.url('acme.localhost', '/simplifi-id/campaign-management'));
  await page.getByText('Outdoor readers nationwide').click();
  await page.getByText('Autumn 970x250').waitFor();
});

test('[SIMP-03] a list is uploaded on the audiences page, shows its refused row, and is chosen for a campaign', async () => {
  const page = await signInAt(
    browser,
    demo.url('acme.localhost', '/audience'),
    'client@demo.test',
    demo.password,
  );
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
  await drawer.getByText('Ready', { exact: true }).waitFor();
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
