import { hasNats, startNats } from '../server/test/nats.ts';
import type { Result } from './import.ts';
import { fire } from './load.ts';
import { median, openStage } from './stage.ts';
import { ORIGIN, SITE, visitBody } from './visits.ts';

/**
 * Visits accepted per second through POST /v with the spool (flushed to this disk, then drained into the database by the
 * same process), compared with the database form (committed before the answer); 64 connections, alternating rounds,
 * medians. Then what waits is drained, and its speed compared with that of accepting. The same with three replicas of
 * JetStream on this machine, if it has a NATS server. Fails when an acknowledged visit is missing.
 */
export async function benchSpool(options: { rounds?: number; seconds?: number } = {}): Promise<Result[]> {
  const { rounds = 3, seconds = 8 } = options;
  const stage = await openStage();
  const nats = hasNats ? await startNats() : undefined;
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
      ...(nats
        ? {
            jetstream: await stage.start('app', {
              ...ingest,
              VISIT_LOG: 'jetstream',
              NATS_URL: nats.servers.map((server) => `nats://${server}`).join(),
              NATS_STREAM_MB: '500',
            }),
          }
        : {}),
    };
    type Form = 'database' | 'spool' | 'jetstream';
    const forms = Object.keys(servers) as Form[];
    const next = () => ({ body: visitBody(siteKey), headers: ORIGIN });
    const perSecond: Record<Form, number[]> = { database: [], spool: [], jetstream: [] };
    const drains: Record<Form, number[]> = { database: [], spool: [], jetstream: [] };
    let acknowledged = 0;
    const count = () => stage.number('select count(*) from visit');
    const run = async (form: Form, time: number) => {
      const before = await count();
      const fired = await fire({
        port: servers[form]!.port,
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
    for (const form of forms) await run(form, 2);
    for (let round = 1; round <= rounds; round++) {
      for (const form of forms) {
        const done = await run(form, seconds);
        perSecond[form].push(done.perSecond);
        drains[form].push(done.ok / (seconds + done.took));
        console.log(
          `${form} round ${round}: ${Math.round(done.perSecond)} visits/s (p50 ${done.p50.toFixed(1)} ms, p99 ${done.p99.toFixed(1)} ms),` +
            ` ratio ${(done.perSecond / perSecond.database.at(-1)!).toFixed(3)};` +
            ` ${done.left} were still waiting, drained in ${done.took.toFixed(2)} s`,
        );
      }
    }
    for (const server of Object.values(servers)) await server.stop();
    const kept = await count();
    if (kept !== acknowledged) throw new Error(`${acknowledged} visits were acknowledged, ${kept} are there`);
    console.log(`spool: all ${kept} acknowledged visits are in the log`);
    const limit = median(perSecond.database);
    const result = (name: string, ours: number, target: number): Result => ({
      name: `${name}, of the database form`,
      limit,
      ours,
      ratio: ours / limit,
      target,
    });
    return [
      result('visits accepted per second by the spool', median(perSecond.spool), 0.9),
      result('visits from the spool in the database per second', median(drains.spool), 0.9),
      ...(nats
        ? [
            result(
              'visits accepted per second by three replicas of JetStream',
              median(perSecond.jetstream),
              0.4,
            ),
          ]
        : []),
    ];
  } finally {
    await stage.close();
    await nats?.close();
  }
}
