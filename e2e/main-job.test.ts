import { createServer as createHttp, request as httpRequest } from 'node:http';
import { Secret, TOTP } from 'otpauth';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { createDemo, demoFolder, type OwnDemo } from './demo.ts';
import { follow, signInAt, userAgent } from './person.ts';

let demo: OwnDemo;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [demo, browser] = await Promise.all([createDemo(demoFolder(), { DEMO_DAYS: '10' }), openBrowser()]);
  context = await browser.newContext({ userAgent });
});
afterAll(async () => {
  await browser?.close();
  await demo?.close();
});

/** Signs in through the page. */
async function signIn(page: Page, host: string, email: string): Promise<void> {
  await page.goto(demo.url(host, '/login'));
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(demo.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/login'));
}

/** Waits until `probe` is true for a page that is reloaded each time. */
async function eventually(what: string, probe: () => Promise<boolean>): Promise<void> {
  await expect.poll(probe, { message: what, interval: 500 }).toBe(true);
}

describe('[RUN-01] [RUN-04] the main job, as a newcomer does it', () => {
  test('prints each address and login', () => {
    const out = demo.output();
    for (const text of [
      'acme.localhost',
      'shop.localhost',
      'receiver.localhost',
      'root@demo.test',
      'agency@demo.test',
      'client@demo.test',
      'admin@demo.test',
      'sales@demo.test',
      demo.password,
      '/api/reference',
    ]) {
      expect(out).toContain(text);
    }
  });

  test('a person visits the shop, signs up, and is a paid, delivered lead in the client’s dashboard', async () => {
    const shopper = await context.newPage();
    const sent: string[] = [];
    shopper.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v') sent.push(request.postData() ?? '');
    });
    await shopper.goto(demo.url('shop.localhost'));
    const email = 'visitor1@demo.example';
    await shopper.getByRole('button', { name: email }).first().click();
    await shopper.locator('form button[type=submit]').first().click();
    await shopper.waitForURL(/thanks/);
    await eventually('the pixel has sent a hash', async () => sent.some((body) => body.includes('"h":"')));
    expect(sent.join()).not.toContain(email);

    const client = await context.newPage();
    await signIn(client, 'acme.localhost', 'client@demo.test');
    await eventually('the lead stands in the table', async () => {
      await client.goto(demo.url('acme.localhost', '/dashboard'));
      await client.getByRole('table').last().waitFor();
      await client.waitForLoadState('networkidle');
      return client.getByText(email).first().isVisible();
    });
    // The address itself opens a message; the name opens the lead.
    await client.getByRole('row').filter({ hasText: email }).getByRole('button').first().click();
    const drawer = client.getByRole('dialog');
    await drawer.waitFor();
    await eventually('the drawer tells why it matched and that it was delivered', async () => {
      const text = await drawer.innerText();
      return /email/i.test(text) && /receiver\.localhost/.test(text) && /delivered/i.test(text);
    });
    await expect.poll(() => drawer.innerText()).toContain('$2.00');

    const receiver = await context.newPage();
    await receiver.goto(demo.url('receiver.localhost'));
    const told = await receiver.locator('body').innerText();
    expect(told).toContain(email);
    expect(told).toMatch(/valid|verified/i);
  });
});

