import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../server/platform/clock.ts';
import { inScope } from '../server/platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../server/test/app.ts';
import type { Company } from '../server/test/factories.ts';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { signInAt } from './person.ts';

const HOST = 'acme.localhost';
const USD = 1_000_000n;

let app: TestApp;
let browser: Browser;
let root: Company;
let acme: Company;
let client: Company;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  [app, browser] = await Promise.all([
    testApp({ start: true, clock: new ManualClock(new Date()) }),
    openBrowser(),
  ]);
  const { make } = app;
  root = await make.root({ host: 'localhost', name: 'Rootsystem', isMaster: true });
  acme = await make.agency(root, {
    host: HOST,
    name: 'Acme Media',
    modules: [{ module: 'local', name: 'Visitor ID', slug: 'visitor-id' }],
  });
  await make.leadCost(acme, 900_000n);
  client = await make.client(acme, { name: 'Bayou Bikes' });
  const person = { password: PASSWORD, profileDone: true };
  const phone = { number: '5045550100', country: 'US', calling: '+1' };
  const owner = await make.user(acme, { ...person, phone, email: 'agency@x.test' });
  await make.setUp(acme, owner.id);
  const payer = await make.user(client, { ...person, phone, email: 'client@x.test' });
  await make.setUp(client, payer.id);
  await askingCard();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

/** Adds a card to the client's file whose bank requires authentication for each charge. */
async function askingCard(): Promise<void> {
  const token = await app.signIn('client@x.test', HOST);
  const post = async (path: string, body?: object) =>
    (await app.call('POST', `/api/payment/${path}`, { host: HOST, token, body })).body as Record<
      string,
      string
    >;
  const { setup, client_secret } = await post('card/start');
  const card = { number: '4000002760003184', exp_month: 12, exp_year: 2040, cvc: '123' };
  await post('sandbox/card', { client_secret, ...card });
  await post('sandbox/authentication', { client_secret, passed: 'T' });
  expect(await post('customer-direct', { setup })).toMatchObject({ result: 'success' });
}

let serial = 0;
/** Creates an invoice for some leads at 2 dollars; returns its number once the card has been tried. */
async function invoice(leads: number): Promise<string> {
  const { make, features } = app;
  const campaign = await make.campaign(client, { price: 2n * USD, costs: { term: 'Monthly' } });
  const people = Array.from({ length: leads }, () => make.person());
  await make.people(root, people);
  for (const { email } of people) await make.visit(campaign, { email });
  // The worker may have picked up the visits first: visits in progress are not billed until they are done.
  const unpaid = `select count(*)::int as n from lead where campaign_id = $1`;
  await expect
    .poll(async () => {
      await features.leads.resolver.resolveAll();
      return (await app.admin.query(unpaid, [campaign.id])).rows[0].n;
    })
    .toBe(leads);
  const bill = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    features.invoices.bill(
      tx,
      {
        owner: { root_id: root.id, agency_id: acme.id, company_id: client.id },
        side: 'retail',
        kind: 'to_date',
        term: null,
        periodKey: `journey-${++serial}`,
        from: null,
        to: null,
        events: { before: new Date('9999-01-01'), cycle: null },
      },
      app.clock.now(),
    ),
  );
  await expect
    .poll(
      async () =>
        (await app.admin.query(`select state from charge where reference_id = $1`, [bill!.id])).rows[0]
          ?.state,
    )
    .toBe('declined');
  return (await app.admin.query('select number from invoice where id = $1', [bill!.id])).rows[0].number;
}

const url = (path: string): string => `http://${HOST}:${app.port}${path}`;
async function signIn(email: string, path = '/', width = 1440): Promise<Page> {
  const page = await signInAt(browser, url(path), email, PASSWORD, { viewport: { width, height: 900 } });
  contexts.push(page.context());
  return page;
}
const findings = (page: Page) => axeFindings(page, { serious: true });

