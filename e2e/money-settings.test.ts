import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { follow, signInAt } from './person.ts';

let demo: Demo;
let browser: Browser;
let root: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
  root = await signIn('localhost', 'root@demo.test');
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const signIn = (host: string, email: string, path = '/'): Promise<Page> =>
  signInAt(browser, demo.url(host, path), email, demo.password);
const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name });

test('[CONF-05] a root adds a plan of minimum spend, which becomes the default, and says what holds without one', async () => {
  await follow(root, 'Money', 'Minimum Spend');
  await root.getByText('No plans yet').waitFor();
  await root.getByRole('button', { name: 'Add plan' }).first().click();
  const dialog = root.getByRole('dialog', { name: 'New plan' });
  await dialog.getByRole('button', { name: 'Add a month' }).click();
  await dialog.getByRole('button', { name: 'Add plan' }).click();
  await dialog.getByText('Enter a name').waitFor();
  await dialog.getByText('Please enter a valid amount.').waitFor();
  await field(root, 'Name').fill('Growth');
  await field(root, 'First month').last().fill('100');
  await dialog.getByText('Minimum: $100.00, then $349.00.').waitFor();
  await dialog.getByRole('button', { name: 'Add plan' }).click();
  await root.getByText('Data has been added successfully').waitFor();
  const row = root.getByRole('row', { name: /Growth/ });
  await expect.poll(() => row.innerText()).toMatch(/Default[\s\S]*\$100\.00[\s\S]*\$349\.00/);

  await root.getByRole('switch', { name: 'Require a minimum spend' }).click({ force: true });
  await field(root, 'Second month').fill('100');
  await root.getByRole('button', { name: 'Save agencies without a plan' }).click();
  await root.getByText('Setting has been saved.').waitFor();
  await root.reload();
  await expect.poll(() => field(root, 'Second month').inputValue()).toBe('100.00');
});

test('[CONF-08] a root adds a coupon and withdraws it', async () => {
  await follow(root, 'Money', 'Coupons');
  await root.getByRole('button', { name: 'Add coupon' }).first().click();
  const dialog = root.getByRole('dialog', { name: 'New coupon' });
  await field(root, 'Code').fill('spring');
  await field(root, 'Percentage').fill('101');
  await dialog.getByRole('button', { name: 'Add coupon' }).click();
  await dialog.getByText('Enter a percentage above 0 and up to 100, such as 12.5').waitFor();
  await field(root, 'Percentage').fill('12.5');
  await dialog.getByRole('button', { name: 'Add coupon' }).click();
  const row = root.getByRole('row', { name: /SPRING/ });
  await row.waitFor();
  await expect.poll(() => row.innerText()).toMatch(/Available[\s\S]*12\.5%/);
  await root.getByRole('button', { name: 'Withdraw coupon SPRING' }).click();
  await root.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await root.getByText('No coupons yet').waitFor();
});

test('[BEY-03] an agency limits a client, raises the limit and lifts it', async () => {
  const agency = await signIn('acme.localhost', 'agency@demo.test');
  await follow(agency, 'Money', 'Limits');
  await agency.getByRole('button', { name: 'Set a limit' }).first().click();
  await agency.getByRole('radio', { name: 'All campaigns of a client' }).check();
  await agency.getByRole('combobox', { name: 'Client' }).fill('Evergreen');
  await agency.getByRole('option').first().click();
  const client = await agency.getByRole('combobox', { name: 'Client' }).inputValue();
  await field(agency, 'Stop at').fill('50');
  await field(agency, 'Notify us at').fill('60');
  await agency.getByRole('button', { name: 'Set limit' }).click();
  await agency.getByText('Enter an amount up to the one at which spending stops').waitFor();
  await field(agency, 'Notify us at').fill('40');
  await agency.getByRole('button', { name: 'Set limit' }).click();
  const row = agency.getByRole('row', { name: new RegExp(`All campaigns of ${client}`) });
  await row.waitFor();
  await expect.poll(() => row.innerText()).toMatch(/of \$50\.00[\s\S]*\$50\.00[\s\S]*\$40\.00[\s\S]*You/);
  await row
    .getByRole('button', { name: new RegExp(`All campaigns of ${client}`) })
    .first()
    .click();
  await field(agency, 'Stop at').fill('75');
  await agency.getByRole('button', { name: 'Save' }).click();
  await agency.getByRole('row', { name: /\$75\.00/ }).waitFor();
  await agency.getByRole('button', { name: /^Actions for the limit/ }).click();
  await agency.getByRole('menuitem', { name: 'Lift' }).click();
  await agency.getByRole('dialog').getByRole('button', { name: 'Lift' }).click();
  await agency.getByText('No limits yet').waitFor();
});

