import { createServer } from 'node:http';
import { Secret, TOTP } from 'otpauth';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contract } from '../contract/index.ts';
import { decide } from '../contract/routing/routing.ts';
import type { SignedIn } from '../contract/routing/routing-facts.ts';
import { ssoLanding } from '../contract/routing/routing-sso.ts';
import { toInside } from '../contract/wire-schema.ts';
import { ManualClock } from '../server/platform/clock.ts';
import { Ctx } from '../server/platform/ctx.ts';
import { inScope } from '../server/platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../server/test/app.ts';
import type { Company } from '../server/test/factories.ts';
import { linkIn, mailsTo } from '../server/test/ways-in.ts';
import { openBrowser } from './browser.ts';
import { userAgent } from './person.ts';

// A complete listening server with its own clock, so that codes and pauses need no waiting.
const NEW = 'a brand new password';
const FIVE_MINUTES =
  'Sorry! There is currently an update processing on the platform. Please wait five minutes and try again.';

let app: TestApp;
let browser: Browser;
let root: Company;
let agency: Company;
let client: Company;
const open = new Set<BrowserContext>();

beforeAll(async () => {
  [app, browser] = await Promise.all([
    testApp({ start: true, clock: new ManualClock(new Date()) }),
    openBrowser(),
  ]);
  root = await app.make.root({ host: 'root.localhost', brand: { name: 'Root Brand' } });
  agency = await app.make.agency(root, {
    host: 'acme.localhost',
    brand: { name: 'Acme Leads' },
    modules: [{ module: 'local', name: 'Visitor ID', slug: 'visitor-id' }],
  });
  await app.make.agency(root, { host: 'closed.localhost' });
  client = await app.make.client(agency);
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    for (const { id } of [root, agency]) await app.features.tenants.setRegistration(tx, id, true);
  });
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

