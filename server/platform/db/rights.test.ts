import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../app.ts'; // Declares the queues.
import { postgres15, startPostgres } from '../../test/postgres.ts';
import { openStage } from '../../test/stage.ts';
import { setUpJobs } from '../jobs.ts';
import { provisionLogins } from './connect.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';
import { MissingRights } from './rights.ts';

const scripts = join(import.meta.dirname, '../../../scripts');

const servers = [
  { name: 'PostgreSQL 18', start: startEphemeral },
  { name: 'PostgreSQL 15', start: postgres15 ? () => startPostgres(postgres15!) : undefined },
];

async function startEphemeral(): Promise<{ url: string; stop: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lead-rights-'));
  const server = await startEmbedded({ dataDir, ephemeral: true, log: () => {} });
  const stop = async () => {
    await server.stop('immediate');
    rmSync(join(server.cluster, '..'), { recursive: true, force: true });
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}

/** What a start does to the database before the server accepts requests. */
async function prepare(url: string, appKey: Buffer) {
  await migrate(url);
  await setUpJobs(url);
  return provisionLogins(url, appKey);
}

for (const { name, start } of servers) {
  describe.skipIf(!start)(`an external ${name}${start ? '' : ' (not on this machine)'}`, () => {
    let server: Awaited<ReturnType<typeof startEphemeral>>;
    const keepers: string[] = [];
    beforeAll(async () => {
      server = await start!();
    });
    afterAll(() => server?.stop());

    const asSuperuser = async (database: string, ...statements: string[]): Promise<void> => {
      const client = new pg.Client({ connectionString: urlOf(database, 'postgres') });
      await client.connect();
      try {
        for (const one of statements) await client.query(one);
      } finally {
        await client.end();
      }
    };
    function urlOf(database: string, user: string): string {
      const url = new URL(server.url);
      url.pathname = `/${database}`;
      if (user !== 'postgres') Object.assign(url, { username: user, password: 'secret' });
      return url.href;
    }
    /** Creates a database owned by a role with exactly the rights that the documentation asks for. */
    const databaseOf = async (keeper: string, rights = 'createrole'): Promise<string> => {
      if (!keepers.includes(keeper))
        await asSuperuser('postgres', `create role ${keeper} login ${rights} password 'secret'`);
      keepers.push(keeper);
      const database = `db${keepers.length}`;
      await asSuperuser('postgres', `create database ${database} owner ${keeper}`);
      return urlOf(database, keeper);
    };

    it('[RUN-03] is enough with CREATEROLE and ownership: started again, by two processes, with every command', async () => {
      const url = await databaseOf('keeper');
      const first = await prepare(url, Buffer.alloc(32, 1));
      expect(await prepare(url, Buffer.alloc(32, 1))).toEqual(first);
      // After the first start, the rights are no longer used.
      await asSuperuser('postgres', 'alter role keeper nocreaterole');
      expect(await prepare(url, Buffer.alloc(32, 1))).toEqual(first);
      await asSuperuser('postgres', 'alter role keeper createrole');
      // A login that someone changed is fixed.
      const login = new URL(first.appUrl).username;
      await asSuperuser('postgres', `alter role ${login} nologin noinherit password 'other'`);
      expect(await prepare(url, Buffer.alloc(32, 1))).toEqual(first);

      const stage = await openStage({ databaseUrl: url });
      try {
        await stage.make.root({ name: 'Root', host: 'localhost', isMaster: true });
        for (const process of await Promise.all([stage.start('main'), stage.start('main')])) {
          const ready = await fetch(`http://127.0.0.1:${process.port}/readyz`);
          expect(await ready.json()).toMatchObject({ status: 'ready' });
        }
        const file = join(stage.platform.config.dataDir, 'people.csv');
        writeFileSync(file, 'email,first_name\na@people.example,Ann\n');
        const run = (script: string, ...args: string[]) =>
          promisify(execFile)(process.execPath, [join(scripts, script), ...args], {
            env: {
              ...process.env,
              DATABASE_URL: url,
              DATA_DIR: stage.platform.config.dataDir,
              NODE_OPTIONS: '',
            },
          });
        const said = await Promise.all([
          run('import-people.ts', file, '--root', 'master'),
          run('audit.ts'),
          run('verify-log.ts'),
          run('database-url.ts'),
        ]);
        expect(said.map(({ stdout }) => stdout)).toEqual([
          expect.stringContaining('1 people added'),
          expect.not.stringContaining('BROKEN'),
          expect.stringContaining('The log is intact.'),
          `${url}\n`,
        ]);
      } finally {
        await stage.close();
      }
    });

    it.skipIf(name !== 'PostgreSQL 15')(
      '[RUN-03] is dumped and restored by the commands of the document, without an error to ignore, and audits',
      async () => {
        const url = await databaseOf('keeper');
        const restored = await databaseOf('keeper');
        await prepare(url, Buffer.alloc(32, 4));
        const stage = await openStage({ databaseUrl: url });
        const folder = mkdtempSync(join(tmpdir(), 'lead-dump-'));
        try {
          const root = await stage.make.root({ name: 'Root', host: 'localhost', isMaster: true });
          const client = await stage.make.client(await stage.make.agency(root, { host: 'a.localhost' }));
          const campaign = await stage.make.campaign(client, { price: 2_000_000n, balance: 50_000_000n });
          const person = stage.make.person();
          await stage.make.people(root, [person]);
          await stage.make.visit(campaign, { email: person.email });
          const document = readFileSync(join(scripts, '../docs/operations.md'), 'utf8');
          const [commands] = /(?<=```sh\n)pg_dump[^`]*(?=```)/.exec(document) ?? [];
          const { stdout, stderr } = await promisify(execFile)(
            'bash',
            ['-euc', commands!.replaceAll('lead_new', new URL(restored).pathname.slice(1))],
            {
              cwd: folder,
              env: {
                ...process.env,
                PATH: `${postgres15}:${process.env.PATH}`,
                DATABASE_URL: url,
                NEW_DATABASE_URL: restored,
              },
            },
          );
          expect(`${stdout}${stderr}`).not.toMatch(/error|warning|ignored/i);
          const count = async (database: string) => {
            const db = new pg.Client({
              connectionString: urlOf(new URL(database).pathname.slice(1), 'postgres'),
            });
            await db.connect();
            try {
              const { rows } = await db.query(
                `select (select count(*) from entry)::int as entries, (select count(*) from person)::int as people,
                   (select count(*) from visit)::int as visits, (select count(*) from company)::int as companies,
                   (select count(*) from pg_policies)::int as policies`,
              );
              return rows[0];
            } finally {
              await db.end();
            }
          };
          expect(await count(restored)).toEqual(await count(url));
          expect((await count(restored)).people).toBe(1);
          // It starts, and its books and its log hold.
          await prepare(restored, Buffer.alloc(32, 4));
          const run = (script: string) =>
            promisify(execFile)(process.execPath, [join(scripts, script)], {
              env: {
                ...process.env,
                DATABASE_URL: restored,
                DATA_DIR: stage.platform.config.dataDir,
                NODE_OPTIONS: '',
              },
            });
          expect((await run('audit.ts')).stdout).not.toContain('BROKEN');
        } finally {
          await stage.close();
          rmSync(folder, { recursive: true });
        }
      },
    );

    it('is set up by two processes at once', async () => {
      const url = await databaseOf('keeper');
      const [one, other] = await Promise.all([1, 2].map(() => prepare(url, Buffer.alloc(32, 2))));
      expect(one).toEqual(other);
    });

    it('prints what an administrator has to run where a right is missing, and that is enough', async () => {
      // The cluster's roles already exist, created by someone else.
      const url = await databaseOf('guest', 'nocreaterole');
      const database = new URL(url).pathname.slice(1);
      let rounds = 0;
      for (; ; rounds++) {
        try {
          await prepare(url, Buffer.alloc(32, 3));
          break;
        } catch (error) {
          expect(error).toBeInstanceOf(MissingRights);
          const { message } = error as Error;
          expect(message).toMatch(/^DATABASE_URL: the role "guest" lacks permissions\. /);
          expect(message.split('\n', 1)[0]).toContain(` in the database ${database}, `);
          expect(message).not.toContain('password');
          const statements = message.split('\n').flatMap((line) => /^ {2}(.*;)$/.exec(line)?.[1] ?? []);
          expect(statements.length).toBeGreaterThan(0);
          await asSuperuser(database, ...statements);
        }
        expect(rounds).toBeLessThan(4);
      }
      expect(rounds).toBeGreaterThan(0);
    });
  });
}
