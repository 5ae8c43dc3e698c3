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

  it.each([
    ['https://prod-1.westus.logic.azure.com/workflows/x?sig=y', true],
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
