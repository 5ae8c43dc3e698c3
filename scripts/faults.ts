// npm run faults [-- NAME ...] [-- --kills=20] [-- --seed=N]: the long versions of the fault tests
// (server/test/faults). Each runs on a throwaway PostgreSQL and prints what it found; the seed reproduces the moments
// of the kills.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../server/platform/db/embedded.ts';
import { createTestDatabase } from '../server/test/database.ts';
import { killInCharge } from '../server/test/faults/charge.ts';
import { type DatabaseReport, restartDatabase } from '../server/test/faults/database.ts';
import { killPrimary } from '../server/test/faults/failover.ts';
import { killHosts, VICTIMS } from '../server/test/faults/hosts.ts';
import { killInImports } from '../server/test/faults/import.ts';
import { type IngestReport, killDuringIngest } from '../server/test/faults/ingest.ts';
import { killSpool } from '../server/test/faults/spool.ts';
import { runWalletModel } from '../server/test/faults/wallet-model.ts';
import { killWorker, type WorkerReport } from '../server/test/faults/worker.ts';
import { hasHosts } from '../server/test/hosts.ts';
import { prepareTestDatabases } from '../server/test/template.ts';

const options = new Map(
  process.argv.slice(2).flatMap((word) => {
    const [, name, value] = /^--(kills|seed)=(\d+)$/.exec(word) ?? [];
    return name ? [[name, Number(value)] as const] : [];
  }),
);
const names = process.argv.slice(2).filter((word) => !/^--(kills|seed)=\d+$/.test(word));
const kills = options.get('kills') ?? 20;
const seed = options.get('seed') ?? Math.floor(Math.random() * 1e9);
const log = (line: string): void => console.log(`  ${line}`);

const folder = mkdtempSync(join(tmpdir(), 'lead-faults-'));
const server = await startEmbedded({ dataDir: folder, ephemeral: true, log: () => {} });

/** Runs with its own database. */
async function onDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const database = await createTestDatabase(server.url);
  try {
    return await work(database.url);
  } finally {
    await database.drop();
  }
}

const goodIngest = (r: IngestReport): boolean =>
  r.cut > 0 && r.lost.length === 0 && r.unknown === 0 && r.rows === r.acknowledged;
const goodWorker = (r: WorkerReport): boolean =>
  Object.keys(r.broken).length === 0 &&
  r.leads === r.expected &&
  r.forged === 0 &&
  r.mistold === 0 &&
  r.messages === r.deliveries;
const goodDatabase = (r: DatabaseReport): boolean =>
  r.lost.length === 0 && r.unhelpful === 0 && r.unexpected.length === 0 && r.alive && r.readyAgain;

const faults: Record<string, () => Promise<{ report: object; good: boolean }>> = {
  async ingest() {
    const report = await onDatabase((url) => killDuringIngest(url, { kills, seed, log }));
    return { report: { ...report, lost: report.lost.length }, good: goodIngest(report) };
  },
  async spool() {
    const report = await onDatabase((url) => killSpool(url, { kills, seed, log }));
    const { lost, rows, acknowledged, acknowledgedAway } = report;
    return {
      report: { ...report, lost: lost.length },
      good: lost.length === 0 && rows === acknowledged && acknowledgedAway > kills * 100,
    };
  },
  async worker() {
    const report = await onDatabase((url) => killWorker(url, { kills, seed, log }));
    return { report, good: goodWorker(report) };
  },
  /** Random wallet histories compared with a simple model: 200 for each kill that the other tests make. */
  async wallet() {
    const report = await onDatabase((url) => runWalletModel(url, { runs: kills * 200, seed }));
    return { report, good: report.sequences >= kills * 200 && report.broken.length === 0 };
  },
  /** Kills in the middle of a charge: 200 at each of its five steps when the other tests kill 20 times. */
  async charge() {
    const report = await onDatabase((url) => killInCharge(url, { kills: kills * 50, seed, log }));
    const { killed, network, charges, ledger, unresolved, wrong, broken } = report;
    const agree = network === kills * 5000 && charges === network && ledger === network;
    return {
      report,
      good: killed === kills * 50 && agree && unresolved === 0 && [...wrong, ...broken].length === 0,
    };
  },
  /** This many kills in each of four imports and in a count. */
  async imports() {
    const report = await onDatabase((url) =>
      killInImports(url, { kills, seed, log, rows: 40_000 + kills * 8000 }),
    );
    const cut = Object.values(report.cut).reduce((sum, one) => sum + one, 0);
    return { report, good: cut > kills && report.broken.length === 0 };
  },
  async database() {
    const report = await restartDatabase({ kills, seed, log });
    const good = goodDatabase(report);
    return { report: { ...report, lost: report.lost.length, said: good ? '' : report.said }, good };
  },
  /** Kills of the primary of two database hosts; the other is promoted, and gets a new standby. */
  async failover() {
    const report = await killPrimary({ kills, seed, log });
    const { lostVisits, lostPostings, twice, extraPostings, unhelpful, pauses, broken } = report;
    const wrong = lostVisits.length + lostPostings.length + twice + extraPostings + unhelpful + broken.length;
    return {
      report: { ...report, lostVisits: lostVisits.length, lostPostings: lostPostings.length },
      good: wrong === 0 && Math.max(...pauses) < 30_000,
    };
  },
  /** Kills of each part of the example in ops/hosts in turn: programs of Debian that not every machine has. */
  async hosts() {
    if (!hasHosts) return { report: { skipped: 'programs are missing' }, good: true };
    const victims = Array.from({ length: kills }, (_, i) => VICTIMS[i % VICTIMS.length]!);
    const { kills: each, ...report } = await killHosts({ victims, seed, log });
    const { lostVisits, twice, leads, expected, wrongDebits, unhelpful, broken } = report;
    const wrong = lostVisits.length + twice + wrongDebits + unhelpful + broken.length;
    const shown = each.filter((one) => {
      const isDatabase = ['postgres', 'manager', 'host'].includes(one.victim);
      const allowed = isDatabase ? ['200', '204', '503'] : ['200', '204'];
      return [one.visits, one.signIns, one.reads].some((answers) =>
        Object.keys(answers).some((status) => !allowed.includes(status)),
      );
    });
    return {
      report: { ...report, lostVisits: lostVisits.length, shown },
      good:
        wrong === 0 &&
        leads === expected &&
        shown.length === 0 &&
        Math.max(...each.map((one) => one.pauseMs)) < 30_000,
    };
  },
};

let failed = 0;
try {
  for (const name of names)
    if (!faults[name])
      throw new Error(`Unknown fault ${name}. Available faults: ${Object.keys(faults).join(', ')}.`);
  await prepareTestDatabases(server.url);
  console.log(`${kills} times each, seed ${seed}`);
  for (const [name, run] of Object.entries(faults)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`\n${name}`);
    const began = performance.now();
    const { report, good } = await run();
    console.log(report);
    console.log(`${good ? 'holds' : 'BROKEN'}  ${name}, ${Math.round((performance.now() - began) / 1000)} s`);
    if (!good) failed++;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  failed++;
} finally {
  await server.stop('immediate');
  rmSync(join(server.cluster, '..'), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
