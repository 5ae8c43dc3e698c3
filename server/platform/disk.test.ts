import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../test/app.ts';
import { diskState, isDiskFull, onceAMinute } from './disk.ts';
import { newId } from './ids.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app?.close());

test('a line about a full disk repeats itself once a minute', () => {
  expect([0, 1, 59_999, 60_000].map((ms) => onceAMinute('disk', ms))).toEqual([true, false, false, true]);
  expect(onceAMinute('another', 1)).toBe(true);
});

test('a full disk: /readyz says so, /v and calls answer 503 with Retry-After, an import says why it waits and goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lead-disk-'));
  expect(await diskState(folder)).toBe('fine');
  expect((await app.call('GET', '/readyz')).status).toBe(200);
  const root = await app.make.root({ name: 'Root', host: 'localhost', isMaster: true });
  const client = await app.make.client(await app.make.agency(root, {}), {});
  const campaign = await app.make.campaign(client, {});
  // The error as PostgreSQL words it, on the tables that are written to.
  await app.admin.query(`
    create function is_full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
    create trigger full_visit before insert on visit for each row execute function is_full();
    create trigger full_person before insert on person for each row execute function is_full()`);

  const visit = await app.call('POST', '/v', {
    headers: {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      origin: 'https://shop.example.com',
    },
    body: {
      k: campaign.siteKey,
      e: [{ i: newId(app.clock.now()), v: newId(app.clock.now()), u: 'https://shop.example.com/' }],
    },
  });
  expect([visit.status, visit.headers['retry-after']]).toEqual([503, '30']);
  const ready = await app.call('GET', '/readyz');
  expect([ready.status, ready.body.reason, ready.headers['retry-after']]).toEqual([
    503,
    'the disk is full',
    '30',
  ]);

  const { people } = app.features;
  const file = join(folder, 'people.csv');
  writeFileSync(file, 'email\na@disk.example\n');
  await expect(people.importFile(root.id, file, {})).rejects.toSatisfy(isDiskFull);
  const waiting = await app.admin.query('select id, state, error from import_job');
  expect(waiting.rows).toEqual([
    {
      id: expect.any(String),
      state: 'running',
      error: expect.stringContaining('The server disk is full'),
    },
  ]);
  await app.admin.query('drop trigger full_person on person; drop trigger full_visit on visit');
  const end = await people.importFile(root.id, file, {});
  expect(end).toMatchObject({ id: waiting.rows[0].id, state: 'done', error: null, rows_added: 1 });
  rmSync(folder, { recursive: true, force: true });
});
