import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { addSite } from './site.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-site-'));
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>App</title>');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The directives of the page's policy. */
async function policy(recaptcha: boolean): Promise<Record<string, string>> {
  const app = fastify();
  addSite(app, folder, { recaptcha });
  const answer = await app.inject('/register');
  await app.close();
  expect(answer.body).toContain('<title>App</title>');
  const all = String(answer.headers['content-security-policy']).split('; ');
  return Object.fromEntries(all.map((one) => [one.split(' ')[0], one.slice(one.indexOf(' ') + 1)]));
}

describe('the policy of the page', () => {
  test('[AUTH-19] lets nobody else’s script or frame in, unless a reCAPTCHA key is set', async () => {
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
});
