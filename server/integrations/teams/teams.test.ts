import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import type { Stub } from '../stub.ts';
import { integrationSuite } from '../suite.ts';
import { teams } from './index.ts';
import { teamsStub } from './stub.ts';

integrationSuite(teams, {
  stub: teamsStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '20' }, json: {} }, afterMs: 20_000 },
  repeats: true,
});

describe('Microsoft Teams: its own rules', () => {
  let at: Bench<Stub>;
  afterEach(() => at?.stop());

  it('[INTG-02] makes no link of what a lead is called', async () => {
    at = await bench(teams, teamsStub());
    await attempt(
      teams,
      at.way,
      at.request({ fields: { full_name: '[click](https://evil.example)' } }),
      null,
      false,
    );
    expect(at.running.requests[0]!.text).not.toContain('[click](');
    expect(at.stub.records()[0]!.fields.full_name).toBe('[click](https://evil.example)');
  });

  it.each(['- 1 Main St', '+12025550123', '1. Main St', '12 Main St', '2.5 Main St', 'a-b+c 1. d', '> x'])(
    '[INTG-02] makes no list of %j',
    async (full_name) => {
      at = await bench(teams, teamsStub());
      await attempt(teams, at.way, at.request({ fields: { full_name } }), null, false);
      const { attachments } = at.running.requests[0]!.json as {
        attachments: [{ content: { body: [object, { facts: { value: string }[] }] } }];
      };
      expect(attachments[0].content.body[1].facts[0]!.value).not.toMatch(/^(?:[-+>]|\d+\.)/);
      expect(at.stub.records()[0]!.fields.full_name).toBe(full_name);
    },
  );

  it('[INTG-02] a test posts one short message, and the steps say so', async () => {
    at = await bench(teams, teamsStub());
    expect(await teams.test(at.way)).toEqual({ isConnected: true, account: 'Teams channel' });
    expect(at.running.requests).toHaveLength(1);
    expect(at.running.requests[0]!.text).toContain('Connected');
    expect(teams.steps.join(' ')).toContain('posts one short message');
  });

  it.each([
    [400, 'WorkflowTriggerIsNotEnabled'],
    [404, 'WorkflowNotFound'],
    [401, 'DirectApiAuthorizationRequired'],
  ])('[INTG-04] %i %s breaks the connection', async (status, code) => {
    at = await bench(teams, teamsStub());
    at.running.answerNext({ status, json: { error: { code, message: 'no' } } });
    const { result } = await attempt(teams, at.way, at.request(), null, false);
    expect(result).toMatchObject({ kind: 'broken', status });
  });

  it('[INTG-04] a card that the workflow refuses is final', async () => {
    at = await bench(teams, teamsStub());
    at.running.answerNext({ status: 400, json: { error: { code: 'TriggerInputSchemaMismatch' } } });
    const { result } = await attempt(teams, at.way, at.request(), null, false);
    expect(result).toMatchObject({
      kind: 'final',
      why: expect.stringContaining('TriggerInputSchemaMismatch'),
    });
  });

  it.each([
    ['429', 'retry'],
    ['500', 'retry'],
    ['404', 'broken'],
    ['413', 'final'],
  ])('[INTG-04] a 200 that tells of %s is no success', async (inner, kind) => {
    at = await bench(teams, teamsStub());
    const text = `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${inner} with ContextId tcid=0`;
    at.running.answerNext({ status: 200, text });
    expect((await attempt(teams, at.way, at.request(), null, false)).result.kind).toBe(kind);
  });

  it.each([
    ['https://prod-1.westus.logic.azure.com/workflows/x?sig=y', true],
    ['https://prod-1.westus.logic.azure.com:443/workflows/x?sig=y', true],
    ['https://default0.00.environment.api.powerplatform.com/powerautomate/automations/x', true],
    ['https://acme.webhook.office.com/webhookb2/x', true],
    ['https://logic.azure.com.evil.example/workflows/x', false],
    ['https://evillogic.azure.com/workflows/x', false],
    ['http://prod-1.logic.azure.com/workflows/x', false],
    ['https://user@prod-1.logic.azure.com/x', false],
    ['https://prod-1.logic.azure.com:8443/x', false],
  ])('[INTG-02] takes %s for a workflow: %s', async (url, isTheirs) => {
    at = await bench(teams, teamsStub());
    const asked: string[] = [];
    const way = {
      ...at.way,
      base: teams.base,
      credentials: { url },
      http: (ask: { url: string }) => {
        asked.push(ask.url);
        return Promise.resolve({ status: 202, headers: {}, text: '', json: undefined, at: new Date(0) });
      },
    };
    expect((await teams.test(way)).isConnected).toBe(isTheirs);
    expect(asked).toEqual(isTheirs ? [url] : []);
  });
});
