// npm run bench [-- NAME ...] [-- --full] [-- --strict]: runs the benchmarks and prints how much of each limit was
// reached.
import { buildAll } from '../scripts/build.ts';
import { benchAds } from './ads.ts';
import { benchAlerts } from './alerts.ts';
import { benchApi } from './api.ts';
import { benchBacklog } from './backlog.ts';
import { benchCompanies } from './companies.ts';
import { benchDeliveries } from './deliveries.ts';
import { benchDrop } from './drop.ts';
import { benchErasure } from './erasure.ts';
import { benchExclusions } from './exclusions.ts';
import { benchExport } from './export.ts';
import { benchImport, type Result } from './import.ts';
import { benchIngest } from './ingest.ts';
import { benchIntent } from './intent.ts';
import { benchJourney } from './journey.ts';
import { benchLeads } from './leads.ts';
import { benchLedger } from './ledger.ts';
import { benchLogs } from './logs.ts';
import { benchReplay } from './replay.ts';
import { benchReports } from './reports.ts';
import { benchScores } from './scores.ts';
import { benchSpool } from './spool.ts';

const flags = new Set(process.argv.slice(2).filter((word) => word.startsWith('--')));
const names = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const full = flags.has('--full');

const benchmarks: Record<string, () => Promise<Result | Result[]>> = {
  ingest: () => benchIngest(),
  spool: () => benchSpool(),
  backlog: () => benchBacklog({ seconds: full ? 60 : 10 }),
  scores: () => benchScores({ full }),
  alerts: () => benchAlerts(),
  replay: () => benchReplay(),
  deliveries: () => benchDeliveries({ full }),
  import: () => benchImport(),
  exclusions: () => benchExclusions({ full }),
  drop: () => benchDrop({ full }),
  erasure: () => benchErasure({ full }),
  ledger: () => benchLedger({ full }),
  companies: () => benchCompanies({ full }),
  leads: () => benchLeads({ full }),
  journey: () => benchJourney({ full }),
  logs: () => benchLogs({ full }),
  reports: () => benchReports({ full }),
  export: () => benchExport({ full }),
  intent: () => benchIntent({ full }),
  api: () => benchApi({ full }),
  ads: () => benchAds({ full }),
};
for (const name of names) {
  if (!benchmarks[name]) {
    console.error(`There is no benchmark ${name}; there are ${Object.keys(benchmarks).join(', ')}.`);
    process.exit(1);
  }
}
for (const flag of flags) {
  if (flag !== '--full' && flag !== '--strict') {
    console.error(`Unknown ${flag}; there are --full (longer runs) and --strict (a miss fails).`);
    process.exit(1);
  }
}

await buildAll(true);
const results: Result[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (names.length === 0 || names.includes(name)) results.push(...[await run()].flat());
}

const count = (value: number): string => Math.round(value).toLocaleString('en-US');
const table = [
  ['benchmark', 'limit', 'ours', 'ratio', 'target', ''],
  ...results.map((r) => [
    r.name,
    count(r.limit),
    count(r.ours),
    r.ratio.toFixed(3),
    String(Math.round(r.target * 1000) / 1000),
    r.ratio >= r.target ? 'ok' : 'MISSED',
  ]),
];
const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
console.log();
for (const row of table) {
  console.log(
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}
const missed = results.filter((r) => r.ratio < r.target).length;
process.exit(flags.has('--strict') && missed > 0 ? 1 : 0);
