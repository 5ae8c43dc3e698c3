import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import { baseOf, type Request } from '../port.ts';
import { stubRequest } from '../stub.ts';
import { integrationSuite } from '../suite.ts';
import { clickfunnels } from './index.ts';
import { type ClickfunnelsStub, clickfunnelsStub } from './stub.ts';

integrationSuite(clickfunnels, {
  stub: clickfunnelsStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '30' }, json: {} }, afterMs: 30_000 },
  badField: { key: 'email_address', value: 'not an address' },
});

describe('ClickFunnels: its own rules', () => {
  let at: Bench<ClickfunnelsStub>;
  beforeEach(async () => {
    at = await bench(clickfunnels, clickfunnelsStub());
  });
  afterEach(() => at.stop());
  const send = (more: Partial<Request> = {}, remoteId: string | null = null) =>
    attempt(clickfunnels, at.way, at.request(more), remoteId, false);

  it('[INTG-02] makes the address of the subdomain, and of nothing else', () => {
    expect(baseOf(clickfunnels, { subdomain: ' MyTeam ' })).toBe('https://myteam.myclickfunnels.com/api/v2');
    for (const subdomain of ['', 'a.b', 'a/b', 'evil.com#', 'a@b'])
      expect(baseOf(clickfunnels, { subdomain })).toBeUndefined();
  });

  it('[INTG-02] always says who is asking', async () => {
    await send();
    expect(at.running.requests.every(({ headers }) => headers['user-agent'])).toBe(true);
    const bare = stubRequest(
      'GET',
      '/workspaces/42000',
      { authorization: 'Bearer stub-token-AVJrj0ZMJ' },
      '',
    );
    expect(at.stub.handle(bare).status).toBe(403);
  });

  it('[INTG-02] keeps the tags that a contact has, and applies those that are missing', async () => {
    const { remoteId } = await send({ settings: {} });
    at.stub.tag(remoteId!, 7);
    at.stub.tag(remoteId!, 3);
    expect((await send()).result.kind).toBe('delivered');
    expect((await send({}, remoteId)).result.kind).toBe('delivered');
    expect(at.stub.tags(remoteId!)).toEqual([7, 3, 25]);
    for (const { json } of at.running.requests) expect(JSON.stringify(json ?? '')).not.toContain('tag_ids');
  });

  it('[INTG-04] a lost response to a tag applies it once', async () => {
    await send({ settings: {} });
    at.running.loseNextAnswer();
    expect((await send()).result.kind).toBe('unknown');
    const { result, remoteId } = await send();
    expect(result.kind).toBe('delivered');
    expect(at.stub.tags(remoteId!)).toEqual([3, 25]);
  });

  it('[INTG-04] names the setting to change when a tag was deleted there', async () => {
    const { result } = await send({ settings: { tags: '["999"]' } });
    expect(result).toMatchObject({ kind: 'final', fix: expect.stringContaining('tags again') });
  });

  it('[INTG-02] offers the tags of all pages, and the custom attributes of contacts', async () => {
    const { tags = [], fields } = await clickfunnels.choices!(at.way);
    expect(tags).toHaveLength(25);
    expect(tags.at(-1)).toEqual({ id: '25', name: 'Tag 25' });
    expect(fields).toEqual([{ id: 'favorite_food', name: 'favorite_food' }]);
  });

  it('[INTG-02] stops at the five hundredth tag of a list that never ends', async () => {
    const page = { status: 200, headers: { 'pagination-next': '1' }, json: [{ id: 1, name: 'Tag' }] };
    at.running.answerNext(page, 25);
    expect((await clickfunnels.choices!(at.way)).tags).toHaveLength(25);
    expect(at.running.requests).toHaveLength(26);
  });

  it('[INTG-02] puts what is no property of contacts into custom attributes', async () => {
    await send({ fields: { email_address: 'zoe@example.com', favorite_food: 'Pie' } });
    expect(at.running.requests[0]!.json).toEqual({
      contact: { email_address: 'zoe@example.com', custom_attributes: { favorite_food: 'Pie' } },
    });
  });

  it('[INTG-02] says when the workspace is not the one of the token', async () => {
    const other = { ...at.way, credentials: { ...at.way.credentials, workspace: '1' } };
    expect(await clickfunnels.test(other)).toMatchObject({ why: expect.stringContaining('workspace') });
  });
});