describe('[CAMP-01] [CAMP-07] a campaign from nothing to its first lead, in the browser', () => {
  test('an agency makes it, adds balance, puts its tag on a page, and the visitor becomes a lead', async () => {
    const page = await (await browser.newContext({ userAgent })).newPage();
    await signIn(page, 'acme.localhost', 'agency@demo.test');
    await follow(page, 'Campaigns', 'Visitor ID');
    await page.getByRole('button', { name: 'New campaign' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByRole('combobox', { name: 'Client' }).fill('Harbor');
    await page.getByRole('option', { name: /Harbor Dental Care/ }).click();
    await form.getByRole('textbox', { name: 'Name' }).fill('Landing page');
    await form.getByLabel('Site', { exact: false }).first().fill(demo.url('shop.localhost'));
    // Visits from anywhere else are refused.
    await form.getByLabel('Other domains').fill('landing.localhost');
    await form.getByLabel('Price per lead', { exact: true }).fill('1.25');
    await form.getByRole('button', { name: 'Create campaign' }).click();
    const tag = page.getByText(/<script async src=/);
    await tag.waitFor();
    const markup = (await tag.innerText()).trim();

    // It is on hold until it has balance; the agency records what the client paid.
    await page.getByRole('tab', { name: 'Balance' }).click();
    await page.getByRole('button', { name: 'Record outside payment' }).click();
    const adding = page.getByRole('dialog').last();
    await adding.getByLabel('Amount').fill('5');
    await adding.getByRole('button', { name: 'Add balance' }).click();
    await page.getByText('$5.00').first().waitFor();

    // The check reads the page and names what it found: the shop carries another campaign's tag.
    await page.getByRole('tab', { name: 'Install' }).click();
    await page.getByRole('button', { name: /check/i }).first().click();
    await page
      .getByText(/another|other/i)
      .first()
      .waitFor();

    // The tag on a page of an external server.
    const site = createHttp((_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><title>Landing</title>${markup}<p>Hello`),
    );
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    try {
      const shopper = await context.newPage();
      const arrived = shopper.waitForResponse((response) => new URL(response.url()).pathname === '/v');
      await shopper.goto(
        `http://landing.localhost:${(site.address() as { port: number }).port}/?email=visitor2%40demo.example`,
      );
      expect((await arrived).status()).toBe(204);
    } finally {
      site.close();
    }
    await eventually('the lead stands in the dashboard of the agency', async () => {
      await page.goto(demo.url('acme.localhost', '/visitor-id/dashboard'));
      await page.getByRole('table').last().waitFor();
      await page.waitForLoadState('networkidle');
      return page.getByText('visitor2@demo.example').first().isVisible();
    });
    await page.context().close();
  });
});

describe('[AUTH-06] [AUTH-19] the guards of the login, in the browser', () => {
  /** Calls the API by host name, which Node does not resolve. */
  const ask = (method: string, path: string, body?: object, token?: string) =>
    new Promise<Record<string, string>>((done, fail) => {
      const request = httpRequest(
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
        (response) => {
          let text = '';
          response.on('data', (chunk) => (text += chunk)).on('end', () => done(JSON.parse(text)));
        },
      );
      request.on('error', fail).end(body ? JSON.stringify(body) : undefined);
    });

  test('an authenticator’s code is asked for and lets in; after wrong passwords the browser solves the captcha by itself', async () => {
    const email = 'admin@demo.test';
    const { access_token: token } = await ask('POST', '/login', { username: email, password: demo.password });
    const me = await ask('GET', '/user', undefined, token);
    const { secretKey } = await ask(
      'GET',
      `/setting/get-google-tfa/${me.id}/${me.company_id}`,
      undefined,
      token,
    );
    const totp = new TOTP({ secret: Secret.fromBase32(secretKey!) });
    // The code from the previous step is still valid, which leaves the current one for the login.
    const earlier = totp.generate({ timestamp: Date.now() - 30_000 });
    const answer = await ask(
      'PUT',
      `/setting/twofactorauth/${me.id}`,
      {
        two_factor_auth: true,
        two_factor_auth_type: 'google',
        secretKey,
        currpassword: demo.password,
        code: earlier,
      },
      token,
    );
    expect(answer.message).toBeTruthy();

    const page = await (await browser.newContext({ userAgent })).newPage();
    await page.goto(demo.url('acme.localhost', '/login'));
    const submit = async (password: string) => {
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    const captchas: number[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/api/general/captcha')) captchas.push(response.status());
    });
    for (let i = 0; i < 3; i++) {
      const answered = page.waitForResponse((response) => response.url().endsWith('/api/login'));
      await submit('wrong password');
      await answered;
      await page.getByRole('alert').waitFor();
      await page.waitForLoadState('networkidle');
    }
    await submit(demo.password);
    await page.getByText('Enter the code from your authenticator app.').waitFor();
    await page.getByRole('textbox').first().pressSequentially(totp.generate());
    await page.waitForURL(/\/dashboard/);
    expect(captchas.length).toBeGreaterThan(0);
    expect(new Set(captchas)).toEqual(new Set([200]));
    await page.context().close();
  });
});

describe('the app around it', () => {
  test('[RUN-02] [WIRE-02] the browser that the setup found sends bodies encrypted, and keeps no token where a script can read it', async () => {
    const page = await (await browser.newContext({ userAgent })).newPage();
    const bodies: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && bodies.push(request.postData() ?? ''));
    await signIn(page, 'acme.localhost', 'client@demo.test');
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies)
      expect(JSON.parse(body)).toEqual({ dt: expect.stringMatching(/^[\w-]+(\.[\w-]*){4}$/) });
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toMatch(/eyJ|refresh/);
    expect(await page.evaluate('document.cookie')).not.toContain('refresh');
    const cookies = await page.context().cookies();
    expect(cookies.find((cookie) => cookie.name === '__Host-refresh')).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
      path: '/',
    });
    await page.context().close();
  });

  test('[AUTH-04] a session that has ended says so and leads back to the login', async () => {
    const page = await (await browser.newContext({ userAgent })).newPage();
    await signIn(page, 'acme.localhost', 'client@demo.test');
    await page.getByRole('table').last().waitFor();
    await page.waitForLoadState('networkidle');
    await page.context().clearCookies();
    await page.route('**/api/leadspeek/**', (route) =>
      route.fulfill({
        status: 401,
        json: { result: 'failed', message: 'Unauthenticated.', errors: {}, requestId: 'x' },
      }),
    );
    await follow(page, 'Campaigns', 'Visitor ID');
    const alert = page.getByRole('dialog');
    await alert.getByText('Your session has ended. Please log in again to continue.').waitFor();
    await expect.poll(() => alert.innerText()).toContain('Session Ended');
    await alert.getByRole('button').last().click();
    await page.waitForURL(/\/login/);
    await page.context().close();
  });

  test('[ROUT-03] what fails to load shows the error page; Retry loads again', async () => {
    const page = await (await browser.newContext({ userAgent })).newPage();
    await signIn(page, 'acme.localhost', 'client@demo.test');
    await page.route('**/api/user/retrieve', (route) =>
      route.fulfill({ status: 500, json: { result: 'failed', message: '', errors: {}, requestId: 'r-1' } }),
    );
    await page.goto(demo.url('acme.localhost', '/user/card-setting'));
    await page.getByText('Something Went Wrong').waitFor();
    await expect
      .poll(() => page.locator('body').innerText())
      .toContain('Please try again later or contact the administrator.');
    await page.unroute('**/api/user/retrieve');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: 'Card Setting' }).waitFor();
    await page.context().close();
  });

  test('nobody else’s pages: an agency’s name on its own host only, the platform’s on none of them', async () => {
    for (const [host, name, foreign] of [
      ['acme.localhost', 'Acme Leads', /Meridian|Blue Peak|Summit/],
      ['bluepeak.localhost', 'Blue Peak', /Meridian|Acme|Summit/],
    ] as const) {
      const page = await (await browser.newContext({ userAgent })).newPage();
      await page.goto(demo.url(host, '/login'));
      await page.getByLabel('Email').waitFor();
      const all = `${await page.title()} ${await page.content()}`;
      expect(all).toContain(name);
      expect(all).not.toMatch(foreign);
      await page.context().close();
    }
  });
});