describe('[PAY-04] invoices, from the card that was declined to the file to keep', () => {
  let number: string;

  test('a client whose card asks is led to its page, refuses, then confirms, and goes on', async () => {
    number = await invoice(3);
    const page = await signIn('client@x.test');
    expect(new URL(page.url()).pathname).toBe('/user/card-setting');
    const due = page.getByRole('region', { name: 'Payment due' });
    await due.getByText('$6.00').first().waitFor();
    expect(await findings(page)).toEqual([]);

    const pay = due.getByRole('button', { name: `Pay now: ${number}` });
    await pay.press('Enter');
    const sure = page.getByRole('dialog', { name: 'Pay $6.00 now?' });
    await sure.getByRole('button', { name: 'Pay now' }).press('Enter');
    const bank = page.getByRole('dialog', { name: 'Your bank wants to confirm it’s you' });
    await bank.getByText('Sandbox bank').waitFor();
    expect(await findings(page)).toEqual([]);
    await bank.getByRole('button', { name: 'Refuse' }).press('Enter');
    const refused = page.getByText('We are unable to authenticate your card.');
    await refused.waitFor();
    // A failure message stays until it is closed.
    await page.waitForTimeout(6000);
    await refused.waitFor();

    await pay.press('Enter');
    await sure.getByRole('button', { name: 'Pay now' }).press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Approve');
    await page.keyboard.press('Enter');
    await page.getByText(`Invoice ${number} is paid.`).waitFor();
    await due.waitFor({ state: 'hidden' });

    await page.goto(url('/configuration/invoices'));
    await page.getByRole('button', { name: number }).press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Invoice' });
    await drawer.getByRole('heading', { name: number }).waitFor();
    expect(page.url()).toContain('invoice=');
    await drawer.getByRole('button', { name: /3 events/ }).press('Enter');
    await expect.poll(() => drawer.getByText('$2.00', { exact: true }).count()).toBeGreaterThanOrEqual(3);
    await expect.poll(() => drawer.getByRole('button', { name: 'Pay now' }).count()).toBe(0);
    await expect.poll(() => drawer.getByText('platform').count()).toBe(0);
    expect(await findings(page)).toEqual([]);

    const arrived = page.waitForEvent('download');
    await drawer.getByRole('button', { name: 'Download PDF' }).press('Enter');
    const file = await arrived;
    expect(file.suggestedFilename()).toBe(`invoice-${number}.pdf`);
    const bytes = readFileSync(await file.path());
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
    for (const words of [number, 'Acme Media', 'Bayou Bikes', '$6.00', 'Paid']) expect(text).toContain(words);
    expect(`${bytes.toString('latin1')} ${text}`).not.toMatch(/Rootsystem|pdfkit/i);
    await page.getByText('Download Successful').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(page.url()).not.toContain('invoice=');
  });

  test('its agency finds it, corrects it, gives another up, and comes to it from the statement', async () => {
    const second = await invoice(4);
    const page = await signIn('agency@x.test', '/configuration/invoices');
    await page.getByText(number).waitFor();
    await page.getByText('Failing', { exact: true }).first().click();
    await page.getByText(number).waitFor({ state: 'hidden' });
    expect(page.url()).toContain('status=failing');
    expect(await findings(page)).toEqual([]);

    await page.getByRole('button', { name: second }).press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Invoice' });
    await drawer.getByRole('button', { name: 'Correct' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Issue credit note' }).press('Enter');
    const credit = page.getByRole('dialog', { name: `Reduce what Bayou Bikes owes on ${second}` });
    await credit.getByRole('button', { name: 'Issue credit note' }).press('Enter');
    await credit.getByText('Enter an amount in US dollars such as 2.50').waitFor();
    await credit.getByLabel('Amount').fill('2.5');
    await credit.getByLabel('Reason').fill('One was a double');
    await credit.getByText('The amount due drops by $2.50 to $5.50.').waitFor();
    expect(await findings(page)).toEqual([]);
    await credit.getByRole('button', { name: 'Issue credit note' }).press('Enter');
    await credit.waitFor({ state: 'hidden' });
    await drawer.getByText('One was a double').waitFor();
    await drawer.getByText('due of $8.00').waitFor();
    const arrived = page.waitForEvent('download');
    await drawer.getByRole('button', { name: /^Download PDF of/ }).press('Enter');
    expect((await arrived).suggestedFilename()).toMatch(/^credit-note-.*\.pdf$/);

    await drawer.getByRole('button', { name: 'Correct' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Write off' }).press('Enter');
    const giveUp = page.getByRole('dialog', { name: `Write off $5.50 of ${second}?` });
    await giveUp.getByLabel('Reason').fill('Gone');
    await giveUp.getByRole('button', { name: 'Write off $5.50' }).press('Enter');
    await giveUp.waitFor({ state: 'hidden' });
    await drawer.getByText('Uncollectible').waitFor();
    await page.keyboard.press('Escape');

    await page.goto(url('/configuration/statement?view=earnings&kind=invoice'));
    await page.goto(url('/configuration/statement?view=card&kind=payment'));
    await page.getByRole('button', { name: 'Payment' }).first().press('Enter');
    await page.getByRole('link', { name: 'View invoice' }).press('Enter');
    await page.getByRole('heading', { name: number }).waitFor();
  });

  test('on a phone nothing is wider than the screen', async () => {
    const page = await signIn('agency@x.test', '/configuration/invoices', 375);
    await page.getByText(number).waitFor();
    const over = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(await over()).toBe(0);
    await page.getByRole('button', { name: number }).press('Enter');
    await page.getByRole('heading', { name: number }).waitFor();
    expect(await over()).toBe(0);
    expect(await findings(page)).toEqual([]);
  });
});
