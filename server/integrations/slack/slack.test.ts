import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import type { Stub } from '../stub.ts';
import { integrationSuite } from '../suite.ts';
import { slack } from './index.ts';
import { slackStub } from './stub.ts';

integrationSuite(slack, {
  stub: slackStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '30' }, text: '' }, afterMs: 30_000 },
  repeats: true,
});

describe('Slack: its own rules', () => {
  let at: Bench<Stub>;
  afterEach(() => at?.stop());

  it('[INTG-02] a test posts nothing', async () => {
    at = await bench(slack, slackStub());
    expect(await slack.test(at.way)).toMatchObject({ isConnected: true });
    expect(at.stub.records()).toEqual([]);
  });

  it('[INTG-02] mentions nobody, whatever a lead is called', async () => {
    at = await bench(slack, slackStub());
    const fields = { full_name: '<!channel> <https://evil.example|click> & <@U1>' };
    await attempt(slack, at.way, at.request({ fields }), null, false);
    const { blocks, text } = at.running.requests[0]!.json as { blocks: object[]; text: string };
    const [header, ...sections] = blocks;
    expect(header).toMatchObject({ text: { type: 'plain_text' } });
    expect(text + JSON.stringify(sections)).not.toMatch(/<[!@h]/);
  });

  it.each(['channel_is_archived', 'invalid_token', 'team_disabled'])(
    '[INTG-04] %s breaks it',
    async (word) => {
      at = await bench(slack, slackStub());
      at.running.answerNext({ status: 410, text: word });
      expect((await attempt(slack, at.way, at.request(), null, false)).result.kind).toBe('broken');
    },
  );

  it.each([
    'https://hooks.slack.com.evil.example/services/T0/B0/x',
    'https://hooks.slack.com/services/../api',
    'https://hooks.slack.com/workflows/T0/x',
    'http://hooks.slack.com/services/T0/B0/x',
  ])('[INTG-02] sends nothing to %s', async (url) => {
    at = await bench(slack, slackStub());
    const way = { ...at.way, base: slack.base, credentials: { url } };
    expect(await slack.test(way)).toMatchObject({ isConnected: false });
    expect((await attempt(slack, way, at.request(), null, false)).result.kind).toBe('final');
    expect(at.running.requests).toEqual([]);
  });
});
