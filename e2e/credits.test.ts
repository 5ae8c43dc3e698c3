import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { follow, signInAt } from './person.ts';

const HOST = 'acme.localhost';
const CLIENT = 'Harbor Dental Care';
const CAMPAIGN = 'Looking for a dentist';

let demo: Demo;
let browser: Browser;
let agency: Page;
let client: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
  const home = demo.url(HOST);
  // In another time zone than the company, whose days the pages show.
  const far = { timezoneId: 'Asia/Tokyo' };
  agency = await signInAt(browser, home, 'agency@demo.test', demo.password, far);
  client = await signInAt(browser, home, 'client2@demo.test', demo.password, far);
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const go = (page: Page, path: string) => page.goto(demo.url(HOST, path));
/** '$1,023.60' -> 102360, '−$4.00' -> -400. */
const cents = (text: string): number => Number(text.replace('−', '-').replace(/[^\d-]/g, ''));

/** What the client's own pages say: the statement's closing balance, and the campaign's facts. */
async function seenByClient() {
  await go(client, '/configuration/statement');
  const closing = client.getByText('Closing balance', { exact: true }).locator('..');
  await expect.poll(() => closing.innerText()).toMatch(/\$[\d,]+\.\d\d/);
  const [balance = ''] = /−?\$[\d,]+\.\d\d/.exec(await closing.innerText())!;
  const lines = client.getByRole('table').last().getByRole('row');
  const newest = (await lines.nth(1).innerText()).replaceAll(/\s+/g, ' ');

  await go(client, '/search-id/campaign-management');
  await client.getByRole('row').filter({ hasText: CAMPAIGN }).getByRole('button').first().click();
  await client.getByRole('tab', { name: 'Balance' }).click();
  const facts = client.getByRole('tabpanel', { name: 'Balance' });
  const fact = async (name: string): Promise<number> => {
    const value = facts.getByText(name, { exact: true }).locator('..');
    await value.waitFor();
    return cents((await value.innerText()).replace(name, ''));
  };
  const seen = {
    statement: cents(balance),
    newest,
    campaign: await fact('Balance'),
    spent: await fact('Spent on leads'),
  };
  const credit = facts.getByText('Credit', { exact: true });
  return { ...seen, credit: (await credit.count()) ? await fact('Credit') : 0 };
}

/**
 * The newest email of the outbox with a subject like that; the demo shows the outbox to agencies too. It is searched
 * for, since at a full hour the demo's jobs send more emails than fit on a page.
 */
async function newestEmail(subject: string): Promise<string> {
  await go(agency, `/configuration/outbox?q=${encodeURIComponent(subject)}`);
  await agency.getByRole('row').filter({ hasText: subject }).first().getByRole('button').first().click();
  return agency.frameLocator('iframe').locator('body').innerText();
}

