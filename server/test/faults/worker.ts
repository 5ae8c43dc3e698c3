import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { Ctx } from '../../platform/ctx.ts';
import { inScope } from '../../platform/db/scope.ts';
import type { Company, MadeCampaign, MadePerson } from '../factories.ts';
import { openStage, type Running, type Stage } from '../stage.ts';
import { type FaultRun, randomFrom, until } from './harness.ts';

const PRICE = 250_000n;
const COST = 100_000n;
const SUPPLIER = 20_000n;
const PEOPLE_PER_KILL = 160;

/** The state of the database and the receiver after the kills. Every list of SQL findings should be empty. */
export interface WorkerReport {
  visits: number;
  leads: number;
  /** Leads there should be: one for each person and campaign that they visited. */
  expected: number;
  /** Invariants that do not hold, by name, with how many rows break them. */
  broken: Record<string, number>;
  deliveries: number;
  /** Messages as they came over the wire, and after deduplication by webhook-id. */
  wire: number;
  messages: number;
  forged: number;
  /** Leads that the receiver got more or less than once per webhook, after deduplication. */
  mistold: number;
}

/** Each counts rows that break a rule of the ledger, the leads or their deliveries. */
const INVARIANTS: Record<string, string> = {
  'visit left unresolved': 'select count(*) from visit where resolved_at is null',
  'person made a lead of one campaign twice':
    'select count(*) from (select from lead group by campaign_id, person_id having count(*) > 1) twice',
  'lead without contact':
    'select count(*) from lead l where not exists (select from lead_contact c where c.lead_id = l.id)',
  'lead without its debit':
    'select count(*) from lead l where not exists (select from transfer t where t.id = l.transfer_id and t.reference_id = l.id)',
  'debit without its lead': `select count(*) from transfer t where t.kind = 'lead' and not exists (select from lead l where l.transfer_id = t.id)`,
  'lead debited twice': `select count(*) from (select from transfer where kind = 'lead' group by reference_id having count(*) > 1) twice`,
  'transfer that does not sum to zero or lacks a side': `select count(*) from (select from transfer t left join entry e on e.transfer_id = t.id group by t.id, t.kind
       having coalesce(sum(e.amount), 1) <> 0 or count(distinct e.account_code) <> case t.kind when 'lead' then 6 else 2 end) bad`,
  'wholesale that was neither drawn from the wallet nor is owed, or both': `select count(*) from (select from lead l join entry e on e.transfer_id = l.transfer_id
       and e.account_code in (10, 11) group by l.id, l.cost_micros having sum(e.amount) <> -l.cost_micros or count(distinct e.account_code) <> 1) bad`,
  'wallet or limit that was not used': `select (not exists (select from entry where account_code = 10 and amount < 0))::int
       + (not exists (select from spend_day where subject = 'wallet'))::int`,
  'balance other than the sum of its entries': `select count(*) from account_balance b
       where balance <> (select coalesce(sum(amount), 0) from entry e where e.account_id = b.account_id) or balance < 0`,
  'lead and webhook without exactly one delivery': `select count(*) from (select from lead l join integration i on i.campaign_id = l.campaign_id
       left join delivery d on d.lead_id = l.id and d.integration_id = i.id group by l.id, i.id having count(d.id) <> 1) bad`,
  'delivery that did not arrive': `select count(*) from delivery where state <> 'delivered'`,
  'attempts other than counted':
    'select count(*) from delivery d where attempts <> (select count(*) from delivery_attempt a where a.delivery_id = d.id)',
  'hours that add up to other than the leads': `select count(*) from (select sum(leads) as leads, sum(visits) as visits, sum(spend_micros) as spend, sum(cost_micros) as cost from campaign_hour) h
       where leads <> (select count(*) from lead) or visits <> (select count(*) from visit)
         or spend <> (select sum(price_micros) from lead) or cost <> (select sum(cost_micros) from lead)`,
};

/**
 * Runs kill -9 on the worker, again and again, while it creates leads and delivers them to two webhooks per campaign.
 */
