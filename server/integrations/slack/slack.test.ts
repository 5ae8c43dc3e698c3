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

  it('[INTG-02] mentions no one, whatever a lead is called', async () => {
    at = await bench(slack, slackStub());
    const fields = { full_name: '<!channel> <https://evil.example|click> & <@U1>' };
    await attempt(slack, at.way, at.request({ fields }), null, false);
    const { blocks, text } = at.running.requests[0]!.json as { blocks: object[]; text: string };
    const [header, ...sections] = blocks;
    expect(header).toMatchObject({ text: { type: 'plain_text' } });
    expect(text + JSON.stringify(sections)).not.toMatch(/<[!@h]/);
  });

  it.each([
    [404, 'no_service'],
    [403, 'invalid_token'],
    [410, 'channel_is_archived'],
    [404, 'channel_not_found'],
    [403, 'action_prohibited'],
    [403, 'team_disabled'],
    [410, '<html>Gone</html>'],
  ])('[INTG-04] %i %s breaks it', async (status, text) => {
    at = await bench(slack, slackStub());
    at.running.answerNext({ status, text }, 2);
    const { result } = await attempt(slack, at.way, at.request(), null, false);
    expect(result).toMatchObject({ kind: 'broken', status, why: expect.stringContaining('Paste the URL') });
    expect(await slack.test(at.way)).toMatchObject({ isConnected: false });
  });

  it.each([
    [400, 'no_text'],
    [400, 'invalid_payload'],
    [500, 'missing_text_or_fallback_or_attachments'],
  ])('[INTG-02] %i %s to an empty message means that the webhook works', async (status, text) => {
    at = await bench(slack, slackStub());
    at.running.answerNext({ status, text });
    expect(await slack.test(at.way)).toMatchObject({ isConnected: true });
  });

  it('[INTG-04] blocks that Slack refuses are final, an error of its own is not', async () => {
    at = await bench(slack, slackStub());
    at.running.answerNext({ status: 400, text: 'invalid_blocks' });
    expect((await attempt(slack, at.way, at.request(), null, false)).result.kind).toBe('final');
    at.running.answerNext({ status: 500, text: 'rollup_error' });
    expect((await attempt(slack, at.way, at.request(), null, false)).result.kind).toBe('retry');
  });

  it('[INTG-02] cuts long values between characters and escapes', async () => {
    at = await bench(slack, slackStub());
    const fields = { full_name: '😀'.repeat(200), company_name: '&'.repeat(3000) };
    const { result } = await attempt(slack, at.way, at.request({ fields }), null, false);
    expect(result.kind).toBe('delivered');
    expect(at.running.requests[0]!.text).not.toMatch(/\\ud[89ab]/i);
    expect(at.stub.records()[0]!.fields.company_name).toMatch(/^&+…$/);
  });

  it('[INTG-02] no word of a lead becomes a mention or a link', async () => {
    at = await bench(slack, slackStub());
    await attempt(slack, at.way, at.request({ fields: { full_name: '@channel' } }), null, false);
    const { blocks } = at.running.requests[0]!.json as { blocks: { fields?: object[] }[] };
    for (const field of blocks.flatMap(({ fields = [] }) => fields))
      expect(field).toMatchObject({ verbatim: true });
  });

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
