import pg from 'pg';
import { auditLedger, ledgerRoutes } from '../server/features/money/ledger/index.ts';
import { systemClock } from '../server/platform/clock.ts';
import { Ctx } from '../server/platform/ctx.ts';
import { inScope } from '../server/platform/db/scope.ts';
import { newId } from '../server/platform/ids.ts';
import type { Company, MadeCampaign } from '../server/test/factories.ts';
import type { Result } from './import.ts';
import { median, openStage, type Stage } from './stage.ts';

const AT_ONCE = 8;
const WALLETS = 200;
const BATCH = 50;
const ROUNDS = 3;
const PRICE = 2_000_000n;
const COST = 1_000_000n;

/** Calls `work` repeatedly with this much concurrency and returns the calls per second. */
async function rate(seconds: number, work: (nth: number) => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  const began = performance.now();
  let done = 0;
  const one = async (nth: number): Promise<void> => {
    while (performance.now() < end) {
      await work(nth);
      done++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => one(nth)));
  return done / ((performance.now() - began) / 1000);
}

/** The statements of pgbench's simple-update on 100,000 rows, over the same kind of pool. */
async function simpleUpdate(stage: Stage): Promise<{ run: () => Promise<void>; close: () => Promise<void> }> {
  const pool = new pg.Pool({ connectionString: stage.adminUrl, max: AT_ONCE });
  await pool.query(
    'create table pgbench_accounts (aid integer primary key, bid integer, abalance integer, filler char(84))',
  );
  await pool.query(
    'create table pgbench_history (tid integer, bid integer, aid integer, delta integer, mtime timestamp, filler char(22))',
  );
  await pool.query(`insert into pgbench_accounts select n, 1, 0, '' from generate_series(1, 100000) n`);
  await pool.query('vacuum analyze pgbench_accounts');
  return {
    async run() {
      const client = await pool.connect();
      const aid = 1 + Math.floor(Math.random() * 100_000);
      const delta = Math.floor(Math.random() * 10_000) - 5000;
      await client.query('begin');
      await client.query('update pgbench_accounts set abalance = abalance + $1 where aid = $2', [delta, aid]);
      await client.query('select abalance from pgbench_accounts where aid = $1', [aid]);
      await client.query(
        'insert into pgbench_history (tid, bid, aid, delta, mtime) values (1, 1, $1, $2, current_timestamp)',
        [aid, delta],
      );
      await client.query('commit');
      client.release();
    },
    close: () => pool.end(),
  };
}

/**
 * The ledger compared with the best the same database can do: debits of leads with both sides posted, in batches, on
 * many wallets and on one; the audit compared with a bare scan; a page of a long statement compared with a page of a
 * short one.
 */
export async function benchLedger(options: { full?: boolean } = {}): Promise<Result[]> {
  const seconds = options.full ? 15 : 5;
  const entries = options.full ? 10_000_000 : 1_000_000;
  const stage = await openStage();
  try {
    const root = await stage.make.root({ host: 'bench.test' });
    return [...(await debits(stage, root, seconds)), ...(await readings(stage, root, entries))];
  } finally {
    await stage.close();
  }
}

