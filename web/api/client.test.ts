import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it } from 'vitest';
import { messages } from '../../contract/messages.ts';
import { callTable } from '../build/routes.ts';
import { ApiError } from './errors.ts';
import { sealerOf } from './seal.ts';
import { type EndReason, Session } from './session.ts';
import { clientOf, type Sealer, Transport } from './transport.ts';
import { Wire } from './wire.ts';

interface Sent {
  method: string;
  url: string;
  token: string | null;
  body: unknown;
}

const table = callTable();
const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
const unauthenticated = () =>
  json(401, { result: 'failed', message: messages.unauthenticated, errors: {}, requestId: 'r1' });
const id = '019a0000-0000-7000-8000-000000000001';

/** A client with an in-memory server: `answer` decides the response to each request. */
function setUp(
  answer: (sent: Sent, count: number) => Response | Promise<Response>,
  more: { sealer?: Sealer; signedIn?: boolean } = {},
) {
  const sent: Sent[] = [];
  const kept = new Map<string, string>([['theme', 'dark-theme']]);
  if (more.signedIn !== false)
    for (const key of ['session', 'user', 'original_user', 'role', 'client_ip']) kept.set(key, '1');
  const ends: EndReason[] = [];
  const session = new Session({
    store: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    renew: async () => (await client.auth.refresh({})).access_token,
  });
  session.onEnd((reason) => ends.push(reason));
  const transport = new Transport({
    base: '/api',
    routes: table.routes,
    wire: new Wire(table),
    session,
    ...(more.sealer ? { sealer: more.sealer } : {}),
    fetch: async (url, init) => {
      const request: Sent = {
        method: init?.method ?? 'GET',
        url: String(url),
        token: new Headers(init?.headers).get('Authorization'),
        body: init?.body ? JSON.parse(String(init.body)) : undefined,
      };
      sent.push(request);
      return answer(request, sent.length);
    },
  });
  const client = clientOf(transport);
  return { client, session, sent, kept, ends, transport };
}

const tokens = (name: string) => json(200, { access_token: name, refresh_token: 'x', expires_in: 900 });
const isRefresh = (sent: Sent) => sent.url === '/api/auth/refresh-token';

describe('a call', () => {
  it('fills the path, sends the rest of a GET as query and leaves out what is unset', async () => {
    const { client, session, sent } = setUp(() => json(200, { data: [] }));
    session.start('t1');
    await client.delivery.log({ id, page: 2, per_page: 10, state: 'failed', search: undefined });
    expect(sent).toEqual([
      {
        method: 'GET',
        url: `/api/integrations/custom/${id}/deliveries?Page=2&PerPage=10&state=failed`,
        token: 'Bearer t1',
        body: undefined,
      },
    ]);
  });

  it('[WIRE-03] is rejected, naming it, before sending when an id of the path is missing', async () => {
    const { client, session, sent } = setUp(() => json(200, {}));
    session.start('t1');
    await expect(client.campaigns.get({ campaign_id: '' })).rejects.toThrow(
      'campaigns.get: leadspeekID is missing.',
    );
    await expect(client.leads.get({} as never)).rejects.toThrow('id is missing');
    await expect(client.delivery.remove({ id: undefined as never })).rejects.toThrow('id is missing');
    expect(sent).toEqual([]);
  });

  it('turns a failure into an ApiError with its fields and request id', async () => {
    const { client, session } = setUp(() =>
      json(422, {
        result: 'failed',
        message: 'url: is required',
        errors: { url: ['is required'] },
        requestId: 'r7',
      }),
    );
    session.start('t1');
    const failure = await client.delivery
      .create({ campaign_id: id, url: 'https://a.example' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'ApiError',
      status: 422,
      message: 'url: is required',
      errors: { url: ['is required'] },
      requestId: 'r7',
    });
  });

  it('[WIRE-04] sends and gets the names of the wire, and shows those inside, in refusals as well', async () => {
    const { client, session, sent } = setUp(({ method }) =>
      method === 'PUT'
        ? json(422, {
            result: 'failed',
            message: 'comsetval: is too long',
            errors: { comsetval: ['is too long'], 'comsetval.embeddedcode': ['is too long'] },
            requestId: 'r1',
          })
        : json(200, {
            company_id: id,
            settingname: 'rootAgencyEmbeddedCode',
            version: 1,
            data: { placeEmbedded: 'head', embeddedcode: '' },
          }),
    );
    session.start('t1');
    expect(await client.settings.get({ company_id: id, setting: 'embed_code' })).toEqual({
      company_id: id,
      setting: 'embed_code',
      version: 1,
      data: { place: 'head', code: '' },
    });
    const refused = client.settings.save({
      company_id: id,
      setting: 'embed_code',
      value: { place: 'head', code: 'x' },
    });
    await expect(refused).rejects.toMatchObject({
      message: 'value: is too long',
      errors: { value: ['is too long'], 'value.code': ['is too long'] },
    });
    expect(sent).toMatchObject([
      { url: `/api/configuration/setting/${id}/rootAgencyEmbeddedCode` },
      {
        body: {
          companyID: id,
          comsetname: 'rootAgencyEmbeddedCode',
          comsetval: { placeEmbedded: 'head', embeddedcode: 'x' },
        },
      },
    ]);
  });

  it('has words for a proxy page and for no answer at all', async () => {
    const { client, session } = setUp((sent) => {
      if (sent.url.includes('list')) throw new TypeError('fetch failed');
      return new Response('<html>Bad gateway</html>', { status: 502 });
    });
    session.start('t1');
    await expect(client.people.totals()).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('cannot be reached'),
    });
    await expect(client.campaigns.list({} as never)).rejects.toMatchObject({ status: 0 });
  });
});

