import type { Result } from './import.ts';
import { fire } from './load.ts';
import { median, openStage } from './stage.ts';
import { ORIGIN, SITE, visitBody } from './visits.ts';

/**
 * Visits accepted per second through POST /v with the spool (flushed to this disk, then drained into the database by the
 * same process), compared with the database form (committed before the answer); 64 connections, alternating rounds,
 * medians. Then what waits is drained, and its speed compared with that of accepting. Fails when an acknowledged visit is
 * missing.
 */
export async function benchSpool(options: { rounds?: number; seconds?: number } = {}): Promise<Result[]> {
  const { rounds = 3, seconds = 8 } = options;
  const stage = await openStage();
  try {
    const { make } = stage;
    const { siteKey } = await make.campaign(await make.client(await make.agency(await make.root())), {
      siteUrl: SITE,
    });
    // One address sends more here than a whole network does in a day.
    const ingest = { ROLES: 'ingest', VISIT_VOLUMES: 'address=100000,network=100000,key=100000' };
    const servers = {
      database: await stage.start('app', { ...ingest, VISIT_LOG: 'database' }),
      spool: await stage.start('app', { ...ingest, VISIT_LOG: 'spool' }),
    };
    const next = () => ({ body: visitBody(siteKey), headers: ORIGIN });
    const perSecond = { database: [] as number[], spool: [] as number[] };
    const drains: number[] = [];
    let acknowledged = 0;
    const count = () => stage.number('select count(*) from visit');
    const run = async (form: 'database' | 'spool', time: number) => {
      const before = await count();
      const fired = await fire({
        port: servers[form].port,
        path: '/v',
        type: 'text/plain;charset=UTF-8',
        next,
        seconds: time,
      });
      if (Object.keys(fired.others).length > 0)
        throw new Error(`Answers besides 204: ${JSON.stringify(fired.others)}`);
      acknowledged += fired.ok;
      const began = performance.now();
      const left = fired.ok - ((await count()) - before);
      while ((await count()) < acknowledged) {
        if (performance.now() - began > 120_000)
          throw new Error(`${acknowledged} visits were acknowledged, ${await count()} are there`);
        await new Promise((done) => setTimeout(done, 20));
      }
      const took = (performance.now() - began) / 1000;
      return { ...fired, left, took };
    };
    for (const form of ['database', 'spool'] as const) await run(form, 2);
    for (let round = 1; round <= rounds; round++) {
      const database = await run('database', seconds);
      const spool = await run('spool', seconds);
      perSecond.database.push(database.perSecond);
      perSecond.spool.push(spool.perSecond);
      drains.push(spool.ok / (seconds + spool.took));
      console.log(
        `spool round ${round}: ${Math.round(spool.perSecond)} visits/s (p50 ${spool.p50.toFixed(1)} ms, p99 ${spool.p99.toFixed(1)} ms)` +
          ` of ${Math.round(database.perSecond)} with the database, ratio ${(spool.perSecond / database.perSecond).toFixed(3)};` +
          ` ${spool.left} were still waiting, drained in ${spool.took.toFixed(2)} s`,
      );
    }
    for (const server of Object.values(servers)) await server.stop();
    const kept = await count();
    if (kept !== acknowledged) throw new Error(`${acknowledged} visits were acknowledged, ${kept} are there`);
    console.log(`spool: all ${kept} acknowledged visits are in the log`);
    const [limit, ours, drained] = [median(perSecond.database), median(perSecond.spool), median(drains)];
    return [
      {
        name: 'visits accepted per second by the spool, of the database form',
        limit,
        ours,
        ratio: ours / limit,
        target: 0.9,
      },
      {
        name: 'visits from the spool in the database per second, of the database form',
        limit,
        ours: drained,
        ratio: drained / limit,
        target: 0.9,
      },
    ];
  } finally {
    await stage.close();
  }
}
