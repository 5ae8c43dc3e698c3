import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Result } from './import.ts';
import { fillLeads } from './leads.ts';
import { median, openStage } from './stage.ts';

const PASSWORD = 'correct horse battery';
const HOST = 'acme.localhost';
const SIZE = { full: 1_000_000, short: 200_000 };
/** Each key may make 100 requests at once: with this many, the limit is checked and never reached. */
const KEYS = 45;
const ROUNDS = 5;
const CONNECTIONS = 8;
const REQUESTS = 400;
const TIMES = 25;
/** How long a disabled key may work, anywhere. */
const ENDS_MS = 5_000;

/** Requests over kept connections; returns status and body. */
function caller(port: number, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return (path: string, token?: string, method = 'GET', body?: unknown) =>
    new Promise<{ status: number; text: string }>((done, fail) => {
      const asked = request(
        {
          ...{ agent, port, host: '127.0.0.1', method, path },
          headers: {
            host: HOST,
            'user-agent': 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36',
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            ...(body ? { 'content-type': 'application/json' } : {}),
          },
        },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (part) => {
            text += part;
          });
          answer.on('end', () => done({ status: answer.statusCode!, text }));
        },
      );
      asked.on('error', fail);
      asked.end(body && JSON.stringify(body));
    });
}

/** The place of a lead in the list, as the API's own cursors name it. */
const cursorAt = (at: Date, id: string): string =>
  Buffer.from(JSON.stringify(['leads desc', at.getTime(), id])).toString('base64url');

/**
 * What reading with an API key costs beside the screens' call and an empty request, what a page costs at any depth of a
 * million leads beside bare SQL, and how soon a key that is disabled ends in another process.
 */
