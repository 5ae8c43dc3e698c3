import pg from 'pg';
import type { Config } from '../server/platform/config.ts';
import { embeddedUrl, startEmbedded } from '../server/platform/db/embedded.ts';

/** There is no database to work on; the message says what to do. */
export class NoDatabase extends Error {}

/**
 * Returns the database that a command works on, and how to close it: that of DATABASE_URL, otherwise the embedded one,
 * which is started temporarily if it is not running. Throws NoDatabase.
 */
export async function findDatabase(config: Config): Promise<{
  url: string;
  /** Whether it is running only for this command. */
  isOurs: boolean;
  close: () => Promise<void>;
}> {
  if (config.databaseUrl) return { url: config.databaseUrl, isOurs: false, close: async () => {} };
  const lead = (url: string) => Object.assign(new URL(url), { pathname: '/lead' }).href;
  const running = embeddedUrl(config.dataDir);
  if (!running)
    throw new NoDatabase(
      `DATA_DIR: there is no database in ${config.dataDir}. Run npm start once, or set DATABASE_URL.`,
    );
  const client = new pg.Client({ connectionString: running });
  try {
    await client.connect();
    return { url: lead(running), isOurs: false, close: async () => {} };
  } catch {
    const own = await startEmbedded({ dataDir: config.dataDir, log: (line) => console.log(line) });
    return { url: lead(own.url), isOurs: true, close: () => own.stop() };
  } finally {
    await client.end().catch(() => {});
  }
}
