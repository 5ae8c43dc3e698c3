import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import zap from '../../../../zapier/index.js';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let acme: Company;
let owner: { id: string };
let campaign: MadeCampaign;
let other: MadeCampaign;
let key: string;
/** Zapier's side: what its hook got, and what it answers. */
let hooks: Server;
let hookUrl: string;
let answer = 200;
const received: Record<string, unknown>[] = [];

type Bundle = Parameters<typeof zap.triggers.new_lead.operation.performSubscribe>[1];
type Z = Parameters<typeof zap.triggers.new_lead.operation.performSubscribe>[0];
type Ask = Parameters<Z['request']>[0];

/** Runs a part of the app as Zapier does: JSON bodies, its middleware, and an error for every status of 400 and more. */
function zapier(more: Partial<Bundle> = {}): { z: Z; bundle: Bundle } {
  const bundle: Bundle = {
    authData: { address: `https://${HOST}/`, key },
    inputData: { campaign_id: campaign.id },
    ...more,
  };
  let cursor: string | null = null;
  const z: Z = {
    async request(given: Ask) {
      const ask = zap.beforeRequest.reduce<Ask>((one, before) => before(one, z, bundle), given);
      const url = new URL(ask.url.replace('{{bundle.authData.address}}', `https://${HOST}`));
      for (const [name, value] of Object.entries(ask.params ?? {})) url.searchParams.set(name, value);
      expect(url.origin).toBe(`https://${HOST}`);
      const { status, body } = await app.call((ask.method ?? 'GET') as 'POST', url.pathname + url.search, {
        host: HOST,
        headers: ask.headers ?? {},
        ...(ask.body === undefined ? {} : { body: ask.body }),
      });
      if (status >= 400 && !ask.skipThrowForStatus) throw new Error(`${status} ${JSON.stringify(body)}`);
      return { status, data: body };
    },
    cursor: {
      get: async () => cursor,
      set: async (next) => {
        cursor = next;
      },
    },
  };
  return { z, bundle };
}
const { new_lead, campaign: list } = zap.triggers;

/** A person whom the campaign finds, and the deliveries of the lead. */
async function findSomeone(): Promise<string> {
  const person = app.make.person();
  await app.make.people(root, [person]);
  await app.make.visit(campaign, { email: person.email! });
  await app.features.leads.resolver.resolveAll();
  const jobs = await app.admin.query(`delete from pgboss.job where name = 'delivery.send' returning data`);
  for (const { data } of jobs.rows) await app.features.delivery.attempt(data);
  app.clock.advance(1000);
  return person.email!;
}

beforeAll(async () => {
  hooks = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      received.push(JSON.parse(text) as Record<string, unknown>);
      reply.writeHead(answer).end('{}');
    });
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  const host = `hooks.localhost:${(hooks.address() as AddressInfo).port}`;
  hookUrl = `http://${host}/hooks/standard/1/2/`;
  app = await testApp({ outboundExceptions: [host] });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  owner = await app.make.user(acme, { password: PASSWORD });
  await app.make.developer(acme, owner.id);
  const scopes = ['campaigns.read', 'leads.read', 'webhooks.write'] as const;
  key = (await app.make.apiKey(acme, owner.id, { scopes: [...scopes] })).secret;
  const client = await app.make.client(acme);
  campaign = await app.make.campaign(client, { name: 'Spring', price: 1_000_000n, balance: 90_000_000n });
  const theirs = await app.make.client(await app.make.agency(root, { host: 'other.test' }));
  other = await app.make.campaign(theirs, { name: 'Theirs' });
});
afterAll(async () => {
  hooks?.close();
  await app?.close();
});

describe('[INTG-02] the Zapier app', () => {
  test('connects with a key, and says whose it is', async () => {
    const { z } = zapier();
    const { data } = await z.request(zap.authentication.test);
    const label = zap.authentication.connectionLabel
      .replace('{{company.name}}', data.company.name)
      .replace('{{mode}}', data.mode);
    expect(label).toBe('Acme (live)');
    key = `${key}x`;
    await expect(zapier().z.request(zap.authentication.test)).rejects.toThrow('401');
    key = key.slice(0, -1);
  });

  test('offers the campaigns, page by page, and samples before and after there are leads', async () => {
    const { z, bundle } = zapier();
    expect(await list.operation.perform(z, { ...bundle, meta: { page: 0 } })).toMatchObject([
      { id: campaign.id, name: 'Spring' },
    ]);
    expect(await list.operation.perform(z, { ...bundle, meta: { page: 1 } })).toEqual([]);
    const made = await new_lead.operation.performList(z, bundle);
    expect(made).toMatchObject([{ id: expect.any(String), is_test: 'true' }]);
    const email = await findSomeone();
    expect(await new_lead.operation.performList(z, bundle)).toMatchObject([
      { id: expect.any(String), email, is_test: 'false' },
    ]);
    await expect(
      new_lead.operation.performList(z, { ...bundle, inputData: { campaign_id: other.id } }),
    ).rejects.toThrow('404');
  });

  test('starts a Zap for each lead until it is turned off', async () => {
    const { z, bundle } = zapier({ targetUrl: hookUrl });
    const subscribed = await new_lead.operation.performSubscribe(z, bundle);
    expect(subscribed).toMatchObject({ campaign_id: campaign.id, url: hookUrl, format: 'flat' });
    const email = await findSomeone();
    expect(received).toHaveLength(1);
    const [record] = new_lead.operation.perform(z, { ...bundle, cleanedRequest: received[0]! });
    expect(record).toMatchObject({ id: received[0]!.lead_id, email, campaign_name: 'Spring' });
    // What is set up with samples works with leads.
    const [sample] = await new_lead.operation.performList(z, bundle);
    expect(Object.keys(record!).sort()).toEqual(Object.keys(sample).sort());
    for (const { key: field } of new_lead.operation.outputFields) expect(sample).toHaveProperty(field);

    const off = { ...bundle, subscribeData: { id: subscribed.id } };
    expect(await new_lead.operation.performUnsubscribe(z, off)).toMatchObject({ status: 'removed' });
    expect(await new_lead.operation.performUnsubscribe(z, off)).toMatchObject({ status: 404 });
    await findSomeone();
    expect(received).toHaveLength(1);
  });

  test('a hook that is gone is disabled, and says so', async () => {
    const { z, bundle } = zapier({ targetUrl: hookUrl });
    const { id } = await new_lead.operation.performSubscribe(z, bundle);
    answer = 410;
    await findSomeone();
    answer = 200;
    await findSomeone();
    expect(received).toHaveLength(2);
    const { rows } = await app.admin.query('select state, state_reason from integration where id = $1', [id]);
    expect(rows).toEqual([{ state: 'disabled', state_reason: 'gone' }]);
  });

  test('needs a key that may read leads, its own campaigns, and an address that can be reached', async () => {
    const subscribe = (more: Partial<Bundle>) => {
      const { z, bundle } = zapier({ targetUrl: hookUrl, ...more });
      return new_lead.operation.performSubscribe(z, bundle);
    };
    await expect(subscribe({ inputData: { campaign_id: other.id } })).rejects.toThrow('404');
    await expect(subscribe({ targetUrl: 'http://127.0.0.1/x' })).rejects.toThrow(/422.*body\.url/);
    const whole = key;
    key = (await app.make.apiKey(acme, owner.id, { scopes: ['webhooks.write'] })).secret;
    await expect(subscribe({})).rejects.toThrow(/403.*leads\.read/);
    key = whole;
  });
});