// In a demo of its own: the addresses of its ads have the port that it was seeded with.
test('[BEY-26] a newcomer clicks an ad on the news site and is a lead with the ad in its journey and its cost in the report', async () => {
  const email = 'visitor6@demo.example';
  const reader = await (await browser.newContext({ userAgent })).newPage();
  const seen = reader.waitForResponse((response) => response.url().endsWith('/a/v1/view'));
  await reader.goto(demo.url('news.localhost'));
  const ad = reader.locator('.side .ad a');
  await ad.waitFor();
  expect((await seen).status()).toBe(204);
  const opened = reader.context().waitForEvent('page');
  // The visit tells of the click: whoever leaves before the pixel has loaded did not come by it.
  const arrived = reader
    .context()
    .waitForEvent('response', (response) => new URL(response.url()).pathname === '/v');
  await ad.click();
  const shop = await opened;
  await shop.waitForURL(/shop\.localhost.*adclid=[0-9a-f-]{36}/);
  await arrived;
  await shop.goto(demo.url('shop.localhost'));
  await shop.getByRole('button', { name: email }).first().click();
  await shop.locator('form button[type=submit]').first().click();
  await shop.waitForURL(/thanks/);

  const client = await signInAt(browser, demo.url('acme.localhost', '/'), 'client@demo.test', demo.password);
  await expect
    .poll(
      async () => {
        await client.goto(demo.url('acme.localhost', `/leads?q=${encodeURIComponent(email)}`));
        await client.locator('tbody tr', { hasText: email }).first().waitFor({ timeout: 15_000 });
        return true;
      },
      { interval: 500 },
    )
    .toBe(true)
    .catch(() => expect.fail('the newcomer is no lead'));
  // The row has links, too: its middle may be one of them.
  await client.locator('tbody tr', { hasText: email }).first().getByRole('button').first().click();
  const journey = client.getByRole('list', { name: 'Journey' });
  await journey.getByText(/^Clicked the ad/).waitFor();
  await journey.getByText(/on news\.localhost/).waitFor();

  await client.goto(demo.url('acme.localhost', '/simplifi-id/campaign-management?tab=report&by=creative'));
  await client.getByText('Table', { exact: true }).first().click();
  await client
    .getByRole('cell', { name: /Creative .*300x250|Tarn 28/ })
    .first()
    .waitFor();
  await client.goto(demo.url('acme.localhost', '/simplifi-id/campaign-management'));
  await client.getByText('Sandbox exchange').first().waitFor();
});

describe('[RUN-01] stopping and starting', () => {
  test('Ctrl-C ends it cleanly, and the second start finds everything', async () => {
    expect(await demo.stop()).toBe(0);
    await demo.start();
    expect(demo.output()).not.toContain('Creating the demo');
    // The login also survives the restart: its session is in the database, its refresh token in the browser's cookie.
    const page = await context.newPage();
    // Found by search: until here, other campaigns may have found more people than the dashboard lists.
    await page.goto(demo.url('acme.localhost', '/leads?q=visitor1%40demo.example'));
    await page.getByText('visitor1@demo.example').first().waitFor({ state: 'visible' });
  });
});
