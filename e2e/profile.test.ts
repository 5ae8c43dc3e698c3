import { request } from 'node:http';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser } from './browser.ts';
import { type Demo, startDemo } from './demo.ts';
import { follow, readToEnd, signInAt } from './person.ts';

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

/** Moves to an element using only the Tab key, from wherever the focus is. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let i = 0; i < 80; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${target}`);
}

/** Types into a field reached with the Tab key, replacing its content. */
async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

async function noAxeFindings(page: Page): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
}

/** A PNG of one color, of any size: a real picture, whose pixels take far more room than its file. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8 + body.length);
    frame.writeUInt32BE(data.length, 0);
    body.copy(frame, 4);
    frame.writeUInt32BE(crc32(body), 4 + body.length);
    return frame;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // One bit per pixel, grayscale.
  head[8] = 1;
  const pixels = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The root requires an onboarding charge from the new agency, and has a coupon for it. */
async function askOnboarding(): Promise<void> {
  const root = await signIn('localhost', 'root@demo.test', '/configuration/coupons');
  await root.getByRole('button', { name: 'Add coupon' }).first().click();
  await root.getByRole('textbox', { name: 'Code' }).fill('welcome');
  await root.getByRole('textbox', { name: 'Percentage' }).fill('25');
  await root.getByRole('dialog').getByRole('button', { name: 'Add coupon' }).click();
  await root.getByRole('row', { name: /WELCOME/ }).waitFor();
  await root.goto(demo.url('localhost', '/configuration/agency-list'));
  await root.getByRole('button', { name: 'Onboarding charge for Fresh Start' }).click();
  const popover = root.getByRole('dialog', { name: 'Onboarding charge for Fresh Start' });
  await popover.getByLabel('Onboarding charge', { exact: true }).fill('200');
  await popover.getByLabel('Enable coupon').check();
  await popover.getByRole('button', { name: 'Save' }).click();
  await popover.waitFor({ state: 'hidden' });
  await root.context().close();
}

