import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { countMatches } from '../server/features/intent/match.store.ts';
import { runsOf } from '../server/features/keywords/index.ts';
import { inScope } from '../server/platform/db/scope.ts';
import { newId } from '../server/platform/ids.ts';
import type { Result } from './import.ts';
import { median, openStage, type Stage } from './stage.ts';

const DAY_MS = 86_400_000;
/** Signals of one transaction of an import. */
const BATCH = 20_000;
const WORDS = 20_000;
const STATES = ['TX', 'CA', 'NY', 'FL', 'LA', 'IL', 'OH', 'GA', 'WA', 'CO'];

/**
 * Intent signals: importing them against COPY of the same file into a bare table; counts, national and in states, against the bare query
 * on the covering index; and matching one day of new signals with campaigns against the bare join of the two tables. The
 * signals of the counts are made by the database, seven days of them, evenly. Medians of rounds in turn.
 * @param full 20 million signals of 5 million people, a day of 2 million and 5,000 campaigns; else a tenth of it
 */
export async function benchIntent({ full }: { full: boolean }): Promise<Result[]> {
  const size = full
    ? { imported: 1_000_000, signals: 20_000_000, people: 5_000_000, day: 2_000_000, campaigns: 5000 }
    : { imported: 200_000, signals: 2_000_000, people: 500_000, day: 200_000, campaigns: 500 };
  const stage = await openStage();
  try {
    const results = [await imported(stage, size.imported)];
    const root = await stage.make.root();
    const now = stage.platform.clock.now();
    await stage.features.identity.keepSignals();
    const admin = new pg.Client({ connectionString: stage.adminUrl });
    await admin.connect();
    try {
      await fill(admin, root.id, now, size);
      results.push(await counted(stage, admin, root.id, now, 3, ['TX', 'LA'], 1 / 5));
      results.push(await counted(stage, admin, root.id, now, 50, null, 1 / 3));
      results.push(await matched(stage, admin, root, now, size));
    } finally {
      await admin.end();
    }
    return results;
  } finally {
    await stage.close();
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** The numbers of the batches in which an import brings a day's signals. */
const batchesOf = (day: number): number[] => Array.from({ length: day / BATCH }, (_, i) => i + 2);

/** Imports a file of so many signals of known people, by email. */
async function imported(stage: Stage, many: number): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'lead-bench-intent-'));
  const csv = join(folder, 'signals.csv');
  const columns = 'email,keyword,url,state,city,zip,time'.split(',');
  try {
    const people = 50_000;
    const now = stage.platform.clock.now().getTime();
    const file = createWriteStream(csv);
    file.write(`${columns.join(',')}\n`);
    for (let i = 0; i < many; i++) {
      const at = new Date(now - ((i * 7919) % (7 * DAY_MS))).toISOString();
      const line = `person${(i * 31) % people}@example.com,word${(i * 17) % WORDS} offers,https://www.site${i % 5000}.example/page/${i % 977},${STATES[i % 10]},Town ${i % 500},${10000 + (i % 80000)},${at}\n`;
      if (!file.write(line)) await once(file, 'drain');
    }
    file.end();
    await once(file, 'finish');
    const bare = async () => {
      const client = new pg.Client({ connectionString: stage.adminUrl });
      await client.connect();
      try {
        await client.query(
          `drop table if exists bare_signals; create table bare_signals (${columns.map((name) => `${name} text`).join(', ')})`,
        );
        await pipeline(
          createReadStream(csv),
          client.query(copyFrom('copy bare_signals from stdin with (format csv, header true)')),
        );
      } finally {
        await client.end();
      }
    };
    const limits: number[] = [];
    const rates: number[] = [];
    const copy = async () => limits.push(many / (await seconds(bare)));
    for (let round = 1; round <= 3; round++) {
      const root = await stage.make.root();
      const crowd = join(folder, 'people.csv');
      const list = createWriteStream(crowd);
      list.end(`email\n${Array.from({ length: people }, (_, i) => `person${i}@example.com`).join('\n')}\n`);
      await once(list, 'finish');
      await stage.features.identity.importFile(root.id, crowd, {});
      await copy();
      const took = await seconds(async () => {
        const done = await stage.features.identity.importFile(root.id, csv, {}, { kind: 'signals' });
        if (done.rows_added !== many) throw new Error(`${done.rows_added} signals instead of ${many}`);
      });
      rates.push(many / took);
      await copy();
      console.log(
        `intent import round ${round}: ${Math.round(many / took)} signals/s of ${limits.slice(-2).map(Math.round).join(' and ')} copied bare`,
      );
    }
    const [limit, ours] = [median(limits), median(rates)];
    return { name: 'signals imported per second', limit, ours, ratio: ours / limit, target: 0.1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills the tables behind the features' backs: what is measured is reading them. */
async function fill(
  admin: pg.Client,
  rootId: string,
  now: Date,
  { signals, people, day }: { signals: number; people: number; day: number },
): Promise<void> {
  const took = await seconds(async () => {
    await admin.query(
      'create temp table who as select gen_random_uuid() as id, n from generate_series(0, $1) n',
      [people - 1],
    );
    await admin.query('create unique index on who (n)');
    await admin.query('analyze who');
    await admin.query(
      `insert into intent_term (root_id, company_id, words, keyword) select $1, $1, 'word' || n || ' offer', 'word' || n || ' offers'
       from generate_series(0, $2) n`,
      [rootId, WORDS - 1],
    );
    const { rows } = await admin.query('select id, words from intent_term where root_id = $1', [rootId]);
    const runs = rows.flatMap(({ id, words }) => runsOf(words).map((hash) => [id, hash.toString()]));
    await admin.query(
      `insert into intent_phrase (root_id, company_id, hash, term_id) select $1, $1, h, t from unnest($2::int[], $3::bigint[]) r (t, h)`,
      [rootId, runs.map(([id]) => id), runs.map(([, hash]) => hash)],
    );
    const add = (many: number, batch: number, from: string) =>
      admin.query(
        `insert into signal (root_id, company_id, term_id, person_id, at, state, zip, city, strength, key_kind, batch_id, url)
         select $1, $1, $2::int + (random() * ${WORDS - 1})::int, w.id, ${from}, s.state, 10000 + (random() * 80000)::int,
           (random() * 1e15)::bigint, 98, 1, $4, 'https://www.site.example/page/' || g
         from generate_series(1, $5::int) g
         cross join lateral (select (array[518, 53, 369, 142, 287, 220, 371, 157, 573, 67])[1 + (g % 10)]::smallint as state) s
         join who w on w.n = (g::bigint * 7919) % ${people}
         order by 3, 4 on conflict do nothing`,
        [rootId, Math.min(...rows.map((row) => row.id)), now, batch, many],
      );
    // Most of the last week, then one day that is new.
    await add(signals - day, 1, `$3::timestamptz - interval '1 day' - random() * interval '6 days'`);
    for (const batch of batchesOf(day))
      await add(BATCH, batch, `$3::timestamptz - random() * interval '1 day'`);
    await admin.query(
      `insert into signal_batch (root_id, company_id, import_id, signals, created_at, matched_at, id) overriding system value
       values ($1, $1, gen_random_uuid(), 1, $2, $2, 1000001)`,
      [rootId, now],
    );
    await admin.query('vacuum analyze signal');
    await admin.query('analyze intent_term, intent_phrase');
  });
  const { rows } = await admin.query('select count(*) as n from signal where root_id = $1', [rootId]);
  console.log(`intent: ${Number(rows[0].n).toLocaleString('en-US')} signals made in ${Math.round(took)} s`);
}

/** A count of some keywords against the same rows of the covering index, counted bare. */
async function counted(
  stage: Stage,
  admin: pg.Client,
  rootId: string,
  now: Date,
  many: number,
  states: string[] | null,
  target: number,
): Promise<Result> {
  const keywords = Array.from({ length: many }, (_, i) => `word${i * 37 + 5}`);
  const { rows } = await admin.query(
    `select array_agg(id) as ids from intent_term where root_id = $1 and words = any($2)`,
    [rootId, keywords.map((word) => `${word} offer`)],
  );
  const span = { from: new Date(now.getTime() - 7 * DAY_MS), until: now };
  const search = {
    location: states ? ('state' as const) : ('national' as const),
    states: states ?? [],
    cities: [],
    zips: [],
    keywords,
  };
  const limits: number[] = [];
  const rates: number[] = [];
  let [bare, ours] = [0, 0];
  for (let round = 0; round < 7; round++) {
    const limit = await seconds(async () => {
      const answer = await admin.query(
        `select count(*) as n from (select person_id from signal where root_id = $1 and term_id = any($2) and at > $3 and at <= $4
         ${states ? 'and state = any($5)' : ''} group by person_id) p`,
        [rootId, rows[0].ids, span.from, span.until, ...(states ? [[518, 287]] : [])],
      );
      bare = Number(answer.rows[0].n);
    });
    const took = await seconds(async () => {
      const found = await inScope(stage.platform.db.app, { rootId }, (tx) =>
        countMatches(tx, rootId, search, span),
      );
      ours = found.placed;
    });
    if (bare !== ours || ours === 0) throw new Error(`${ours} people instead of ${bare}`);
    if (round > 0) {
      limits.push(1 / limit);
      rates.push(1 / took);
    }
  }
  const result = { limit: median(limits), ours: median(rates) };
  console.log(
    `intent count of ${many} keywords${states ? ' in two states' : ''}: ${ours} people, ${(1000 / result.ours).toFixed(1)} ms, bare ${(1000 / result.limit).toFixed(1)} ms`,
  );
  return {
    name: `counts per second, ${many} keywords${states ? ' with geography' : ', national'}`,
    ...result,
    ratio: result.ours / result.limit,
    target,
  };
}

/** One day of new signals with all campaigns, against the join of signals and keywords alone. */
async function matched(
  stage: Stage,
  admin: pg.Client,
  root: { id: string; root_id: string; agency_id: string | null },
  now: Date,
  { day, campaigns }: { day: number; campaigns: number },
): Promise<Result> {
  const agency = await stage.make.agency(root);
  const client = await stage.make.client(agency);
  // Twenty keywords each, a fifth of them national, the others in a state or some zip codes.
  for (let i = 0; i < campaigns; i++) {
    const location = i % 5 === 0 ? ('national' as const) : i % 2 ? ('state' as const) : ('zip' as const);
    await stage.make.campaign(client, {
      name: `Bench ${newId(now).slice(-6)}`,
      search: {
        keywords: Array.from({ length: 20 }, (_, k) => `word${(i * 20 + k * 991) % WORDS}`),
        location,
        states: location === 'state' ? [STATES[i % 10]!] : [],
        zips:
          location === 'zip'
            ? Array.from({ length: 40 }, (_, z) => String(10000 + ((i * 97 + z * 13) % 80000)))
            : [],
      },
    });
  }
  await admin.query('analyze campaign, campaign_keyword, campaign_place');
  await admin.query(
    `create table bare_wanted as select k.campaign_id, t.id as term_id from campaign_keyword k
     join intent_term t on t.root_id = k.root_id and t.words = k.words || ' offer'`,
  );
  await admin.query('analyze bare_wanted');
  const batches = batchesOf(day);
  const limits: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < 4; round++) {
    const limit = await seconds(() =>
      admin.query(
        `select count(*) from signal s join bare_wanted w on w.term_id = s.term_id where s.root_id = $1 and s.batch_id between $2 and $3 and s.at > $4`,
        [root.id, batches[0], batches.at(-1), new Date(now.getTime() - DAY_MS)],
      ),
    );
    await admin.query('truncate intent_match');
    await admin.query('delete from signal_batch where id = any($1)', [batches]);
    await admin.query(
      `insert into signal_batch (root_id, company_id, import_id, signals, created_at, id) overriding system value
       select $1, $1, gen_random_uuid(), $2, $3, id from unnest($4::bigint[]) id`,
      [root.id, BATCH, now, batches],
    );
    const took = await seconds(async () => {
      while ((await stage.features.intent.delivery.matchNew(root.id)) > 0);
    });
    if (round > 0) {
      limits.push(day / limit);
      rates.push(day / took);
    }
  }
  // What was found becomes candidates as they are judged.
  const unpacking = await seconds(async () => {
    while ((await stage.features.intent.delivery.unpack(root.id)) > 0);
  });
  const { rows } = await admin.query('select count(*) as n from intent_candidate');
  if (Number(rows[0].n) === 0) throw new Error('Nobody was found.');
  const [limit, ours] = [median(limits), median(rates)];
  console.log(
    `intent: ${day.toLocaleString('en-US')} new signals matched with ${campaigns} campaigns in ${(day / ours).toFixed(2)} s (bare join ${(day / limit).toFixed(2)} s); ${rows[0].n} candidates, unpacked in ${unpacking.toFixed(1)} s`,
  );
  return { name: 'new signals matched per second', limit, ours, ratio: ours / limit, target: 1 / 4 };
}
