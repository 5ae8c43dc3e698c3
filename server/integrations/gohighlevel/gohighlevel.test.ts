import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import { chosen, type Request } from '../port.ts';
import { integrationSuite } from '../suite.ts';
import { gohighlevel } from './index.ts';
import { type GohighlevelStub, type GohighlevelStubOptions, gohighlevelStub } from './stub.ts';

const LIMIT = {
  'x-ratelimit-remaining': '0',
  'x-ratelimit-interval-milliseconds': '10000',
  'x-ratelimit-daily-remaining': '150000',
};

integrationSuite(gohighlevel, {
  stub: gohighlevelStub,
  tooMany: { answer: { status: 429, headers: LIMIT, json: {} }, afterMs: 10_000 },
  badField: { key: 'email', value: 'not an address' },
});

describe('GoHighLevel: its own rules', () => {
  let at: Bench<GohighlevelStub>;
  const open = async (options: GohighlevelStubOptions = {}) => {
    at = await bench(gohighlevel, gohighlevelStub(options));
    return at;
  };
  afterEach(() => at.stop());
  const send = (more: Partial<Request> = {}, remoteId: string | null = null) =>
    attempt(gohighlevel, at.way, at.request(more), remoteId, false);

  it('[INTG-02] keeps the tags that a contact has, and adds those of the destination', async () => {
    const { stub } = await open();
    const { remoteId } = await send();
    stub.tag(remoteId!, 'customer');
    expect((await send()).result.kind).toBe('delivered');
    expect((await send({}, remoteId)).result.kind).toBe('delivered');
    expect(stub.tags(remoteId!)).toEqual(['website lead', 'customer']);
    for (const { path, json } of at.running.requests)
      if (!path.endsWith('/tags')) expect(json ?? {}).not.toHaveProperty('tags');
  });

  it.each([
    [['email', 'phone'] as const, 'email'],
    [['phone', 'email'] as const, 'phone'],
  ])('[INTG-02] updates the contact that the order %j of the location finds', async (order, first) => {
    const { stub } = await open({ order });
    const email = await send({ fields: { firstName: 'A', email: 'zoe@example.com' } });
    const phone = await send({ fields: { firstName: 'B', phone: '+12025550123' } });
    const both = await send({ fields: { firstName: 'C', email: 'zoe@example.com', phone: '+12025550123' } });
    expect(both.remoteId).toBe((first === 'email' ? email : phone).remoteId);
    expect(stub.records()).toHaveLength(2);
  });

  it('[INTG-02] adds one opportunity, on the first delivery only', async () => {
    const { stub } = await open({ allowsDuplicateOpportunities: true });
    const { remoteId } = await send();
    await send({}, remoteId);
    await send();
    expect(stub.opportunities()).toEqual([
      {
        contactId: remoteId,
        pipelineId: stub.settings.pipeline,
        pipelineStageId: stub.settings.stage,
        name: 'Zoë O\'Hara <b>&"',
      },
    ]);
  });

  it('[INTG-04] a lost response to the opportunity leads to exactly one', async () => {
    const { stub, running } = await open({ allowsDuplicateOpportunities: true });
    await send({ settings: {} });
    running.loseNextAnswer();
    const settings = { pipeline: stub.settings.pipeline! };
    expect((await send({ settings })).result.kind).toBe('unknown');
    expect((await send({ settings })).result.kind).toBe('delivered');
    expect(stub.opportunities()).toHaveLength(1);
  });

  it('[INTG-02] takes an opportunity that exists for the one that was asked for', async () => {
    const { running, stub } = await open();
    await send();
    // The search lags behind there, so the contact seems to have none.
    const handle = stub.handle.bind(stub);
    stub.handle = (request) =>
      request.path === '/opportunities/search'
        ? { status: 200, json: { opportunities: [] } }
        : handle(request);
    expect((await send()).result.kind).toBe('delivered');
    expect(running.requests.at(-1)).toMatchObject({ method: 'POST', path: '/opportunities/' });
    expect(stub.opportunities()).toHaveLength(1);
  });

  it('[INTG-04] names the setting to change when the stage is not of the pipeline', async () => {
    const { stub } = await open();
    const { result } = await send({ settings: { ...stub.settings, stage: 'gone' } });
    expect(result).toMatchObject({ kind: 'final', fix: expect.stringContaining('stage of that pipeline') });
  });

  it('[INTG-02] sends own fields by their IDs, and offers no fields for files', async () => {
    const { stub, way } = await open();
    const { fields = [] } = await gohighlevel.choices!(way);
    expect(fields).toEqual([{ id: '3sv6UEo51C9Bmpo1cKTq', name: 'Lead score' }]);
    await send({ fields: { email: 'zoe@example.com', [fields[0]!.id]: '87' } });
    expect(stub.records()[0]!.fields[fields[0]!.id]).toBe('87');
  });

  it('[INTG-02] offers tags and fields to a token without the scopes for opportunities', async () => {
    const { way } = await open({ lacking: ['opportunities.readonly'] });
    const choices = await gohighlevel.choices!(way);
    expect(choices).toMatchObject({ pipeline: [], stage: [], tags: [{ id: 'website lead' }, { id: 'hot' }] });
  });

  it('[INTG-04] a missing scope breaks the connection and says what to do', async () => {
    await open({ lacking: ['contacts.write'] });
    expect((await send()).result).toMatchObject({
      kind: 'broken',
      why: expect.stringContaining('give it the scopes'),
    });
  });

  it('[INTG-04] a token of another location breaks the connection and says so', async () => {
    const { way } = await open();
    const other = { ...way, credentials: { ...way.credentials, location: 'another' } };
    expect(await gohighlevel.test(other)).toMatchObject({ why: expect.stringContaining('same sub-account') });
    const { result } = await attempt(gohighlevel, other, at.request(), null, false);
    expect(result).toMatchObject({ kind: 'broken', status: 403 });
  });

  it('[INTG-04] holds the connection when nothing more fits into the limit', async () => {
    const { stub } = await open({ remaining: 3 });
    const { result } = await send();
    expect(result).toMatchObject({ kind: 'delivered', afterMs: 10_000 });
    expect(stub.opportunities()).toHaveLength(1);
    expect((await send()).result).toMatchObject({ kind: 'retry', afterMs: 10_000 });
  });

  it('[INTG-04] waits an hour when the day is spent', async () => {
    const { running } = await open();
    const headers = { ...LIMIT, 'x-ratelimit-daily-remaining': '0' };
    running.answerNext({ status: 429, headers, json: {} });
    expect((await send()).result).toMatchObject({ kind: 'retry', afterMs: 3_600_000 });
  });

  it('[INTG-04] passes on every value that is refused', async () => {
    await open();
    const { result } = await send({ fields: { email: 'no', nonsense: '1' } });
    expect(result).toMatchObject({
      kind: 'final',
      why: expect.stringMatching(/nonsense does not exist, email must be an email/),
    });
  });

  it('[INTG-04] an update that would make a duplicate says to merge', async () => {
    await open();
    const { remoteId } = await send({ fields: { email: 'a@example.com' } });
    await send({ fields: { email: 'b@example.com' } });
    const { result } = await send({ fields: { email: 'b@example.com' } }, remoteId);
    expect(result).toMatchObject({ kind: 'final', fix: expect.stringContaining('Merge') });
  });

  it('[INTG-02] sends nothing without an email address and a phone number', async () => {
    await open();
    expect((await send({ fields: { firstName: 'Zoë' } })).result.kind).toBe('final');
    expect(at.running.requests).toEqual([]);
  });

  it('[INTG-02] reads a setting of several choices, and nothing else', () => {
    expect(chosen('["a","b"]')).toEqual(['a', 'b']);
    for (const odd of [undefined, '', 'a', '{}', '[1,"",null]', 'null']) expect(chosen(odd)).toEqual([]);
  });
});
