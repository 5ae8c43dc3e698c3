import { hash } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { loadJob } from '../../features/audience/exclusions/load.ts';
import { inScope } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { createTestDatabase } from '../database.ts';
import { openStage } from '../stage.ts';
import { until } from './harness.ts';

const ROWS = 160_000;

test('[BEY-08] kill -9 of the worker while it loads a list: every entry once, and none in force before the last', {
  timeout: 600_000,
}, async () => {
  const database = await createTestDatabase(inject('adminUrl'));
  const stage = await openStage({ databaseUrl: database.url });
  try {
    const root = await stage.make.root();
    const rootId = root.id;
    const listId = newId(new Date());
    const file = `exclusions/${listId}.csv`;
    const { loads, jobs, check } = stage.features.exclusions;
    const text = Array.from({ length: ROWS }, (_, i) => `p${i}@kill.example\n`).join('');
    const { rows } = await loads.take(
      (async function* () {
        yield Buffer.from(text);
      })(),
      file,
      { mostBytes: 2 ** 30 },
    );
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
          name: 'kill.csv',
          state: 'queued',
          file_path: file,
          total_rows: BigInt(rows),
          created_at: new Date(),
        })
        .execute();
      await jobs.send(tx, loadJob, [{ rootId, listId }]);
    });
    const read = () => stage.number(`select rows_read from exclusion_list where id = '${listId}'`);
    const entries = () => stage.number(`select count(*) from exclusion where list_id = '${listId}'`);
    const firstIs = async () => {
      const sha256 = [hash('sha256', 'p0@kill.example', 'buffer')];
      const md5 = [hash('md5', 'p0@kill.example', 'buffer')];
      return inScope(stage.platform.db.app, { rootId }, (tx) =>
        check(tx, [{ owners: [rootId], sha256, md5, phones: [], emails: [] }]),
      );
    };

    const worker = await stage.start('app', { ROLES: 'worker' });
    await until('the first batch', async () => (await read()) > 0);
    await worker.kill();
    const then = await read();
    expect(then).toBeGreaterThan(0);
    expect(then).toBeLessThan(ROWS);
    expect(await entries()).toBe(then * 2);
    expect(await firstIs()).toEqual(['clear']);

    const done = await loads.load({ rootId, listId });
    expect([done?.state, done?.rows_read, done?.rows_added, done?.rows_bad]).toEqual([
      'active',
      BigInt(ROWS),
      BigInt(ROWS),
      0n,
    ]);
    expect(await entries()).toBe(ROWS * 2);
    expect(await firstIs()).toEqual(['excluded']);
  } finally {
    await stage.close();
    await database.drop();
  }
});
