import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import { AT, integrationSuite, LEAD } from '../suite.ts';
import { zapier } from './index.ts';
import { zapierStub } from './stub.ts';

const tooMany = { answer: { status: 429, headers: { 'retry-after': '60' }, text: '' }, afterMs: 60_000 };

describe('a Zap that looks up the id', () => {
  integrationSuite(zapier, { stub: zapierStub, tooMany });
});

describe('a Zap that takes everything', () => {
  integrationSuite(zapier, { stub: () => zapierStub({ isCareful: false }), tooMany, repeats: true });
});

describe('Zapier: its own rules', () => {
  let at: Bench<ReturnType<typeof zapierStub>>;
  const open = async () => {
    at = await bench(zapier, zapierStub());
    return at;
  };
  afterEach(() => at?.stop());
  const send = () => attempt(zapier, at.way, at.request(), null, false);

  it('[INTG-02] sends one flat object with our id of the lead', async () => {
    const { running, request, way } = await open();
    await send();
    const body = running.requests[0]!.json as Record<string, unknown>;
    expect(body).toMatchObject({ id: LEAD.lead_id, test: false, email: LEAD.email, page_url: LEAD.page_url });
    expect(Object.values(body).filter((value) => typeof value === 'object')).toEqual([]);
    await attempt(zapier, way, request({ fields: { id: 'mapped', test: 'mapped' } }), null, false);
    expect(running.requests[1]!.json).toEqual({ id: LEAD.lead_id, test: false });
  });

  it('[INTG-04] repeats with the same id, so that a Zap can tell', async () => {
    const { stub, running } = await open();
    running.loseNextAnswer();
    expect((await send()).result.kind).toBe('unknown');
    expect((await send()).result.kind).toBe('delivered');
    expect(stub.runs()).toBe(2);
    expect(stub.records()).toHaveLength(1);
  });

  it('[INTG-02] marks its test record, and shows all fields with it', async () => {
    const { stub, running, way } = await open();
    expect(await zapier.test(way)).toEqual({ isConnected: true, account: 'Catch hook …def' });
    expect(running.requests).toHaveLength(1);
    expect(running.requests[0]!.json).toMatchObject({ id: 'test', test: true });
    for (const { key } of zapier.fields) expect(running.requests[0]!.json).toHaveProperty(key);
    expect(stub.records()).toEqual([]);
  });

  it.each([
    { status: 200, text: '' },
    { status: 200, text: '<html>ok</html>' },
    { status: 202, json: { anything: true } },
    { status: 204 },
  ])('[INTG-02] takes any success for a success: %j', async (answer) => {
    const { running } = await open();
    running.answerNext(answer);
    expect((await send()).result).toEqual({ kind: 'delivered', status: answer.status });
  });

  it('[INTG-04] a hook that is gone breaks the connection in words that help', async () => {
    const { running, way } = await open();
    running.answerNext({ status: 410 }, 2);
    const why = expect.stringContaining('The Zap was turned off or deleted');
    expect((await send()).result).toEqual({ kind: 'broken', why, status: 410 });
    expect(await zapier.test(way)).toEqual({ isConnected: false, why });
  });

  it('[INTG-04] follows no redirect', async () => {
    const { running, way } = await open();
    running.answerNext({ status: 302, headers: { location: `${way.base}/hooks/catch/1/other/` } });
    expect((await send()).result).toMatchObject({ kind: 'final', status: 302 });
    expect(running.requests).toHaveLength(1);
  });

  it.each([
    '',
    'https://hooks.zapier.com',
    'https://hooks.zapier.com/hooks/catch/',
    'https://hooks.zapier.com/hooks/catch/1',
    'https://hooks.zapier.com/hooks/catch/1/../../2',
    'https://hooks.zapier.com/hooks/catch/1/2?x=1',
    'https://hooks.zapier.com/hooks/catch/1/2#x',
    'https://hooks.zapier.com/hooks/standard/1/2/',
    'https://hooks.zapier.com.evil.example/hooks/catch/1/2/',
    'https://hooks.zapier.com@evil.example/hooks/catch/1/2/',
    'http://hooks.zapier.com/hooks/catch/1/2/',
    `https://hooks.zapier.com/hooks/catch/1/${'a'.repeat(300)}`,
  ])('[INTG-02] sends nothing to %s', async (url) => {
    const way = {
      base: zapier.base,
      credentials: { url },
      http: () => Promise.reject(new Error('sent')),
      now: () => AT,
    };
    const request = { settings: {}, fields: { email: 'a@b.co' }, leadId: LEAD.lead_id, at: new Date(0) };
    expect(await zapier.test(way)).toMatchObject({ isConnected: false });
    expect(await zapier.deliver(way, request, null)).toMatchObject({ kind: 'final', status: null });
  });
});