export async function killWorker(databaseUrl: string, { kills, seed, log }: FaultRun): Promise<WorkerReport> {
  const random = randomFrom(seed);
  const receiver = await openReceiver();
  const stage = await openStage({ databaseUrl, outbound: [receiver.address] });
  try {
    // A dead worker's job is taken over after this many seconds, the minimum the queue allows.
    await stage.admin.query(
      'update pgboss.queue set heartbeat_seconds = 10 where heartbeat_seconds is not null',
    );
    const { root, campaigns } = await fill(stage, receiver);
    let expected = 0;
    let visits = 0;
    let wanted = 0;
    let feeding = true;
    // New people arrive for each kill, each of them visiting the same campaign twice.
    const feed = (async () => {
      while (feeding) {
        if (expected >= wanted) {
          await sleep(20);
          continue;
        }
        const people: MadePerson[] = Array.from({ length: 20 }, () => stage.make.person());
        await stage.make.people(root, people);
        const campaign = campaigns[Math.floor(random() * campaigns.length)]!;
        for (let time = 0; time < 2; time++)
          await Promise.all(people.map(({ email }) => stage.make.visit(campaign, { email })));
        expected += people.length;
        visits += people.length * 2;
        await sleep(40);
      }
    })();
    for (let kill = 1; kill <= kills; kill++) {
      const leads = await stage.number('select count(*) from lead');
      const messages = receiver.got.length;
      wanted = expected + PEOPLE_PER_KILL;
      const worker: Running = await stage.start('app', { ROLES: 'worker' });
      // Every other kill hits the process's first work; the rest hit while leads are being created and delivered.
      if (kill % 2 === 1) {
        await until('new leads', async () => (await stage.number('select count(*) from lead')) > leads);
        await until('new messages', () => receiver.got.length > messages);
      }
      await sleep(random() * 600);
      await worker.kill();
      log?.(
        `kill ${kill} of ${kills}: ${await stage.number('select count(*) from lead')} leads, ${receiver.got.length} messages so far`,
      );
    }
    feeding = false;
    await feed;
    const worker = await stage.start('app', { ROLES: 'worker' });
    await until(
      'every visit resolved',
      async () => (await stage.number('select count(*) from visit where resolved_at is null')) === 0,
    );
    await until(
      'every delivery made',
      async () => (await stage.number(`select count(*) from delivery where state = 'pending'`)) === 0,
      120 + kills * 5,
    );
    await worker.stop();

    const broken: Record<string, number> = {};
    for (const [name, query] of Object.entries(INVARIANTS)) {
      const count = await stage.number(query);
      if (count > 0) broken[name] = count;
    }
    const client = await stage.admin.connect();
    const { checks } = await auditLedger(client).finally(() => client.release());
    for (const check of checks) if (check.violations > 0) broken[check.name] = check.violations;
    const unique = new Map(receiver.got.map((message) => [message.id, message]));
    const told = new Map<string, number>();
    for (const { path, lead } of unique.values())
      told.set(`${path} ${lead}`, (told.get(`${path} ${lead}`) ?? 0) + 1);
    const { rows } = await stage.admin.query<{ lead: string; url: string }>(
      'select l.id as lead, i.url from lead l join integration i on i.campaign_id = l.campaign_id',
    );
    const mistold = rows.filter(({ lead, url }) => told.get(`${new URL(url).pathname} ${lead}`) !== 1).length;
    return {
      visits,
      leads: await stage.number('select count(*) from lead'),
      expected,
      broken,
      deliveries: rows.length,
      wire: receiver.got.length,
      messages: unique.size,
      forged: receiver.forged(),
      mistold: mistold + (told.size - rows.length),
    };
  } finally {
    await stage.close();
    receiver.close();
  }
}

/** A client's endpoint that verifies signatures and keeps what it receives, as its own log. */
async function openReceiver() {
  const got: { id: string; path: string; lead: string }[] = [];
  const secrets = new Map<string, string>();
  let forged = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const path = request.url!;
      try {
        const headers = request.headers as Record<string, string>;
        const message = new Webhook(secrets.get(path)!).verify(Buffer.concat(parts).toString(), headers) as {
          data: { id: string };
        };
        got.push({ id: headers['webhook-id']!, path, lead: message.data.id });
      } catch {
        forged++;
      }
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    secrets,
    got,
    forged: () => forged,
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Two campaigns with enough money, a price on each side, and two webhooks each. The agency's wallet, in three lots,
 * pays for some of the leads; a limit that is never reached is also watched.
 */
async function fill(
  stage: Stage,
  receiver: { address: string; secrets: Map<string, string> },
): Promise<{ root: Company; campaigns: MadeCampaign[] }> {
  const { make, features } = stage;
  const root = await make.root();
  const agency = await make.agency(root, { host: 'faults.test' });
  await make.leadCost(agency, COST);
  const tenant = (await features.tenants.byHost('faults.test'))!;
  await inScope(stage.platform.db.app, { rootId: root.id }, async (tx) => {
    const at = systemClock.now();
    const of = { rootId: root.id, agencyId: agency.id };
    await features.billing.setSupplierCost(tx, {
      rootId: root.id,
      module: 'local',
      costMicros: SUPPLIER,
      from: new Date(0),
    });
    for (const key of ['a', 'b', 'c'])
      await features.wallet.topUp(tx, { ...of, amountMicros: COST * 70n + 1n, key }, at);
  });
  await stage.admin.query(
    `insert into cap (id, root_id, agency_id, company_id, subject, subject_id, period, set_by, hard_micros, updated_at)
     values (gen_random_uuid(), $1, $2, $2, 'wallet', $2, 'month', 'agency', 1000000000000, now())`,
    [root.id, agency.id],
  );
  const campaigns: MadeCampaign[] = [];
  for (let i = 0; i < 2; i++) {
    const client = await make.client(agency);
    const campaign = await make.campaign(client, { price: PRICE, balance: 100_000_000_000n });
    const { id } = await make.user(client);
    const actor = {
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
    } as const;
    const ctx = new Ctx({
      tenant,
      actor,
      requestId: 'fault',
      clock: systemClock,
      ip: '127.0.0.1',
      userAgent: 'test',
      origin: 'http://faults.test',
    });
    for (let hook = 0; hook < 2; hook++) {
      const path = `/${i}/${hook}`;
      const { secret } = await features.delivery.create(ctx, {
        campaign_id: campaign.id,
        url: `http://${receiver.address}${path}`,
      });
      receiver.secrets.set(path, secret);
    }
    campaigns.push(campaign);
  }
  return { root, campaigns };
}
