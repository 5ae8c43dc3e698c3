import { createServer as createHttp, request as httpRequest } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt, userAgent } from './person.ts';

const HOST = 'acme.localhost';

let demo: Demo;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const signIn = (email: string, path: string): Promise<Page> =>
  signInAt(browser, demo.url(HOST, path), email, demo.password);

/** Calls the API by host name, which Node does not resolve. */
const ask = (method: string, path: string, body?: object, token?: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: the answers of calls
  new Promise<any>((done, fail) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: demo.port,
        method,
        path: `/api${path}`,
        headers: {
          host: `${HOST}:${demo.port}`,
          'content-type': 'application/json',
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk)).on('end', () => done(JSON.parse(text)));
      },
    );
    request.on('error', fail).end(body ? JSON.stringify(body) : undefined);
  });

const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
const tile = (label: string) => page.locator('[role=dialog] .card').filter({ hasText: label }).first();

describe('[PAY-09] [PAY-04] a client buys leads by card, in the browser', () => {
  let campaign: { leadspeekID: string };
  let agency: string;

  test('activating an empty campaign asks for the purchase, the balance rises and it goes on', async () => {
    agency = (await ask('POST', '/login', { username: 'agency@demo.test', password: demo.password }))
      .access_token;
    const client = await ask('POST', '/login', { username: 'client@demo.test', password: demo.password });
    const me = await ask('GET', '/user', undefined, client.access_token);
    const made = await ask(
      'POST',
      '/leadspeek/client/create',
      {
        companyID: me.company_id,
        campaignName: 'Bought by card',
        urlCode: demo.url('shop.localhost'),
        siteHosts: ['landing.localhost'],
        CostSet: '1.25',
        PaymentTerm: 'Prepaid',
        leadsbuy: 8,
      },
      agency,
    );
    campaign = made.data;
    const address = `/visitor-id/campaign-management?campaign=${campaign.leadspeekID}`;
    page = await signIn('client@demo.test', address);
    await page.getByText('Balance used up').last().waitFor();
    await page.getByRole('button', { name: 'Activate' }).last().press('Enter');
    const buying = dialog(/^Buy leads for/);
    await buying.getByText('$10.00, 8 leads').waitFor();
    await expect.poll(() => buying.getByLabel('Leads').inputValue()).toBe('8');
    // This has not charged anything.
    expect(
      (await ask('GET', `/leadspeek/client/remaining-balance/${campaign.leadspeekID}`, undefined, agency))
        .balance_micros,
    ).toBe(0);
    await buying.getByLabel('Leads').fill('0');
    await buying.getByText('Enter the number of leads, such as 100').waitFor();
    await buying.getByLabel('Leads').fill('20');
    await buying.getByText('$25.00, 20 leads').waitFor();
    expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
    await buying.getByRole('button', { name: 'Pay $25.00' }).press('Enter');
    await page.getByText('Balance topped up by $25.00.').waitFor();
    await buying.waitFor({ state: 'hidden' });
    await tile('Balance').getByText('$25.00').waitFor();
    await page.getByLabel('Card purchases').last().getByText('20 leads for $25.00').waitFor();
    await page.getByRole('button', { name: 'Pause' }).last().waitFor();
  });

  test('its visitors become leads again, paid out of what was bought', async () => {
    const { tag } = await ask(
      'GET',
      `/leadspeek/client/embedded-code/${campaign.leadspeekID}`,
      undefined,
      agency,
    );
    const site = createHttp((_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><title>Landing</title>${tag}<p>Hello`),
    );
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    try {
      const shopper = await (await browser.newContext({ userAgent })).newPage();
      const arrived = shopper.waitForResponse((response) => new URL(response.url()).pathname === '/v');
      const { port } = site.address() as { port: number };
      await shopper.goto(`http://landing.localhost:${port}/?email=visitor3%40demo.example`);
      expect((await arrived).status()).toBe(204);
    } finally {
      site.close();
    }
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByRole('tab', { name: 'Balance' }).waitFor();
          return tile('Balance').innerText();
        },
        { interval: 500 },
      )
      .toContain('$23.75');
    await page.getByText('Spent on leads').locator('..').getByText('$1.25').waitFor();
  });

  test('the continual top-up is begun with words and stopped again; a declined card says so and charges nothing', async () => {
    const again = page.getByRole('switch', { name: 'Buy leads automatically when the balance runs low' });
    await again.press('Space');
    await dialog(/automatically\?/)
      .getByRole('button', { name: 'Start' })
      .press('Enter');
    await page.getByText('8 leads for $10.00 are bought with the card on file whenever').waitFor();
    await again.press('Space');
    await dialog(/^Stop buying/)
      .getByRole('button', { name: 'Stop' })
      .press('Enter');
    await page.getByText('Off. Leads are bought only when someone buys them here.').waitFor();
    const client = await ask('POST', '/login', { username: 'client@demo.test', password: demo.password });
    await ask('PUT', '/payment/sandbox-card', { outcome: 'declines' }, client.access_token);
    await page.getByRole('button', { name: 'Buy leads' }).press('Enter');
    const buying = dialog(/^Buy leads for/);
    await buying.getByRole('button', { name: 'Pay $10.00' }).press('Enter');
    await buying.getByText('Nothing was charged').waitFor();
    await buying.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.getByLabel('Card purchases').last().getByText('Declined', { exact: true }).waitFor();
    await expect.poll(() => tile('Balance').innerText()).toContain('$23.75');
  });

  test('the agency gives unused balance back, and nothing is bought automatically after that', async () => {
    const again = page.getByRole('switch', { name: 'Buy leads automatically when the balance runs low' });
    await again.press('Space');
    await dialog(/automatically\?/)
      .getByRole('button', { name: 'Start' })
      .press('Enter');
    await page.getByText('8 leads for $10.00 are bought with the card on file whenever').waitFor();
    await page.context().close();
    const address = `/visitor-id/campaign-management?campaign=${campaign.leadspeekID}&tab=balance`;
    page = await signIn('agency@demo.test', address);
    await page.getByRole('button', { name: 'Refund' }).press('Enter');
    const giving = dialog(/^Refund balance of/);
    await giving.getByLabel('Amount').fill('24');
    await giving.getByRole('button', { name: 'Refund' }).press('Enter');
    await giving.getByText('You can refund up to $23.75').waitFor();
    await giving.getByLabel('Amount').fill('20');
    await giving.getByRole('button', { name: 'Refund' }).press('Enter');
    await page.getByText('$20.00 was refunded to the card.').waitFor();
    await tile('Balance').getByText('$3.75').waitFor();
    await page
      .getByText(
        'Stopped: A purchase for this campaign was refunded or disputed, so nothing is charged automatically.',
      )
      .waitFor();
    expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
  });
});
