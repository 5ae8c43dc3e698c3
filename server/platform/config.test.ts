import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig, SIGNUP_LIMITS, VISIT_LIMITS } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const DATA_DIR = join(folder, 'data');

describe('configuration', () => {
  test('[RUN-01] has defaults for everything, and keeps what it makes', () => {
    const one = loadConfig({ DATA_DIR });
    expect(one).toMatchObject({
      port: 8080,
      rootDomain: 'localhost',
      roles: ['web', 'ingest', 'worker'],
      seed: 'demo',
      databaseUrl: undefined,
      // OWASP's recommendation for argon2id, which only tests go below.
      passwordCost: { memoryCost: 19_456, timeCost: 2 },
    });
    expect(one.appKey).toHaveLength(32);
    expect(one.demoPassword.length).toBeGreaterThanOrEqual(12);
    expect(loadConfig({ DATA_DIR })).toEqual(one);
    for (const name of ['app-key', 'demo-password'])
      expect(statSync(join(DATA_DIR, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(DATA_DIR, 'demo-password'), 'utf8')).toBe(one.demoPassword);
  });

  test('[BEY-28] backups go to a folder, or to a bucket at the service that files are kept at', () => {
    const of = (BACKUP_TO: string) =>
      loadConfig({ DATA_DIR, BACKUP_TO, S3_ENDPOINT: 'https://s3.example.com' }).backups;
    expect(loadConfig({ DATA_DIR }).backups).toBeUndefined();
    expect(of('/backups of/lead')).toEqual({
      folder: '/backups of/lead',
      s3: undefined,
      hours: 24,
      days: 14,
    });
    expect(of('s3://lead-backups/a/')).toMatchObject({
      folder: join(DATA_DIR, 'backups'),
      s3: { bucket: 'lead-backups', prefix: 'a/', endpoint: 'https://s3.example.com' },
    });
    expect(of('s3://lead-backups/')!.s3!.prefix).toBe('');
    for (const wrong of ['s3://', 's3://lead-backups', 's3://lead-backups/a', 's3://A/'])
      expect(() => of(wrong)).toThrow(/^BACKUP_TO: must be a folder, or s3:/);
  });

  test('[RUN-01] behind a proxy, the link for the first owner leads to the host of the master root', () => {
    const PUBLIC_URL = 'https://leads.example.com';
    expect(loadConfig({ DATA_DIR, PUBLIC_URL })).toMatchObject({
      rootDomain: 'leads.example.com',
      domainTarget: { host: 'leads.example.com' },
    });
    expect(loadConfig({ DATA_DIR, PUBLIC_URL, ROOT_DOMAIN: 'example.com' }).rootDomain).toBe('example.com');
  });

  test('[RUN-01] a data folder that cannot be one is refused by name', () => {
    expect(() => loadConfig({ DATA_DIR: join(DATA_DIR, 'app-key', 'below') })).toThrow(
      /^DATA_DIR: .*cannot be used/,
    );
    expect(() => loadConfig({ DATA_DIR: join(DATA_DIR, 'app-key', 'below') })).toThrow(ConfigError);
  });

  test('[RUN-03] an outside database is not seeded unless asked', () => {
    const DATABASE_URL = 'postgres://u:p@db.example:5432/x';
    expect(loadConfig({ DATA_DIR, DATABASE_URL }).seed).toBe('none');
    expect(loadConfig({ DATA_DIR, DATABASE_URL, SEED: 'demo' }).seed).toBe('demo');
  });

  test('[BEY-30] a limit that is named replaces its default, and one that is none is refused', () => {
    expect(loadConfig({ DATA_DIR, VISIT_LIMITS: 'address=9, key=70' }).visitLimits).toEqual({
      ...VISIT_LIMITS,
      address: 9,
      key: 70,
    });
    expect(loadConfig({ DATA_DIR, SIGNUP_LIMITS: 'browser=4' }).signUpLimits).toEqual({
      ...SIGNUP_LIMITS,
      browser: 4,
    });
    for (const wrong of ['visitor=0', 'nobody=3', 'key', 'key=-1'])
      expect(() => loadConfig({ DATA_DIR, VISIT_LIMITS: wrong })).toThrow(/^VISIT_LIMITS: has /);
  });

  test('arguments win over variables; an empty variable is none', () => {
    expect(loadConfig({ DATA_DIR, ROLES: 'web', PORT: '' }, ['--roles=worker,ingest']).roles).toEqual([
      'worker',
      'ingest',
    ]);
    expect(() => loadConfig({ DATA_DIR }, ['roles'])).toThrow(ConfigError);
  });

  const stripe = {
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_platform, whsec_connect',
  };

  test('[PAY-02] Stripe takes three settings, all or none', () => {
    expect(loadConfig({ DATA_DIR }).stripe).toBeUndefined();
    expect(loadConfig({ DATA_DIR, ...stripe }).stripe).toEqual({
      secretKey: 'sk_test_1',
      publishableKey: 'pk_test_1',
      webhookSecrets: ['whsec_platform', 'whsec_connect'],
      apiBase: 'https://api.stripe.com',
    });
    for (const name of Object.keys(stripe))
      expect(() => loadConfig({ DATA_DIR, ...stripe, [name]: '' })).toThrow(
        new RegExp(`^${name}: is missing`),
      );
    expect(() => loadConfig({ DATA_DIR, ...stripe, STRIPE_PUBLISHABLE_KEY: 'pk_live_1' })).toThrow(
      /^STRIPE_PUBLISHABLE_KEY: must use the same mode/,
    );
  });

  test.each(['https://stripe.test', 'http://127.0.0.1:4242', 'http://localhost:1', 'http://[::1]:80'])(
    '[PAY-02] Stripe may be at %s',
    (base) => {
      expect(loadConfig({ DATA_DIR, ...stripe, STRIPE_API_BASE: base }).stripe?.apiBase).toBe(base);
    },
  );

  test.each([
    'http://stripe.test',
    'http://10.0.0.1',
    'http://127.0.0.1.evil.test',
    'http://localhost.evil.test',
    'ftp://127.0.0.1',
    'https://user:password@stripe.test',
    'https://stripe.test/v1',
    'https://stripe.test/?a=b',
    'stripe.test',
  ])('[PAY-02] Stripe may not be at %s', (base) => {
    expect(() => loadConfig({ DATA_DIR, ...stripe, STRIPE_API_BASE: base })).toThrow(/^STRIPE_API_BASE: /);
  });

  test.each([
    ['STRIPE_SECRET_KEY', 'pk_test_1'],
    ['STRIPE_PUBLISHABLE_KEY', 'sk_test_1'],
    ['STRIPE_WEBHOOK_SECRET', 'secret'],
    ['PORT', 'http'],
    ['PORT', '70000'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgres://u:p@a,/lead'],
    ['DATABASE_POOLER', 'pooler:6432'],
    ['DATABASE_POOLER', 'postgres://pooler'],
    ['ROOT_DOMAIN', 'not a host'],
    ['ROLES', 'web,cook'],
    ['SEED', 'yes'],
    ['DEMO_PASSWORD', 'short'],
    ['APP_KEY', 'short'],
    ['APP_KEY_PREVIOUS', 'short'],
    ['VISIT_RETENTION_DAYS', '0'],
    ['SMTP_URL', 'http://mail.example'],
    ['MAIL_FROM', 'nobody'],
    ['PUBLIC_URL', 'https://leads.example.com/app'],
    ['STOP_SECONDS', '0'],
    ['DEMO_DAYS', '9'],
    ['GOOGLE_CLIENT_SECRET', 'without its client ID'],
    ['RECAPTCHA_SECRET', 'without its site key'],
    ['RECAPTCHA_URL', 'ftp://x'],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(() => loadConfig({ DATA_DIR, [name]: value })).toThrow(new RegExp(`^${name}: `));
  });
});
