import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import { integrationSuite } from '../suite.ts';
import { agencyzoom } from './index.ts';
import { agencyzoomStub } from './stub.ts';

integrationSuite(agencyzoom, {
  stub: agencyzoomStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '4' }, json: {} }, afterMs: 4_000 },
  badField: { key: 'email', value: 'not an address' },
});

describe('AgencyZoom: its own rules', () => {
  let at: Bench<ReturnType<typeof agencyzoomStub>>;
  afterEach(() => at?.stop());
  const send = (more: Parameters<typeof at.request>[0] = {}) =>
    attempt(agencyzoom, at.way, at.request(more), null, false);
  const signIns = () => at.running.requests.filter(({ path }) => path.endsWith('/auth/login')).length;

  it('[INTG-02] signs in once, and again when the token has ended', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    await send();
    await send();
    expect(signIns()).toBe(1);
    at.stub.expire();
    expect((await send()).result.kind).toBe('delivered');
    expect(signIns()).toBe(2);
  });

  it('[INTG-02] looks for a lead before it makes one, and leaves it where it is', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    await send();
    await send();
    expect(at.stub.records()).toHaveLength(1);
    const updated = at.running.requests.find(({ method }) => method === 'PUT');
    expect(updated!.json).not.toHaveProperty('stageId');
  });

  it('[INTG-04] 200 with result false is final', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    const settings = { ...at.stub.settings, assignTo: '' };
    expect((await send({ settings })).result).toMatchObject({
      kind: 'final',
      why: expect.stringContaining('Missing required fields'),
    });
  });

  it('[INTG-02] names stages with their pipeline', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    expect((await agencyzoom.choices!(at.way)).stageId).toContainEqual({
      id: '22',
      name: 'Personal lines / Quoted',
    });
  });
});
