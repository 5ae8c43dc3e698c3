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

  it('[BEY-20] takes no contact of another lifecycle stage for a customer', async () => {
    await save({ email: 'ada@customers.example', firstname: 'Ada', lifecyclestage: 'customer' });
    await save({ email: 'lead@leads.example', lifecyclestage: 'lead' });
    await save({ email: 'plain@leads.example' });
    expect(await hubspot.customers!.list(at.way, null)).toEqual({
      customers: [{ name: 'Ada', email: 'ada@customers.example', phone: '' }],
      next: null,
    });
  });
});
