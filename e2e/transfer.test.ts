import type { Browser, Page } from 'playwright-core';
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

const signIn = (host: string, email: string, path = '/'): Promise<Page> =>
  signInAt(browser, demo.url(host, path), email, demo.password);

test('[BEY-13] an agency hands over a client, another agency and the client agree, each from what needs attention', async () => {
  const giving = await signIn('acme.localhost', 'agency@demo.test', '/configuration/client-management');
  await giving.getByRole('button', { name: 'Actions for Harbor Dental Care' }).click();
  await giving.getByRole('menuitem', { name: 'Transfer' }).click();
  const modal = giving.getByRole('dialog', { name: /^Transfer .*Harbor Dental Care/ });
  await modal.getByLabel('Email of the receiving agency’s owner').fill('agency2@demo.test');
  await modal.getByLabel('Keep as credit what no card paid').check();
  expect(await axeFindings(giving)).toEqual([]);
  await modal.getByRole('button', { name: 'Start transfer' }).click();
  await giving.getByText('Waiting for consent', { exact: true }).waitFor();
  // Until it agrees, the page says no more than what was entered.
  await giving.getByText('agency2@demo.test').first().waitFor();
  expect(await giving.getByText('Blue Peak Media').count()).toBe(0);
  expect(await axeFindings(giving)).toEqual([]);

  /** From the home page to the transfer, and yes. */
  const agree = async (page: Page, host: string, told: string) => {
    await page.goto(demo.url(host, '/dashboard'));
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText(told).waitFor();
    await attention.getByRole('link', { name: 'View transfer' }).click();
    await page.getByRole('region', { name: 'Transfers', exact: true }).locator('tbody tr').first().click();
    await page.getByRole('button', { name: 'Agree' }).click();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Agree' }).click();
    await page.getByText('You agreed.').waitFor();
  };
  const receiving = await signIn('bluepeak.localhost', 'agency2@demo.test');
  await agree(receiving, 'bluepeak.localhost', 'transfer of a client waits');
  const client = await signIn('acme.localhost', 'client2@demo.test');
  await agree(client, 'acme.localhost', 'Your account can move to another agency');

  // What is left to settle is with the giving agency; then the client is the other one's.
  await giving.reload();
  await giving
    .getByText('Being settled', { exact: true })
    .or(giving.getByText('Done', { exact: true }))
    .first()
    .waitFor();
  await giving.getByText('Blue Peak Media').first().waitFor();
  expect(await axeFindings(giving)).toEqual([]);
});
