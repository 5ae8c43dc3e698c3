import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { PATIENCE_MS } from './patience.ts';
import { follow, signInAt } from './person.ts';

let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

test('[INTG-01] [INTG-02] [BEY-04] a client connects a CRM, maps a field, and sees leads arrive, wait, and go on', async () => {
  const page = await signInAt(browser, demo.url('acme.localhost', '/'), 'client@demo.test', demo.password);
  await page.getByRole('button', { name: /profile menu/ }).click();
  await page.getByRole('menuitem', { name: 'Integrations' }).click();
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor();
  await page.getByLabel('Search services').fill('hubs');
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('link', { name: /HubSpot/ }).click();
  await page.getByRole('heading', { name: 'HubSpot', level: 1 }).waitFor();
  await page.getByText('In this demo, HubSpot is a stand-in').waitFor();

  // A wrong token is refused in HubSpot's own words.
  await page.getByLabel('Access token').fill('pat-na1-wrong');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('Authentication credentials not found or expired.', { exact: false }).waitFor();
  await page.getByLabel('Access token').fill('pat-na1-stub');
  await page.getByLabel('Name of the connection').fill('Sales team');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('Connected to Account 4417').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  // A campaign delivers to it, with one field changed.
  await page.goto(demo.url('acme.localhost', '/visitor-id/campaign-management'));
  await page.locator('tbody button').first().click();
  await page.getByRole('tab', { name: 'Delivery' }).click();
  await page.getByRole('button', { name: 'Add destination' }).click();
  await page.getByRole('menuitem', { name: 'Sales team' }).click();
  const modal = page.getByRole('dialog', { name: 'Deliver leads to HubSpot' });
  const city = modal.getByRole('combobox', { name: 'Source of City' });
  await city.fill('Campaign name');
  await page.getByRole('option', { name: 'Campaign name' }).click();
  expect(await axeFindings(page)).toEqual([]);
  await modal.getByRole('button', { name: 'Add destination' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'HubSpot · Sales team' });
  await card.getByRole('button', { name: 'Send test' }).click();
  await card.getByText('Test delivered').waitFor();

  const crm = await (await browser.newContext()).newPage();
  await crm.goto(demo.url('crm.localhost', '/?of=hubspot'));
  await crm.getByRole('heading', { name: 'Test Lead' }).waitFor();
  expect(await axeFindings(crm)).toEqual([]);

  // The CRM refuses the token: the lead waits, the connection says so, and its page mends it.
  await crm.getByRole('button', { name: 'Refuses the credentials' }).click();
  await page.getByRole('button', { name: 'Send test lead' }).click();
  await card
    .getByText('The service no longer accepts the connection’s credentials.', { exact: false })
    .waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Test Lead' }).getByText('Waiting').waitFor();
  const log = page.url();
  await card.getByRole('link', { name: 'Reconnect' }).click();
  await page.getByText('1 lead is waiting.', { exact: false }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'All integrations' }).click();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await crm.getByRole('button', { name: 'Works', exact: true }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Sales team' })
    .getByRole('link', { name: 'Reconnect' })
    .click();
  await page.getByLabel('Access token').fill('pat-na1-stub');
  await page.getByRole('button', { name: 'Reconnect', exact: true }).click();
  await page.getByText('Changes saved successfully').waitFor();
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.goto(log);
  // The log follows it: both test leads are there.
  const delivered = page.getByRole('list', { name: 'Deliveries' }).getByText('Delivered', { exact: true });
  await expect.poll(() => delivered.count(), { timeout: PATIENCE_MS }).toBe(2);

  // The delivery desk: the demo's wrong mapping, with what was sent, without the person's data.
  await page.keyboard.press('Escape');
  await follow(page, 'Leads', 'Deliveries');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'The service returned 422' })
    .getByRole('button', { name: 'Show' })
    .click();
  await page.getByRole('region', { name: 'Deliveries' }).locator('tbody button').first().click();
  await page
    .getByRole('region', { name: 'Request body' })
    .getByText('"email": "{{full_name}}"', { exact: false })
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);
});

test('[INTG-01] [BEY-18] an agency goes from a client’s alert to that client’s connections, and a wrong campaign is named', async () => {
  const page = await signInAt(
    browser,
    demo.url('acme.localhost', '/alerts'),
    'agency@demo.test',
    demo.password,
  );
  await page.getByRole('combobox', { name: 'Client' }).click();
  const option = page.getByRole('option').first();
  const name = await option.innerText();
  await option.click();
  await page.waitForURL(/client=/);
  const client = new URL(page.url()).searchParams.get('client')!;

  // No campaign has this id: the server says so, and the form says where.
  await page.goto(demo.url('acme.localhost', `/alerts?client=${client}&alert=new&campaign=${client}`));
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name').fill('Hot leads');
  await drawer.getByRole('button', { name: 'Add alert' }).click();
  const campaign = drawer.getByRole('combobox', { name: 'Campaign' });
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  expect(await campaign.getAttribute('aria-invalid')).toBe('true');

  // Without the changes, the way leads on.
  await page.goto(demo.url('acme.localhost', `/alerts?client=${client}&alert=new`));
  await drawer.getByRole('link', { name: 'Integrations' }).click();
  await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor();
  expect(new URL(page.url()).searchParams.get('client')).toBe(client);
  await page.getByRole('link', { name: /Slack/ }).click();
  await page.getByRole('heading', { name: 'Slack', level: 1 }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Client' }).inputValue()).toBe(name);
  expect(await axeFindings(page)).toEqual([]);
});
