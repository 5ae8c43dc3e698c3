import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt, userAgent } from './person.ts';

let demo: Demo;
let browser: Browser;
let root: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
  root = await signInAt(browser, demo.url('localhost', '/'), 'root@demo.test', demo.password);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const go = (path: string) => root.goto(demo.url('localhost', path));
/** The newest email in the outbox with this subject. */
async function newestEmail(subject: string): Promise<string> {
  await go(`/configuration/outbox?q=${encodeURIComponent(subject)}`);
  await root.getByRole('row').filter({ hasText: subject }).first().getByRole('button').first().click();
  return root.frameLocator('iframe').locator('body').innerText();
}
/** Opens the row of someone in the queue; returns what is below it. */
async function openRequest(name: string) {
  const row = root.getByRole('row').filter({ hasText: name }).first();
  await row.getByRole('button').first().click();
  await root.getByText('Timeline', { exact: true }).waitFor();
  return row;
}

test('[BEY-07] someone asks at a tenant’s host, proves the address by a code, and is answered with a certificate', async () => {
  const visitor = await (await browser.newContext({ userAgent })).newPage();
  await visitor.goto(demo.url('acme.localhost', '/privacy'));
  await visitor.getByRole('radio', { name: 'Delete the data' }).check();
  await visitor.getByLabel('Name', { exact: false }).first().fill('Petra Private');
  await visitor.getByRole('textbox', { name: 'Email' }).fill('petra@private.test');
  expect(await axeFindings(visitor)).toEqual([]);
  await visitor.getByRole('button', { name: 'Send code' }).click();
  await visitor.getByRole('heading', { name: 'Enter the code' }).waitFor();
  const code = /\b\d{6}\b/.exec(await newestEmail('Confirm your privacy request'))?.[0];
  await visitor.getByLabel('Code').fill(code!);
  expect(await axeFindings(visitor)).toEqual([]);
  await visitor.getByRole('button', { name: 'Confirm request' }).click();
  await visitor.getByText('We answer by', { exact: false }).waitFor();

  await go('/configuration/privacy-requests');
  const row = await openRequest('Petra Private');
  await row.getByText('Due in 4', { exact: false }).waitFor();
  await root.getByText('The email address was proven by a code.', { exact: false }).waitFor();
  expect(await axeFindings(root)).toEqual([]);
  await root.getByRole('button', { name: 'Fulfill', exact: true }).click();
  const dialog = root.getByRole('dialog', { name: 'Fulfill the request' });
  expect(await axeFindings(root)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete the person' }).click();
  await root.getByText('The request was completed.').waitFor();

  await go('/configuration/privacy-requests?state=completed');
  await openRequest('Petra Private');
  const [file] = await Promise.all([
    root.waitForEvent('download'),
    root.getByRole('button', { name: 'Download certificate' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^privacy-request-PR-[0-9A-F]{12}\.pdf$/);
  expect(await newestEmail('Your privacy request is completed')).toContain('We deleted what we know of you');
});

test('[BEY-07] a letter is entered by hand, and waits until receipt is confirmed', async () => {
  await go('/configuration/privacy-requests');
  await root.getByRole('button', { name: 'Enter a request' }).click();
  const dialog = root.getByRole('dialog', { name: 'Enter a request' });
  await dialog.getByRole('button', { name: 'Enter', exact: true }).click();
  await dialog.getByText('Say what proves who asked').waitFor();
  // The calendar of the first wrong field is open, outside of the dialog.
  expect(await axeFindings(root, { within: '[role=dialog]' })).toEqual([]);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel('Received on').fill(yesterday);
  await dialog.getByLabel('Name of the person').fill('Lena Letter');
  await dialog.getByLabel('Phone').fill('(504) 555-0142');
  await dialog.getByLabel('Proof').fill('A signed letter');
  await dialog.getByRole('button', { name: 'Enter', exact: true }).click();
  await root.getByText('The request was entered.').waitFor();
  const row = root.getByRole('row').filter({ hasText: 'Lena Letter' }).first();
  await row.getByText('Confirm receipt: due in', { exact: false }).waitFor();
  await root.getByRole('button', { name: 'Receipt confirmed' }).click();
  await row.getByText(/^Due in/).waitFor();
  expect(await axeFindings(root)).toEqual([]);
});

test('[BEY-07] California’s lists run in their sandbox', async () => {
  await go('/configuration/privacy-requests?tab=drop');
  await root.getByText('California’s Delete Request and Opt-out Platform', { exact: false }).waitFor();
  expect(await axeFindings(root)).toEqual([]);
  const check = root.getByRole('button', { name: 'Check now' });
  const save = root.getByRole('button', { name: 'Save' });
  await check.or(save).first().waitFor();
  if (!(await check.isVisible())) {
    await root.getByRole('radio', { name: 'Sandbox', exact: false }).first().check();
    await save.click();
    await check.waitFor();
  }
  await check.click();
  await root.getByRole('cell', { name: 'Complete', exact: true }).first().waitFor();
  expect(await axeFindings(root)).toEqual([]);
});

test('[BEY-27] a blocked keyword is refused in the form until the root makes an exception', async () => {
  const client = await signInAt(
    browser,
    demo.url('acme.localhost', '/search-id/campaign-management'),
    'client2@demo.test',
    demo.password,
  );
  await client.getByRole('button', { name: 'New campaign' }).first().click();
  await client.getByRole('textbox', { name: 'Name' }).fill('Study books');
  await client.getByRole('textbox', { name: 'Keywords' }).fill('notebooks\nbible study');
  const create = client.getByRole('button', { name: 'Create campaign' });
  await create.click();
  await client
    .getByText('has “bible study”, which is on the theme Religion', { exact: false })
    .first()
    .waitFor();
  expect(await axeFindings(client)).toEqual([]);

  await go('/configuration/privacy-requests?tab=themes');
  await root.getByText('No exceptions').waitFor();
  expect(await axeFindings(root)).toEqual([]);
  await root.getByRole('button', { name: 'Allow a theme' }).click();
  const dialog = root.getByRole('dialog', { name: 'Allow a theme' });
  await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
  await dialog.getByText('Choose a theme').waitFor();
  expect(await axeFindings(root)).toEqual([]);
  await dialog.getByRole('combobox', { name: 'Theme' }).click();
  await root.getByRole('option', { name: 'Religion' }).click();
  await dialog.getByText('Everyone', { exact: true }).click();
  await dialog.getByLabel('Reason').fill('A publisher of Bibles');
  await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
  const row = root.getByRole('row').filter({ hasText: 'A publisher of Bibles' });
  await row.waitFor();
  expect(await axeFindings(root)).toEqual([]);
  await create.click();
  await client.getByRole('button', { name: 'New count' }).waitFor();
  await row.getByRole('button', { name: /^Block Religion/ }).click();
  await root
    .getByRole('dialog', { name: 'Block Religion again?' })
    .getByRole('button', { name: 'Block' })
    .click();
  await root.getByText('No exceptions').waitFor();
});

test('[BEY-07] the master root changes how long data is kept, and hears first what that deletes', async () => {
  await go('/configuration/data-retention');
  const row = root.getByRole('row').filter({ hasText: 'Requests and responses of deliveries' });
  await row.waitFor();
  expect(await axeFindings(root)).toEqual([]);
  await row.getByRole('button').first().click();
  const drawer = root.getByRole('dialog', { name: 'Requests and responses of deliveries' });
  await drawer.getByLabel('Days').fill('91');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('Enter 7 to 90 days.').waitFor();
  expect(await axeFindings(root)).toEqual([]);

  await drawer.getByLabel('Days').fill('7');
  await drawer.getByRole('button', { name: 'Save' }).click();
  const sure = root.getByRole('dialog', { name: 'Keep requests and responses of deliveries for 7 days?' });
  await sure.getByText(/Nothing is older than that now|The next run, within the hour, deletes/).waitFor();
  expect(await axeFindings(root)).toEqual([]);
  await sure.getByRole('button', { name: 'Change' }).click();
  await row.getByText('7 days (default 30)').waitFor();

  await row.getByRole('button').first().click();
  expect(await drawer.getByLabel('Days').inputValue()).toBe('7');
  await drawer.getByLabel('Days').fill('');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await row.getByText('30 days', { exact: true }).waitFor();

  await root.getByRole('region', { name: 'Fixed periods' }).waitFor();
  const agency = await signInAt(
    browser,
    demo.url('acme.localhost', '/configuration/data-retention'),
    'agency@demo.test',
    demo.password,
  );
  await agency.getByText('Page not found').first().waitFor();
});