test('[CONF-06] a root adds a package; an agency chooses it, cancels its subscription and begins again', async () => {
  await root.goto(demo.url('localhost', '/configuration/general-setting?tab=packages'));
  await root.getByRole('group', { name: 'Standard' }).waitFor();
  await expect.poll(() => root.getByRole('button', { name: 'Remove Standard' }).count()).toBe(0);
  await root.getByRole('button', { name: 'Add package' }).click();
  const added = root.getByRole('group', { name: 'New package' });
  await added.getByLabel('Name').fill('Gold Plus');
  const gold = root.getByRole('group', { name: 'Gold Plus' });
  await gold.getByLabel('Price per month').fill('99');
  await gold.getByLabel('ID').fill('Gold Plus');
  await root.getByRole('button', { name: 'Save' }).click();
  await gold.getByText('Use only lowercase letters').waitFor();
  await gold.getByLabel('ID').fill('gold-plus');
  await root.getByRole('button', { name: 'Save' }).click();
  await root.getByText('Setting has been saved.').waitFor();

  const agency = await signIn(
    'bluepeak.localhost',
    'agency2@demo.test',
    '/configuration/general-setting?tab=subscription',
  );
  await agency.getByRole('button', { name: 'Choose Gold Plus' }).click();
  const dialog = agency.getByRole('dialog');
  await dialog.getByText(/The fee is \$99\.00 a month, starting \w+ 1, \d{4}\./).waitFor();
  await dialog.getByRole('button', { name: 'Choose package' }).click();
  const yours = agency.getByRole('region', { name: 'Your package' });
  await yours.getByRole('heading', { name: 'Gold Plus' }).waitFor();
  await expect.poll(() => yours.innerText()).toMatch(/\$99\.00 a month[\s\S]*Since/);

  // A package that an agency has cannot be removed.
  await gold.getByRole('button', { name: 'Remove Gold Plus' }).click();
  await root.getByRole('button', { name: 'Save' }).click();
  await root.getByText('The list must include gold-plus because an agency uses it.').waitFor();
  await root.getByRole('button', { name: 'Discard changes' }).click();
  await gold.waitFor();

  await agency.getByRole('button', { name: 'Cancel subscription' }).click();
  const sure = agency.getByRole('dialog', { name: 'Cancel the subscription of Blue Peak Media?' });
  await sure.waitFor();
  await expect
    .poll(() => agency.evaluate(() => document.activeElement?.textContent))
    .toBe('Keep subscription');
  await sure.getByRole('button', { name: 'Cancel subscription' }).click();
  await agency.getByText('The subscription was canceled').waitFor();
  await expect.poll(() => agency.getByRole('button', { name: 'Cancel subscription' }).count()).toBe(0);
  await agency.getByRole('button', { name: 'Choose Standard' }).click();
  await dialog.getByRole('button', { name: 'Choose package' }).click();
  await yours.getByRole('heading', { name: 'Standard' }).waitFor();
  await agency.getByRole('button', { name: 'Cancel subscription' }).waitFor();

  for (const page of [root, agency]) expect(await axeFindings(page)).toEqual([]);
});

test('[PAY-07] a minimum spend by default waits for the agency, which accepts it; one of its own counts at once', async () => {
  const agency = await signIn('acme.localhost', 'agency@demo.test');
  // A job announces it.
  const review = agency.getByRole('link', { name: 'Review and accept' });
  const isTold = async (): Promise<boolean> => {
    await agency.goto(demo.url('acme.localhost', '/dashboard'));
    await agency.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
    return review.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
  };
  await expect.poll(isTold).toBe(true);
  await review.click();
  // The demo's agencies began two months ago: the next whole month is their second or third.
  const offer = agency.getByRole('region', { name: /^Minimum spend to accept: \$349\.00 a month$/ });
  await offer.getByRole('button', { name: 'Accept' }).click();
  expect(await axeFindings(agency)).toEqual([]);
  await agency.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
  await agency.getByText('The minimum spend was accepted.').waitFor();
  await offer.waitFor({ state: 'detached' });

  await root.goto(demo.url('localhost', '/configuration/minimum-spend'));
  const told = root.getByRole('row', { name: /Acme/ });
  await told.waitFor();
  expect(await told.innerText()).not.toMatch(/Not yet/);
  expect(await axeFindings(root)).toEqual([]);

  // A plan that the root sets for an agency itself was agreed with it, so it applies to the current month.
  await root.goto(demo.url('localhost', '/configuration/agency-list'));
  const edit = root.getByRole('button', { name: /^Edit Acme/ });
  await edit.click();
  const form = root.getByRole('form', { name: /^Edit Acme/ });
  await form.getByRole('combobox', { name: 'Minimum Spend Config' }).click();
  await root.getByRole('option', { name: 'Growth', exact: true }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  await agency.reload();
  const stand = agency.getByRole('region', {
    name: /^Minimum spend this month: \$[\d,.]+ of \$(100|349)\.00$/,
  });
  // On the first of a month nothing is spent yet, and a bar without length is not visible.
  await stand.getByRole('progressbar').waitFor({ state: 'attached' });
  await expect
    .poll(() => stand.innerText())
    .toMatch(/month\..*(is invoiced to your agency|nothing is added)/);
  expect(await axeFindings(agency)).toEqual([]);
});
