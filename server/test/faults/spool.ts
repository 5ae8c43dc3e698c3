import { setTimeout as sleep } from 'node:timers/promises';
import { openStage, type Running } from '../stage.ts';
import { startTcpProxy } from '../tcp-proxy.ts';
import { type FaultRun, randomFrom, sendVisits, until } from './harness.ts';

/** The visit log after its database was away and its process was killed, compared with what visitors were told. */
export interface SpoolReport {
  acknowledged: number;
  /** Acknowledged while no database could be reached. */
  acknowledgedAway: number;
  rows: number;
  /** Acknowledged, but missing. */
  lost: string[];
  /** Requests cut off by a kill. */
  cut: number;
  answers: Record<number, number>;
  /** What /readyz said about the ingest while the database was away, and about the whole process. */
  readyAway: Set<number>;
}

/**
 * Cuts the network between an ingest and its database, or has it swallow everything, again and again, and each time kills
 * the process (-9) while visitors send; it starts again before the database is back.
 */
export async function killSpool(databaseUrl: string, { kills, seed, log }: FaultRun): Promise<SpoolReport> {
  const random = randomFrom(seed);
  const stage = await openStage({ databaseUrl });
  const network = await startTcpProxy(databaseUrl);
  const start = () =>
    stage.start('main', {
      DATABASE_URL: network.through(databaseUrl),
      ROLES: 'ingest',
      VISIT_LOG: 'spool',
      CONNECTIONS_PER_ADDRESS: '0',
    });
  try {
    const { siteKey } = await stage.make.campaign(
      await stage.make.client(await stage.make.agency(await stage.make.root())),
    );
    let server: Running | undefined = await start();
    const visitors = sendVisits(() => server, siteKey, 12);
    const { acknowledged, answers } = visitors.log;
    const readyAway = new Set<number>();
    let acknowledgedAway = 0;
    const more = async (): Promise<void> => {
      const before = acknowledged.size;
      await until('visits to be taken', () => acknowledged.size > before + 50);
    };
    for (let kill = 1; kill <= kills; kill++) {
      await more();
      if (kill % 2 === 0) network.silence();
      else network.cut();
      const before = acknowledged.size;
      await more();
      readyAway.add(
        await fetch(`http://127.0.0.1:${server.port}/readyz?role=ingest`).then(({ status }) => status),
      );
      await sleep(random() * 500);
      const killed: Running = server;
      server = undefined;
      await killed.kill();
      // A network that swallows everything would be waited for.
      network.cut();
      server = await start();
      await more();
      acknowledgedAway += acknowledged.size - before;
      network.mend();
      log?.(`kill ${kill} of ${kills}: ${acknowledged.size} visits acknowledged so far`);
    }
    await visitors.stop();
    await until('the spool to be empty', async () => {
      const { visits } = (await fetch(`http://127.0.0.1:${server!.port}/readyz`).then((answer) =>
        answer.json(),
      )) as { visits: { waiting: number } };
      return visits.waiting === 0;
    });
    await server.stop();
    const { rows } = await stage.admin.query<{ id: string }>('select event_id as id from visit');
    const there = new Set(rows.map((row) => row.id));
    return {
      acknowledged: acknowledged.size,
      acknowledgedAway,
      rows: rows.length,
      lost: [...acknowledged].filter((id) => !there.has(id)),
      cut: answers.get(0) ?? 0,
      answers: Object.fromEntries(answers),
      readyAway,
    };
  } finally {
    await network.close();
    await stage.close();
  }
}
