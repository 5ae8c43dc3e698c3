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

  it('[INTG-04] a page instead of an answer is a question, not a success', async () => {
    at = await bench(kartra, kartraStub());
    at.running.answerNext({ status: 200, text: '<html>Just a moment…</html>' });
    expect((await send()).result.kind).toBe('unknown');
  });
});
