import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../test/database.ts';
import { holdDemo } from './demo-mark.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let admin: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase(inject('adminUrl'));
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const state = async () => {
  const hold = await holdDemo(database.url, () => {});
  const found = await hold.state();
  await hold.release();
  return found.is;
};
/** A lead without an owner, as the days of a demo leave behind. */
const lead = (daysAgo: number) =>
  admin.query(
    `set session_replication_role = replica;
     insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, created_at)
     select gen_random_uuid(), id, id, id, id, 1, 98, 0, 0, now() - interval '${daysAgo} days' from (select gen_random_uuid() as id) x;
     reset session_replication_role`,
  );

test('[RUN-01] a demo that an earlier version left half made is told from a whole one', async () => {
  expect(await state()).toBe('none');
  // Marked the way version 0.1.0 marked existing demos.
  await admin.query('insert into demo (port, whole_at) select 8080, now()');
  expect(await state()).toBe('begun');
  await lead(30);
  expect(await state()).toBe('begun');
  await lead(0);
  expect(await state()).toBe('whole');
  await admin.query('delete from lead');
  // A demo made by this version records its own progress.
  await admin.query(`update demo set begun_at = whole_at - interval '1 minute'`);
  expect(await state()).toBe('whole');
  await admin.query('update demo set whole_at = null');
  expect(await state()).toBe('begun');
});

test('[RUN-01] no one loses what they have looked at: a demo with a sign-in is left as it is', async () => {
  await admin.query('update demo set begun_at = now(), whole_at = now()');
  expect(await state()).toBe('begun');
  await admin.query(
    `set session_replication_role = replica;
     insert into session (id, root_id, company_id, user_id, host, created_at, rotated_at, expires_at)
     select id, id, id, id, 'x', now(), now(), now() from (select gen_random_uuid() as id) x;
     reset session_replication_role`,
  );
  expect(await state()).toBe('whole');
});
