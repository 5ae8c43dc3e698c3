// npm run schema: makes the types of the tables (server/platform/db/schema.ts) from a new database with every migration.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../server/platform/db/embedded.ts';
import { migrate } from '../server/platform/db/migrate.ts';
import { SCHEMA, schemaTypes } from './schema/types.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-platform-schema-'));
const server = await startEmbedded({ dataDir: folder, ephemeral: true, log: () => {} });
try {
  await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    writeFileSync(join(import.meta.dirname, '..', SCHEMA), await schemaTypes(client));
  } finally {
    await client.end();
  }
  console.log(`Written: ${SCHEMA}`);
} finally {
  await server.stop('immediate');
  rmSync(join(server.cluster, '..'), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}
