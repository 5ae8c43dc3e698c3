import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import '../../app.ts'; // Declares the queues.
import { verifyLog } from '../../features/accounts/audit/index.ts';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { openStage } from '../../test/stage.ts';
import { setUpJobs } from '../jobs.ts';
import { backUp, restore } from './backup.ts';
import { ensureDatabase } from './connect.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';
import { inScope } from './scope.ts';

test('[BEY-28] a backup of a database in use is restored elsewhere: its books agree and nothing that was answered is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lead-backup-'));
  chmodSync(folder, 0o755);
  const at = (name: string): string => join(folder, name);
  const clusters = new Set<string>();
  const start = async (dataDir: string) => {
    const server = await startEmbedded({ dataDir, ephemeral: true, log: () => {} });
    clusters.add(dirname(server.cluster));
    return server;
  };
  const server = await start(at('data'));
  const url = await ensureDatabase(server.url, 'lead');
  await migrate(url);
  await setUpJobs(url);
  const stage = await openStage({ databaseUrl: url });
  try {
    mkdirSync(at('data/files/a'), { recursive: true });
    writeFileSync(at('data/files/a/upload'), 'uploaded');
    writeFileSync(at('data/app-key'), 'the key');
    const root = await stage.make.root({ name: 'Root', host: 'localhost', isMaster: true });
    const agency = await stage.make.agency(root, { name: 'Agency', host: 'agency.localhost' });
    const topUp = (n: number) =>
      inScope(stage.platform.db.app, { rootId: root.id }, (tx) =>
        stage.features.wallet.topUp(
          tx,
          { rootId: root.id, agencyId: agency.id, amountMicros: 1_000_000n, key: `backup-${n}` },
          new Date(),
        ),
      );
    const countOf = async (one: pg.Client | pg.Pool) =>
      Number((await one.query('select count(*) as n from transfer')).rows[0].n);
    let sent = 0;
    let isEnding = false;
    await topUp(sent++);
    const busy = (async () => {
      while (!isEnding) await topUp(sent++);
    })();
    const before = await countOf(stage.admin);
    await backUp(url, at('data'), at('backup'));
    const after = await countOf(stage.admin);
    isEnding = true;
    await busy;
    await expect(backUp(url, at('data'), at('backup'))).rejects.toThrow(/^FOLDER: .* is not empty/);

    await expect(restore(at('backup'), at('data'), () => {})).rejects.toThrow(
      /^DATA_DIR: .* already contains an installation/,
    );
    await expect(restore(at('data'), at('other'), () => {})).rejects.toThrow(/^FOLDER: .* is not a backup/);
    await restore(at('backup'), at('restored'), () => {});
    const restored = await start(at('restored'));
    try {
      const lead = new URL(restored.url);
      lead.pathname = '/lead';
      const client = new pg.Client({ connectionString: lead.href });
      await client.connect();
      const { checks } = await auditLedger(client);
      expect(checks.filter((check) => check.violations > 0)).toEqual([]);
      const count = await countOf(client);
      expect(count).toBeGreaterThanOrEqual(before);
      expect(count).toBeLessThanOrEqual(after);
      await client.end();
      for (const one of await verifyLog(lead.href, [stage.platform.config.appKey]))
        expect(one.breaks).toEqual([]);
      expect(readFileSync(at('restored/files/a/upload'), 'utf8')).toBe('uploaded');
      expect(readFileSync(at('restored/app-key'), 'utf8')).toBe('the key');
    } finally {
      await restored.stop('immediate');
    }
    expect(existsSync(at('other'))).toBe(false);
  } finally {
    await stage.close();
    await server.stop('immediate');
    for (const cluster of clusters)
      if (cluster.startsWith('/var/lib/')) rmSync(cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
});
