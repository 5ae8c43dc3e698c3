import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { readToEnd, signInAt } from './person.ts';

const HOST = 'cedar.localhost';

let demo: Demo;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
  page = await signInAt(browser, demo.url(HOST), 'cedar@demo.test', demo.password);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
const wallet = () => dialog(/Data Wallet beta/);
const field = () => wallet().getByLabel('Amount in US dollars');
/** Opens the wallet from the profile menu, using the keyboard. */
async function open(): Promise<void> {
  await page.getByRole('button', { name: /profile menu/ }).press('Enter');
  const entry = page.getByRole('menuitem', { name: /Data Wallet/ });
  await entry.waitFor();
  await expect.poll(() => entry.innerText()).toMatch(/beta/i);
  await entry.press('Enter');
}
/** Calls the API by host name, which Node does not resolve. */
const ask = (method: string, path: string, body: object, token?: string) =>
  new Promise<Record<string, string>>((done, fail) => {
    const headers = {
      host: `${HOST}:${demo.port}`,
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    const request = httpRequest(
      { host: '127.0.0.1', port: demo.port, method, path: `/api${path}`, headers },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk)).on('end', () => done(JSON.parse(text)));
      },
    );
    request.on('error', fail).end(JSON.stringify(body));
  });
/** Returns serious and critical findings of axe. */
async function findings(): Promise<string[]> {
  return axeFindings(page, { serious: true });
}

describe('[WALL-01] [WALL-09] [BETA-03] the way into the wallet', () => {
  test('its agreement is offered at the start, and stands before the wallet until it is accepted', async () => {
    const agreement = dialog('Data Wallet agreement');
    await agreement.getByText('expires after 12 months if unused').waitFor();
    expect(await findings()).toEqual([]);
    await agreement.getByRole('button', { name: 'Not now' }).click();
    await agreement.waitFor({ state: 'hidden' });
    await open();
    await agreement.waitFor();
    await agreement.getByRole('button', { name: 'I agree' }).press('Enter');
    await agreement.getByText('Please click agree before you continue').waitFor();
    // Read to its end, by keyboard.
    await readToEnd(agreement);
    await agreement.getByRole('checkbox').press('Space');
    await agreement.getByRole('button', { name: 'I agree' }).press('Enter');
    await wallet().waitFor();
    await wallet().getByText('No transaction history available.').waitFor();
    expect(await findings()).toEqual([]);
  });
});