const url = (host: string, path: string): string => `http://${host}.localhost:${app.port}${path}`;
/** A page of a fresh browser. */
async function freshPage(): Promise<Page> {
  const context = await browser.newContext({ userAgent });
  open.add(context);
  return context.newPage();
}
async function closeAll(): Promise<void> {
  for (const context of open) await context.close();
  open.clear();
}
async function fillLogin(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await box(page, 'Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
async function signIn(page: Page, email: string, password = PASSWORD, host = 'acme'): Promise<void> {
  await page.goto(url(host, '/login'));
  await fillLogin(page, email, password);
  await inside(page);
}
/** Waits until the user is signed in; where they land depends on their role and setup. */
async function inside(page: Page): Promise<void> {
  await page.waitForURL(({ pathname }) => !/^\/(login|sso)?$/.test(pathname));
  await page.getByRole('button', { name: /profile menu/ }).waitFor();
}
/** The link that was emailed to an address, as this server serves it. */
async function mailedLink(address: string): Promise<string> {
  for (let i = 0; i < 50; i++) {
    const mail = (await mailsTo(app, root.id, address)).find(({ kind }) => kind !== 'account.notice');
    if (mail) {
      const { url: link } = linkIn(mail);
      link.port = String(app.port);
      return link.href;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`No mail to ${address}`);
}
async function fromMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /profile menu/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
}
/** A field by its label alone, without the required mark and the button next to a password. */
const box = (at: Page | Locator, name: string) => at.getByRole('textbox', { name, exact: true });
const dialog = (page: Page, title: string) => page.getByRole('dialog', { name: title });
const someone = (company = client) => app.make.user(company, { password: PASSWORD, profileDone: true });

describe('[AUTH-07] [AUTH-08] registering', () => {
  const fill = async (page: Page, email: string) => {
    await box(page, 'Company name').fill('Newcomer LLC');
    await box(page, 'Your name').fill('Nora New');
    await page.getByLabel('Email').fill(email);
    await box(page, 'Phone number').fill('(504) 555-0123');
    await box(page, 'Password').fill(NEW);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  };
  const signUpOf = async (email: string) =>
    (await app.admin.query('select kind, referral_code, referred_by from sign_up where email = $1', [email]))
      .rows;

  test('[CONF-10] by a referral link: form, mail, confirmation, login', async () => {
    const inviter = await someone(agency);
    const page = await freshPage();
    await signIn(page, inviter.email);
    await fromMenu(page, 'Referral link');
    const link = await page.getByLabel('Your link').inputValue();
    expect(link).toMatch(/^http:\/\/acme\.localhost(:\d+)?\/register\?refcode=[\w-]+$/);

    const guest = await freshPage();
    await guest.goto(url('acme', new URL(link).pathname + new URL(link).search));
    await expect.poll(() => guest.getByLabel('Referral code').inputValue()).toBe(link.split('=')[1]);
    await guest.getByRole('button', { name: 'Register' }).click();
    await guest.getByText('Please enter valid phone number').waitFor();
    await fill(guest, 'guest@new.test');
    expect(await signUpOf('guest@new.test')).toEqual([
      { kind: 'client', referral_code: link.split('=')[1], referred_by: inviter.id },
    ]);
    await guest.goto(await mailedLink('guest@new.test'));
    expect(new URL(guest.url()).pathname).toMatch(/^\/register\/confirm\//);
    await guest.getByRole('button', { name: 'Complete registration' }).click();
    await guest.getByText('Your account is ready. Sign in.').waitFor();
    await guest.getByRole('link', { name: 'Sign in', exact: true }).click();
    await fillLogin(guest, 'guest@new.test', NEW);
    await inside(guest);
    // The link has been used, and the page says so.
    await guest.goto(await mailedLink('guest@new.test'));
    await guest.getByRole('button', { name: 'Complete registration' }).click();
    await guest.getByRole('alert').getByText('This link is no longer valid. Register again.').waitFor();
    await closeAll();
  });

  test('an agency at the root, with a blank referral code, which is not sent', async () => {
    const page = await freshPage();
    await page.goto(url('root', '/agency-register'));
    await page.getByLabel('Referral code').fill('  ');
    await fill(page, 'agency@new.test');
    expect(await signUpOf('agency@new.test')).toEqual([
      { kind: 'agency', referral_code: null, referred_by: null },
    ]);
    await page.goto(url('root', '/agency-register/not-a-code'));
    await box(page, 'Company name').waitFor();
    await expect.poll(() => page.getByLabel('Referral code').inputValue()).toBe('not-a-code');
    await box(page, 'Company name').fill('Newcomer LLC');
    await box(page, 'Your name').fill('Nora New');
    await page.getByLabel('Email').fill('other@new.test');
    await box(page, 'Phone number').fill('+49 30 901820');
    await box(page, 'Password').fill(NEW);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('is not a referral code of this platform').waitFor();
    await closeAll();
  });

  test('shows the login where it is not open, and to agencies at an agency', async () => {
    const page = await freshPage();
    for (const [host, path] of [
      ['closed', '/register'],
      ['closed', '/agency-register'],
      ['acme', '/agency-register/abc'],
    ] as const) {
      await page.goto(url(host, path));
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    }
    await closeAll();
  });
});

describe('[AUTH-09] [AUTH-10] the forgotten password', () => {
  const ask = async (page: Page, email: string) => {
    await page.goto(url('acme', '/login'));
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('button', { name: 'Send another link' }).waitFor();
    return (await page.getByRole('main').innerText()).trim();
  };

  test('says the same of every address; the link sets a new password once', async () => {
    const person = await someone();
    const page = await freshPage();
    const told = await ask(page, person.email);
    expect(told).toContain('If this address has an account here, we sent an email with a link');
    expect(await ask(page, 'nobody@acme.test')).toBe(told);

    await page.goto(await mailedLink(person.email));
    await box(page, 'New password').fill(NEW);
    await box(page, 'Confirm new password').fill('another password');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Enter the same password as above').waitFor();
    await box(page, 'Confirm new password').fill(NEW);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your new password is set. Sign in with it.').waitFor();
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await fillLogin(page, person.email, NEW);
    await inside(page);

    await page.goto(await mailedLink(person.email));
    await page.waitForURL(/\/reset-password-invalid$/);
    await page.getByText('This link was already used. Request a new one if you need it.').waitFor();
    await closeAll();
  });

  test('[ROUT-01] a link that is not good, and a check that fails, lead to the invalid page with the reason', async () => {
    const page = await freshPage();
    await page.goto(url('acme', '/set-new-password/made-up?email=a%40b.test'));
    await page.waitForURL(/\/reset-password-invalid$/);
    await page.getByText('This link is not valid. Request a new one.').waitFor();
    await page.route('**/api/verify-reset-token', (route) =>
      route.fulfill({
        status: 503,
        json: { result: 'failed', message: 'Not now.', errors: {}, requestId: 'r' },
      }),
    );
    await page.goto(url('acme', '/set-new-password/made-up?email=a%40b.test'));
    await page.waitForURL(/\/reset-password-invalid$/);
    await page.getByRole('alert').getByText('Not now.').waitFor();
    // No one can inject their own words into the page.
    await page.goto(url('acme', '/reset-password-invalid?reason=Call%20555'));
    await page.getByText('This link is not valid.').waitFor();
    await expect.poll(() => page.getByRole('main').innerText()).not.toContain('555');
    await page.getByRole('link', { name: 'Request a new link' }).click();
    await page.getByRole('heading', { name: 'Forgot password' }).waitFor();
    await closeAll();
  });

  test('a failure shows the server’s message, else the text of the spec', async () => {
    const page = await freshPage();
    let body: object | string = { result: 'failed', message: 'Too many wishes.', errors: {}, requestId: 'r' };
    await page.route('**/api/forgetpass', (route) =>
      route.fulfill({ status: 429, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    );
    await page.goto(url('acme', '/login?forgot=1'));
    await page.getByLabel('Email').fill('a@b.test');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('alert').getByText('Too many wishes.').waitFor();
    body = '<html>Bad gateway</html>';
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('alert').getByText('Something went wrong. Please try again later.').waitFor();
    await closeAll();
  });
});

describe('the own password and devices', () => {
  test('[AUTH-11] [AUTH-20] changing the password: its rules, its texts, and other devices are out', async () => {
    const person = await someone();
    const [page, other] = [await freshPage(), await freshPage()];
    await signIn(other, person.email);
    await signIn(page, person.email);
    await fromMenu(page, 'Change Password');
    const form = dialog(page, 'Change password');
    const save = form.getByRole('button', { name: 'Change password' });
    await save.click();
    for (const text of [
      'Enter your current password',
      'Enter a new password',
      'Enter the new password again',
    ])
      await form.getByText(text).waitFor();
    await box(form, 'Current password').fill('not the one');
    await box(form, 'New password').fill(NEW);
    await box(form, 'Confirm new password').fill(`${NEW}!`);
    await save.click();
    await form.getByText('The new passwords do not match').first().waitFor();
    await box(form, 'Confirm new password').fill(NEW);
    await save.click();
    await form.getByText('* Sorry, your current password invalid').waitFor();
    await box(form, 'Current password').fill(PASSWORD);
    await save.click();
    await page.getByText('your password has been updated!').waitFor();
    await other.goto(url('acme', '/dashboard'));
    await other.getByText('Your session has ended. Please log in again to continue.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: /profile menu/ }).waitFor();
    await closeAll();
  });

  test('a device, and all others, are signed out after a question', async () => {
    const person = await someone();
    const [page, phone, third] = [await freshPage(), await freshPage(), await freshPage()];
    for (const one of [phone, third]) await signIn(one, person.email);
    await signIn(page, person.email);
    await fromMenu(page, 'Security');
    await page.getByRole('heading', { name: 'Signed-in devices' }).waitFor();
    await page.getByText('This device').waitFor();
    const buttons = page.getByRole('button', { name: 'Sign out Chrome on Linux' });
    await expect.poll(() => buttons.count()).toBe(2);
    await buttons.first().click();
    await dialog(page, 'Sign out Chrome on Linux?').getByRole('button', { name: 'Cancel' }).click();
    await buttons.first().click();
    await dialog(page, 'Sign out Chrome on Linux?').getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => buttons.count()).toBe(1);
    await page.getByRole('button', { name: 'Sign out others' }).click();
    await dialog(page, 'Sign out all other devices?')
      .getByRole('button', { name: 'Sign out others' })
      .click();
    await expect.poll(() => buttons.count()).toBe(0);
    for (const one of [phone, third]) {
      await one.goto(url('acme', '/dashboard'));
      await one.getByText('Your session has ended.').waitFor();
    }
    await closeAll();
  });
});

describe('[AUTH-15] [AUTH-16] the second factor', () => {
  test('an authenticator is set up, asked for, and removed by selecting it again', async () => {
    const person = await someone();
    const page = await freshPage();
    await signIn(page, person.email);
    await fromMenu(page, 'Two Factor Authentication');
    const choice = dialog(page, 'Two Factor Authentication');
    const setUp = dialog(page, 'Set up your authenticator');
    const app1 = choice.getByRole('button', { name: 'Authenticator app' });
    const mail = choice.getByRole('button', { name: /^Email/ });
    // Selecting sets the choice, selecting it again clears it; one at a time.
    await mail.click();
    await expect.poll(() => mail.getAttribute('aria-pressed')).toBe('true');
    await app1.click();
    await expect.poll(() => mail.getAttribute('aria-pressed')).toBe('false');
    await expect.poll(() => app1.getAttribute('aria-pressed')).toBe('true');
    await app1.click();
    await expect.poll(() => app1.getAttribute('aria-pressed')).toBe('false');
    await app1.click();
    await choice.getByRole('button', { name: 'Save' }).click();
    await setUp.getByRole('img', { name: /QR code/ }).waitFor();
    await setUp.getByRole('button', { name: 'Cancel' }).click();
    await choice.getByRole('button', { name: 'Save' }).click();
    const key = (await setUp.locator('code').innerText()).trim();
    const totp = new TOTP({ secret: Secret.fromBase32(key) });
    const now = () => totp.generate({ timestamp: app.clock.now().getTime() });
    await box(setUp, 'Current password').fill('not the one');
    await box(setUp, 'Code').fill(now());
    await setUp.getByRole('button', { name: 'Save' }).click();
    await setUp.getByText('* Sorry, your current password invalid').waitFor();
    await box(setUp, 'Current password').fill(PASSWORD);
    await box(setUp, 'Code').fill(String((Number(now()) + 1) % 1_000_000).padStart(6, '0'));
    await setUp.getByRole('button', { name: 'Save' }).click();
    await setUp.getByText('The code is incorrect or no longer valid.').waitFor();
    await box(setUp, 'Code').fill(now());
    await setUp.getByRole('button', { name: 'Save' }).click();
    await setUp.waitFor({ state: 'hidden' });
    const codes = dialog(page, 'Save your recovery codes');
    await codes.getByRole('list', { name: 'Recovery codes' }).waitFor();
    const [recovery = ''] = await codes
      .getByRole('list', { name: 'Recovery codes' })
      .getByRole('listitem')
      .allInnerTexts();
    await codes.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('Setting has been saved.').waitFor();

    app.clock.advance(60_000);
    const other = await freshPage();
    await other.goto(url('acme', '/login'));
    await fillLogin(other, person.email);
    await other.getByText('Enter the code from your authenticator app.').waitFor();
    await other.getByRole('textbox').first().pressSequentially(now());
    await inside(other);

    // The authenticator is lost: a recovery code works instead, and the page says how many are left.
    const lost = await freshPage();
    await lost.goto(url('acme', '/login'));
    await fillLogin(lost, person.email);
    await lost.getByRole('button', { name: 'Lost your authenticator? Use a recovery code' }).click();
    await box(lost, 'Recovery code').fill(recovery.toUpperCase());
    await lost.getByRole('button', { name: 'Verify' }).click();
    await inside(lost);
    await fromMenu(lost, 'Security');
    await lost.getByText(/9 of 10 recovery codes left/).waitFor();

    await fromMenu(other, 'Two Factor Authentication');
    const again = dialog(other, 'Two Factor Authentication');
    await again.getByText('In use').waitFor();
    await again.getByRole('button', { name: /^Authenticator app/ }).click();
    await box(again, 'Current password').fill(PASSWORD);
    await again.getByRole('button', { name: 'Save' }).click();
    await again.waitFor({ state: 'hidden' });
    await signIn(await freshPage(), person.email);
    await closeAll();
  });

  test('email is saved directly, and a failure shows the server’s message', async () => {
    const person = await someone();
    const page = await freshPage();
    await signIn(page, person.email);
    await fromMenu(page, 'Two Factor Authentication');
    const choice = dialog(page, 'Two Factor Authentication');
    await choice.getByRole('button', { name: /^Email/ }).click();
    await box(choice, 'Current password').fill(PASSWORD);
    await page.route('**/api/setting/twofactorauth/*', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({
            status: 503,
            json: { result: 'failed', message: 'Not now.', errors: {}, requestId: 'r' },
          })
        : route.continue(),
    );
    await choice.getByRole('button', { name: 'Save' }).click();
    await choice.getByRole('alert').getByText('Not now.').waitFor();
    await page.unroute('**/api/setting/twofactorauth/*');
    await choice.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('Setting has been saved.').waitFor();
    const other = await freshPage();
    await other.goto(url('acme', '/login'));
    await fillLogin(other, person.email);
    await other.getByText(/Enter the code we sent to/).waitFor();
    await closeAll();
  });
});

describe('[AUTH-12] [AUTH-13] [AUTH-14] single sign-on', () => {
  /** A partner's token for a user, created by the agency's owner. */
  async function tokenFor(userId: string): Promise<string> {
    const owner = await someone(agency);
    const tenant = (await app.features.tenants.byHost('acme.localhost'))!;
    const actor = await app.features.auth.actorOf(await app.signIn(owner.email, 'acme.localhost'), tenant);
    const { token } = await app.features.auth.sso.mint(
      new Ctx({
        tenant,
        actor,
        requestId: 't',
        clock: app.clock,
        ip: '127.0.0.1',
        userAgent,
        origin: url('acme', ''),
      }),
      userId,
    );
    return token;
  }
  const landingOf = async (email: string): Promise<string> => {
    const token = await app.signIn(email, 'acme.localhost');
    const { body } = await app.call('GET', '/api/user/retrieve', { host: 'acme.localhost', token });
    const facts = toInside(contract.setup.retrieveUserData['~orpc'].outputSchema!, body) as SignedIn;
    const landing = ssoLanding(facts.user);
    // Where their setup does not let them continue, the table redirects them.
    const answer = decide(landing, facts);
    return answer.kind === 'redirect' ? answer.to : landing;
  };
  const enter = (page: Page, token: string) => page.goto(url('acme', `/sso?token=${token}`));

  test('a token signs in and leads on, replaces who was signed in, and is good once', async () => {
    const person = await someone();
    const admin = await app.make.user(agency, { role: 'administrator', password: PASSWORD });
    const page = await freshPage();
    await signIn(page, admin.email);
    await page.evaluate("localStorage.setItem('original_user', '{}')");
    const token = await tokenFor(person.id);
    await enter(page, token);
    await inside(page);
    expect(new URL(page.url()).pathname).toBe(await landingOf(person.email));
    await page.getByRole('button', { name: /profile menu/ }).click();
    await page.getByText(person.email, { exact: true }).waitFor();
    expect(await page.evaluate("localStorage.getItem('original_user')")).toBeNull();

    const replay = await freshPage();
    await enter(replay, token);
    await replay.getByRole('dialog').getByText('This sign-in link has already been used.').waitFor();
    await replay.getByRole('button', { name: 'OK' }).click();
    await replay.waitForURL(/\/login$/);
    // A signed-in user stays signed in when someone sends them an invalid token.
    await enter(page, 'made-up');
    await page.getByRole('dialog').getByText(FIVE_MINUTES).waitFor();
    await page.getByRole('button', { name: 'OK' }).click();
    await inside(page);
    await closeAll();
  });

  test('a session that is over does not stand in its way', async () => {
    const person = await someone();
    const page = await freshPage();
    await page.goto(url('acme', '/login'));
    await page.evaluate("localStorage.setItem('session', '1')");
    await enter(page, await tokenFor(person.id));
    await inside(page);
    await expect.poll(() => page.getByText('Session Ended').count()).toBe(0);
    await closeAll();
  });
});

describe('faults', () => {
  test('the login leads to no other host, whatever it is asked for', async () => {
    const person = await someone();
    for (const next of ['//evil.example/x', '/\t\\evil.example']) {
      const page = await freshPage();
      await page.goto(url('acme', `/login?next=${encodeURIComponent(next)}`));
      await fillLogin(page, person.email);
      await inside(page);
      expect(new URL(page.url()).host).toBe(`acme.localhost:${app.port}`);
      await closeAll();
    }
  });
});

describe('[AUTH-19] reCAPTCHA where a key is set', () => {
  const asked: URLSearchParams[] = [];
  const google = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      asked.push(new URLSearchParams(text));
      response.end(JSON.stringify({ success: true, hostname: 'keyed.localhost' }));
    });
  });
  let keyed: TestApp;
  beforeAll(async () => {
    await new Promise<void>((done) => google.listen(0, '127.0.0.1', () => done()));
    const { port } = google.address() as { port: number };
    keyed = await testApp({
      start: true,
      settings: { recaptcha: { siteKey: 'the-key', secret: 'hush', url: `http://127.0.0.1:${port}` } },
    });
    const company = await keyed.make.root({ host: 'keyed.localhost' });
    await keyed.make.user(company, { email: 'owner@keyed.test', password: PASSWORD });
  });
  afterAll(async () => {
    await keyed?.close();
    google.close();
    google.closeAllConnections();
  });

  test('its box comes through the policy of the page, and its answer with the request', async () => {
    const page = await freshPage();
    const foreign: string[] = [];
    // The test plays the part of Google; the browser's own policy decides whether the script may run.
    await page.route('https://www.google.com/**', (route) => {
      foreign.push(route.request().url());
      return route.fulfill({
        contentType: 'text/javascript',
        body: `grecaptcha = { ready: (then) => then(), render(box, { sitekey, callback }) {
          const tick = document.createElement('button');
          tick.type = 'button'; tick.textContent = 'I am no robot'; tick.onclick = () => callback('answer of ' + sitekey);
          box.append(tick); return 0; } };`,
      });
    });
    const at = (path: string) => `http://keyed.localhost:${keyed.port}${path}`;
    await page.goto(at('/login'));
    await page.getByLabel('Email').waitFor();
    await page.waitForLoadState('networkidle');
    expect(foreign).toEqual([]);
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByLabel('Email').fill('owner@keyed.test');
    await page.getByRole('button', { name: 'I am no robot' }).waitFor();
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('alert').getByText('Confirm that you are not a robot.').waitFor();
    await page.getByRole('button', { name: 'I am no robot' }).click();
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If this address has an account here').waitFor();
    expect(asked.map((one) => one.get('response'))).toEqual(['answer of the-key']);

    // The login asks for it after failures only.
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    for (let i = 0; i < 4; i++) {
      await fillLogin(page, 'owner@keyed.test', 'wrong password');
      await page.getByRole('alert').waitFor();
      await page.waitForLoadState('networkidle');
      if (await page.getByRole('button', { name: 'I am no robot' }).isVisible()) break;
    }
    await page.getByRole('button', { name: 'I am no robot' }).click();
    await fillLogin(page, 'owner@keyed.test');
    await inside(page);
    await closeAll();
  });

  test('where none is set, nothing of it may load', async () => {
    const page = await freshPage();
    await page.goto(url('acme', '/login'));
    const blocked = page.waitForEvent('console', (message) => /Content Security Policy/.test(message.text()));
    await page.evaluate(`document.head.append(Object.assign(document.createElement('script'),
      { src: 'https://www.google.com/recaptcha/api.js' })), 0`);
    expect((await blocked).text()).toContain('script-src');
    await closeAll();
  });
});