async function debits(stage: Stage, root: Company, seconds: number): Promise<Result[]> {
  const { make, features, platform } = stage;
  const campaigns: MadeCampaign[] = [];
  for (let i = 0; i < WALLETS; i++) {
    const agency = await make.agency(root);
    await inScope(platform.db.app, { rootId: root.id }, (tx) =>
      features.wallet.topUp(
        tx,
        { rootId: root.id, agencyId: agency.id, amountMicros: 100_000_000_000_000n, key: 'bench' },
        systemClock.now(),
      ),
    );
    campaigns.push(
      await make.campaign(await make.client(agency), { price: PRICE, balance: 100_000_000_000_000n }),
    );
  }
  /** Sells a lead on each wallet, in one transaction, as the jobs that accept leads do. */
  const sell = (on: MadeCampaign[]) => {
    const at = systemClock.now();
    return inScope(platform.db.app, { rootId: root.id }, (tx) =>
      features.billing.sellLeads(
        tx,
        on.map(({ id, owner }) => ({
          id: newId(at),
          rootId: root.id,
          agencyId: owner.agency_id,
          clientId: owner.company_id,
          campaignId: id,
          priceMicros: PRICE,
          costMicros: COST,
        })),
        at,
      ),
    );
  };
  const bare = await simpleUpdate(stage);
  const limits: number[] = [];
  const apart: number[] = [];
  const many: number[] = [];
  const one: number[] = [];
  const any = () => campaigns[Math.floor(Math.random() * WALLETS)]!;
  const batch = (of: () => MadeCampaign) => Array.from({ length: BATCH }, of);
  await rate(1, () => sell([any()]));
  // Alternating, so that other load on the machine affects all of them.
  for (let round = 0; round < ROUNDS; round++) {
    limits.push(await rate(seconds, bare.run));
    apart.push(await rate(seconds, () => sell([any()])));
    many.push((await rate(seconds, () => sell(batch(any)))) * BATCH);
    one.push((await rate(seconds, () => sell(batch(() => campaigns[0]!)))) * BATCH);
  }
  await bare.close();
  const client = await stage.admin.connect();
  // Only the money was measured, but the audit also needs the leads.
  await client.query(`insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, transfer_id, created_at)
    select reference_id, root_id, agency_id, company_id, campaign_id, 1, 98, ${PRICE}, ${COST}, id, created_at from transfer where kind = 'lead'`);
  const { checks } = await auditLedger(client).finally(() => client.release());
  const broken = checks.filter((check) => check.violations > 0);
  if (broken.length > 0) throw new Error(`The audit found: ${broken.map((check) => check.name).join('; ')}`);
  const limit = median(limits);
  console.log(
    `ledger: ${Math.round(median(apart))} debits a second with a transaction for each, ${(median(apart) / limit).toFixed(2)} of the limit`,
  );
  const result = (name: string, ours: number, target: number): Result => ({
    name,
    limit,
    ours,
    ratio: ours / limit,
    target,
  });
  return [
    result(
      `lead debits per second, both sides, on ${WALLETS} wallets in batches of ${BATCH}`,
      median(many),
      0.5,
    ),
    result('the same on one wallet', median(one), 0.25),
  ];
}

