import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { follow, signInAt, userAgent } from './person.ts';

let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

describe('[BEY-05] evidence, in the browser', () => {
  test('a root administrator merges two people, sees them once, and undoes it', async () => {
    const page = await signInAt(browser, demo.url('localhost', '/'), 'root@demo.test', demo.password);
    const people = async (): Promise<number> => {
      await page.goto(demo.url('localhost', '/configuration/people-import'));
      const tile = page.getByText('People', { exact: true }).last().locator('..');
      await expect.poll(() => tile.innerText()).toMatch(/\d/);
      return Number((await tile.innerText()).replaceAll(/\D/g, ''));
    };
    const before = await people();
    await follow(page, 'Data', 'Merge people');
    const suggestions = page.getByRole('list', { name: 'Suggestions' }).locator('> li');
    await suggestions.first().waitFor();
    const found = await suggestions.count();
    expect(found).toBeGreaterThan(10);
    expect(await axeFindings(page)).toEqual([]);

    // Using only the keyboard.
    const keep = suggestions
      .first()
      .getByRole('button', { name: /^Keep / })
      .first();
    const name = (await suggestions.first().locator('dd').first().innerText()).trim();
    await keep.focus();
    await page.keyboard.press('Enter');
    const sure = page.getByRole('dialog', { name: `Merge into ${name}?` });
    await sure.waitFor();
    await sure.getByRole('button', { name: 'Merge', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Merged into one person.').waitFor();
    await page.getByText('Merged', { exact: true }).first().click();
    const merges = page.getByRole('region', { name: 'Merges' });
    await merges.getByRole('button', { name: /^Undo the merge of/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await people()).toBe(before - 1);

    await page.goto(demo.url('localhost', '/configuration/people-merge?tab=merged'));
    await merges.getByRole('button', { name: /^Undo the merge of/ }).click();
    await page
      .getByRole('dialog', { name: 'Undo this merge?' })
      .getByRole('button', { name: 'Undo merge' })
      .click();
    await page.getByText('They are two people again.').waitFor();
    await merges.getByText(/^Undone/).waitFor();
    expect(await people()).toBe(before);
    await page.context().close();
  });

  test('an agency sets its billing threshold, within its bounds', async () => {
    const page = await signInAt(
      browser,
      demo.url('acme.localhost', '/configuration/general-setting?tab=threshold'),
      'agency@demo.test',
      demo.password,
    );
    const field = page.getByLabel('Minimum billable confidence');
    await field.fill('100');
    await field.blur();
    await page.getByText('Enter a whole number from 0 to 99').waitFor();
    await field.fill('99');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed: minimum billable confidence.').waitFor();
    expect(await axeFindings(page)).toEqual([]);

    // A person whom the shop's tag recognizes with 98 % is below the threshold: no lead, and the campaign says why.
    const shopper = await (await browser.newContext({ userAgent })).newPage();
    await shopper.goto(demo.url('shop.localhost'));
    await shopper.getByRole('button', { name: 'visitor1@demo.example' }).first().click();
    await shopper.locator('form button[type=submit]').first().click();
    await shopper.waitForURL(/thanks/);
    const why = page.getByRole('dialog', { name: 'Campaign' });
    await page.goto(demo.url('acme.localhost', '/visitor-id/campaign-management?q=Outdoor'));
    await page
      .getByRole('row')
      .filter({ hasText: 'Outdoor shop visitors' })
      .getByRole('button')
      .first()
      .click();
    await why.getByRole('tab', { name: 'Why not' }).click();
    await expect
      .poll(async () => {
        await page.reload();
        const row = why.getByRole('row').filter({ hasText: 'Below billable confidence' });
        return row.waitFor({ timeout: 5000 }).then(
          () => row.innerText(),
          () => '',
        );
      })
      .toContain('The match was below the agency’s minimum billable confidence.');
    await page.goto(demo.url('acme.localhost', '/visitor-id/dashboard'));
    await page
      .getByRole('region', { name: 'From visits to leads' })
      .getByText('Below billable confidence')
      .waitFor();
    await shopper.context().close();
    await page.context().close();
  });

  test('a lead shows how old what spoke for it was, and who else it may have been', async () => {
    const page = await signInAt(browser, demo.url('acme.localhost', '/'), 'client@demo.test', demo.password);
    // A person from a pixel: leads from keywords are backed by signals, which search-id.test.ts covers, and a company's
    // lead by its network.
    await page.goto(demo.url('acme.localhost', '/leads?product=local&kind=person'));
    await page.getByRole('table').last().getByRole('row').nth(1).getByRole('button').first().click();
    const drawer = page.getByRole('complementary', { name: 'Lead' });
    await drawer.getByText(/% confidence\./).waitFor();
    await drawer.getByText('Other possible matches').first().waitFor();
    await expect
      .poll(() => drawer.getByRole('list', { name: 'Evidence' }).innerText())
      .toMatch(/Learned from .+, (\d+ (minute|hour|day|month)s? before|at the same time)/);
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });

  test('[BEY-33] the next and the previous lead are a key away; a phone number calls, an address opens a message', async () => {
    const page = await signInAt(
      browser,
      demo.url('acme.localhost', '/leads?product=local&kind=person'),
      'client@demo.test',
      demo.password,
    );
    const rows = page.getByRole('table').last().getByRole('row');
    const mail = await rows.nth(2).getByRole('link').first().getAttribute('href');
    expect(mail).toMatch(/^mailto:[^@ ]+@[^@ ]+$/);
    await rows.nth(1).getByRole('button').first().click();
    const drawer = page.getByRole('complementary', { name: 'Lead' });
    await drawer.getByText(/^1 of \d+ on this page$/).waitFor();
    await page.keyboard.press('j');
    await drawer.getByText(/^2 of \d+ on this page$/).waitFor();
    await drawer.locator(`a[href="${mail}"]`).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await drawer.getByText(/^1 of \d+ on this page$/).waitFor();
    await drawer.getByRole('button', { name: 'Next' }).click();
    await drawer.getByText(/^2 of \d+ on this page$/).waitFor();
    // Whichever of the page's leads has a number that may be called.
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.locator('a[href^="tel:+1"]').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });
});
