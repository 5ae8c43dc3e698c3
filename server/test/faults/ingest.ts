import { setTimeout as sleep } from 'node:timers/promises';
import { openStage, type Running } from '../stage.ts';
import { type FaultRun, randomFrom, sendVisits, until } from './harness.ts';

/** The contents of the visit log after the kills, compared with what visitors were told. */
export interface IngestReport {
  acknowledged: number;
  rows: number;
  /** Acknowledged, but missing. */
  lost: string[];
  /** Present without having been acknowledged. */
  unknown: number;
  /** Requests cut off by a kill. */
  cut: number;
  answers: Record<number, number>;
}

/** Runs kill -9 on the whole server (server/main.ts), again and again, while visitors send. */
export async function killDuringIngest(
  databaseUrl: string,
  { kills, seed, log }: FaultRun,
): Promise<IngestReport> {
  const random = randomFrom(seed);
  const stage = await openStage({ databaseUrl });
  try {
    const { siteKey } = await stage.make.campaign(
      await stage.make.client(await stage.make.agency(await stage.make.root())),
    );
    let server: Running | undefined = await stage.start('main');
    const visitors = sendVisits(() => server, siteKey, 12);
    for (let kill = 1; kill <= kills; kill++) {
      const before = visitors.log.acknowledged.size;
      await until('visits to be taken', () => visitors.log.acknowledged.size > before + 20);
      await sleep(random() * 500);
      const killed = server;
      await killed.kill();
      server = undefined;
      server = await stage.start('main');
      log?.(`kill ${kill} of ${kills}: ${visitors.log.acknowledged.size} visits acknowledged so far`);
    }
    await sleep(300);
    await visitors.stop();
    await server.stop();
    const { rows } = await stage.admin.query<{ id: string }>('select event_id as id from visit');
    const there = new Set(rows.map((row) => row.id));
    const { acknowledged, answers } = visitors.log;
    return {
      acknowledged: acknowledged.size,
      rows: rows.length,
      lost: [...acknowledged].filter((id) => !there.has(id)),
      unknown: [...there].filter((id) => !acknowledged.has(id)).length,
      cut: answers.get(0) ?? 0,
      answers: Object.fromEntries(answers),
    };
  } finally {
    await stage.close();
  }
}
