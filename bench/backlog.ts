import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../server/platform/clock.ts';
import { Ctx } from '../server/platform/ctx.ts';
import { type MadePerson, sha256 } from '../server/test/factories.ts';
import type { Result } from './import.ts';
import { fire } from './load.ts';
import { openStage, type Stage } from './stage.ts';
import { anyAddress, ORIGIN, SITE, visitBody } from './visits.ts';

const PEOPLE = 100_000;
const CAMPAIGNS = 4;
const KNOWN = 0.2;
const PENDING = 'select count(*) from visit where resolved_at is null';

/**
 * Ingests visits at full speed, 20 % of them from people the graph knows, first with a worker running alongside, then
 * alone, and then lets the worker clear the remaining backlog: match, accept, post, enqueue. Our rate is the backlog
 * rate; the limit is the one from the ingest benchmark. Fails when leads, debits and deliveries are not one for one.
 */
export async function benchBacklog(options: { seconds?: number } = {}): Promise<Result> {
  const { seconds = 10 } = options;
  let received = 0;
  const sink = createServer((request, response) => {
    request.resume().on('end', () => {
      received++;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => sink.listen(0, '127.0.0.1', done));
  const { port: sinkPort } = sink.address() as AddressInfo;
  const stage = await openStage([`127.0.0.1:${sinkPort}`]);
  try {
    const { siteKeys, hashes } = await fill(stage, `http://127.0.0.1:${sinkPort}/leads`);
    const ingest = await stage.start('app', { ROLES: 'ingest', TRUST_PROXY: 'loopback' });
    const any = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)]!;
    const next = (people: string[]) => () => ({
      body: visitBody(any(siteKeys), Math.random() < KNOWN ? any(people) : undefined),
      headers: `${ORIGIN}X-Forwarded-For: ${anyAddress()}\r\n`,
    });
    const [first, second] = [next(hashes.slice(0, PEOPLE / 2)), next(hashes.slice(PEOPLE / 2))];
    const empty = { port: ingest.port, path: '/empty', type: 'application/json', next: first };
    const visits = { ...empty, path: '/v', type: 'text/plain;charset=UTF-8', seconds };
    const resolved = async (): Promise<void> => {
      while ((await stage.number(`select exists (${PENDING.replace('count(*)', '')})::int`)) > 0)
        await sleep(100);
    };
    await fire({ ...empty, seconds: 2 });
    const bare = await fire({ ...empty, seconds: 4 });

    let worker = await stage.start('app', { ROLES: 'worker' });
    const began = performance.now();
    const beside = await fire(visits);
    const left = await stage.number(PENDING);
    await resolved();
    const both = beside.ok / ((performance.now() - began) / 1000);
    await worker.stop();
    console.log(
      `backlog: with the worker beside it ${beside.ok} visits taken in ${seconds} s (${Math.round(beside.perSecond)}/s), ${left} of` +
        ` them pending at the end; ${Math.round(both)} visits/s from the first taken to the last worked off`,
    );

    const alone = await fire({ ...visits, next: second });
    worker = await stage.start('app', { ROLES: 'worker' });
    const backlog = await stage.number(PENDING);
    const started = performance.now();
    await resolved();
    const took = (performance.now() - started) / 1000;
    // Other load on the machine changes in the meantime, so the limit is the mean of before and after.
    await worker.stop();
    const after = await fire({ ...empty, seconds: 4 });
    const limit = (bare.perSecond + after.perSecond) / 2;
    await ingest.stop();

    const leads = await stage.number('select count(*) from lead');
    const debits = await stage.number(`select count(*) from transfer where kind = 'lead'`);
    const deliveries = await stage.number('select count(*) from delivery');
    if (debits !== leads || deliveries !== leads) {
      throw new Error(`${leads} leads, but ${debits} debits and ${deliveries} deliveries`);
    }
    console.log(
      `backlog: of ${alone.ok} visits taken in ${seconds} s alone ${backlog} were worked off in ${took.toFixed(1)} s; ${leads} leads in` +
        ` all, each with its debit and its delivery (${received} sent by now)`,
    );
    const ours = backlog / took;
    return {
      name: 'visits worked off per second (leads accepted, jobs enqueued)',
      limit,
      ours,
      ratio: ours / limit,
      target: 0.12,
    };
  } finally {
    await stage.close();
    sink.close();
  }
}

/** Campaigns, each with money and a webhook, over one graph. */
async function fill(stage: Stage, webhook: string): Promise<{ siteKeys: string[]; hashes: string[] }> {
  const { make, features } = stage;
  const root = await make.root();
  const agency = await make.agency(root, { host: 'agency.test' });
  await make.leadCost(agency, 100_000n);
  const tenant = (await features.tenants.byHost('agency.test'))!;
  const siteKeys: string[] = [];
  for (let i = 0; i < CAMPAIGNS; i++) {
    const client = await make.client(agency);
    const campaign = await make.campaign(client, {
      siteUrl: SITE,
      price: 250_000n,
      balance: 1_000_000_000_000n,
    });
    siteKeys.push(campaign.siteKey);
    const { id } = await make.user(client);
    const ctx = new Ctx({
      tenant,
      actor: {
        userId: id,
        sessionId: '',
        rootId: root.id,
        agencyId: agency.id,
        companyId: client.id,
        kind: 'client',
        grade: 'client.owner',
        isAccountExecutive: false,
        trueActor: null,
        modules: null,
      },
      requestId: 'bench',
      clock: systemClock,
      ip: '127.0.0.1',
      userAgent: 'bench',
      origin: 'http://agency.test',
    });
    await features.delivery.create(ctx, { campaign_id: campaign.id, url: webhook });
  }
  const hashes: string[] = [];
  for (let from = 0; from < PEOPLE; from += 5000) {
    const people: MadePerson[] = Array.from({ length: 5000 }, (_, i) =>
      make.person({ email: `person${from + i}@people.example` }),
    );
    await make.people(root, people);
    for (const { email } of people) hashes.push(sha256(email));
  }
  return { siteKeys, hashes };
}
