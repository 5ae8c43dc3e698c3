import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../../test/app.ts';
import { solveCaptcha } from '../../../test/ways-in.ts';
import { captchaWork } from './captcha.service.ts';

let serial = 0;
const forgot = (app: TestApp, gtoken?: string) =>
  app.call('POST', '/api/forgetpass', {
    host: 'root.test',
    body: { username: `nobody${++serial}@x.test`, gtoken },
  });

describe('[AUTH-19] the built-in captcha', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
    await app.make.root({ host: 'root.test' });
  });
  afterAll(() => app.close());
  const solve = () => solveCaptcha(app, 'root.test');
  const decode = (gtoken: string) => JSON.parse(Buffer.from(gtoken, 'base64').toString());
  const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64');

  test('lets one request through for each solution, also at once', async () => {
    const gtoken = await solve();
    const answers = await Promise.all(Array.from({ length: 10 }, () => forgot(app, gtoken)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(422)]);
  });

  test('is for the tenant it was made for, and dearer for a network that asks for many', async () => {
    await app.make.root({ host: 'other.test' });
    expect((await forgot(app, await solveCaptcha(app, 'other.test'))).status).toBe(422);
    expect([1, 30, 31, 61, 91, 121, 10_000].map(captchaWork)).toEqual([1, 1, 2, 4, 8, 16, 16]);
  });

  test('a used solution is not good again in another writing', async () => {
    const gtoken = await solve();
    expect((await forgot(app, gtoken)).status).toBe(200);
    const payload = decode(gtoken);
    const { challenge, solution } = payload;
    for (const changed of [
      { ...payload, challenge: { ...challenge, signature: challenge.signature.toUpperCase() } },
      {
        challenge: {
          signature: challenge.signature,
          parameters: Object.fromEntries(Object.entries(challenge.parameters).reverse()),
        },
        solution,
      },
      { ...payload, solution: { ...solution, time: 7 }, more: 1 },
    ]) {
      expect((await forgot(app, encode(changed))).status).toBe(422);
    }
  });

  test('what is altered, cheap, forged or not a solution is refused', async () => {
    const payload = decode(await solve());
    const { challenge, solution } = payload;
    const parameters = (more: object) => ({
      ...payload,
      challenge: { ...challenge, parameters: { ...challenge.parameters, ...more } },
    });
    for (const bad of [
      parameters({ cost: 1 }),
      parameters({ nonce: '00'.repeat(16) }),
      parameters({ keyPrefix: '00' }),
      parameters({ data: { until: 9e15 } }),
      parameters({ algorithm: 'SHA-256' }),
      { ...payload, solution: { ...solution, counter: -1 } },
      { ...payload, solution: { ...solution, derivedKey: '00'.repeat(32) } },
      { challenge: { ...challenge, signature: '' }, solution },
      { challenge, solution: null },
      null,
      [],
    ]) {
      expect((await forgot(app, encode(bad))).status).toBe(422);
    }
    for (const gtoken of ['', '%%%', 'e30=', 'A'.repeat(8192)])
      expect((await forgot(app, gtoken)).status).toBe(422);
    expect((await forgot(app, encode(payload))).status).toBe(200);
  });

  test('a challenge lasts 20 minutes', async () => {
    const [good, late] = [await solve(), await solve()];
    app.clock.advance(1_199_000);
    expect((await forgot(app, good)).status).toBe(200);
    app.clock.advance(1_000);
    expect((await forgot(app, late)).status).toBe(422);
  });
});

describe('[AUTH-19] reCAPTCHA where a key is set', () => {
  let answer: () => unknown = () => ({ success: true, hostname: 'root.test' });
  const asked: Record<string, string>[] = [];
  const google = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      asked.push({ url: request.url ?? '', ...Object.fromEntries(new URLSearchParams(text)) });
      const body = answer();
      response
        .writeHead(body === null ? 500 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    });
  });
  let app: TestApp;
  beforeAll(async () => {
    await new Promise<void>((done) => google.listen(0, '127.0.0.1', () => done()));
    const { port } = google.address() as { port: number };
    app = await testApp({
      settings: { recaptcha: { siteKey: 'site', secret: 'hush', url: `http://127.0.0.1:${port}` } },
    });
    await app.make.root({ host: 'root.test' });
  });
  afterAll(async () => {
    await app.close();
    google.close();
    google.closeAllConnections();
  });

  test('asks siteverify with the secret, the token and the address', async () => {
    expect((await app.call('GET', '/api/general/access-options', { host: 'root.test' })).body).toMatchObject({
      captcha: 'recaptcha',
      recapkey: 'site',
    });
    expect((await forgot(app, 'from the browser')).status).toBe(200);
    expect(asked).toEqual([
      { url: '/siteverify', secret: 'hush', response: 'from the browser', remoteip: '127.0.0.1' },
    ]);
    expect((await forgot(app)).status).toBe(422);
    expect(asked).toHaveLength(1);
  });

  test('refuses failures, foreign hosts and low scores; lets no one through when it cannot be asked', async () => {
    const status = async (body: unknown) => {
      answer = () => body;
      return (await forgot(app, 'x')).status;
    };
    expect(await status({ success: false, 'error-codes': ['timeout-or-duplicate', 'a-new-code'] })).toBe(422);
    expect(await status({ success: true, hostname: 'evil.test' })).toBe(422);
    expect(await status({ success: true })).toBe(422);
    expect(await status({ success: true, hostname: 'root.test', score: 0.3 })).toBe(422);
    expect(await status({ success: true, hostname: 'root.test', score: 0.9 })).toBe(200);
    expect(await status({ nonsense: true })).toBe(503);
    expect(await status(null)).toBe(503);
  });
});
