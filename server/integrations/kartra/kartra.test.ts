import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import { integrationSuite, LEAD } from '../suite.ts';
import { kartra } from './index.ts';
import { kartraStub } from './stub.ts';

integrationSuite(kartra, {
  stub: kartraStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '5' }, text: '' }, afterMs: 5_000 },
  badField: { key: 'email', value: 'not an address' },
});

describe('Kartra: its own rules', () => {
  let at: Bench<ReturnType<typeof kartraStub>>;
  afterEach(() => at?.stop());
  const send = (more: Parameters<typeof at.request>[0] = {}) =>
    attempt(kartra, at.way, at.request(more), null, false);

  it('[INTG-02] edits a lead that someone made there, and subscribes it', async () => {
    at = await bench(kartra, kartraStub());
    await send();
    const again = await send({ fields: { email: LEAD.email, city: 'Chicago' } });
    expect(again.result.kind).toBe('delivered');
    expect(at.stub.records()).toMatchObject([{ fields: { city: 'Chicago', first_name: 'Zoë' } }]);
    expect(at.stub.subscriptions).toHaveLength(2);
  });

  it('[INTG-04] 200 with an error is an error: a list that is gone is final and says so', async () => {
    at = await bench(kartra, kartraStub());
    expect((await send({ settings: { list: 'Gone' } })).result).toMatchObject({
      kind: 'final',
      fix: expect.stringContaining('The list no longer exists'),
    });
  });

  it('[INTG-04] a tag that is gone is final and says so, and resending ends the work', async () => {
    at = await bench(kartra, kartraStub());
    expect((await send({ settings: { tag: 'Gone' } })).result).toMatchObject({
      kind: 'final',
      fix: expect.stringContaining('The tag no longer exists'),
    });
    expect((await send()).result.kind).toBe('delivered');
    expect(at.stub.records()).toHaveLength(1);
  });

  it('[INTG-04] asks before it repeats, and a lead that is not there is no error', async () => {
    at = await bench(kartra, kartraStub());
    expect(await kartra.find!(at.way, at.request())).toBeNull();
    const { remoteId } = await send();
    expect(await kartra.find!(at.way, at.request())).toBe(remoteId);
  });

  it('[INTG-04] makes a lead again that Kartra remembers as deleted', async () => {
    at = await bench(kartra, kartraStub({ remembers: true }));
    const { remoteId } = await send();
    at.stub.remove(remoteId!);
    expect(await kartra.find!(at.way, at.request())).toBeNull();
    expect((await attempt(kartra, at.way, at.request(), remoteId, false)).result.kind).toBe('delivered');
    expect(at.stub.records()).toHaveLength(1);
  });

  it.each(['202', '203', '204', '233', '238', '239', '240', '242', '262'])(
    '[INTG-04] %s breaks the connection, not the delivery',
    async (type) => {
      at = await bench(kartra, kartraStub());
      at.running.answerNext({ status: 200, json: { status: 'Error', message: 'no', type } }, 2);
      expect((await send()).result.kind).toBe('broken');
      expect(await kartra.test(at.way)).toMatchObject({ isConnected: false });
    },
  );

  it('[INTG-02] offers own fields that take text, and sends them by their identifiers', async () => {
    at = await bench(kartra, kartraStub());
    expect((await kartra.choices!(at.way)).fields).toEqual([
      { id: 'custom:page_visited', name: 'page_visited' },
    ]);
    await send({ fields: { email: LEAD.email, 'custom:page_visited': '/pricing' } });
    expect(at.stub.records()).toMatchObject([{ fields: { page_visited: '/pricing' } }]);
  });

  it('[INTG-04] a success whose second command failed is no success', async () => {
    at = await bench(kartra, kartraStub());
    at.running.answerNext({
      status: 200,
      json: {
        status: 'Success',
        actions: [
          { create_lead: { status: 'Success', lead_details: { id: '1' } } },
          { subscribe_lead_to_list: { status: 'error', type: '231', message: 'List does not exist' } },
        ],
      },
    });
    expect((await send()).result).toMatchObject({ kind: 'final', fix: expect.stringContaining('list') });
  });

  it('[INTG-04] a page instead of an answer is a question, not a success', async () => {
    at = await bench(kartra, kartraStub());
    at.running.answerNext({ status: 200, text: '<html>Just a moment…</html>' });
    expect((await send()).result.kind).toBe('unknown');
  });
});
