import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
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
      why: 'The key has no access to Marketing. Edit it in SendGrid.',
    });
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
