import { execFile } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, test } from 'vitest';
import '../../app.ts'; // Declares the queues.
import { verifyLog } from '../../features/accounts/audit/index.ts';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { until } from '../../test/faults/harness.ts';
import { postgres15, postgresUser, startPostgres } from '../../test/postgres.ts';
import { openStage } from '../../test/stage.ts';
import { backupsOf } from '../gauges.ts';
import { setUpJobs } from '../jobs.ts';
import { ensureDatabase } from './connect.ts';
import { migrate } from './migrate.ts';
import { inScope } from './scope.ts';

const run = promisify(execFile);
const document = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
/** The block of the document that begins like this. */
const blockOf = (kind: string, start: string): string => {
  const from = document.indexOf(`\`\`\`${kind}\n${start}`) + kind.length + 4;
  return document.slice(from, document.indexOf('```', from));
};

test.skipIf(!postgres15)(
  `[BEY-28] an external PostgreSQL 15 is restored to a time by the commands of the document, and audits${postgres15 ? '' : ' (not on this machine)'}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lead-external-'));
    const backups = join(folder, 'backups of today');
    const user = postgresUser();
    mkdirSync(join(backups, 'wal'), { recursive: true });
    if (user.uid)
      for (const path of [folder, backups, join(backups, 'wal')]) chownSync(path, user.uid, user.gid!);
    const settings = [...blockOf('ini', 'archive_mode').matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(
      ([, name, value]) => `${name}=${value!.replaceAll('/backups/wal', `${backups}/wal`)}`,
    );
    const command = settings.find((one) => one.startsWith('archive_command='))!;
    const server = await startPostgres(postgres15!, { settings });
    const url = await ensureDatabase(server.url, 'lead');
    await migrate(url);
    await setUpJobs(url);
    const stage = await openStage({ databaseUrl: url });
    let restored: Awaited<ReturnType<typeof startPostgres>> | undefined;
    /** Runs commands as the user that PostgreSQL runs as. */
    const shell = (commands: string, env: Record<string, string> = {}) =>
      run('bash', ['-euc', commands], {
        ...user,
        cwd: folder,
        env: { PATH: `${postgres15}:${process.env.PATH}`, BACKUPS: backups, ...env },
      });
    try {
      const root = await stage.make.root({ name: 'Root', host: 'localhost', isMaster: true });
      const agency = await stage.make.agency(root, { name: 'Agency', host: 'agency.localhost' });
      let sent = 0;
      const topUp = () =>
        inScope(stage.platform.db.app, { rootId: root.id }, (tx) =>
          stage.features.wallet.topUp(
            tx,
            { rootId: root.id, agencyId: agency.id, amountMicros: 1_000_000n, key: `external-${sent++}` },
            new Date(),
          ),
        );
      const countOf = async (one: pg.Client | pg.Pool): Promise<number> =>
        Number((await one.query('select count(*) as n from transfer')).rows[0].n);
      await topUp();
      expect((await backupsOf(backups, stage.platform.db.app)).lastGood).toBeNull();
      await shell(blockOf('sh', 'name=$(date'), { REPLICATION_URL: server.url });
      await topUp();
      await sleep(20);
      const { at } = (await stage.admin.query('select clock_timestamp()::text as at')).rows[0];
      const count = await countOf(stage.admin);
      await sleep(20);
      await topUp();
      await topUp();
      const { file } = (await stage.admin.query('select pg_walfile_name(pg_switch_wal()) as file')).rows[0];
      await until('the log to be archived', () => existsSync(join(backups, 'wal', file)));
      expect(await backupsOf(backups, stage.platform.db.app)).toEqual({
        lastGood: expect.any(Date),
        archivedTo: expect.any(Date),
        fault: null,
      });

      // The command of the document takes the same file twice, and never replaces one by another.
      const [first] = readdirSync(join(backups, 'wal')).filter((name) => name.endsWith(file.slice(-8)));
      const same = join(folder, 'same');
      cpSync(join(backups, 'wal', first!), same);
      const other = join(folder, 'other');
      writeFileSync(other, 'something else');
      if (user.uid) for (const path of [same, other]) chownSync(path, user.uid, user.gid!);
      const archive = (path: string) =>
        shell(command.replace('archive_command=', '').replaceAll('%p', path).replaceAll('%f', first!));
      await archive(same);
      await expect(archive(other)).rejects.toThrow();
      expect(readFileSync(join(backups, 'wal', first!)).equals(readFileSync(same))).toBe(true);

      const [name] = readdirSync(backups).filter((one) => one !== 'wal');
      const cluster = join(folder, 'restored');
      await shell(blockOf('sh', 'cp -a "$BASE"'), {
        BASE: join(backups, name!),
        CLUSTER: cluster,
        TIME: at,
      });
      restored = await startPostgres(postgres15!, { cluster });
      const lead = Object.assign(new URL(restored.url), { pathname: '/lead' }).href;
      const client = new pg.Client({ connectionString: lead });
      await client.connect();
      await until('the end of recovery', async () => {
        const { rows } = await client.query('select pg_is_in_recovery() as is');
        return !rows[0].is;
      });
      const { checks } = await auditLedger(client);
      expect(checks.filter((check) => check.violations > 0)).toEqual([]);
      expect(await countOf(client)).toBe(count);
      expect(await countOf(stage.admin)).toBe(count + 2);
      await client.end();
      for (const one of await verifyLog(lead, [stage.platform.config.appKey])) expect(one.breaks).toEqual([]);
    } finally {
      await stage.close();
      await restored?.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
