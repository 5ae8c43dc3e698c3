import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { isKnownPath } from '../../../contract/routing/routing.ts';
import { addSite, dress, type SitePage } from './site.ts';

const html = '<html><head><title>Loading</title><link rel="icon" href="data:," /></head><body></body></html>';
const plain: SitePage = { title: 'Acme', favicon: null, brand: { name: 'Acme' }, font: 'inter' };
const embed = { place: 'footer', code: '<script>1</script>' };
const folder = mkdtempSync(join(tmpdir(), 'lead-site-'));
writeFileSync(join(folder, 'index.html'), html);
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'assets/x.js'), 'as it is');
writeFileSync(join(folder, 'assets/x.js.br'), 'Brotli');
writeFileSync(join(folder, 'assets/x.js.gz'), 'gzip');
afterAll(() => rmSync(folder, { recursive: true }));

const isPage = async (path: string) => path === '/login';

/** A server whose every host is a tenant. */
function server() {
  const app = Fastify();
  app.decorateRequest('tenant', null);
  app.addHook('onRequest', async (request) => {
    request.tenant = { companyId: 'x' } as never;
  });
  return app;
}

describe('[TEN-03] the page in the tenant’s name', () => {
  test('carries title, favicon and brand, whatever they hold', () => {
    const page = dress(
      html,
      {
        title: '</title><script>alert(1)</script> $& $`',
        favicon: '/brand/x.png',
        brand: { name: '</script><script>alert(1)</script><!--' },
        font: 'humanist',
      },
      undefined,
      { humanist: { css: '@font-face{}', first: '/assets/h.woff2' }, inter: { css: '', first: '/i' } },
    );
    // Its own font, and no other, before any script.
    expect(page).toContain('<link rel="preload" href="/assets/h.woff2" as="font"');
    expect(page).toContain('<style data-font="humanist">@font-face{}</style>');
    expect(page).not.toContain('/i"');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('<!--');
    expect(page).toContain('href="/brand/x.png"');
    const [, data] = /id="brand">(.*?)<\/script>/.exec(page)!;
    expect(JSON.parse(data!)).toEqual({ name: '</script><script>alert(1)</script><!--' });
    expect(page).toContain('&#60;/title&#62;');
    expect(page).not.toContain('id="embed"');
  });

  test('[TEN-09] lets code run that is not ours only where a tenant has put some, by a nonce of that answer', async () => {
    const policy = async (page: SitePage, path = '/dashboard') => {
      const app = server();
      addSite(app, folder, async () => page, { recaptcha: false, isPage });
      const { headers, body } = await app.inject(path);
      await app.close();
      return {
        policy: String(headers['content-security-policy']),
        body,
        cache: headers['cache-control'],
        opener: headers['cross-origin-opener-policy'],
      };
    };
    const none = await policy(plain);
    expect(none.policy).toContain("script-src 'self';");
    expect([none.policy.includes('nonce'), none.policy.includes('https:'), none.cache]).toEqual([
      false,
      false,
      'no-cache',
    ]);
    const [one, two] = [await policy({ ...plain, embed }), await policy({ ...plain, embed })];
    const nonce = /script-src 'self' 'nonce-([\w-]{22})' https:/.exec(one.policy)?.[1];
    expect(nonce).toBeDefined();
    expect(one.body).toContain(`id="embed" nonce="${nonce}"`);
    expect(two.policy).not.toBe(one.policy);
    expect(one.policy).not.toMatch(/script-src[^;]*unsafe/);
    // A window that the code opens on a page without it is out of its reach.
    expect([one.opener, none.opener]).toEqual(['same-origin-allow-popups', 'same-origin']);
    // On pages where users type secrets worth stealing, or make payments, the code is not even sent.
    for (const path of [
      '/login',
      '/register',
      '/set-new-password/x',
      '/sso',
      '/user/profile',
      '/user/profile-setup',
      '/user/card-setting',
      '/user/sessions',
      '/user/sandbox-account/x',
      '/configuration/sales-connect-account',
      '/configuration/general-setting',
      '/configuration/administrator-list',
      '/no/such/page',
    ]) {
      const { body, policy: rules, opener } = await policy({ ...plain, embed }, path);
      expect([path, body.includes('"embed"></script>'), rules.includes('nonce'), opener]).toEqual([
        path,
        true,
        false,
        'same-origin',
      ]);
    }
    for (const path of ['/client', '/site-id/campaign-management', '/campaign-setup'])
      expect([path, (await policy({ ...plain, embed }, path)).body.includes(' nonce=')]).toEqual([
        path,
        true,
      ]);
  });

  test('is never the answer of /ask, and /favicon.ico is the tenant’s', async () => {
    const app = server();
    addSite(app, folder, async () => ({ ...plain, favicon: '/brand/x.png' }), { recaptcha: false, isPage });
    expect((await app.inject('/ask?domain=evil.test')).statusCode).toBe(500); // a Refusal; the real server says 404
    expect((await app.inject('/favicon.ico')).headers.location).toBe('/brand/x.png');
    await app.close();
  });

  test('[AUTH-19] lets no one else’s script or frame in, unless a reCAPTCHA key is set', async () => {
    const policy = async (recaptcha: boolean): Promise<Record<string, string>> => {
      const app = server();
      addSite(app, folder, async () => plain, { recaptcha, isPage });
      const { headers } = await app.inject('/register');
      await app.close();
      const all = String(headers['content-security-policy']).split('; ');
      return Object.fromEntries(all.map((one) => [one.split(' ')[0], one.slice(one.indexOf(' ') + 1)]));
    };
    const own = await policy(false);
    expect(own['script-src']).toBe("'self'");
    expect(own['frame-src']).toBeUndefined();
    expect(JSON.stringify(own)).not.toContain('http');
    const google = await policy(true);
    expect(google['script-src']).toBe(
      "'self' https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
    );
    expect(google['frame-src']).toContain('https://www.google.com/recaptcha/');
    expect([google['default-src'], google['frame-ancestors'], google['object-src']]).toEqual([
      "'self'",
      "'none'",
      "'none'",
    ]);
  });

  test('[SIMP-03] lets map tiles in as images from exactly the host of the vendor, if there is one', async () => {
    const app = server();
    addSite(app, folder, async () => plain, { recaptcha: false, tiles: 'https://tiles.example.com', isPage });
    const policy = String((await app.inject('/register')).headers['content-security-policy']);
    await app.close();
    expect(policy).toContain("img-src 'self' data: blob: https://tiles.example.com;");
    expect(policy.match(/https:/g)).toHaveLength(1);
  });

  test('[PROF-04] lets the card form of Stripe in where Stripe is configured, and nothing more', async () => {
    const app = server();
    addSite(app, folder, async () => plain, { recaptcha: false, stripe: true, isPage });
    const policy = String((await app.inject('/register')).headers['content-security-policy']);
    await app.close();
    expect(policy).toContain("script-src 'self' https://js.stripe.com https://*.js.stripe.com;");
    expect(policy).toContain("connect-src 'self' https://api.stripe.com;");
    expect(policy).toContain(
      'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;',
    );
    expect(policy).not.toMatch(/script-src[^;]*unsafe|google/);
  });
});

