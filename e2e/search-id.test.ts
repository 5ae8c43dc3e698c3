import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('[CAMP-02] [KEYW-02] Search ID, in the browser', () => {
  let page: Page;

  test('a client makes a campaign, counts keywords, sees the waterfall and applies the count', async () => {
    page = await signInAt(browser, demo.url('acme.localhost', '/'), 'client2@demo.test', demo.password);
    await page.goto(demo.url('acme.localhost', '/search-id/campaign-management'));
    await page.getByRole('button', { name: 'New campaign' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Boots in spring');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    await page.getByText('Enter at least one keyword').waitFor();
    await page.getByRole('textbox', { name: 'Keywords' }).fill('hiking boots, Hiking Boot\nfamily tents');
    await page
      .getByRole('combobox', { name: 'Target location' })
      .or(page.getByLabel('Target location'))
      .first()
      .click();
    await page.getByRole('option', { name: 'Zip Code' }).click();
    await page.getByRole('textbox', { name: 'Zip codes' }).fill('78701, 7870');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    await page.getByText('7870 is not a five-digit zip code').waitFor();
    await page.getByRole('textbox', { name: 'Zip codes' }).fill('78701 78702');
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Zip codes' }).inputValue())
      .toBe('78701\n78702');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    await page.getByRole('button', { name: 'New count' }).click();

    const form = page.getByRole('form', { name: 'New count' });
    await expect
      .poll(() => form.getByRole('textbox', { name: 'Keywords' }).inputValue())
      .toBe('hiking boots\nfamily tents');
    await form.getByLabel('Target location').first().click();
    await page.getByRole('option', { name: 'National Targeting' }).click();
    await form.getByRole('button', { name: 'Count' }).click();
    const table = page.getByRole('region', { name: 'Keyword counts' });
    await table.getByText('Success').waitFor();
    const steps = page.getByLabel('From signals to leads');
    const numbers = (await steps.locator('dd .num').allTextContents()).map((text) =>
      Number(text.replaceAll(',', '')),
    );
    expect(numbers[0]).toBeGreaterThan(50);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    expect(await axeFindings(page)).toEqual([]);

    await table.getByRole('button', { name: 'Apply', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Apply this count?' })
      .getByRole('button', { name: 'Apply' })
      .click();
    await page.getByText('The campaign now searches for these keywords.').waitFor();
    await table.getByRole('button', { name: 'Apply again' }).waitFor();
    await page.getByRole('tab', { name: 'Set-up' }).click();
    await expect
      .poll(() => page.getByLabel('Target location').first().inputValue())
      .toBe('National Targeting');
  });

  test('[CAMP-11] before it is activated, it says what comes at once and costs, and takes the suggested limit', async () => {
    await page.getByRole('button', { name: 'Activate' }).last().click();
    const asked = page.getByRole('dialog', { name: 'Activate “Boots in spring”?' });
    await asked.getByText('Qualify now').waitFor();
    expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
    await asked.getByRole('button', { name: /^Use \d+ a day$/ }).click();
    await asked.getByText('Your limit spreads them out.').waitFor();
    await asked.getByRole('button', { name: /^Activate with \d+ a day$/ }).click();
    // Without a balance it does not start, but its limit is saved for when it does.
    await page.getByRole('dialog', { name: /^Buy leads for/ }).waitFor();
    await page.goto(page.url().replace(/&(tab|buy)=\w+/g, ''));
    await expect.poll(() => page.getByLabel('Lead limit').inputValue()).toMatch(/^\d+$/);
  });

  test('[BEY-09] a lead of Search ID shows the signals behind it', async () => {
    // So wide that the list shows what leads were matched by.
    await page.setViewportSize({ width: 1800, height: 900 });
    await page.goto(demo.url('acme.localhost', '/search-id/dashboard'));
    await page.getByText('Intent').first().waitFor();
    await page.getByRole('row').filter({ hasText: 'Intent' }).first().getByRole('button').first().click();
    const drawer = page.getByRole('dialog', { name: 'Lead' });
    await drawer.getByText(/Recognized by intent signals/).waitFor();
    await expect
      .poll(() => drawer.getByRole('list', { name: 'Signals' }).getByRole('listitem').count())
      .toBeGreaterThan(0);
    expect(await axeFindings(page)).toEqual([]);
  });
});