/** Fills in a year of an agency's leads directly in the database, four entries each, with all sums correct. */
async function fill(stage: Stage, campaign: MadeCampaign, leads: number): Promise<void> {
  const { root_id, agency_id, company_id } = campaign.owner;
  const client = new pg.Client({ connectionString: stage.adminUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  const { rows: top } = await client.query(
    'select balance from account_balance b join account a on a.id = b.account_id where a.campaign_id = $1',
    [campaign.id],
  );
  const account = async (company: string, agency: string | null, kind: string): Promise<string> =>
    (
      await client.query(
        `insert into account (id, root_id, agency_id, company_id, kind, created_at) values (gen_random_uuid(), $1, $2, $3, $4, now())
         on conflict (company_id, kind, campaign_id) do update set kind = excluded.kind returning id`,
        [root_id, agency, company, kind],
      )
    ).rows[0].id;
  const prepaid = (await client.query('select id from account where campaign_id = $1', [campaign.id])).rows[0]
    .id;
  const revenue = await account(agency_id, agency_id, 'agency_revenue');
  const payable = await account(agency_id, agency_id, 'agency_payable');
  const own = await account(root_id, null, 'root_revenue');
  await client.query(`create temp table made as
    select l.at, md5('t' || n || '${campaign.id}')::uuid as seed, n from generate_series(1, ${leads}) n,
      lateral (select date_trunc('milliseconds', now() - interval '1 year' + n * (interval '1 year' / ${leads})) as at) l`);
  // Ids in time order, like UUIDv7.
  await client.query(`create temp table ids as select n, at,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5('t' || seed), 1, 3) || '8' || substr(md5('u' || seed), 1, 15))::uuid as t,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5('l' || seed), 1, 3) || '8' || substr(md5('m' || seed), 1, 15))::uuid as l
    from made`);
  await client.query(`insert into transfer (id, root_id, agency_id, company_id, kind, reference_id, campaign_id, idempotency_key, created_at)
    select t, '${root_id}', '${agency_id}', '${company_id}', 'lead', l, '${campaign.id}', 'lead:' || l, at from ids order by n`);
  await client.query(`insert into entry (transfer_id, line, root_id, agency_id, company_id, account_id, account_code, amount, created_at)
    select t, e.line, '${root_id}', e.agency, e.company, e.account, e.code, e.amount, at from ids, lateral (values
      (1, '${agency_id}'::uuid, '${company_id}'::uuid, '${prepaid}'::uuid, 1, ${-PRICE}), (2, '${agency_id}', '${agency_id}', '${revenue}', 13, ${PRICE}),
      (3, '${agency_id}', '${agency_id}', '${payable}', 11, ${-COST}), (4, null, '${root_id}', '${own}', 20, ${COST})) e (line, agency, company, account, code, amount)
    order by n, e.line`);
  await client.query(`insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, transfer_id, created_at)
    select l, '${root_id}', '${agency_id}', '${company_id}', '${campaign.id}', 1, 98, ${PRICE}, ${COST}, t, at from ids order by n`);
  await client.query(
    `update account_balance set balance = ${BigInt(top[0].balance) - PRICE * BigInt(leads)} where account_id = '${prepaid}'`,
  );
  await client.query(`insert into spend_day (subject, subject_id, day, root_id, agency_id, company_id, micros)
    select s.subject, s.id, (at at time zone 'America/Chicago')::date, '${root_id}', '${agency_id}', '${company_id}', count(*) * ${PRICE}
    from ids, lateral (values ('campaign', '${campaign.id}'::uuid), ('client', '${company_id}')) s (subject, id) group by 1, 2, 3`);
  await client.query('vacuum analyze');
  await client.end();
}

async function readings(stage: Stage, root: Company, entries: number): Promise<Result[]> {
  const { make, features, platform } = stage;
  const made: { agency: Company; campaign: MadeCampaign }[] = [];
  for (const leads of [500, entries / 4]) {
    const agency = await make.agency(root);
    const campaign = await make.campaign(await make.client(agency), {
      price: PRICE,
      balance: PRICE * BigInt(leads) + PRICE,
    });
    await fill(stage, campaign, leads);
    made.push({ agency, campaign });
  }
  const began = performance.now();
  await features.ledger.snapshot(platform.db.app, root.id, systemClock.now());
  console.log(`ledger: snapshots of a year made in ${((performance.now() - began) / 1000).toFixed(1)} s`);

  const client = new pg.Client({ connectionString: stage.adminUrl });
  await client.connect();
  const total = Number((await client.query('select count(*) from entry')).rows[0].count);
  const time = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1000;
  };
  const scans: number[] = [];
  const audits: number[] = [];
  let broken: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await client.query('set max_parallel_workers_per_gather = 0');
    scans.push(await time(() => client.query('select count(*), sum(amount) from entry')));
    await client.query('reset max_parallel_workers_per_gather');
    audits.push(
      await time(async () => {
        const { checks } = await auditLedger(client);
        broken = checks
          .filter((check) => check.violations > 0)
          .flatMap((check) => [check.name, ...check.examples]);
      }),
    );
  }
  await client.end();
  if (broken.length > 0) throw new Error(`The audit found: ${broken.slice(0, 5).join('; ')}`);
  console.log(
    `ledger: ${total} entries scanned in ${median(scans).toFixed(2)} s, audited in ${median(audits).toFixed(2)} s`,
  );

  const { statement } = ledgerRoutes(
    platform,
    features.tenants,
    features.agreements.files.signPaper,
  ).handlers;
  const tenant = (await features.tenants.byHost('bench.test'))!;
  const pages = async (agency: Company): Promise<(nth: number) => Promise<void>> => {
    const ctx = new Ctx({
      tenant,
      actor: {
        userId: newId(systemClock.now()),
        sessionId: '',
        rootId: root.id,
        agencyId: agency.id,
        companyId: agency.id,
        kind: 'agency',
        grade: 'agency.owner',
        modules: null,
        isAccountExecutive: false,
        trueActor: null,
      },
      requestId: 'bench',
      clock: systemClock,
      ip: '127.0.0.1',
      userAgent: 'bench',
      origin: 'http://bench.test',
    });
    const year = 365 * 86_400_000;
    return async () => {
      const at = Math.floor(Date.now() - Math.random() * year * 0.95);
      const page = await statement(ctx, {
        view: 'balance',
        per_page: 25,
        cursor: `${at}_ffffffff-ffff-ffff-ffff-ffffffffffff`,
      });
      if (page.data.length === 0) throw new Error('An empty page');
      const [first] = page.data;
      // The balance says how many leads there have been: as many as the time says, within a day's worth.
      if (first && first.balance_micros % Number(COST) !== 0) throw new Error('A crooked balance');
    };
  };
  const [short, long] = [await pages(made[0]!.agency), await pages(made[1]!.agency)];
  const shorts: number[] = [];
  const longs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    shorts.push(await rate(3, short));
    longs.push(await rate(3, long));
  }
  return [
    {
      name: `entries audited per second, of ${total.toLocaleString('en-US')}`,
      limit: total / median(scans),
      ours: total / median(audits),
      ratio: median(scans) / median(audits),
      target: 0.1,
    },
    {
      name: `statement pages per second anywhere in ${entries.toLocaleString('en-US')} entries, to 2,000`,
      limit: median(shorts),
      ours: median(longs),
      ratio: median(longs) / median(shorts),
      target: 0.5,
    },
  ];
}
