import { describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { bench } from '../bench.ts';
import { integrationSuite } from '../suite.ts';
import { gohighlevelV1 } from './index.ts';
import { gohighlevelV1Stub } from './stub.ts';

integrationSuite(gohighlevelV1, {
  stub: gohighlevelV1Stub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '10' }, json: {} }, afterMs: 10_000 },
  badField: { key: 'email', value: 'not an address' },
});

describe('GoHighLevel v1: its own rules', () => {
  it('[INTG-02] says that it is legacy, how to move, and that no one tried it', () => {
    expect(gohighlevelV1).toMatchObject({ isUnverified: true, name: expect.stringContaining('legacy') });
    expect(gohighlevelV1.steps.join(' ')).toMatch(
      /ended support.*token and the location ID instead of the API key/,
    );
  });

  it('[INTG-04] a lost response leads to one contact even where creating never matches', async () => {
    const { stub, running, way, request, stop } = await bench(
      gohighlevelV1,
      gohighlevelV1Stub({ matches: false }),
    );
    running.loseNextAnswer();
    expect((await attempt(gohighlevelV1, way, request(), null, false)).result.kind).toBe('unknown');
    const { result, remoteId } = await attempt(gohighlevelV1, way, request(), null, true);
    expect(result.kind).toBe('delivered');
    expect(stub.records()).toHaveLength(1);
    expect(stub.tags(remoteId!)).toEqual(['website lead']);
    await stop();
  });

  it('[INTG-04] finds a contact by its phone number when it has no email address', async () => {
    const { stub, way, request, stop } = await bench(gohighlevelV1, gohighlevelV1Stub());
    const fields = { phone: '+12025550123' };
    const { remoteId } = await attempt(gohighlevelV1, way, request({ fields }), null, false);
    expect(await gohighlevelV1.find!(way, request({ fields }))).toBe(remoteId);
    expect(await gohighlevelV1.find!(way, request({ fields: { phone: '+12025550199' } }))).toBeNull();
    expect(stub.records()).toHaveLength(1);
    await stop();
  });

  it('[INTG-02] names the location of the key, and never the key', async () => {
    const { way, running, stop } = await bench(gohighlevelV1, gohighlevelV1Stub());
    expect(await gohighlevelV1.test(way)).toEqual({
      isConnected: true,
      account: 'Location ve9EPM428h8vShlRW1KT',
    });
    running.answerNext({ status: 200, json: {} });
    const odd = { ...way, credentials: { key: 'not.a-key' } };
    expect(await gohighlevelV1.test(odd)).toEqual({ isConnected: true, account: 'Location of the API key' });
    await stop();
  });

  it('[INTG-02] sends own fields by their IDs, and never tags with the contact', async () => {
    const { stub, way, running, request, stop } = await bench(gohighlevelV1, gohighlevelV1Stub());
    const { fields = [] } = await gohighlevelV1.choices!(way);
    await attempt(
      gohighlevelV1,
      way,
      request({ fields: { email: 'a@b.co', [fields[0]!.id]: '9' } }),
      null,
      false,
    );
    expect(stub.records()[0]!.fields).toMatchObject({ [fields[0]!.id]: '9', tags: 'website lead' });
    const created = running.requests.find(({ method, path }) => method === 'POST' && path === '/contacts/');
    expect(created!.json).toEqual({ email: 'a@b.co', customField: { [fields[0]!.id]: '9' } });
    await stop();
  });
});
