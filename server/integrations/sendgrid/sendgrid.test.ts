import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import { LostAnswer } from '../http.ts';
import type { Way } from '../port.ts';
import type { Stub } from '../stub.ts';
import { AT, integrationSuite } from '../suite.ts';
import { sendgrid } from './index.ts';
import { sendgridStub } from './stub.ts';

integrationSuite(sendgrid, {
  stub: sendgridStub,
  tooMany: {
    answer: {
      status: 429,
      headers: { 'x-ratelimit-reset': String(AT.getTime() / 1000 + 45) },
      json: { errors: [{ message: 'too many requests', field: null }] },
    },
    afterMs: 45_000,
  },
  badField: { key: 'email', value: 'not an address' },
});

describe('SendGrid: its own rules', () => {
  let at: Bench<Stub>;
  afterEach(() => at?.stop());

  it('[INTG-02] a key without Marketing is not connected', async () => {
    at = await bench(sendgrid, sendgridStub({ scopes: ['mail.send'] }));
    expect(await sendgrid.test(at.way)).toEqual({
      isConnected: false,
      why: expect.stringContaining('give it full access to Marketing'),
    });
  });

  it('[INTG-02] a key for automations only is not enough', async () => {
    at = await bench(sendgrid, sendgridStub({ scopes: ['marketing.automation.read'] }));
    expect(await sendgrid.test(at.way)).toMatchObject({ isConnected: false });
  });

  it.each([
    [undefined, 'https://api.sendgrid.com/v3/scopes'],
    ['', 'https://api.sendgrid.com/v3/scopes'],
    ['Global', 'https://api.sendgrid.com/v3/scopes'],
    [' eu ', 'https://api.eu.sendgrid.com/v3/scopes'],
    ['evil.example', undefined],
  ])('[INTG-02] the region %j asks %s', async (region, url) => {
    const asked: string[] = [];
    const way: Way = {
      base: sendgrid.base,
      credentials: { api_key: 'SG.x', ...(region === undefined ? {} : { region }) },
      http: (ask) => {
        asked.push(ask.url);
        const json = { scopes: ['marketing.read'] };
        return Promise.resolve({ status: 200, headers: {}, text: '', json, at: AT });
      },
      now: () => AT,
    };
    expect((await sendgrid.test(way)).isConnected).toBe(url !== undefined);
    expect(asked).toEqual(url ? [url] : []);
  });

  it.each([
    [403, 'full access to Marketing'],
    [451, 'in another region'],
  ])('[INTG-04] %i breaks the connection and says what to do', async (status, hint) => {
    at = await bench(sendgrid, sendgridStub());
    at.running.answerNext({ status, json: { errors: [{ message: 'not allowed', field: null }] } }, 2);
    const why = expect.stringContaining(hint);
    expect(await sendgrid.test(at.way)).toEqual({ isConnected: false, why });
    const { result } = await attempt(sendgrid, at.way, at.request(), null, false);
    expect(result).toEqual({ kind: 'broken', why, status });
  });

  it('[INTG-02] sends numbers as numbers', async () => {
    at = await bench(sendgrid, sendgridStub());
    const deliver = async (value: string) =>
      (
        await attempt(
          sendgrid,
          at.way,
          at.request({ fields: { email: 'a@example.com', 'custom:e2_N': value } }),
          null,
          false,
        )
      ).result;
    expect((await deliver('87')).kind).toBe('delivered');
    expect(await deliver('high')).toMatchObject({ kind: 'final', why: expect.stringContaining('e2_N') });
  });

  it('[INTG-04] holds the connection when nothing more fits into the limit', async () => {
    at = await bench(sendgrid, sendgridStub());
    at.running.answerNext({
      status: 202,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(AT.getTime() / 1000 + 2) },
      json: { job_id: 'job' },
    });
    const { result } = await attempt(sendgrid, at.way, at.request(), null, false);
    expect(result).toMatchObject({ kind: 'delivered', afterMs: 2_000 });
  });

  it('[INTG-04] a contact that was accepted is delivered, even if its job cannot be asked after', async () => {
    at = await bench(sendgrid, sendgridStub());
    const way: Way = {
      ...at.way,
      http: (ask) =>
        ask.url.includes('/imports/') ? Promise.reject(new LostAnswer('No response')) : at.way.http(ask),
    };
    const { result } = await attempt(sendgrid, way, at.request(), null, false);
    expect(result).toMatchObject({ kind: 'delivered', remoteId: 'zoe@example.com' });
  });

  it('[INTG-02] custom fields go by their id, and lists with every contact', async () => {
    at = await bench(sendgrid, sendgridStub());
    const fields = { email: 'a@example.com', 'custom:e1_T': '/pricing' };
    await attempt(sendgrid, at.way, at.request({ fields }), null, false);
    expect(at.running.requests[0]!.json).toEqual({
      list_ids: JSON.parse(at.stub.settings.lists!),
      contacts: [{ email: 'a@example.com', custom_fields: { e1_T: '/pricing' } }],
    });
  });

  it('[INTG-04] a list that was deleted is final and names it', async () => {
    at = await bench(sendgrid, sendgridStub());
    const settings = { lists: JSON.stringify(['gone']) };
    expect((await attempt(sendgrid, at.way, at.request({ settings }), null, false)).result).toMatchObject({
      kind: 'final',
      why: expect.stringContaining('list_ids: list not found'),
    });
  });
});
