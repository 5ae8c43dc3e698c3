import type { Result } from './import.ts';
import { fire } from './load.ts';
import { median, openStage } from './stage.ts';
import { ORIGIN, SITE, visitBody } from './visits.ts';

/**
 * Visits committed per second through POST /v, compared with what the same process handles for the same bodies on a
 * POST that does nothing; 64 connections, alternating rounds, medians. Fails when an acknowledged visit is missing.
 */
export async function benchIngest(options: { rounds?: number; seconds?: number } = {}): Promise<Result> {
  const { rounds = 3, seconds = 8 } = options;
  const stage = await openStage();
  try {
    const { make } = stage;
    const { siteKey } = await make.campaign(await make.client(await make.agency(await make.root())), {
      siteUrl: SITE,
    });
    const server = await stage.start('app', { ROLES: 'ingest' });
    const next = () => ({ body: visitBody(siteKey), headers: ORIGIN });
    const empty = { port: server.port, path: '/empty', type: 'application/json', next };
    const visits = { port: server.port, path: '/v', type: 'text/plain;charset=UTF-8', next };
    let acknowledged = 0;
    const limits: number[] = [];
    const ours: number[] = [];
    await fire({ ...empty, seconds: 2 });
    acknowledged += (await fire({ ...visits, seconds: 2 })).ok;
    for (let round = 1; round <= rounds; round++) {
      const bare = await fire({ ...empty, seconds });
      const taken = await fire({ ...visits, seconds });
      if (Object.keys(taken.others).length > 0)
        throw new Error(`Answers besides 204: ${JSON.stringify(taken.others)}`);
      acknowledged += taken.ok;
      limits.push(bare.perSecond);
      ours.push(taken.perSecond);
      console.log(
        `ingest round ${round}: ${Math.round(taken.perSecond)} visits/s (p50 ${taken.p50.toFixed(1)} ms, p99 ${taken.p99.toFixed(1)} ms)` +
          ` of ${Math.round(bare.perSecond)} empty posts/s, ratio ${(taken.perSecond / bare.perSecond).toFixed(3)}`,
      );
    }
    await server.stop();
    const kept = await stage.number('select count(*) from visit');
    if (kept !== acknowledged) throw new Error(`${acknowledged} visits were acknowledged, ${kept} are there`);
    console.log(`ingest: all ${kept} acknowledged visits are in the log`);
    const [limit, mine] = [median(limits), median(ours)];
    return {
      name: 'visits accepted durably per second, 64 connections',
      limit,
      ours: mine,
      ratio: mine / limit,
      target: 0.25,
    };
  } finally {
    await stage.close();
  }
}
