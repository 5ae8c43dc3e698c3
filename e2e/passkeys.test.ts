import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ManualClock } from '../server/platform/clock.ts';
import { PASSWORD, type TestApp, testApp } from '../server/test/app.ts';
import { openBrowser } from './browser.ts';
import { userAgent } from './person.ts';

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([
    testApp({ start: true, clock: new ManualClock(new Date()) }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

/** A page whose browser has a built-in authenticator that verifies its owner automatically. */
async function pageWithAuthenticator(): Promise<Page> {
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return page;
}

test('[BEY-32] a passkey is added, signs in without password and code, confirms, and is removed', async () => {
  const root = await app.make.root({ host: 'root.localhost' });
  const agency = await app.make.agency(root, { host: 'acme.localhost', brand: { name: 'Acme Leads' } });
  const client = await app.make.client(agency);
  const person = await app.make.user(client, { password: PASSWORD, profileDone: true });
  const page = await pageWithAuthenticator();
  const url = (path: string) => `http://acme.localhost:${app.port}${path}`;
  await page.goto(url('/login'));
  await page.getByLabel('Email').fill(person.email);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: /profile menu/ }).click();
  await page.getByRole('menuitem', { name: 'Security' }).click();
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const form = page.getByRole('dialog', { name: 'Add a passkey' });
  await form.getByText(/It works only at acme\.localhost/).waitFor();
  await form.getByRole('textbox', { name: 'Name' }).fill('Work laptop');
  await form.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Passkey added.').waitFor();
  await page.getByRole('button', { name: 'Change Work laptop' }).waitFor();

  await page.getByRole('button', { name: /profile menu/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('button', { name: /profile menu/ }).waitFor();

  // A session left open for a while asks again, and the passkey confirms it.
  app.clock.advance(16 * 60_000);
  await page.goto(url('/user/sessions'));
  await page.getByRole('button', { name: 'Change Work laptop' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page
    .getByRole('dialog', { name: 'Remove Work laptop?' })
    .getByRole('button', { name: 'Remove' })
    .click();
  await page
    .getByRole('dialog', { name: 'Confirm it’s you' })
    .getByRole('button', { name: 'Use a passkey instead' })
    .click();
  await page.getByText('Passkey removed.').waitFor();
  await page.getByText('No passkeys').waitFor();

  // The passkey that the device still offers no longer works.
  await page.getByRole('button', { name: /profile menu/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('alert').getByText('This passkey cannot be used here.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/login');
});

test('[BEY-32] where a second factor is required, it is set up at the next login before anything else', async () => {
  const root = await app.make.root({ host: 'strict.localhost' });
  const person = await app.make.user(root, { password: PASSWORD, profileDone: true });
  const page = await pageWithAuthenticator();
  const url = (path: string) => `http://strict.localhost:${app.port}${path}`;
  const signIn = async () => {
    await page.goto(url('/login'));
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const logOut = async () => {
    await page.getByRole('button', { name: /profile menu/ }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  };
  await signIn();
  await page.getByRole('button', { name: /profile menu/ }).waitFor();
  await page.goto(url('/configuration/general-setting?tab=security'));
  await page.getByRole('switch', { name: 'Require a second factor for your users' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Setting has been saved.').waitFor();
  await logOut();
  await signIn();
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  // No other address is accessible.
  await page.goto(url('/configuration/agency-list'));
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' });
  await codes.waitFor();
  const [code = ''] = await codes.getByRole('listitem').allInnerTexts();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await logOut();

  // The password alone is no longer enough.
  await signIn();
  await page.getByRole('button', { name: 'Use your passkey', exact: true }).click();
  await logOut();
  await signIn();
  await page.getByRole('button', { name: 'Can’t use your passkey? Use a recovery code' }).click();
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('button', { name: /profile menu/ }).waitFor();
});
