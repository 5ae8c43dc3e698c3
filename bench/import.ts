import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { median, openStage } from './stage.ts';

const PEOPLE = 100_000;
const ROUNDS = 3;
/** The columns of server/test/data/people-us-500.csv except the second phone. */
const COLUMNS = 'first_name,last_name,company_name,address,city,county,state,zip,phone1,email,web'.split(',');

/** What a benchmark found: rates per second, their ratio, and the ratio to reach. */
export interface Result {
  name: string;
  limit: number;
  ours: number;
  ratio: number;
  target: number;
}

/**
 * Imports 100,000 made-up people with four keys each (three hashes of an email, and a phone) into the graphs of new
 * roots, compared with COPY of the same file into one bare table of the same durable PostgreSQL. Runs two copies around
 * each import, so that other load on the machine affects both; medians.
 */
export async function benchImport(): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'lead-bench-import-'));
  const csv = join(folder, 'people.csv');
  await writePeople(csv);
  const stage = await openStage();
  try {
    const limits: number[] = [];
    const rates: number[] = [];
    const copy = async () => limits.push(PEOPLE / (await seconds(() => bareCopy(stage.adminUrl, csv))));
    for (let round = 1; round <= ROUNDS; round++) {
      const root = await stage.make.root();
      await copy();
      const took = await seconds(async () => {
        const done = await stage.features.people.importFile(root.id, csv, {});
        if (done.keys_added !== PEOPLE * 4)
          throw new Error(`${done.keys_added} keys instead of ${PEOPLE * 4}`);
      });
      rates.push(PEOPLE / took);
      await copy();
      const around = limits.slice(-2).map(Math.round).join(' and ');
      console.log(`import round ${round}: ${Math.round(PEOPLE / took)} people/s of ${around} copied bare`);
    }
    const result: Result = {
      name: 'people imported per second, each with four keys',
      limit: median(limits),
      ours: median(rates),
      ratio: median(rates) / median(limits),
      target: 0.04,
    };
    console.log(
      `import: ${Math.round(result.ours)} people/s of ${Math.round(result.limit)} copied bare, ratio ${result.ratio.toFixed(3)}`,
    );
    return result;
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function writePeople(path: string): Promise<void> {
  const file = createWriteStream(path);
  file.write(`${COLUMNS.join(',')}\n`);
  for (let i = 0; i < PEOPLE; i++) {
    const phone = `504-${200 + (i % 700)}-${String(Math.floor(i / 700)).padStart(4, '0')}`;
    const line =
      `First${i % 5000},Last${i},"Company ${i % 9000}, Inc",${i % 9999} N Blue Gum St #${i % 40},New Orleans,Orleans,LA,` +
      `${10000 + (i % 80000)},${phone},person${i}@example.com,http://www.company${i % 9000}.com\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

async function bareCopy(url: string, csv: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `drop table if exists bare; create table bare (${COLUMNS.map((name) => `${name} text`).join(', ')})`,
    );
    await pipeline(
      createReadStream(csv),
      client.query(copyFrom('copy bare from stdin with (format csv, header true)')),
    );
  } finally {
    await client.end();
  }
}
