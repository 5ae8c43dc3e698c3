// npm run --silent database-url: the connection string of this installation's database, for pg_dump and psql.
import { loadConfig } from '../server/platform/config.ts';
import { embeddedUrl } from '../server/platform/db/embedded.ts';

const config = loadConfig(process.env);
const embedded = config.databaseUrl ? undefined : embeddedUrl(config.dataDir);
const found = config.databaseUrl ?? embedded?.replace(/\/postgres$/, '/lead');
if (!found) {
  console.error(
    `DATA_DIR: there is no database in ${config.dataDir}. Run npm start once, or set DATABASE_URL.`,
  );
  process.exit(1);
}
console.log(found);