describe('[WALL-03] [WALL-04] [WALL-05] [WALL-08] topping up', () => {
  test('the amount field keeps to its rules', async () => {
    const pressed = (name: string) =>
      wallet().getByRole('button', { name, exact: true }).getAttribute('aria-pressed');
    await expect.poll(() => pressed('$0')).toBe('true');
    await field().fill('');
    await field().pressSequentially('2a5-0');
    await expect.poll(() => field().inputValue()).toBe('250');
    await expect.poll(() => pressed('$250')).toBe('true');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate('navigator.clipboard.writeText("999")');
    await field().press('ControlOrMeta+v');
    await expect.poll(() => field().inputValue()).toBe('250');
    await wallet().getByRole('button', { name: 'Custom' }).click();
    await expect.poll(() => field().inputValue()).toBe('2500');
    await field().fill('20');
    await wallet().getByText('*Minimum amount is $2500').waitFor();
    await field().press('Tab');
    await expect.poll(() => field().inputValue()).toBe('2500');
    await wallet().getByRole('button', { name: 'Custom' }).click();
    await expect.poll(() => field().inputValue()).toBe('0');
    // Without an amount there is nothing to repeat.
    await expect
      .poll(() => wallet().getByRole('switch', { name: 'Continual Topup' }).isDisabled())
      .toBe(true);
  });

  test('the card is charged after a confirmation, and the wallet closes; balance and history show it', async () => {
    await wallet().getByRole('button', { name: '$500', exact: true }).click();
    await wallet().getByRole('switch', { name: 'Continual Topup' }).press('Space');
    await wallet().getByRole('switch', { name: 'Stop Continual Topup' }).waitFor();
    // The chosen amount stays.
    await wallet().getByRole('button', { name: 'Top up $500' }).press('Enter');
    const sure = dialog('Are you sure you want to topup data wallet?');
    await sure.getByText('You will top up your balance by $500 using a credit card.').waitFor();
    await sure.getByText('falls to 10% of it ($50.00)').waitFor();
    await sure.getByRole('button', { name: 'I agree' }).press('Enter');
    await page.getByText('$500 was added to your Data Wallet.').waitFor();
    await wallet().waitFor({ state: 'hidden' });
    await open();
    const history = wallet().getByLabel('Transaction history');
    await history.getByText('+$500.00').waitFor();
    await expect.poll(() => history.innerText()).toMatch(/Top-up[\s\S]*expires/);
    const armed = wallet().getByText('$500.00 is charged when the balance falls to $50.00.');
    await armed.waitFor();
    // Stopped and started again, it says what the server made of it.
    await wallet().getByRole('switch', { name: 'Stop Continual Topup' }).press('Space');
    await wallet().getByText('Off. The balance is topped up only when you do it here.').waitFor();
    await wallet().getByRole('switch', { name: 'Continual Topup', exact: true }).press('Space');
    await armed.waitFor();
    const arrived = page.waitForEvent('download');
    await wallet().getByRole('button', { name: 'Download Data' }).press('Enter');
    const file = readFileSync(await (await arrived).path(), 'utf8');
    expect(file).toMatch(/Top-up,topup,500\.00,500\.00,\d{4}-\d\d-\d\d/);
    await page.getByText('Download Successful').waitFor();
    await wallet().getByLabel('Show all months').press('Enter');
    await history.getByText('+$500.00').waitFor();
    expect(await findings()).toEqual([]);
    await page.keyboard.press('Escape');
    await wallet().waitFor({ state: 'hidden' });
  });

  test('a declined card closes it, too, and what failed stays on the screen', async () => {
    const { access_token } = await ask('POST', '/login', {
      username: 'cedar@demo.test',
      password: demo.password,
    });
    expect(await ask('PUT', '/payment/sandbox-card', { outcome: 'declines' }, access_token)).toMatchObject({
      result: 'success',
    });
    await open();
    await wallet().getByRole('button', { name: '$250', exact: true }).click();
    await wallet().getByRole('button', { name: 'Top up $250' }).press('Enter');
    await dialog('Are you sure you want to topup data wallet?')
      .getByRole('button', { name: 'I agree' })
      .press('Enter');
    const failure = page.getByText(/card was declined/i);
    await failure.waitFor();
    await wallet().waitFor({ state: 'hidden' });
    await page.waitForTimeout(5_500); // longer than a success message is shown
    await expect.poll(() => failure.isVisible()).toBe(true);
    await page.locator('.mantine-Notification-root').filter({ has: failure }).getByRole('button').click();
    await failure.waitFor({ state: 'hidden' });
    await open();
    await wallet().getByRole('button', { name: 'Limits and card attempts' }).press('Enter');
    await wallet()
      .getByLabel('Card attempts')
      .getByText(/card was declined/i)
      .waitFor();
    await page.keyboard.press('Escape');
    await wallet().waitFor({ state: 'hidden' });
  });

  test('a card whose bank asks: the wallet closes, then the bank is asked; once confirmed it has topped up', async () => {
    const { access_token } = await ask('POST', '/login', {
      username: 'cedar@demo.test',
      password: demo.password,
    });
    const post = (path: string, body = {}) => ask('POST', `/payment/${path}`, body, access_token);
    const { setup, client_secret } = await post('card/start');
    const card = { number: '4000002760003184', exp_month: 12, exp_year: 2040, cvc: '123' };
    await post('sandbox/card', { client_secret, ...card });
    await post('sandbox/authentication', { client_secret, passed: 'T' });
    expect(await post('customer', { setup })).toMatchObject({ result: 'success' });
    await open();
    await wallet().getByRole('button', { name: '$250', exact: true }).click();
    await wallet().getByRole('button', { name: 'Top up $250' }).press('Enter');
    await dialog('Are you sure you want to topup data wallet?')
      .getByRole('button', { name: 'I agree' })
      .press('Enter');
    const bank = dialog('Your bank wants to confirm it’s you');
    await bank.getByText('Sandbox bank').waitFor();
    await wallet().waitFor({ state: 'hidden' });
    expect(await findings()).toEqual([]);
    await bank.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByText('$250 was added to your Data Wallet.').waitFor();
    await open();
    await wallet().getByLabel('Transaction history').getByText('+$250.00').waitFor();
    await page.keyboard.press('Escape');
    await wallet().waitFor({ state: 'hidden' });
  });

  test('it opens although it cannot be loaded, says so and can be asked again', async () => {
    await page.route('**/prepaid/direct-payment/**', (route) => route.abort());
    await page.reload();
    await page.waitForLoadState('networkidle');
    await open();
    await wallet().getByText('The Data Wallet could not be loaded').waitFor();
    await expect.poll(() => wallet().getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.unroute('**/prepaid/direct-payment/**');
    await wallet().getByRole('button', { name: 'Retry' }).first().press('Enter');
    await wallet()
      .getByText(/is charged when the balance falls to/)
      .waitFor();
    await page.keyboard.press('Escape');
  });
});
