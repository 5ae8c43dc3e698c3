import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { signInAt } from './person.ts';

/** The demo's agencies, sorted by name. */
const AGENCIES = [
  'Acme Leads',
  'Blue Peak Media',
  'Cedar Growth',
  'Fresh Start',
  'Granite Media',
  'Juniper Ads',
  'Oakwood Digital',
  'Walnut Partners',
];

let demo: Demo;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [demo, browser] = await Promise.all([startDemo(), openBrowser()]);
  page = await signIn('localhost', 'root@demo.test');
  await openList();
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

const signIn = (host: string, email: string, path = '/'): Promise<Page> =>
  signInAt(browser, demo.url(host, path), email, demo.password);
async function openList(): Promise<void> {
  await page.goto(demo.url('localhost', '/configuration/agency-list'));
  await row('Acme Leads').waitFor();
}
const button = (name: string) => page.getByRole('button', { name, exact: true });
const row = (company: string) => page.getByRole('row').filter({ has: button(`Clients of ${company}`) });
const agencies = () =>
  page
    .getByRole('button', { name: /^Clients of / })
    .evaluateAll((all) => all.map((one) => (one.getAttribute('aria-label') ?? '').slice(11)));
const dialog = () => page.getByRole('dialog');
async function act(company: string, action: string): Promise<void> {
  await button(`Actions for ${company}`).click();
  await page.getByRole('menuitem', { name: action }).click();
}
/** Closes the notification, so that the next one is new. */
async function told(text: string): Promise<void> {
  const note = page.getByRole('alert').filter({ hasText: text });
  await note.waitFor();
  await note.getByRole('button').click();
  await note.waitFor({ state: 'hidden' });
}
/** Makes a call fail as a broken server would while an action runs. */
async function failing(path: string, work: () => Promise<void>): Promise<void> {
  const body = JSON.stringify({ result: 'failed', message: 'Boom', errors: {}, requestId: 'x' });
  await page.route(`**/api${path}`, (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body }),
  );
  await work();
  await page.unroute(`**/api${path}`);
}
const findings = () => axeFindings(page, { serious: true });