describe('[BEY-01] what an agency gives back', () => {
  test('a refunded lead is in the balance, the statement, and an email with the reason', async () => {
    const before = await seenByClient();
    await go(agency, '/search-id/dashboard');
    await agency.getByText('Times are in Central Time.', { exact: false }).waitFor();
    const row = agency.getByRole('table').last().getByRole('row').filter({ hasText: CAMPAIGN }).first();
    // The time of a lead is in the same time zone as the days of the chart.
    const received = row.locator('time');
    const at = new Date((await received.getAttribute('datetime'))!);
    const hour = { timeZone: 'America/Chicago', hour: 'numeric', minute: '2-digit' } as const;
    expect(await received.innerText()).toContain(at.toLocaleTimeString('en-US', hour));

    await row.getByRole('button').first().click();
    const lead = agency.getByRole('dialog', { name: 'Lead', exact: true });
    await lead.getByRole('button', { name: 'Refund lead' }).click();
    const refund = agency.getByRole('dialog', { name: 'Refund this lead' });
    await refund.getByText(`${CLIENT} gets $4.00 back`).waitFor();
    expect(await axeFindings(agency)).toEqual([]);
    await refund.getByRole('combobox', { name: 'Reason' }).click();
    await agency.getByRole('option', { name: 'Other' }).click();
    await refund.getByRole('button', { name: 'Refund lead' }).click();
    await refund.getByText('Enter a reason').waitFor();
    await refund.getByLabel('Note').fill('Called twice, never reached');
    await refund.getByRole('button', { name: 'Refund lead' }).click();
    await agency.getByText('$4.00 was refunded.').waitFor();
    await refund.waitFor({ state: 'hidden' });
    const told = lead.getByRole('region', { name: 'Refunds' });
    await told.getByText('Other: Called twice, never reached').waitFor();
    // All of it is back: there is nothing more to refund.
    await lead.getByRole('button', { name: 'Refund lead' }).waitFor({ state: 'hidden' });

    const after = await seenByClient();
    expect(after.newest).toMatch(/^Refunded lead .+ Looking for a dentist \$4\.00 /);
    expect(after.statement).toBe(before.statement + 400);
    expect(after.campaign).toBe(before.campaign + 400);
    expect(after.spent).toBe(before.spent - 400);
    expect(await newestEmail('$4.00 refunded for a lead')).toContain('Called twice, never reached');
  });

  test('a granted credit is in the balance, the statement, and an email', async () => {
    const before = await seenByClient();
    await go(agency, '/configuration/client-management');
    await agency.getByRole('button', { name: `Actions for ${CLIENT}` }).click();
    await agency.getByRole('menuitem', { name: 'Grant credit' }).click();
    const grant = agency.getByRole('dialog', { name: `Grant ${CLIENT} credit` });
    await grant.getByRole('region', { name: 'Recent refunds and credits' }).getByText('$4.00').waitFor();
    expect(await axeFindings(agency)).toEqual([]);
    await grant.getByRole('combobox', { name: 'Campaign' }).click();
    await agency.getByRole('option', { name: CAMPAIGN }).click();
    await grant.getByLabel('Amount').fill('10000.01');
    await grant.getByRole('button', { name: 'Grant credit' }).click();
    await grant.getByText('Enter up to $10,000').waitFor();
    await grant.getByLabel('Amount').fill('12.50');
    await grant.getByLabel('Note').fill('Thank you for waiting');
    await grant.getByRole('button', { name: 'Grant credit' }).click();
    await agency.getByText(`Granted ${CLIENT} a credit of $12.50`).waitFor();
    await grant.waitFor({ state: 'hidden' });

    const after = await seenByClient();
    expect(after.newest).toMatch(/^Credit .+ Looking for a dentist \$12\.50 /);
    expect(after.statement).toBe(before.statement + 1250);
    expect(after.campaign).toBe(before.campaign + 1250);
    expect(after.credit).toBe(before.credit + 1250);
    expect(await newestEmail('You received a credit of $12.50')).toContain('Thank you for waiting');

    // Both come out of the agency's own revenue.
    await go(agency, '/configuration/statement?view=earnings');
    const lines = agency.getByRole('table').last().getByRole('row');
    await lines.filter({ hasText: 'Credit' }).filter({ hasText: '−$12.50' }).waitFor();
    await lines.filter({ hasText: 'Refunded lead' }).filter({ hasText: '−$4.00' }).first().waitFor();
  });
});

test('[BEY-06] a client returns a lead from its details, the agency sees it on its desk and approves', async () => {
  // Of another product than the lead that was refunded above.
  await go(client, '/leads?product=local');
  const first = client.getByRole('table').last().getByRole('row').nth(1);
  await first.waitFor();
  await first.getByRole('button').first().click();
  await client.getByRole('button', { name: 'Return lead' }).click();
  const dialog = client.getByRole('dialog', { name: 'Return this lead' });
  expect(await axeFindings(client)).toEqual([]);
  await dialog.getByRole('button', { name: 'Return lead' }).click();
  await dialog.getByText('Choose a reason').last().waitFor();
  await dialog.getByRole('combobox', { name: 'Reason' }).click();
  await client.getByRole('option', { name: 'Wrong person' }).click();
  await dialog.getByRole('textbox', { name: 'Note' }).fill('<b>Someone</b> else answered');
  await dialog.getByRole('button', { name: 'Return lead' }).click();
  const section = client.getByRole('region', { name: 'Return' });
  await section.getByText('Waiting for a decision').waitFor();
  await client.getByRole('list', { name: 'Journey' }).getByText('Returned: wrong person').waitFor();

  await follow(agency, 'Leads', 'Returns');
  // The newest is first.
  const newest = agency.getByRole('table').last().getByRole('row').filter({ hasText: 'Wrong person' });
  await newest.first().getByRole('button').first().click();
  await agency.getByText('<b>Someone</b> else answered').last().waitFor();
  await agency.getByRole('button', { name: 'Approve', exact: true }).click();
  const decision = agency.getByRole('dialog', { name: 'Approve return' });
  await decision.getByRole('textbox', { name: 'Message to the client' }).fill('You are right.');
  await decision.getByRole('button', { name: 'Approve return' }).click();
  await agency.getByText('The return was approved.').waitFor();

  await follow(client, 'Leads', 'Returns');
  await client.getByRole('table').last().getByText('Credited').first().waitFor();
});
