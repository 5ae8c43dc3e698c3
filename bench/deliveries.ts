import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { testLead } from '../server/features/campaigns/delivery/policy.ts';
import { createSender, SECRET } from '../server/features/campaigns/delivery/send.service.ts';
import { newMessageId, newSecret } from '../server/features/campaigns/delivery/sign.ts';
import { inScope } from '../server/platform/db/scope.ts';
import { newId } from '../server/platform/ids.ts';
import { createOutbound } from '../server/platform/outbound.ts';
import type { Result } from './import.ts';
import type { Received } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

const COMPANIES = 20;
const DESTINATIONS = 200;
/** One in ten companies has a destination that hangs and one that answers 500, ten each in all. */
const BAD = 10;
const AT_ONCE = 128;
const PAYLOAD = { format: 'standard' as const, fields: [], template: '' };

/**
 * Delivers leads to 200 webhooks of 20 companies, of which 10 hang and 10 answer 500. Our rate is that of the good ones,
 * from the first that arrives to the last; the limit is the same client posting to the same receiver without the ledger,
 * as many at once. Fails when a good one does not arrive, or arrives twice.
 */
export async function benchDeliveries(options: { full?: boolean } = {}): Promise<Result> {
  const each = options.full ? 100 : 20;
  const receiver = new Worker(join(import.meta.dirname, 'receiver.ts'));
  const [port] = (await once(receiver, 'message')) as [number];
  const told = async (): Promise<Received> => {
    receiver.postMessage('tell');
    return ((await once(receiver, 'message')) as [Received])[0];
  };
  const base = `http://127.0.0.1:${port}`;
  const stage = await openStage([`127.0.0.1:${port}`]);
  try {
    const count = options.full ? 10_000 : 4_000;
    const before = await bareRate(stage, base, count);
    receiver.postMessage('forget');
    await fill(stage, base, each);
    const good = (DESTINATIONS - 2 * BAD) * each;
    const worker = await stage.start('app', { ROLES: 'worker' });
    let got = await told();
    for (let still = 0; got.distinct < good && still < 120; still++) {
      await sleep(500);
      const now = await told();
      if (now.messages > got.messages) still = 0;
      got = now;
    }
    await worker.stop();
    if (got.distinct !== good || got.messages !== good)
      throw new Error(`${good} were due, ${got.distinct} arrived in ${got.messages} messages`);
    const ours = (good - 1) / ((got.lastAt - got.firstAt) / 1000);
    // Before and after: what else the machine does meanwhile changes by the second.
    const limit = (before + (await bareRate(stage, base, count))) / 2;
    return {
      name: 'deliveries per second, 20 of 200 destinations bad',
      limit,
      ours,
      ratio: ours / limit,
      target: 0.5,
    };
  } finally {
    await stage.close();
    await receiver.terminate();
  }
}

/** Messages per second of the sender alone. */
async function bareRate({ platform }: Stage, base: string, count: number): Promise<number> {
  const { clock, vault } = platform;
  const sender = createSender({ clock, vault, outbound: createOutbound({ allow: [new URL(base).host] }) });
  const secretSealed = vault.seal(newSecret(), SECRET);
  const data = testLead(newId(clock.now()), { number: 1, name: 'Spring', type: 'local' }, clock.now(), {});
  let left = count;
  const began = performance.now();
  const run = async (): Promise<void> => {
    while (left-- > 0) {
      const url = `${base}/good`;
      const messageId = newMessageId();
      const target = {
        kind: 'webhook' as const,
        url,
        secretSealed,
        messageId,
        payload: PAYLOAD,
        headersSealed: null,
      };
      const { error } = await sender.send(target, { data, remoteId: null, isInDoubt: false });
      if (error) throw new Error(error);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return count / ((performance.now() - began) / 1000);
}

/** Campaigns with a webhook and as many leads each, and the jobs that deliver them, in the order in which leads come. */
async function fill(stage: Stage, base: string, each: number): Promise<void> {
  const { make, admin, platform } = stage;
  const root = await make.root();
  const agency = await make.agency(root, { host: 'agency.test' });
  const campaigns = [];
  for (let company = 0; company < COMPANIES; company++) {
    const client = await make.client(agency);
    for (let at = 0; at < DESTINATIONS / COMPANIES; at++) {
      const campaign = await make.campaign(client);
      const isBad = company < BAD && at < 2;
      await admin.query(
        `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, name, url, secret_sealed, state,
           created_at, updated_at, lane)
         values (gen_random_uuid(), $1, $2, $3, $4, 'webhook', $5, $5, $6, 'enabled', now(), now(), $7)`,
        [
          ...[root.id, agency.id, client.id, campaign.id],
          `${base}/${isBad ? (at === 0 ? 'hang' : 'fail') : 'good'}`,
          platform.vault.seal(newSecret(), SECRET),
          at,
        ],
      );
      campaigns.push(campaign);
    }
  }
  for (let round = 0; round < each; round++) {
    const leads = campaigns.map(({ id, owner }) => ({
      id: newId(platform.clock.now()),
      campaignId: id,
      owner,
    }));
    const ids = [leads.map(({ id }) => id), campaigns.map(({ id }) => id)];
    await admin.query(
      `insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, evidence, price_micros,
         cost_micros, created_at)
       select l.id, c.root_id, c.agency_id, c.company_id, c.id, 1, 95, '[]', 0, 0, now()
       from unnest($1::uuid[], $2::uuid[]) as l (id, campaign_id) join campaign c on c.id = l.campaign_id`,
      ids,
    );
    await admin.query(
      `insert into lead_contact (lead_id, root_id, agency_id, company_id, campaign_id, first_name, email, created_at)
       select l.id, c.root_id, c.agency_id, c.company_id, c.id, 'Ada', 'ada' || l.id || '@example.com', now()
       from unnest($1::uuid[], $2::uuid[]) as l (id, campaign_id) join campaign c on c.id = l.campaign_id`,
      ids,
    );
    await inScope(platform.db.app, { rootId: root.id }, (tx) =>
      platform.events.emit(tx, 'leads.accepted', { leads, isTest: false }),
    );
  }
}
