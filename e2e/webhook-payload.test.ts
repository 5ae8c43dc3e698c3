import type { Browser } from 'playwright-core';
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

test('[INTG-02] a client shapes what a webhook sends, by keyboard too, and it arrives that way', async () => {
  const page = await signInAt(
    browser,
    demo.url('acme.localhost', '/visitor-id/campaign-management'),
    'client@demo.test',
    demo.password,
  );
  await page.locator('tbody button').first().click();
  await page.getByRole('tab', { name: 'Delivery' }).click();
  const address = demo.url('receiver.localhost', '/hooks/shaped');
  await page.getByRole('button', { name: 'Add destination' }).click();
  await page.getByRole('menuitem', { name: 'Webhook' }).click();
  await page.getByRole('textbox', { name: 'Address' }).fill(address);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const secret = (await page.getByText(/^whsec_/).textContent()) ?? '';
  await page.getByRole('checkbox', { name: 'I’ve saved it' }).check();
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
  const receiver = await (await browser.newContext()).newPage();
  await receiver.goto(demo.url('receiver.localhost', '/secrets'));
  await receiver.locator('[name=name]').fill('shaped');
  await receiver.locator('[name=secret]').fill(secret);
  await receiver.locator('form button').click();
  await receiver.getByText('are now verified').waitFor();

  const card = page.getByRole('listitem').filter({ hasText: address });
  const modal = page.getByRole('dialog', { name: 'Payload' });
  const open = async () => {
    await card.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Payload' }).click();
    await modal.getByText('lead.created').or(modal.getByText('Maker')).first().waitFor();
  };
  await open();
  expect(await axeFindings(page)).toEqual([]);

  // All fields at first; rows are moved and removed without losing one's place.
  await modal.getByText('Flat JSON', { exact: true }).click();
  const names = () =>
    modal
      .getByRole('textbox', { name: /^Name of field/ })
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  await expect.poll(async () => (await names()).slice(0, 3)).toEqual(['lead_id', 'first_name', 'last_name']);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await modal.getByRole('button', { name: 'Move lead_id down' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await names()).slice(0, 3)).toEqual(['first_name', 'last_name', 'lead_id']);
  expect(await focused()).toBe('Move lead_id down');
  await modal.getByRole('button', { name: 'Move last_name up' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await names())[0]).toBe('last_name');
  expect(await focused()).toBe('Move last_name down');
  await modal.getByRole('button', { name: 'Remove last_name' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('Remove first_name');

  // A fixed text, under a name that is taken at first.
  const another = modal.getByRole('combobox', { name: 'Another field' });
  await another.fill('fixed');
  await page.getByRole('option', { name: 'Fixed text…' }).click();
  await expect.poll(focused).toMatch(/^Name of field/);
  expect(await another.inputValue()).toBe('');
  await page.keyboard.type('email');
  const last = modal.getByRole('textbox', { name: /^Name of field/ }).last();
  await last.fill('email');
  await modal.getByText('Is used twice').first().waitFor();
  await last.fill('Maker');
  await modal.getByRole('textbox', { name: 'Text of Maker' }).fill('Northwind & "Sons"');
  await modal.getByText('"Maker": "Northwind & \\"Sons\\""').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  // A header needs a value; closing asks before anything is lost.
  await modal.getByRole('button', { name: 'Add header' }).click();
  await page.keyboard.type('X-Api-Key');
  await modal.getByRole('button', { name: 'Save' }).click();
  await modal.getByText('Is required', { exact: true }).waitFor();
  await expect.poll(focused).toBe('Value of X-Api-Key');
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Close without saving?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await modal.getByRole('textbox', { name: 'Value of X-Api-Key' }).fill('sk-0123456789');
  await modal.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changes saved successfully').first().waitFor();
  await card.getByText('Payload: Flat JSON').waitFor();
  await card.getByRole('button', { name: 'Send test' }).click();
  await card.getByText('Test delivered').waitFor();
  await receiver.goto(demo.url('receiver.localhost', '/'));
  const body = receiver.getByRole('region', { name: 'Message body' }).first();
  expect(JSON.parse((await body.textContent()) ?? '')).toMatchObject({
    Maker: 'Northwind & "Sons"',
    email: 'test.lead@example.com',
    is_test: 'true',
  });
  await receiver.getByText('Signature verified').first().waitFor();

  // A template, on a phone; the value of the header stays unseen.
  await page.setViewportSize({ width: 375, height: 812 });
  await open();
  expect(await modal.getByRole('textbox', { name: 'Value of X-Api-Key' }).inputValue()).toBe('');
  await modal.getByText('Template', { exact: true }).first().click();
  const template = modal.getByRole('textbox', { name: 'Template' });
  await template.fill('{"a": {{email}}}');
  await modal.getByText('Must be valid JSON, with each placeholder inside quotes').first().waitFor();
  await template.fill('{"a": ""}');
  await template.evaluate((area) => (area as HTMLTextAreaElement).setSelectionRange(7, 7));
  const insert = modal.getByRole('combobox', { name: 'Insert field' });
  await insert.fill('city');
  await page.getByRole('option', { name: 'City' }).click();
  expect(await template.inputValue()).toBe('{"a": "{{city}}"}');
  expect(await insert.inputValue()).toBe('');
  await modal.getByRole('button', { name: 'Use the RB2B format' }).click();
  await page
    .getByRole('dialog', { name: 'Replace your template?' })
    .getByRole('button', { name: 'Replace' })
    .click();
  await modal.getByText('"Captured URL":').last().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(375);
  await modal.getByRole('button', { name: 'Save' }).click();
  await card.getByText('Payload: Template').waitFor();
});
