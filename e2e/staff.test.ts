import type { Browser, Page } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
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
async function noAxeFindings(page: Page): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
}

test('[CONF-02] [CONF-09] an agency adds an administrator, finds, invites, removes and brings them back', async () => {
  const page = await signIn('acme.localhost', 'agency@demo.test', '/configuration/administrator-list');
  await page.getByRole('button', { name: 'Add administrator' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Full name').fill('Nadia Newcomer');
  await drawer.getByRole('textbox', { name: 'Email' }).fill('nadia@people.test');
  await drawer.getByRole('textbox', { name: 'Phone number' }).fill('+1 202 555 0147');
  await drawer.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Read only' }).click();
  await drawer.getByText('Campaign: view only', { exact: false }).waitFor();
  await noAxeFindings(page);
  await drawer.getByRole('button', { name: 'Add and invite' }).click();
  await page.getByText('Data has been added successfully').waitFor();

  await page.getByPlaceholder('Search by name, email, or role').fill('newcom');
  const row = page.getByRole('row', { name: /Nadia Newcomer/ });
  await row.getByText('Invited').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
  await noAxeFindings(page);
  await row.getByRole('button', { name: 'Nadia Newcomer' }).click();
  await drawer.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('Invitation sent.').waitFor();
  await drawer.getByRole('button', { name: 'Remove' }).click();
  await page
    .getByRole('dialog', { name: /Remove Nadia/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await page.getByText('User removed and signed out everywhere.').waitFor();

  await page.getByRole('combobox', { name: 'Show' }).click();
  await page.getByRole('option', { name: 'Removed' }).click();
  await row.getByRole('button', { name: 'Nadia Newcomer' }).click();
  await drawer.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('User restored. They can sign in again.').waitFor();
});

test('[CONF-02] [ROLE-02] an agency lists its salespeople; their account executive sees the clients in their care and no more', async () => {
  const page = await signIn('acme.localhost', 'agency@demo.test', '/configuration/administrator-list');
  await page.getByText('Salespeople', { exact: true }).click();
  await page.getByRole('row', { name: /Sidra Seller.*Account executive/ }).waitFor();
  await noAxeFindings(page);
  await page.getByRole('button', { name: 'Add sales account' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Sees the clients assigned to them', { exact: false }).waitFor();
  await expect.poll(() => drawer.getByRole('combobox', { name: 'Role' }).count()).toBe(0);

  const seller = await signIn('acme.localhost', 'seller@demo.test', '/configuration/client-management');
  await seller.getByRole('row', { name: /Harbor/ }).waitFor();
  await expect.poll(() => seller.locator('tbody tr').count()).toBe(1);
  await expect.poll(() => seller.getByRole('button', { name: 'Add client' }).count()).toBe(0);
  await noAxeFindings(seller);
  // They can edit the client, except the address its owner signs in with, and view its work, where nothing can be
  // changed.
  await seller.getByRole('button', { name: 'Edit Harbor Dental Care' }).click();
  const form = seller.getByRole('form', { name: /^Edit Harbor/ });
  await expect
    .poll(() => form.getByRole('textbox', { name: 'Email' }).getAttribute('readonly'))
    .not.toBeNull();
  await form.getByRole('textbox', { name: 'Full Name' }).fill('Harper Harborough');
  await form.getByRole('button', { name: 'Save' }).click();
  await seller.getByRole('row', { name: /Harper Harborough/ }).waitFor();
  await seller.getByRole('button', { name: 'Actions for Harbor Dental Care' }).click();
  await expect.poll(() => seller.getByRole('menuitem').allTextContents()).toEqual(['View as client']);
  await seller.getByRole('menuitem', { name: 'View as client' }).click();
  await seller.getByLabel('Reason').fill('Call about the forecast');
  await seller.getByRole('button', { name: 'View as Harper Harborough' }).click();
  const back = seller.getByRole('button', { name: 'Return to my account' });
  await back.waitFor();
  await noAxeFindings(seller);
  await back.click();
  await seller.waitForURL((url) => url.pathname === '/configuration/client-management');
  for (const path of ['administrator-list', 'general-setting', 'sales-account-list', 'agency-list']) {
    await seller.goto(demo.url('acme.localhost', `/configuration/${path}`));
    await seller.getByRole('heading', { name: 'Page Not Found' }).waitFor();
  }
});

test('[CONF-03] each tab of the settings is saved on its own, says what it changed, and keeps what a failure did not take', async () => {
  const page = await signIn(
    'bluepeak.localhost',
    'agency2@demo.test',
    '/configuration/general-setting?tab=registration',
  );
  const door = page.getByRole('switch', { name: 'Allow registration' });
  const was = await door.isChecked();
  await door.click({ force: true });
  await page.getByText('You have unsaved changes.').waitFor();
  const body = JSON.stringify({ result: 'failed', message: 'Boom', errors: {}, requestId: 'x' });
  await page.route('**/api/configuration/setting', (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body }),
  );
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  await page.getByText('We are unable to save your setting, please try again later.').waitFor();
  await expect.poll(() => door.isChecked()).toBe(!was);
  await page.unroute('**/api/configuration/setting');
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.url());
  });
  await save.click();
  await page.getByText('Setting has been saved.').waitFor();
  await page
    .getByRole('status')
    .filter({ hasText: `Changed: registration is ${was ? 'closed' : 'open'}.` })
    .waitFor();
  expect(sent).toHaveLength(1);
  await page.getByRole('tab', { name: 'Modules' }).click();
  await page.getByRole('tab', { name: 'Registration' }).click();
  await expect.poll(() => door.isChecked()).toBe(!was);
});

test('[CONF-03] [CONF-09] an agency sees what a mail server answers before it saves one', async () => {
  // It speaks the protocol, on loopback: the guard must keep tenants from it.
  const server = new SMTPServer({ disabledCommands: ['STARTTLS', 'AUTH'], logger: false });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const { port } = server.server.address() as { port: number };
  const page = await signIn('acme.localhost', 'agency@demo.test', '/configuration/general-setting?tab=email');
  await page.getByLabel('Server').fill('127.0.0.1');
  await page.getByLabel('Port').fill(String(port));
  await page.getByLabel('Sender address').fill('hello@acme.test');
  await page.getByRole('button', { name: 'Test sign-in' }).click();
  await page.getByText('private or reserved network', { exact: false }).waitFor();
  await noAxeFindings(page);
  await page.getByLabel('Server').fill('mail.acme.test');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Setting has been saved.').waitFor();
  await page.reload();
  await expect.poll(() => page.getByLabel('Server').inputValue()).toBe('mail.acme.test');
  await new Promise<void>((done) => server.close(() => done()));
});
