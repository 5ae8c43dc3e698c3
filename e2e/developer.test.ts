import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt, userAgent } from './person.ts';

const HOST = 'oakwood-portal.localhost';
let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

test('[DEV-01] [DEV-03] [DEV-04] [TEN-03] the page and its messages; the reference is in the tenant’s name, fetches nothing from elsewhere, and its console works with a test key', async () => {
  const page = await signInAt(browser, demo.url(HOST, '/developer'), 'oakwood@demo.test', demo.password);
  await page.getByRole('button', { name: 'New key' }).click();
  const form = page.getByRole('dialog', { name: 'New API key' });
  await form.getByLabel('Name').fill('Console');
  await form.getByText('Test', { exact: true }).click();
  await form.getByRole('checkbox', { name: 'View clients' }).check();
  await form.getByRole('button', { name: 'Create key' }).click();
  const secret = await page.getByRole('textbox', { name: 'Secret Key' }).inputValue();
  expect(secret).toMatch(/^lps_test_/);
  await page.getByText('api key successfully generated!').waitFor();
  const shown = page.getByRole('dialog', { name: 'Save your secret key' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await shown.getByRole('button', { name: 'Copy Client ID' }).click();
  await page.getByText('Client ID copied to the clipboard!').waitFor();
  await shown.getByRole('button', { name: 'Copy Secret Key' }).click();
  await page.getByText('Secret Key copied to the clipboard!').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await page.getByRole('button', { name: 'I’ve saved it' }).click();

  const reference = await page.context().newPage();
  await reference.setViewportSize({ width: 1440, height: 900 });
  const away: string[] = [];
  const errors: string[] = [];
  reference.on('request', (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && host !== new URL(demo.url(HOST)).host) away.push(request.url());
  });
  reference.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  const { href } = (await page.getByRole('link', { name: 'API reference' }).evaluate((link) => ({
    href: (link as HTMLAnchorElement).href,
  }))) as { href: string };
  await reference.goto(`${href}#api/tag/clients/GET/v1/clients`);
  await reference.getByRole('heading', { name: 'Oakwood Digital API' }).waitFor();
  expect(await reference.title()).toContain('Oakwood Digital');
  for (const guide of [
    'Authentication',
    'Your first lead',
    'Pagination',
    'Errors',
    'Idempotency',
    'Webhooks',
    'Versions',
  ])
    await reference.getByRole('link', { name: guide, exact: true }).first().waitFor();
  // The examples have the tenant's own address.
  await reference
    .getByText(`curl ${new URL(href).origin}/v1/me`)
    .first()
    .waitFor();
  expect(
    await reference
      .getByText(/scalar/i)
      .filter({ visible: true })
      .count(),
  ).toBe(0);

  await reference.getByPlaceholder('Token').first().fill(secret);
  await reference
    .getByRole('button', { name: /Test Request\s*\(get \/v1\/clients\)/ })
    .first()
    .click();
  const console = reference.getByRole('dialog').last();
  await console.getByRole('button', { name: /^Send get request/ }).click();
  await console.getByText('200 OK').first().waitFor();
  await console.getByText('"next_cursor"').first().waitFor();
  expect([away, errors]).toEqual([[], []]);

  // Before the agreement is accepted, the page shows what it costs, and asks for the tick.
  await page.route('**/api/developer/keys', (route) =>
    route.fulfill({ json: { data: [], is_agreed: false } }),
  );
  await page.goto(demo.url(HOST, '/developer'));
  await page.getByRole('button', { name: 'Accept and pay $349.00' }).click();
  await page.getByText('Please click agree before you continue').waitFor();
});

test('[BEY-14] an owner who follows an app’s request signs in, chooses what it can do, and sends it its code', async () => {
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  await page.goto(demo.url(HOST, '/login'));
  // The app, which answers: a refused connection would leave an error page that is still arriving
  // when the next page is asked for.
  const app = createServer((_, response) => response.end('Connected'));
  await once(app.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void app.close());
  const callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  const { client_id } = await page.evaluate(
    async (redirect) =>
      (await (
        await fetch('/oauth/register', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ client_name: 'Helper', redirect_uris: [redirect] }),
        })
      ).json()) as { client_id: string },
    callback,
  );
  const asked = new URLSearchParams({
    client_id,
    redirect_uri: callback,
    response_type: 'code',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: '0123',
    scope: 'clients.read leads.read',
  });
  await page.goto(demo.url(HOST, `/oauth/authorize?${asked}`));
  await page.getByLabel('Email').fill('oakwood@demo.test');
  await page.getByLabel('Password', { exact: true }).fill(demo.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Give Helper access?' }).waitFor();
  await page.getByText('App on this computer').waitFor();
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
  await page.getByRole('checkbox', { name: 'View leads and the people found' }).uncheck();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL((url) => url.href.startsWith(callback));
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('state'), searchParams.get('code')]).toEqual([
    '0123',
    expect.stringMatching(/^lpc_/),
  ]);
  await page.goto(demo.url(HOST, '/developer'));
  const row = page.getByRole('row').filter({ hasText: 'Helper' });
  await row.getByText('View clients').waitFor();
  await row.getByText('App on this computer').waitFor();
  await context.close();
});