describe('the session', () => {
  it('[AUTH-03] renews once for many failures at once and sends each of them once more', async () => {
    let refreshes = 0;
    const { client, session, sent } = setUp(async (request) => {
      if (isRefresh(request)) {
        refreshes++;
        await new Promise((done) => setTimeout(done, 5));
        return tokens('new');
      }
      return request.token === 'Bearer new' ? json(200, { url: request.url }) : unauthenticated();
    });
    session.start('old');
    const answers = await Promise.all([
      client.people.totals(),
      client.setup.user(),
      client.analytics.dashboard({}),
    ]);
    expect(answers).toHaveLength(3);
    expect(refreshes).toBe(1);
    expect(sent.filter((one) => one.token === 'Bearer old')).toHaveLength(3);
    expect(sent.filter((one) => one.token === 'Bearer new')).toHaveLength(3);
  });

  it("[AUTH-03] takes 'Unauthenticated.' for a 401 whatever the status, and a late failure takes the new token without a second renewal", async () => {
    const { client, session, sent } = setUp((request) => {
      if (isRefresh(request)) return tokens('new');
      return request.token === 'Bearer new'
        ? json(200, {})
        : json(403, { result: 'failed', message: messages.unauthenticated, errors: {}, requestId: 'r' });
    });
    session.start('old');
    await client.people.totals();
    expect(await session.fresh('old')).toBe('new');
    expect(sent.filter(isRefresh)).toHaveLength(1);
  });

  it('[AUTH-03] retries only once: a second 401 is the answer', async () => {
    const { client, session, sent, ends } = setUp((request) =>
      isRefresh(request) ? tokens('new') : unauthenticated(),
    );
    session.start('old');
    await expect(client.people.totals()).rejects.toMatchObject({ status: 401 });
    expect(sent).toHaveLength(3);
    expect(ends).toEqual([]);
  });

  it('[AUTH-04] a refused renewal ends the session once and clears its storage; the theme stays', async () => {
    const { client, session, ends, kept } = setUp(() => unauthenticated());
    session.start('old');
    const results = await Promise.allSettled([client.people.totals(), client.setup.user()]);
    expect(results.map((one) => one.status)).toEqual(['rejected', 'rejected']);
    expect(ends).toEqual(['ended']);
    expect([...kept.keys()]).toEqual(['theme']);
    expect(session.alive).toBe(false);
  });

  it('[AUTH-04] without a session it ends without asking the server for a renewal', async () => {
    const { client, sent, ends } = setUp(() => json(200, {}), { signedIn: false });
    await expect(client.people.totals()).rejects.toMatchObject({
      status: 401,
      message: 'Unauthenticated.',
    });
    expect(sent).toEqual([]);
    expect(ends).toEqual(['ended']);
  });

  it('a renewal that gets no answer or a 503 does not end the session', async () => {
    const { client, session, ends } = setUp((request) => {
      if (!isRefresh(request)) return unauthenticated();
      return json(503, { result: 'failed', message: 'away', errors: {}, requestId: 'r' });
    });
    session.start('old');
    await expect(client.people.totals()).rejects.toMatchObject({ status: 503 });
    expect(ends).toEqual([]);
    expect(session.alive).toBe(true);
  });

  it('a page load asks for a token first', async () => {
    const { client, sent } = setUp((request) => (isRefresh(request) ? tokens('first') : json(200, {})));
    await client.setup.user();
    expect(sent.map((one) => [one.url, one.token])).toEqual([
      ['/api/auth/refresh-token', null],
      ['/api/user', 'Bearer first'],
    ]);
  });

  it('a wrong password is an answer, not an ended session', async () => {
    const { client, sent, ends } = setUp(
      () => json(401, { result: 'failed', message: 'not right', errors: {}, requestId: 'r' }),
      { signedIn: false },
    );
    await expect(client.auth.login({ username: 'a@b.co', password: 'x' })).rejects.toThrow('not right');
    expect(sent).toHaveLength(1);
    expect(ends).toEqual([]);
  });

  it('[AUTH-12] forgetting clears everything and tells no one, for the login of someone else follows', async () => {
    const { client, session, sent, kept, ends } = setUp(() => json(200, {}));
    session.start('theirs');
    session.forget();
    expect([...kept.keys()]).toEqual(['theme']);
    expect([session.alive, session.token, ends]).toEqual([false, undefined, []]);
    session.start('mine');
    await client.people.totals();
    expect(sent.map((one) => one.token)).toEqual(['Bearer mine']);
  });

  it('[AUTH-05] leaving clears tokens, user, original user, role and client address even if the call fails', async () => {
    const { client, session, ends, kept, sent } = setUp((request) =>
      isRefresh(request) ? unauthenticated() : json(500, { message: 'broken', errors: {} }),
    );
    session.start('t1');
    await session.leave(() => client.auth.logout({}));
    expect(sent.map((one) => one.url)).toEqual(['/api/logout']);
    expect([...kept.keys()]).toEqual(['theme']);
    expect(session.token).toBeUndefined();
    expect(ends).toEqual(['logout']);
  });

  it('[AUTH-05] leaving with a token that has ended is no alert', async () => {
    const { client, session, ends } = setUp(() => unauthenticated());
    session.start('old');
    await session.leave(() => client.auth.logout({}));
    expect(ends).toEqual(['logout']);
  });

  it('[AUTH-05] ends in storage and memory, and a renewal that comes back later does not revive it', async () => {
    let release: (response: Response) => void = () => {};
    const { client, session, ends, kept } = setUp((request) =>
      isRefresh(request)
        ? new Promise<Response>((resolve) => {
            release = resolve;
          })
        : unauthenticated(),
    );
    session.start('old');
    const call = client.people.totals();
    call.catch(() => undefined);
    await new Promise((done) => setTimeout(done, 5));
    session.end('logout');
    release(tokens('late'));
    await expect(call).rejects.toMatchObject({ status: 401 });
    expect(session.token).toBeUndefined();
    expect([...kept.keys()]).toEqual(['theme']);
    expect(ends).toEqual(['logout']);
  });
});