describe('[PROF-01] [PROF-02] [PAY-08] the setup of a new agency, by keyboard alone', () => {
  test('goes through every step, survives a reload, and ends at the general settings', async () => {
    await askOnboarding();
    const page = await signIn('fresh.localhost', 'newagency@demo.test');
    const step = (name: string) => page.getByRole('heading', { level: 2, name }).waitFor();
    const press = async (name: string) => {
      await tabTo(page, page.getByRole('button', { name, exact: true }));
      await page.keyboard.press('Enter');
    };
    await page.goto(demo.url('fresh.localhost', '/user/profile-setup'));
    await step('Your details');

    // A step cannot be left before its check passes.
    await press('Next');
    await page.getByText('Please enter valid phone number').waitFor();
    expect(await page.getByLabel('Phone number').evaluate((node) => node === document.activeElement)).toBe(
      true,
    );
    await page.keyboard.type('+1 312 555 0142');
    await noAxeFindings(page);
    await press('Next');

    await step('Company');
    await typeInto(page, page.getByLabel('Company email'), 'office@fresh.example');
    await typeInto(page, page.getByLabel('Phone number'), '+1 312 555 0143');
    await typeInto(page, page.getByLabel('Address'), '1 Wacker Drive');
    await typeInto(page, page.getByRole('combobox', { name: 'Country', exact: true }), 'United States');
    await page.getByRole('option', { name: 'United States', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const state = page.getByRole('combobox', { name: 'State', exact: true });
    await expect.poll(() => state.isEnabled()).toBe(true);
    await typeInto(page, state, 'Illinois');
    await page.getByRole('option', { name: 'Illinois', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await typeInto(page, page.getByRole('combobox', { name: 'City' }), 'Chicago');
    await typeInto(page, page.getByLabel('ZIP code'), '60601');
    await press('Next');

    await step('Agreement');
    await page.reload();
    await step('Agreement');
    // Going back is always allowed, and the entered values are kept.
    await press('Back');
    await step('Company');
    await expect.poll(() => page.getByRole('combobox', { name: 'City' }).inputValue()).toBe('Chicago');
    await press('Next');
    await step('Agreement');
    await press('Next');
    await page.getByText('Please click agree before you continue').waitFor();
    await tabTo(page, page.getByRole('checkbox'));
    await page.keyboard.press('Space');
    await readToEnd(page);
    await press('Next');

    await step('Payment card');
    await press('Next');
    // With an onboarding charge the card may wait until that is paid.
    await step('Onboarding');
    await page.getByText('Add a card in the previous step.').waitFor();
    await press('Back');
    await step('Payment card');
    await press('Save card');
    await page.getByText('A card is on file').waitFor();
    await press('Next');

    await step('Onboarding');
    await press('Next');
    await page.getByText('Pay the onboarding charge before you continue.').waitFor();
    await typeInto(page, page.getByLabel('Coupon'), 'WELCOM');
    await page.keyboard.press('Enter');
    await page.getByLabel('Coupon').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.keyboard.type('E');
    await page.keyboard.press('Enter');
    await page.getByText('Coupon WELCOME').waitFor();
    await noAxeFindings(page);
    await press('Pay $150.00 now');
    await page.getByText('The onboarding charge is paid', { exact: true }).waitFor();
    await press('Next');

    await step('Payment account');
    await press('Connect an account');
    await press('Submit and accept');
    await step('Payment account');
    // The sandbox takes half a minute to review it.
    await expect
      .poll(
        async () => {
          await press('Check again');
          return page.getByText('Connected', { exact: true }).isVisible();
        },
        { interval: 3_000 },
      )
      .toBe(true);
    await noAxeFindings(page);
    await press('Go To General Settings');
    await page.waitForURL('**/configuration/general-setting');
    await page.context().close();
  });
});

describe('[PROF-02] [PROF-03] the own profile', () => {
  test('a picture is shown, and what is no picture is refused in words', async () => {
    const page = await signIn('acme.localhost', 'agency@demo.test', '/user/profile');
    const file = page.locator('main input[type=file]');
    const give = (name: string, mimeType: string, buffer: Buffer) =>
      file.setInputFiles({ name, mimeType, buffer });
    const fault = page.getByRole('region', { name: 'Picture' }).getByRole('alert');
    await page.getByRole('button', { name: 'Choose picture' }).waitFor();

    await give('logo.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    await fault.getByText(/PNG, JPEG, or WebP/).waitFor();
    await give('big.png', 'image/png', Buffer.alloc(30 * 1024 * 1024));
    await fault.getByText(/30\.0 MB/).waitFor();
    await give('disguised.png', 'image/png', Buffer.from('<!doctype html><script>alert(1)</script>'));
    await fault.getByText(/^The picture must be a PNG/).waitFor();
    await give('bomb.png', 'image/png', png(20_000, 20_000));
    await fault.getByText(/million pixels/).waitFor();
    await expect.poll(() => page.getByAltText('Your picture').count()).toBe(0);

    await file.setInputFiles(join(import.meta.dirname, '../docs/images/lead.webp'));
    const picture = page.getByAltText('Your picture');
    await picture.waitFor();
    await page.getByRole('button', { name: 'Replace picture' }).waitFor();
    await page.reload();
    await picture.waitFor();
    const width = await picture.evaluate(async (image) => {
      await (image as HTMLImageElement).decode();
      return (image as HTMLImageElement).naturalWidth;
    });
    expect(width).toBeGreaterThan(0);
    await noAxeFindings(page);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Choose picture' }).waitFor();
    await page.context().close();
  });

  test('a phone number is checked and read in the spec’s words; what is unsaved is not lost unasked', async () => {
    const page = await signIn('acme.localhost', 'agency@demo.test', '/user/profile');
    const section = page.getByRole('region', { name: 'Your details' });
    const number = section.getByLabel('Phone number');
    const country = section.getByRole('combobox', { name: 'Country code' });
    await expect.poll(() => country.inputValue()).toBe('United States (+1)');
    await number.fill('201');
    await section.getByText('Example: (201) 555-0123').waitFor();
    await section.getByLabel('Full Name').focus();
    await section.getByText('Please enter valid phone number').waitFor();
    await number.fill('+44 20 7946 0018');
    await expect.poll(() => country.inputValue()).toBe('United Kingdom (+44)');
    await section.getByLabel('Full Name').focus();
    await expect.poll(() => number.inputValue()).toBe('020 7946 0018');

    await follow(page, 'Home');
    await page.getByRole('dialog').getByText('Leave without saving?').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await section.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('Data has been updated successfully').waitFor();
    await page.reload();
    await expect.poll(() => number.inputValue()).toBe('020 7946 0018');
    await expect.poll(() => country.inputValue()).toBe('United Kingdom (+44)');
    await page.context().close();
  });

  test('[BEY-22] the weekly digest is previewed, sent on demand, and turned on by keyboard', async () => {
    const page = await signIn('acme.localhost', 'client@demo.test', '/user/profile');
    const digest = page.getByRole('region', { name: 'Weekly digest' });
    await digest.getByRole('button', { name: 'Preview' }).click();
    await digest.getByText(/^Your week, .+: \d+ leads$/).waitFor();
    await digest.getByText(/^\d+ leads came in, \d+ (more|fewer) than the week before\./).waitFor();
    await noAxeFindings(page);
    await digest.getByRole('button', { name: 'Email it to me now' }).click();
    await page.getByText('The digest is on its way to client@demo.test.').waitFor();
    const wanted = digest.getByRole('switch', { name: /^Email me the digest/ });
    expect(await wanted.isChecked()).toBe(false);
    await tabTo(page, wanted);
    await page.keyboard.press('Space');
    await digest.getByText(/^The next one is sent on/).waitFor();
    await page.reload();
    await expect.poll(() => wanted.isChecked()).toBe(true);
    await page.close();
  });

  test('[PROF-05] the questionnaire is answered, read and changed', async () => {
    const page = await signIn('acme.localhost', 'agency@demo.test', '/user/questionnaire-add');
    const choose = async (label: RegExp, option: string) => {
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await choose(/What type of business/, 'Marketing agency');
    await page.getByRole('button', { name: 'Save answers' }).click();
    await page.getByText('Choose at least one').first().waitFor();
    await noAxeFindings(page);
    await choose(/Which industry are you/, 'Advertising and marketing');
    await choose(/How many clients/, '2 to 10');
    await choose(/How many leads/, 'Up to 500');
    await choose(/How long/, 'Not yet');
    await choose(/Which CRM/, 'HubSpot');
    await choose(/How did you hear/, 'An event');
    for (const name of ['Legal', 'Search ads', 'Sell leads to clients']) {
      await page.getByText(name, { exact: true }).first().click();
    }
    await page.getByRole('button', { name: 'Save answers' }).click();
    await page.waitForURL('**/user/questionnaire');
    await page.getByText('HubSpot').waitFor();
    await page.getByRole('link', { name: 'Edit answers' }).click();
    await page.getByText('Content and SEO').click();
    await page.getByRole('button', { name: 'Save answers' }).click();
    await page.getByText('Search ads, Content and SEO').waitFor();
    await page.context().close();
  });
});

describe('[ROLE-01] [CONF-02] the role list', () => {
  /** Calls the API by host name, which Node does not resolve. */
  const ask = <Answer>(method: string, path: string, body?: object, token?: string) =>
    new Promise<Answer>((done, fail) => {
      const call = request(
        {
          host: '127.0.0.1',
          port: demo.port,
          method,
          path: `/api${path}`,
          headers: {
            host: `acme.localhost:${demo.port}`,
            'content-type': 'application/json',
            ...(token ? { authorization: `Bearer ${token}` } : {}),
          },
        },
        async (response) => {
          let text = '';
          for await (const part of response) text += part;
          if (response.statusCode === 200) done(JSON.parse(text) as Answer);
          else fail(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        },
      );
      call.on('error', fail);
      call.end(body && JSON.stringify(body));
    });
  const token = async (username: string) => {
    const given = { username, password: demo.password, domainName: 'acme.localhost' };
    return (await ask<{ access_token: string }>('POST', '/login', given)).access_token;
  };

  test('what a role no longer allows has no button', async () => {
    const owner = await signIn('acme.localhost', 'agency@demo.test', '/configuration/role-list');
    await owner.getByRole('button', { name: 'Add role' }).click();
    const drawer = owner.getByRole('dialog');
    await drawer.getByLabel('Name').fill('Assistant');
    // Checking an action also checks the permission to see.
    await drawer.getByRole('checkbox', { name: 'Settings: delete' }).click();
    await expect.poll(() => drawer.getByRole('checkbox', { name: 'Settings: view' }).isChecked()).toBe(true);
    await drawer.getByRole('checkbox', { name: 'Settings: create' }).click();
    await noAxeFindings(owner);
    await drawer.getByRole('button', { name: 'Add role' }).click();
    await owner.getByRole('button', { name: 'Assistant', exact: true }).waitFor();

    const [ofOwner, ofAdmin] = [await token('agency@demo.test'), await token('admin@demo.test')];
    const { roles } = await ask<{ roles: { id: string; role_name: string }[] }>(
      'GET',
      '/configuration/role-module/get?getType=getrole',
      undefined,
      ofOwner,
    );
    const roleID = roles.find(({ role_name }) => role_name === 'Assistant')?.id;
    const { id: usrID } = await ask<{ id: string }>('GET', '/user', undefined, ofAdmin);
    await ask('PUT', '/configuration/role-module/assign', { usrID, roleID }, ofOwner);

    const admin = await signIn('acme.localhost', 'admin@demo.test');
    const add = admin.getByRole('button', { name: 'Add role' });
    const remove = admin.getByRole('button', { name: 'Remove the role Read only' });
    await admin.goto(demo.url('acme.localhost', '/configuration/role-list'));
    await remove.waitFor();
    await expect.poll(() => add.count()).toBe(1);
    // The row without 'update': a role can be viewed but not changed.
    await admin.getByRole('button', { name: 'Read only', exact: true }).click();
    await admin.getByRole('checkbox', { name: 'Campaign: view' }).waitFor();
    await expect.poll(() => admin.getByRole('checkbox', { name: 'Campaign: view' }).isDisabled()).toBe(true);
    await expect.poll(() => admin.getByRole('dialog').getByRole('button', { name: 'Save' }).count()).toBe(0);

    await owner.reload();
    await owner.getByRole('button', { name: 'Assistant', exact: true }).click();
    await drawer.getByText('1 person holds this role').waitFor();
    await drawer.getByRole('checkbox', { name: 'Settings: delete' }).click();
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'detached' });
    // A session's permissions may be up to five seconds out of date.
    await expect
      .poll(async () => {
        await admin.reload();
        await add.waitFor();
        return remove.count();
      })
      .toBe(0);

    // People keep the role they hold: removing a role in use is explained, not done.
    await owner.getByRole('button', { name: 'Remove the role Assistant' }).click();
    await owner.getByRole('dialog').getByText('“Assistant” is in use').waitFor();
    await Promise.all([owner.context().close(), admin.context().close()]);
  });
});

describe('[UX-03] many rows at once', () => {
  test('campaigns are ticked by keyboard and paused, then activated together', async () => {
    const page = await signIn(
      'acme.localhost',
      'agency@demo.test',
      '/visitor-id/campaign-management?sort=campaignName&dir=asc',
    );
    const active = page.getByRole('row').filter({ hasText: 'Active' });
    await active.first().waitFor();
    const before = await active.count();
    expect(before).toBeGreaterThan(1);
    await page.getByRole('checkbox', { name: 'Select all campaigns on this page' }).focus();
    await page.keyboard.press('Space');
    const bar = page.getByRole('status', { name: 'Selected campaigns' });
    await bar.getByText(/^\d+ selected/).waitFor();
    await tabTo(page, bar.getByRole('button', { name: `Pause ${before}` }));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText(`${before} campaigns are paused`).waitFor();
    await expect.poll(() => active.count()).toBe(0);

    // Escape clears the remaining selection, and Shift selects a range.
    const ticks = page.getByRole('checkbox', { name: /^Select (?!all)/ });
    await ticks.first().focus();
    await page.keyboard.press('Escape');
    await ticks.first().check();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Space');
    await bar.getByText('3 selected').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => bar.textContent()).toBe('');
    await page.context().close();
  });
});
