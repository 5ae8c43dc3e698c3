import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { userAgent } from './person.ts';

// What people do most, without a mouse. The keys are counted without the letters of what is entered: names, addresses,
// passwords. The greatest numbers allowed here are those of today: anyone who needs more has made a journey longer.

let demo: Demo;
let browser: Browser;
beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

/** Someone at a keyboard, signed in with it. */
async function typist(email: string, host = 'acme.localhost') {
  const page: Page = await (
    await browser.newContext({ userAgent, acceptDownloads: true, viewport: { width: 1440, height: 900 } })
  ).newPage();
  let keys = 0;
  const press = async (...all: string[]) => {
    for (const key of all) {
      keys += 1;
      await page.keyboard.press(key);
    }
  };
  /** Presses a key until the focus is on what has this name. */
  const to = async (name: RegExp, key = 'Tab') => {
    for (let tries = 0; tries < 60; tries += 1) {
      const focused = page.locator(':focus');
      const named = (await focused.count()) > 0 ? await focused.ariaSnapshot() : '';
      if (name.test(named.split('\n')[0] ?? '')) return;
      await press(key);
    }
    throw new Error(`${name} cannot be reached with ${key}`);
  };
  const enter = (text: string) => page.keyboard.insertText(text);
  await page.goto(demo.url(host, '/login'));
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
  await enter(email);
  await press('Tab');
  await enter(demo.password);
  await press('Enter');
  await page.waitForURL((url) => url.pathname !== '/login');
  return { page, press, to, enter, keys: () => keys };
}
/** Goes somewhere by the palette. */
async function go({ page, press, enter }: Awaited<ReturnType<typeof typist>>, words: string, option: RegExp) {
  // The first page after the sign-in may lead on to another.
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await enter(words);
  await page.getByRole('dialog').getByRole('option', { name: option, selected: true }).waitFor();
  await press('Enter');
}

test('[UX-02] from the sign-in page to an exported lead', async () => {
  const person = await typist('client@demo.test');
  const { page, press } = person;
  await go(person, 'leads', /^Leads/);
  // The rows of the page before are no leads.
  await page.getByRole('heading', { name: 'Leads', level: 1 }).waitFor();
  await page
    .getByRole('checkbox', { name: /^Select (?!all)/ })
    .first()
    .waitFor();
  await press('j');
  await page.getByRole('complementary', { name: 'Lead' }).waitFor();
  await press('x');
  await page.getByText('1 selected').waitFor();
  const file = page.waitForEvent('download');
  await press('d');
  expect((await file).suggestedFilename()).toMatch(/\.csv$/);
  expect(person.keys()).toBeLessThanOrEqual(7);
});

test('[UX-02] an agency is found, edited, and saved', async () => {
  const person = await typist('root@demo.test', 'localhost');
  const { page, press, to, enter } = person;
  await go(person, 'cedar', /^Cedar Growth/);
  await page.getByRole('button', { name: 'Edit Cedar Growth' }).waitFor();
  await press('/');
  await to(/button "Edit Cedar Growth/);
  await press('Enter');
  await page.getByRole('textbox', { name: 'Full Name' }).waitFor();
  await to(/textbox "Full Name/);
  await press('Control+a');
  await enter('Cecil Cedar');
  await press('Enter');
  await page.getByRole('row').getByText('Cecil Cedar').first().waitFor();
  expect(person.keys()).toBeLessThanOrEqual(23);
});

test('[UX-02] [CAMP-11] a campaign is built', async () => {
  const person = await typist('client@demo.test');
  const { page, press, to, enter } = person;
  await go(person, 'new campaign', /^New campaign/);
  await page.getByRole('heading', { name: 'Build Your Campaign' }).waitFor();
  await to(/textbox "Name/);
  await enter('Built by keyboard');
  await press('Tab');
  await enter('shop.example.com');
  for (const step of ['Audience', 'Leads', 'Price']) {
    await press('Control+Enter');
    await page.getByRole('heading', { name: step, exact: true }).waitFor();
  }
  await press('Control+Enter');
  await page.waitForURL(/campaign-management\?campaign=/);
  expect(person.keys()).toBeLessThanOrEqual(16);
});
