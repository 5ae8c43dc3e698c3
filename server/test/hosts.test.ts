import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { loadJob } from '../features/audience/exclusions/load.ts';
import { inScope } from '../platform/db/scope.ts';
import { newId } from '../platform/ids.ts';
import { createTestDatabase } from './database.ts';
import { until } from './faults/harness.ts';
import { startS3 } from './s3-server.ts';
import { openStage } from './stage.ts';

test('[SCAL-01] a file that one host takes in is loaded by another, which shares only the bucket with it', {
  timeout: 300_000,
}, async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  const s3 = await startS3();
  const other = mkdtempSync(join(tmpdir(), 'lead-host-'));
  const env = { ...s3.env, APP_KEY: randomBytes(32).toString('base64') };
  const stage = await openStage({ databaseUrl: database.url, env });
  try {
    const { id: rootId } = await stage.make.root();
    const listId = newId(new Date());
    const file = `exclusions/${listId}.csv`;
    const { loads, jobs } = stage.features.exclusions;
    const { rows } = await loads.take(
      (async function* () {
        yield Buffer.from('ada@example.com\ngrace@example.com\n');
      })(),
      file,
      { mostBytes: 2 ** 20 },
    );
    expect([...s3.objects.keys()]).toEqual([`leads/${file}`]);
    await inScope(stage.platform.db.app, { rootId }, async (tx) => {
      await tx
        .insertInto('exclusion_list')
        .values({
          id: listId,
          root_id: rootId,
          agency_id: null,
          company_id: rootId,
          owner_id: rootId,
          level: 'root',
          name: 'people.csv',
          state: 'queued',
          file_path: file,
          total_rows: BigInt(rows),
          created_at: new Date(),
        })
        .execute();
      await jobs.send(tx, loadJob, [{ rootId, listId }]);
    });
    // The bucket stops in the middle at first: the job is tried again.
    s3.set('cutting');
    const worker = await stage.start('app', { ROLES: 'worker', DATA_DIR: other });
    await until('the worker to ask for the file', () => s3.asked.some((one) => one.startsWith('GET')));
    s3.set('fine');
    await until('the list to be loaded', async () => {
      return (await stage.number(`select count(*) from exclusion_list where state = 'active'`)) === 1;
    });
    expect(await stage.number(`select rows_read from exclusion_list where id = '${listId}'`)).toBe(2);
    // What has personal data is gone when it is not needed any more.
    await until('the file to be removed', () => s3.objects.size === 0);
    expect(existsSync(join(other, 'files', file))).toBe(false);
    await worker.stop();
  } finally {
    await stage.close();
    await s3.close();
    await database.drop();
    rmSync(other, { recursive: true, force: true });
  }
});