export async function benchApi(options: { full?: boolean } = {}): Promise<Result[]> {
  const size = options.full ? SIZE.full : SIZE.short;
  const stage = await openStage();
  const client = new pg.Client({ connectionString: stage.adminUrl });
  try {
    const root = await stage.make.root({ host: 'localhost', isMaster: true });
    const agency = await stage.make.agency(root, { host: HOST });
    const owner = await stage.make.user(agency, {
      email: 'owner@people.test',
      password: PASSWORD,
      profileDone: true,
    });
    await stage.make.developer(agency, owner.id);
    const campaigns = [];
    for (const share of [60, 40]) {
      const { id, owner: of } = await stage.make.campaign(await stage.make.client(agency));
      campaigns.push({ id, ...of, share });
    }
    const began = performance.now();
    await fillLeads(stage.adminUrl, size / 1.1, campaigns);
    console.log(`api: ${size} leads filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const keys: { id: string; secret: string }[] = [];
    for (let n = 0; n < KEYS; n++)
      keys.push(await stage.make.apiKey(agency, owner.id, { name: `Key ${n}`, scopes: ['leads.read'] }));
    const [one, two] = [
      await stage.start('app', { ROLES: 'web' }),
      await stage.start('app', { ROLES: 'web' }),
    ];
    const call = caller(one.port, CONNECTIONS);
    const login = await call('/api/login', undefined, 'POST', {
      username: 'owner@people.test',
      password: PASSWORD,
    });
    const session = String(JSON.parse(login.text).access_token);
    await client.connect();

    // A page of ten leads, three ways, in turn.
    let next = 0;
    const secret = () => keys[next++ % KEYS]!.secret;
    const kinds = {
      api: () => call('/v1/leads?limit=10', secret()),
      screen: () => call('/api/leadspeek/report/lead?PerPage=10&Page=1', session),
      smallest: () => call('/v1/me', secret()),
      empty: () => call('/healthz'),
    };
    const perSecond = async (kind: keyof typeof kinds): Promise<number> => {
      let left = REQUESTS;
      const start = performance.now();
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          while (left-- > 0) {
            const { status, text } = await kinds[kind]();
            if (status !== 200) throw new Error(`api: ${kind} answered ${status} ${text}`);
          }
        }),
      );
      return REQUESTS / ((performance.now() - start) / 1000);
    };
    const took: Record<keyof typeof kinds, number[]> = {
      api: [],
      screen: [],
      smallest: [],
      empty: [],
    };
    for (let round = 0; round <= ROUNDS; round++)
      for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
        const found = await perSecond(kind);
        // The first round warms up; buckets are refilled at ten a second.
        if (round > 0) took[kind].push(found);
        if (kind === 'empty') await sleep(3_000);
      }
    const [api, screen, empty] = [median(took.api), median(took.screen), median(took.empty)];
    const smallest = median(took.smallest);
    console.log(`api: a page of 10 leads is ${(api / empty).toFixed(3)} of an empty request`);

    // A page of a hundred at any depth.
    const deep: Result[] = [];
    for (const [place, share] of [
      ['first', 0],
      ['middle', 0.5],
      ['last', 0.999],
    ] as const) {
      const skip = Math.floor(size * share);
      const { rows } = await client.query(
        'select created_at, id from lead order by created_at desc, id desc offset $1 limit 1',
        [skip],
      );
      const { created_at, id } = rows[0];
      const path = `/v1/leads?limit=100${skip > 0 ? `&cursor=${cursorAt(created_at, id)}` : ''}`;
      const before = skip > 0 ? 'and (l.created_at, l.id) < ($2, $3)' : '';
      const bare = () =>
        client.query(
          `select l.*, c.module, x.*, d.fields, g.converted_at, l.id,
             (select u.changed_at from lead_change u where u.lead_id = l.id) as changed_at,
             (select array_agg(v.state) from delivery v where v.lead_id = l.id) as delivery
           from lead l join campaign c on c.id = l.campaign_id join lead_contact x on x.lead_id = l.id
           left join lead_data d on d.lead_id = l.id
           left join campaign_conversion g on g.campaign_id = l.campaign_id and g.person_id = l.person_id
           where l.agency_id = $1 ${before} order by l.created_at desc, l.id desc limit 100`,
          skip > 0 ? [agency.id, created_at, id] : [agency.id],
        );
      const ours = async (): Promise<string[]> => {
        const { status, text } = await call(path, secret());
        if (status !== 200) throw new Error(`api: ${path} answered ${status} ${text}`);
        return (JSON.parse(text).data as { id: string }[]).map((row) => row.id);
      };
      const meant = (await bare()).rows.map((row) => row.id as string);
      const found = await ours();
      if (found.join() !== meant.join())
        throw new Error(
          `api: ${place}: other leads than the bare SQL's: ${found.length} of ${meant.length}, ` +
            `of which ${found.filter((one) => meant.includes(one)).length} are the same`,
        );
      const times = { ours: [] as number[], bare: [] as number[] };
      for (let time = 0; time < TIMES; time++)
        for (const [side, work] of [
          ['bare', bare],
          ['ours', ours],
        ] as const) {
          const start = performance.now();
          await work();
          times[side].push(performance.now() - start);
        }
      const [limit, mine] = [1000 / median(times.bare), 1000 / median(times.ours)];
      console.log(
        `api: ${place} page: ${median(times.ours).toFixed(1)} ms, bare SQL ${median(times.bare).toFixed(1)} ms`,
      );
      deep.push({
        name: `pages of 100 leads by cursor (${place})`,
        limit,
        ours: mine,
        ratio: mine / limit,
        target: 0.5,
      });
    }

    // A key that is disabled in one process while it is used in both.
    const key = keys[0]!;
    const other = caller(two.port, 1);
    let isDisabled = false;
    const refusedAt = [one, two].map(async (_, at) => {
      const ask = at === 0 ? call : other;
      for (;;) {
        const { status } = await ask('/v1/me', key.secret);
        if (status === 401 && isDisabled) return performance.now();
        if (status !== 200 && status !== 429 && status !== 401)
          throw new Error(`api: /v1/me answered ${status}`);
        await sleep(50);
      }
    });
    await sleep(500);
    isDisabled = true;
    const start = performance.now();
    const { status, text } = await call(`/api/developer/keys/${key.id}`, session, 'PUT', { disabled: 'T' });
    if (status !== 200) throw new Error(`api: the key was not disabled: ${status} ${text}`);
    const ended = Math.max(...(await Promise.all(refusedAt))) - start;
    console.log(`api: a disabled key is refused in both processes after ${ended.toFixed(0)} ms`);
    if (ended > ENDS_MS) throw new Error(`api: a disabled key worked for ${ended.toFixed(0)} ms`);

    return [
      {
        name: 'reads per second, of those of the screens',
        limit: screen,
        ours: api,
        ratio: api / screen,
        target: 0.4,
      },
      {
        name: 'reads of the key per second, of empty requests',
        limit: empty,
        ours: smallest,
        ratio: smallest / empty,
        target: 0.15,
      },
      deep.toSorted((a, b) => a.ratio - b.ratio)[0]!,
    ];
  } finally {
    await client.end();
    await stage.close();
  }
}
