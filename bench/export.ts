import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { EXPORTED } from '../server/features/accounts/company-exports/index.ts';
import { newId } from '../server/platform/ids.ts';
import type { Company } from '../server/test/factories.ts';
import type { Result } from './import.ts';
import { fillLeads } from './leads.ts';
import { median, openStage, type Stage } from './stage.ts';

/** Leads of the client; another one has a tenth as many. */
const SIZE = { full: 1_000_000, short: 50_000 };
const ROUNDS = 3;
const DAYS = 60;
/** The tables that grow with leads. */
const LARGE = [
  ...['visit', 'lead', 'lead_contact', 'lead_data', 'delivery', 'delivery_attempt'],
  ...['transfer', 'entry'],
];

/** For each lead: its visit, both sides of its money, and its delivery with an attempt. Ids are in the order of time. */
async function fill(client: pg.Client, integrationId: string): Promise<void> {
  const run = (text: string, values?: unknown[]) => client.query(text, values);
  await run('set session_replication_role = replica');
  await run(
    `call ensure_visit_partitions((now() at time zone 'UTC')::date - ${DAYS}, (now() at time zone 'UTC')::date)`,
  );
  await run(`update lead set evidence =
    '{"keys": [{"key": "email_sha256", "source": "import: people.csv", "confidence": 98}], "others": [], "alternatives": 0}'`);
  await run(`create temp table made as select l.*,
      (lpad(to_hex((extract(epoch from l.created_at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as new_id,
      now() - interval '${DAYS} days' * (n % 100000 / 100000.0) as visited_at
    from (select *, row_number() over (order by created_at) as n from lead) l`);
  const owner = 'root_id, agency_id, company_id';
  await run(`insert into visit (day, event_id, ${owner}, campaign_id, received_at, visitor_id, url, title, referrer, user_agent, person_id,
      resolved_at, outcome)
    select (visited_at at time zone 'UTC')::date, new_id, ${owner}, campaign_id, visited_at, new_id, 'https://shop.example.com/item/' || n % 500,
      'Item ' || n % 500 || ' - Outdoor Shop Example', case when n % 9 = 0 then 'https://www.google.com/' end, 'Mozilla/5.0', person_id,
      visited_at, 'lead' from made order by n`);
  await run(`insert into transfer (id, ${owner}, kind, reference_id, campaign_id, idempotency_key, created_at)
    select new_id, ${owner}, 'lead', id, campaign_id, 'lead:' || new_id, created_at from made order by n`);
  await run(`insert into entry (transfer_id, line, root_id, agency_id, company_id, account_id, account_code, amount, created_at)
    select m.new_id, e.line, m.root_id, e.agency, e.company, e.company, e.code, e.amount, m.created_at
    from made m, lateral (values (1, agency_id, company_id, 2, -price_micros), (2, agency_id, agency_id, 13, price_micros),
      (3, agency_id, agency_id, 11, -cost_micros), (4, null, root_id, 20, cost_micros)) e (line, agency, company, code, amount)
    order by m.n, e.line`);
  await run(
    `insert into delivery (id, ${owner}, campaign_id, integration_id, lead_id, message_id, state, attempts, created_at, delivered_at)
     select new_id, ${owner}, campaign_id, $1, id, 'msg_' || new_id, 'delivered', 1, created_at, created_at from made order by n`,
    [integrationId],
  );
  await run(`insert into delivery_attempt (delivery_id, number, ${owner}, started_at, duration_ms, status, answer)
    select new_id, 1, ${owner}, created_at, 120, 200, 'OK' from made order by n`);
  await run('vacuum analyze');
  await run('checkpoint');
}

/** The same rows with the same columns, as the superuser, each table into a file; returns how many they were. */
async function bareCopy(client: pg.Client, folder: string, of: Company): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, columns } of EXPORTED.filter((table) => LARGE.includes(table.name))) {
    const more = name === 'entry' ? 'and account_code < 4' : '';
    const copied = client.query(
      copyTo(
        `copy (select company_id, ${columns.join(', ')} from ${name} where company_id = '${of.id}' ${more}) to stdout`,
      ),
    );
    await pipeline(copied, createWriteStream(join(folder, name)));
    counts.set(name, copied.rowCount);
  }
  return counts;
}

async function madeExport(stage: Stage, of: Company, askedBy: string): Promise<Map<string, number>> {
  const id = newId(new Date());
  await stage.admin.query(
    `insert into company_export (id, root_id, agency_id, company_id, company_kind, state, asked_by, created_at)
     values ($1, $2, $3, $4, 'client', 'queued', $5, now())`,
    [id, of.root_id, of.agency_id, of.id, askedBy],
  );
  await stage.features.companyExports.make({ rootId: of.root_id, exportId: id });
  const { rows } = await stage.admin.query<{
    bytes: string;
    tables: { name: string; rows: number }[];
  }>('select bytes, tables from company_export where id = $1', [id]);
  const [{ bytes, tables } = { bytes: '0', tables: [] }] = rows;
  console.log(`export: a file of ${(Number(bytes) / 1e6).toFixed(0)} MB`);
  return new Map(tables.map(({ name, rows: count }) => [name, count]));
}

/**
 * Makes the full export of a client with a million leads, each with its visit, its money, and its delivery, beside COPY
 * of the same rows to files as the superuser, alternating; medians. Fails when the numbers of rows differ.
 */
export async function benchExport(options: { full?: boolean } = {}): Promise<Result> {
  const leads = options.full ? SIZE.full : SIZE.short;
  const folder = mkdtempSync(join(tmpdir(), 'lead-bench-export-'));
  const stage = await openStage();
  const client = new pg.Client({ connectionString: stage.adminUrl });
  await client.connect();
  try {
    const { make } = stage;
    const root = await make.root({ host: 'bench.test' });
    const agency = await make.agency(root);
    const owner = await make.user(agency, {});
    const of = await make.client(agency);
    const campaigns = [];
    for (const [one, share] of [
      [of, 100],
      [await make.client(agency), 10],
    ] as const) {
      const made = await make.campaign(one);
      campaigns.push({ id: made.id, ...made.owner, share });
    }
    const { destinationId } = await make.connection(of, { campaignId: campaigns[0]!.id });
    const began = performance.now();
    await fillLeads(stage.adminUrl, leads, campaigns);
    await fill(client, destinationId);
    console.log(`export: ${leads} leads filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const times = { bare: [] as number[], ours: [] as number[] };
    for (let round = 1; round <= ROUNDS; round++) {
      const start = performance.now();
      const bare = await bareCopy(client, folder, of);
      const half = performance.now();
      const ours = await madeExport(stage, of, owner.id);
      times.bare.push((half - start) / 1000);
      times.ours.push((performance.now() - half) / 1000);
      for (const [name, rows] of bare)
        if (ours.get(name) !== rows)
          throw new Error(`export: ${ours.get(name)} rows of ${name} instead of ${rows}`);
      console.log(
        `export round ${round}: ${times.ours.at(-1)!.toFixed(1)} s, copied in ${times.bare.at(-1)!.toFixed(1)} s`,
      );
    }
    const [limit, mine] = [leads / median(times.bare), leads / median(times.ours)];
    return {
      name: `leads of a client of ${leads.toLocaleString('en-US')} exported per second`,
      limit,
      ours: mine,
      ratio: mine / limit,
      target: 0.2,
    };
  } finally {
    await client.end();
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