test('[ROUT-02] what is no address of the app answers the page with the status 404', async () => {
  const app = server();
  const isPage = async (path: string) => isKnownPath(path, []);
  addSite(app, folder, async () => plain, { recaptcha: false, isPage });
  const status = async (path: string) => (await app.inject(path)).statusCode;
  expect(await Promise.all(['/login', '/login/', '/%6cogin'].map(status))).toEqual([200, 200, 200]);
  expect(
    await Promise.all(['/login%2F', '/login%2f', '/%2Flogin', '/configuration%2Fcard'].map(status)),
  ).toEqual([404, 404, 404, 404]);
  const known = await app.inject('/login?next=%2Fdashboard');
  const unknown = await app.inject('/no/such/page');
  expect([known.statusCode, unknown.statusCode]).toEqual([200, 404]);
  for (const { body, headers } of [known, unknown]) {
    expect(body).toContain('id="brand"');
    expect(headers['content-security-policy']).toContain("default-src 'self'");
  }
  await app.close();
});

test('a built file goes out in the form that the browser takes', async () => {
  const app = server();
  addSite(app, folder, async () => plain, { recaptcha: false, isPage });
  const asked = async (takes?: string) => {
    const { headers, body } = await app.inject({
      url: '/assets/x.js',
      headers: takes ? { 'accept-encoding': takes } : {},
    });
    return [
      body,
      headers['content-encoding'],
      headers.vary,
      headers['content-type'],
      headers['cache-control'],
    ];
  };
  const js = ['application/javascript; charset=utf-8', 'public, max-age=31536000, immutable'];
  expect(await asked('gzip, deflate, br')).toEqual(['Brotli', 'br', 'accept-encoding', ...js]);
  expect(await asked('gzip')).toEqual(['gzip', 'gzip', 'accept-encoding', ...js]);
  expect((await asked())[0]).toBe('as it is');
  await app.close();
});
