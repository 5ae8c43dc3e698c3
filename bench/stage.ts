import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../server/platform/db/embedded.ts';
import { migrate } from '../server/platform/db/migrate.ts';
import { setUpJobs } from '../server/platform/jobs.ts';
import { openStage as openOn } from '../server/test/stage.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * What a benchmark runs on: a durable PostgreSQL of its own, migrated and empty (see server/test/stage.ts for the
 * rest).
 */
export async function openStage(outbound: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'lead-bench-'));
  const server = await startEmbedded({ dataDir: folder, log: () => {} });
  await migrate(server.url);
  await setUpJobs(server.url);
  const stage = await openOn({ databaseUrl: server.url, outbound });
  return {
    ...stage,
    /** Connection string of the superuser. */
    adminUrl: server.url,
    async close(): Promise<void> {
      await stage.close();
      await server.stop();
      rmSync(join(server.cluster, '..'), { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The median of some numbers. */
export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