describe('sealed bodies', () => {
  it('[WIRE-02] travel as dt, readable with the key of GET /keys alone; keys are fetched once', async () => {
    const pair = await generateKeyPair('ECDH-ES', { extractable: true });
    const jwk = { ...(await exportJWK(pair.publicKey)), use: 'enc', kid: 'k1' };
    let fetched = 0;
    const sealer = sealerOf(async () => {
      fetched++;
      return { keys: [{ kty: 'OKP', use: 'sig' }, jwk] };
    });
    const { client, session, sent } = setUp(() => json(200, {}), { sealer });
    session.start('t1');
    await client.campaigns.activePause({ campaign_id: id, status: 'paused' });
    await client.delivery.update({ id, state: 'disabled' });
    await client.delivery.remove({ id });
    expect(fetched).toBe(1);
    expect(Object.keys(sent[0]?.body as object)).toEqual(['dt']);
    const opened = await compactDecrypt((sent[0]!.body as { dt: string }).dt, pair.privateKey);
    expect(JSON.parse(new TextDecoder().decode(opened.plaintext))).toEqual({
      leadspeekID: id,
      status: 'paused',
    });
    expect(opened.protectedHeader).toEqual({
      alg: 'ECDH-ES',
      enc: 'A256GCM',
      kid: 'k1',
      epk: expect.anything(),
    });
    const second = await compactDecrypt((sent[1]!.body as { dt: string }).dt, pair.privateKey);
    expect(JSON.parse(new TextDecoder().decode(second.plaintext))).toEqual({ state: 'disabled' });
    expect(sent[2]).toMatchObject({ method: 'DELETE', body: undefined });
  });

  it('[WIRE-02] a key that the server no longer holds is fetched again and the call sent once more', async () => {
    let round = 0;
    const sealer: Sealer = {
      seal: async (body) => ({ dt: `${round}:${JSON.stringify(body)}` }),
      forget: () => void round++,
    };
    const { client, session, sent } = setUp(
      (request) =>
        (request.body as { dt: string }).dt.startsWith('0')
          ? json(400, {
              result: 'failed',
              message: 'dt',
              errors: { dt: ['cannot be decrypted'] },
              requestId: 'r',
            })
          : json(200, {}),
      { sealer },
    );
    session.start('t1');
    await client.campaigns.remove({ campaign_id: id });
    expect(sent).toHaveLength(2);
  });

  it('a failure that is not about dt is not sent again', async () => {
    const sealer: Sealer = { seal: async (body) => body, forget: () => undefined };
    const { client, session, sent } = setUp(() => json(400, { message: 'no', errors: {} }), { sealer });
    session.start('t1');
    await expect(client.campaigns.remove({ campaign_id: id })).rejects.toBeInstanceOf(ApiError);
    expect(sent).toHaveLength(1);
  });
});
