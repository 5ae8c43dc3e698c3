import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bench, bench } from '../bench.ts';
import type { Stub } from '../stub.ts';
import { integrationSuite } from '../suite.ts';
import { hubspot } from './index.ts';
import { hubspotStub } from './stub.ts';

integrationSuite(hubspot, {
  stub: hubspotStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '10' }, json: {} }, afterMs: 10_000 },
  badField: { key: 'email', value: 'not an address' },
});

describe('HubSpot: its own rules', () => {
  let at: Bench<Stub>;
  beforeEach(async () => {
    at = await bench(hubspot, hubspotStub());
  });
  afterEach(() => at.stop());
  const save = async (fields: Record<string, string>) =>
    expect(await hubspot.deliver(at.way, at.request({ fields }), null)).toMatchObject({ kind: 'delivered' });

  it('[BEY-20] lists those that it marks as customers, page by page, and no other contacts', async () => {
    for (let n = 0; n < 201; n++)
      await save({ email: `c${n}@customers.example`, firstname: 'Ada', lifecyclestage: 'customer' });
    await save({ email: 'lead@leads.example', lifecyclestage: 'lead' });
    await save({ email: 'plain@leads.example' });
    const first = await hubspot.customers!(at.way, null);
    expect(first.customers).toHaveLength(200);
    expect(first.customers[0]).toEqual({ name: 'Ada', email: 'c0@customers.example', phone: '' });
    const second = await hubspot.customers!(at.way, first.next);
    expect(second).toEqual({
      customers: [{ name: 'Ada', email: 'c200@customers.example', phone: '' }],
      next: null,
    });
  });

  it('[BEY-20] says why it lists none', async () => {
    at.stub.revoke();
    await expect(hubspot.customers!(at.way, null)).rejects.toMatchObject({ result: { kind: 'broken' } });
  });
});
