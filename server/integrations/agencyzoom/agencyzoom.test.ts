import { afterEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import { AT, integrationSuite } from '../suite.ts';
import { agencyzoom } from './index.ts';
import { type AgencyzoomStub, agencyzoomStub } from './stub.ts';

integrationSuite(agencyzoom, {
  stub: agencyzoomStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '4' }, json: {} }, afterMs: 4_000 },
  badField: { key: 'email', value: 'not an address' },
});

describe('AgencyZoom: its own rules', () => {
  let at: Bench<AgencyzoomStub>;
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

  it.each(['token', 'accessToken', 'jwt'])('[INTG-02] finds the token under %s', async (tokenKey) => {
    at = await bench(agencyzoom, agencyzoomStub({ tokenKey }));
    expect(await agencyzoom.test(at.way)).toMatchObject({ isConnected: true });
  });

  it('[INTG-02] uses a token for at most 50 minutes', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    await agencyzoom.test({ ...at.way, now: () => new Date(AT.getTime()) });
    await agencyzoom.test({ ...at.way, now: () => new Date(AT.getTime() + 49 * 60_000) });
    expect(signIns()).toBe(1);
    await agencyzoom.test({ ...at.way, now: () => new Date(AT.getTime() + 51 * 60_000) });
    expect(signIns()).toBe(2);
  });

  it('[INTG-02] two calls at once outlive the end of their token', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    await agencyzoom.test(at.way);
    at.stub.expire();
    const both = await Promise.all([agencyzoom.test(at.way), agencyzoom.test(at.way)]);
    expect(both).toMatchObject([{ isConnected: true }, { isConnected: true }]);
  });

  it('[INTG-04] a sign-in without a token is tried again, a wrong password is not', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    at.running.answerNext({ status: 200, json: {} });
    expect((await send()).result).toMatchObject({ kind: 'retry', why: 'AgencyZoom returned no token.' });
    at.running.answerNext({ status: 422, json: { error: 'Incorrect username or password.' } });
    expect((await send()).result).toMatchObject({ kind: 'broken', status: 422 });
  });

  it('[INTG-04] finds a lead on a later page', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    at.stub.fill(250);
    const { remoteId } = await send();
    expect(await agencyzoom.find!(at.way, at.request())).toBe(remoteId);
    await send();
    expect(at.stub.records()).toHaveLength(1);
  });

  it('[INTG-04] waits a minute when it is not told how long', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    at.running.answerNext({ status: 429, json: { error: 'Too many requests' } });
    expect((await send()).result).toMatchObject({ kind: 'retry', afterMs: 60_000 });
  });

  it('[INTG-02] leaves the notes of a lead as people wrote them', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    await send();
    await send({ fields: { ...at.request().fields, notes: 'https://shop.example/other' } });
    expect(at.stub.records()).toMatchObject([{ fields: { notes: 'https://shop.example/pricing' } }]);
  });

  it('[INTG-04] passes on what is wrong with each field', async () => {
    at = await bench(agencyzoom, agencyzoomStub());
    const { result } = await send({ fields: { ...at.request().fields, email: 'no' } });
    expect(result).toMatchObject({ kind: 'final', why: expect.stringContaining('email: is invalid') });
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