describe('[AGCY-01] the agency list in the browser', () => {
  test('has the columns of the specification; a header sorts up, down and not at all', async () => {
    const heads = async () =>
      (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim());
    await expect.poll(heads).toEqual(['COMPANY NAME', 'FULL NAME', 'E-MAIL', 'ACTION', 'SALES', 'CREATED']);
    const head = button('COMPANY NAME');
    await head.click();
    await page.waitForURL('**sort=company_name&dir=asc');
    await expect.poll(agencies).toEqual(AGENCIES);
    await head.press('Enter');
    await expect.poll(agencies).toEqual(AGENCIES.toReversed());
    await head.click();
    await expect.poll(() => page.url()).not.toContain('sort=');
  });

  test('[AGCY-03] a row opens to its clients, ten a page; one without says so; an empty phone is told', async () => {
    await button('Clients of Acme Leads').press('Enter');
    const clients = page.getByRole('region', { name: 'Clients of Acme Leads' });
    await clients.getByText('Showing 1 to 3 of 3 entries').waitFor();
    await clients.getByText('Northwind Outfitters').waitFor();
    await row('Fresh Start').getByText('000-000-0000').waitFor();
    await button('Clients of Fresh Start').click();
    await page.getByText('Client No Data').waitFor();
    expect(await findings()).toEqual([]);
    await button('Clients of Acme Leads').click();
    await button('Clients of Fresh Start').click();
  });

  test('[AGCY-06] [AGCY-18] an agency is added; each field says what is wrong with it', async () => {
    // The number is typed before the visitor's country is known, as on a slow network: it gets the country later.
    const typed = Promise.withResolvers<void>();
    await page.route('**/api/general/visitor-country', async (route) => {
      await typed.promise;
      await route.continue();
    });
    await button('Add agency').click();
    const form = page.getByRole('form', { name: 'Add agency' });
    const save = form.getByRole('button', { name: 'Save' });
    await expect.poll(() => save.isDisabled()).toBe(true);
    await form.getByLabel('Full Name').fill('x'.repeat(256));
    await form.getByLabel('Email').fill('nobody');
    await form.getByLabel('Phone number').fill('12');
    await form.getByLabel('Subdomain').fill('a_b');
    await save.click();
    for (const text of [
      'Company Name is required',
      'Full Name must not exceed 255 characters.',
      'Please enter a valid email',
      'Please enter valid phone number',
      'must have only letters, digits, and hyphens',
    ])
      await form.getByText(text).waitFor();
    expect(await findings()).toEqual([]);
    typed.resolve();
    await expect
      .poll(() => form.getByRole('combobox', { name: 'Country code' }).inputValue())
      .toContain('United States');
    await form.getByLabel('Company Name').fill('<b>Zeta</b> \u202E🙂');
    await form.getByLabel('Full Name').fill('Zoe Zeta');
    await form.getByLabel('Email').fill('agency@demo.test');
    await form.getByLabel('Phone number').fill('(202) 555-0123');
    await form.getByLabel('Subdomain').fill('www');
    await save.click();
    await form.getByText('is reserved. Choose another one').waitFor();
    await form.getByLabel('Subdomain').fill('zeta');
    await save.click();
    await form.getByText('Another account uses this email address.').waitFor();
    await told('Another account uses this email address.');
    await form.getByLabel('Email').fill('zoe@zeta.test');
    await failing('/configuration/user/create', async () => {
      await save.click();
      await told('Server might be busy please try again later');
    });
    await save.click();
    await page.getByText('Data has been added successfully').waitFor();
    await form.waitFor({ state: 'hidden' });
    await row('<b>Zeta</b> \u202E🙂').waitFor();
  });

  test('[AGCY-05] [AGCY-11] it is edited: a term is needed, the developer mode asks, the key turns orange', async () => {
    const name = '<b>Zeta</b> \u202E🙂';
    await row(name)
      .getByRole('img', { name: /API developer: API developer mode is inactive/ })
      .waitFor();
    await button(`Edit ${name}`).click();
    const form = page.getByRole('form', { name: `Edit ${name}` });
    for (const term of ['Weekly', 'Monthly', 'One Time', 'Prepaid']) await form.getByLabel(term).uncheck();
    const save = form.getByRole('button', { name: 'Save' });
    await save.click();
    await form.getByText('Please select payment term').waitFor();
    await form.getByLabel('Prepaid').check();
    await form.getByLabel('Company Name').fill('Zeta');
    await form.getByLabel('Enable API Developer Mode').check();
    await save.click();
    await dialog().getByText('one-time fee').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => form.getByLabel('Enable API Developer Mode').isChecked()).toBe(false);
    await form.getByLabel('Enable API Developer Mode').check();
    await failing('/configuration/user/update', async () => {
      await save.click();
      await dialog().getByRole('button', { name: 'Enable' }).click();
      await told('Server might be busy please try again later');
    });
    await save.click();
    await dialog().getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Data has been updated successfully').waitFor();
    await row('Zeta')
      .getByRole('img', {
        name: 'API developer: Developer menu enabled, but service agreement and payment not complete',
      })
      .waitFor();
    await expect.poll(() => row('Zeta').getByRole('img').getAttribute('data-color')).toBe('orange');
  });

  test('of two editors the later is told', async () => {
    await button('Edit Zeta').click();
    const form = page.getByRole('form', { name: 'Edit Zeta' });
    const other = await signIn('localhost', 'root@demo.test', '/configuration/agency-list');
    await other.getByRole('button', { name: 'Edit Zeta' }).click();
    await other.getByLabel('Full Name').fill('By another');
    await other.getByRole('form').getByRole('button', { name: 'Save' }).click();
    await other.getByText('Data has been updated successfully').waitFor();
    await other.context().close();
    await form.getByLabel('Full Name').fill('Too late');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Someone else changed this company in the meantime').waitFor();
    await form.getByRole('button', { name: 'Reload' }).click();
    await row('Zeta').getByText('By another').waitFor();
  });

  test('[AGCY-02] search and filters narrow the list, and a pill takes a filter away', async () => {
    await page.getByRole('searchbox', { name: 'Search agencies' }).fill('zoe@zeta');
    await expect.poll(agencies).toEqual(['Zeta']);
    await button('Clear search').click();
    await button('Filter').click();
    const sorted = async () => (await agencies()).toSorted();
    await page.getByLabel('Developer Mode Enabled').check();
    await expect.poll(sorted).toEqual(['Juniper Ads', 'Oakwood Digital', 'Walnut Partners', 'Zeta']);
    await page.getByLabel('Direct Payment').check();
    await expect.poll(agencies).toEqual(['Walnut Partners']);
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: 'Search agencies' }).fill('zoe@zeta');
    await page.getByText('Nothing matches this search or filter.').waitFor();
    await button('Clear search').click();
    await button('Remove filter Direct Payment').click();
    await expect.poll(sorted).toEqual(['Juniper Ads', 'Oakwood Digital', 'Walnut Partners', 'Zeta']);
    await button('Remove filter Developer Mode Enabled').click();
    await row('Acme Leads').waitFor();
  });

  test('[AGCY-07] the manual bill switch goes back on a cancel and on a failure', async () => {
    const billing = page.getByRole('switch', { name: 'Manual bill for Zeta' });
    await billing.click({ force: true });
    await dialog()
      .getByText("All campaigns will be billed wholesale directly to the agency's card.")
      .waitFor();
    await expect.poll(() => billing.isChecked()).toBe(true);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await expect.poll(() => billing.isChecked()).toBe(false);
    await failing('/payment/set-billing-method', async () => {
      await billing.click({ force: true });
      await dialog().getByRole('button', { name: 'Turn on' }).click();
      await told('We are unable to save. Please try again later or contact support for assistance.');
    });
    await expect.poll(() => billing.isChecked()).toBe(false);
  });

  test('[AGCY-09] a failed payment shows a red card, which settles what is due or says why not', async () => {
    const list = '**/api/configuration/user/*/all/**';
    await page.route(list, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      for (const one of body.data) if (one.company_name === 'Zeta') one.payment_status = 'failed';
      // A request still in progress when the route is removed has already been fulfilled.
      await route.fulfill({ response, json: body }).catch(() => undefined);
    });
    await page.reload();
    const card = button('Failed payment for Zeta');
    await card.waitFor();
    // In addition to the demo's own.
    await button('Failed payment for Granite Media').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Failed payment for/ }).count()).toBe(2);
    const answers = [
      {
        status: 500,
        body: { result: 'failed', message: 'Boom', errors: {}, requestId: 'x' },
        text: 'Something went wrong, please try again later..',
      },
      {
        status: 200,
        body: { data: { result: 'failed', message: 'The card was declined.' } },
        text: 'The card was declined.',
      },
      {
        status: 200,
        body: { data: { result: 'success', message: '' } },
        text: 'Manual Bill Settlement has been successfully processed.',
      },
    ];
    for (const answer of answers) {
      await page.route('**/api/general/manual-bill-settlement', (route) =>
        route.fulfill({ status: answer.status, json: answer.body }),
      );
      await card.click();
      await dialog().getByRole('button', { name: 'Clear', exact: true }).click();
      await page.getByText(answer.text).waitFor();
      await dialog().waitFor({ state: 'hidden' });
      await page.unroute('**/api/general/manual-bill-settlement');
    }
    await page.unroute(list);
    await openList();
    await expect.poll(() => card.count()).toBe(0);
  });

  test('[AGCY-12] a product with active campaigns stays ticked, and the dialog lists them', async () => {
    await button('Edit Acme Leads').click();
    const form = page.getByRole('form', { name: 'Edit Acme Leads' });
    await form.getByLabel('Visitor ID').or(form.getByLabel('Site ID')).uncheck();
    await failing('/leadspeek/check-campaign-active', async () => {
      await form.getByRole('button', { name: 'Save' }).click();
      await told('Server might be busy please try again later');
    });
    await form.getByRole('button', { name: 'Save' }).click();
    await dialog()
      .getByText(
        'Unable to disable the product due to active campaigns. Please manually stop the campaigns before disabling the product.',
      )
      .waitFor();
    await expect.poll(() => dialog().innerText()).toMatch(/ID: #\d{6}/);
    await dialog().getByRole('button', { name: 'OK' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await expect
      .poll(() => form.getByLabel('Visitor ID').or(form.getByLabel('Site ID')).isChecked())
      .toBe(true);
    await form.getByRole('button', { name: 'Cancel' }).click();
  });

  test('[AGCY-08] the exclusion from the minimum spend says so when it fails', async () => {
    await failing('/configuration/exclude-include-mininum-spend', async () => {
      await act('Zeta', 'Exclude from minimum spend');
      await dialog().getByRole('button', { name: 'Exclude' }).click();
      await told(
        'We are unable to include/exclude the agency for minimum spend, please try again later or contact the support',
      );
    });
    await button('Actions for Zeta').click();
    await page.getByRole('menuitem', { name: 'Exclude from minimum spend' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('[AGCY-20] [AGCY-04] the agreement file is made on demand, and a failure says so', async () => {
    const action = 'Download agreement file';
    const file = page.waitForEvent('download');
    await act('Acme Leads', action);
    expect((await file).suggestedFilename()).toBe('agreement-Acme-Leads.pdf');
    await page.getByText('Download Successful').waitFor();
    await failing('/configuration/agreement/*/file**', async () => {
      await act('Acme Leads', action);
      await told('Failed to download agreement file. Please try again later.');
    });
    // Zeta has not accepted an agreement.
    await button('Actions for Zeta').click();
    await page.getByRole('menuitem', { name: 'User logs' }).waitFor();
    await expect.poll(() => page.getByRole('menuitem', { name: action }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('[CONF-02] the list is downloaded as it is shown, and the summary says how many', async () => {
    const search = page.getByPlaceholder('Search agencies');
    await search.fill('acme');
    await expect.poll(agencies).toEqual(['Acme Leads']);
    const file = page.waitForEvent('download');
    await button('Download Data').click();
    const got = await file;
    expect(got.suggestedFilename()).toMatch(/^agencies-\d{4}-\d\d-\d\d\.csv$/);
    const lines = readFileSync(await got.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect([lines.length, lines[1]!.split(',')[0]]).toEqual([2, 'Acme Leads']);
    await page.getByText(/^1 entry in agencies-/).waitFor();
    await search.fill('');
    await row('Zeta').waitFor();
  });

  test('[AGCY-15] the onboarding charge: its rules, its save and its failure', async () => {
    await button('Onboarding charge for Zeta').click();
    const box = page.getByRole('dialog', { name: 'Onboarding charge for Zeta' });
    const amount = box.getByLabel('Onboarding charge', { exact: true });
    await expect.poll(() => amount.getAttribute('step')).toBe('0.01');
    for (const [value, text] of [
      ['', 'Please enter a valid amount.'],
      ['-1', 'Amount cannot be negative.'],
      ['0.5', 'Amount must be greater than 0.5 if not zero.'],
    ] as const) {
      await amount.fill(value);
      await box.getByRole('button', { name: 'Save' }).click();
      await box.getByText(text).waitFor();
    }
    await amount.fill('0.51');
    await box.getByLabel('Enable coupon').check();
    await failing('/configuration/setting/onboarding-charge', async () => {
      await box.getByRole('button', { name: 'Save' }).click();
      await told('We are unable to save your setting, please try again later.');
    });
    // Closing the notification was a click outside.
    await button('Onboarding charge for Zeta').click();
    await amount.fill('25');
    await box.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Setting has been saved.').waitFor();
  });

  test('[AGCY-16] [AGCY-21] the modals open from the row and close by Escape', async () => {
    for (const [action, title] of [
      ['Set sales person', 'Set Sales Person'],
      ['Set cost', 'Set cost for Zeta'],
      ['User logs', "Agency User's Logs"],
    ] as const) {
      await act('Zeta', action);
      await page.getByRole('dialog', { name: title }).waitFor();
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'hidden' });
    }
    await failing('/configuration/sales', async () => {
      await act('Zeta', 'Set sales person');
      const representative = dialog().getByRole('combobox', { name: 'Sales Representative' });
      await representative.click();
      await page.getByRole('option', { name: 'Sasha Sales' }).click();
      await dialog().getByRole('button', { name: 'Save' }).click();
      await told('We are unable to save your setting, please try again later.');
      // The selection is still there, ready to retry.
      await expect.poll(() => representative.inputValue()).toBe('Sasha Sales');
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await dialog().waitFor({ state: 'hidden' });
    });
    await button('Clients of Acme Leads').click();
    await act('Northwind Outfitters', 'Price setup');
    await dialog().getByLabel('Cost per lead', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Help: Agency List' }).click();
    await page.getByRole('dialog', { name: 'Agency List' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('[AGCY-13] an agency with active campaigns stays, in words; another is removed', async () => {
    await act('Acme Leads', 'Remove');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await told('active campaigns. Stop them first, then remove it.');
    await row('Acme Leads').waitFor();
    await act('Zeta', 'Remove');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog', { name: 'Deleted!' }).waitFor();
    await page.keyboard.press('Escape');
    await row('Zeta').waitFor({ state: 'detached' });
  });
});

test('[CONF-01] an agency adds a client and removes it', async () => {
  const own = await signIn('acme.localhost', 'agency@demo.test', '/configuration/client-management');
  await own.getByRole('button', { name: 'Add client' }).click();
  const form = own.getByRole('form', { name: 'Add client' });
  await expect.poll(() => form.getByLabel('Subdomain').count()).toBe(0);
  await form.getByLabel('Company Name').fill('Quay Client');
  await form.getByLabel('Full Name').fill('Quinn Quay');
  await form.getByLabel('Email').fill('quinn@quay.test');
  await form.getByLabel('Phone number').fill('2025550123');
  await form.getByRole('button', { name: 'Save' }).click();
  await own.getByText('Data has been added successfully').waitFor();
  await own.getByRole('button', { name: 'Actions for Quay Client' }).click();
  await own.getByRole('menuitem', { name: 'Remove' }).click();
  await own.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await own.getByRole('dialog', { name: 'Deleted!' }).waitFor();
  await own.context().close();
});

test('[BEY-13] an agency takes everything of a client, and of itself, out in one file', async () => {
  const own = await signIn('acme.localhost', 'agency@demo.test', '/configuration/client-management');
  await own.getByRole('button', { name: 'Actions for Northwind Outfitters' }).click();
  await own.getByRole('menuitem', { name: 'Full export' }).click();
  const box = own.getByRole('dialog', { name: /^Full export of .?Northwind Outfitters/ });
  await box.getByText('No exports yet').waitFor();
  await box.getByRole('button', { name: 'Start export' }).click();
  await box.getByText('Ready', { exact: true }).waitFor();
  expect(await axeFindings(own, { serious: true })).toEqual([]);
  const arriving = own.waitForEvent('download');
  await box.getByRole('button', { name: 'Download' }).click();
  const file = await arriving;
  expect(file.suggestedFilename()).toMatch(/^northwind-outfitters-export-\d{4}-\d\d-\d\d\.tar\.gz$/);
  expect([...readFileSync(await file.path()).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  await box.getByRole('button', { name: 'Delete' }).click();
  await own
    .getByRole('dialog', { name: 'Delete this export?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await box.getByText('No exports yet').waitFor();
  await box.getByRole('button', { name: 'Close' }).click();
  await own.getByRole('button', { name: 'Full export of your agency' }).click();
  await own
    .getByRole('dialog', { name: /^Full export of .?Acme Leads/ })
    .getByText('No exports yet')
    .waitFor();
  await own.context().close();
});
