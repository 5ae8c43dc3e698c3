import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { Agent, request as http } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { connectionOf, parseDatabaseUrl } from '../../platform/db/hosts.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { setUpJobs } from '../../platform/jobs.ts';
import { PASSWORD } from '../app.ts';
import { sha256 } from '../factories.ts';
import { type AppHost, PATIENCE, startHosts } from '../hosts.ts';
import { openStage, type Running } from '../stage.ts';
import { randomFrom, sendVisits, until } from './harness.ts';

/**
 * What is killed (-9): a process of a role on one of two hosts; or, of the host with the primary, PostgreSQL, its manager,
 * or everything.
 */
export type Victim = 'web' | 'ingest' | 'worker' | 'postgres' | 'manager' | 'host';
export const VICTIMS: Victim[] = ['web', 'ingest', 'worker', 'postgres', 'manager', 'host'];

/** How often callers got which answer; 0: none. */
type Answers = Record<number, number>;

interface KillReport {
  victim: Victim;
  on: string;
  /** From the kill until a sign-in worked that began after it, which writes a session, in milliseconds. */
  pauseMs: number;
  visits: Answers;
  signIns: Answers;
  reads: Answers;
}

/** What two application hosts and two database hosts have after the kills, compared with what callers were told. */
export interface HostsReport {
  kills: KillReport[];
  visits: number;
  /** Visits that were acknowledged, but are missing. */
  lostVisits: string[];
  /** Visits that are there more than once. */
  twice: number;
  leads: number;
  /** Leads there should be: one for each person whose visit was acknowledged. */
  expected: number;
  /** Leads without exactly one debit, and debits without a lead. */
  wrongDebits: number;
  /** 503 answers without Retry-After. */
  unhelpful: number;
  /** The ledger's invariants that do not hold. */
  broken: string[];
}

const HOST = 'acme.hosts.test';
const APP_HOSTS: AppHost[] = ['app1', 'app2'];

const soon = (what: string, done: () => Promise<boolean> | boolean): Promise<void> =>
  until(what, done, PATIENCE);

/**
 * Runs the example in ops/hosts with two webs, two ingests, and two workers, and kills one thing after another while
 * visitors send, workers sell leads, and people sign in and read, all through HAProxy.
 */
export async function killHosts(given: {
  victims: Victim[];
  seed: number;
  log?: (line: string) => void;
}): Promise<HostsReport> {
  const random = randomFrom(given.seed);
  const hosts = await startHosts();
  try {
    await soon('a primary', async () => (await hosts.cluster()).leader !== undefined);
    const admin = new pg.Client(connectionOf(parseDatabaseUrl(hosts.url('postgres'))));
    admin.on('error', () => {});
    await admin.connect();
    // As docs/operations.md says.
    await admin.query(`create role lead login createrole password 'lead'`);
    await admin.query('create database lead owner lead');
    await admin.end();
    const url = (by: 'hosts' | 'proxy') => hosts.url('lead', by, 'lead:lead');
    await migrate(parseDatabaseUrl(url('hosts')));
    await setUpJobs(parseDatabaseUrl(url('hosts')));
    const stage = await openStage({
      databaseUrl: parseDatabaseUrl(hosts.url('lead')),
      env: {
        APP_KEY: randomBytes(32).toString('base64'),
        VISIT_LOG: 'spool',
        TRUST_PROXY: '127.0.0.1',
        NODE_COMPILE_CACHE: join(hosts.folder, 'compiled'),
      },
    });
    try {
      const processes = new Map<string, Running>();
      const start = async (role: 'web' | 'ingest' | 'worker', host: AppHost): Promise<void> => {
        const folder = join(hosts.folder, host);
        mkdirSync(folder, { recursive: true });
        const process = await stage.start('app', {
          ROLES: role,
          DATA_DIR: folder,
          // One host looks for the primary among both, the other asks HAProxy.
          DATABASE_URL: url(host === 'app1' ? 'hosts' : 'proxy'),
          PORT: role === 'worker' ? '0' : String(hosts.portOf(host, role)),
        });
        processes.set(`${role} ${host}`, process);
      };

      await hosts.ready();
      const { make } = stage;
      const root = await make.root();
      const agency = await make.agency(root, { host: HOST });
      await make.leadCost(agency, 100_000n);
      const campaign = await make.campaign(await make.client(agency), {
        price: 250_000n,
        balance: 100_000_000_000n,
      });
      const users = await Promise.all([1, 2].map(() => make.user(agency, { password: PASSWORD })));
      const people = Array.from({ length: 300 * (given.victims.length + 1) }, () => make.person());
      await make.people(root, people);
      for (const role of ['web', 'ingest', 'worker'] as const)
        await Promise.all(APP_HOSTS.map((host) => start(role, host)));
      await hosts.serving('web', APP_HOSTS);
      await hosts.serving('ingest', APP_HOSTS);

      const front = { port: hosts.front };
      const visited = new Set<string>();
      let visits = 0;
      const visitors = sendVisits(() => front, campaign.siteKey, 2, {
        pauseMs: 300,
        // Of one network, no more than a thousand people a day become leads.
        address: () => `198.${18 + (visits >> 16)}.${(visits >> 8) & 255}.${visits & 255}`,
        person() {
          const { email } = people[visits++ % people.length]!;
          visited.add(email);
          return sha256(email);
        },
      });

      let answers = { visits: {} as Answers, signIns: {} as Answers, reads: {} as Answers };
      let unhelpful = 0;
      let ending = false;
      /** When the newest sign-in that worked began. */
      let signedIn = 0;
      const call = async (
        kind: 'signIns' | 'reads',
        path: string,
        init: { token?: string; body?: object },
      ): Promise<{ status: number; text: string }> => {
        const answer = await request(hosts.front, path, init);
        answers[kind][answer.status] = (answers[kind][answer.status] ?? 0) + 1;
        if (answer.status === 503 && !answer.retryAfter) unhelpful += 1;
        return answer;
      };
      /** Someone who signs in again and again, and reads with that session, by whichever web. */
      const member = async ({ email }: { email: string }): Promise<void> => {
        for (; !ending; await sleep(800)) {
          const began = performance.now();
          const { status, text } = await call('signIns', '/api/login', {
            body: { username: email, password: PASSWORD },
          });
          if (status !== 200) continue;
          signedIn = began;
          const token: string = JSON.parse(text).access_token;
          for (let n = 0; n < 2; n++) await call('reads', '/api/user/retrieve', { token });
        }
      };
      const members = users.map(member);

      const more = (what: string, done: () => boolean): Promise<void> =>
        soon(what, done).catch((error) => {
          const seen = { ...answers, visits: Object.fromEntries(visitors.log.answers) };
          const said = [...processes].map(([name, one]) => `${name}: ${one.said()}`).join('\n');
          throw new Error(`${error.message}\n${JSON.stringify(seen)}\n${said}\n${hosts.said()}`);
        });
      const kills: KillReport[] = [];
      let turn = 0;
      for (const victim of given.victims) {
        const before = visitors.log.acknowledged.size;
        const since = performance.now();
        await more('visits and sign-ins', () => {
          return visitors.log.acknowledged.size > before + 10 && signedIn > since;
        });
        await sleep(random() * 500);
        answers = { visits: {}, signIns: {}, reads: {} };
        const seen = new Map(visitors.log.answers);
        const killed = performance.now();
        const again = async (): Promise<number> => {
          await more('a sign-in after the kill', () => signedIn > killed);
          return Math.round(performance.now() - killed);
        };
        let on: string;
        let pauseMs: number;
        if (victim === 'web' || victim === 'ingest' || victim === 'worker') {
          const host = APP_HOSTS[turn++ % 2]!;
          const other = APP_HOSTS.filter((one) => one !== host);
          on = host;
          await processes.get(`${victim} ${host}`)!.kill();
          pauseMs = await again();
          if (victim !== 'worker') await hosts.serving(victim, other);
          await start(victim, host);
          if (victim !== 'worker') await hosts.serving(victim, APP_HOSTS);
        } else {
          const { leader } = await hosts.cluster();
          on = leader!;
          if (victim === 'postgres') hosts.killPostgres(leader!);
          else if (victim === 'manager') await hosts.killManager(leader!);
          else await hosts.killHost(leader!);
          await soon('the other host to lead', async () => {
            const now = await hosts.cluster();
            return now.leader !== undefined && now.leader !== leader;
          });
          pauseMs = await again();
          hosts.startHost(leader!);
          await hosts.ready();
          await hosts.serving('web', APP_HOSTS);
        }
        for (const [status, count] of visitors.log.answers)
          if (count > (seen.get(status) ?? 0)) answers.visits[status] = count - (seen.get(status) ?? 0);
        kills.push({ victim, on, pauseMs, ...answers });
        given.log?.(`${victim} on ${on}: ${JSON.stringify(kills.at(-1))}`);
      }
      ending = true;
      await Promise.all([visitors.stop(), ...members]);
      const { acknowledged } = visitors.log;
      const count = (of: string) => stage.number(`select count(*) from ${of}`);
      // If one is missing, the report says which.
      await soon(
        'every visit in the database',
        async () => (await count('visit')) >= acknowledged.size,
      ).catch(() => {});
      await soon('every visit resolved', async () => (await count('visit where resolved_at is null')) === 0);
      for (const one of processes.values()) await one.stop();

      const { rows } = await stage.admin.query<{ id: string }>('select event_id as id from visit');
      const there = new Set(rows.map(({ id }) => id));
      const reader = await stage.admin.connect();
      const { checks } = await auditLedger(reader).finally(() => reader.release());
      return {
        kills,
        visits: acknowledged.size,
        lostVisits: [...acknowledged].filter((id) => !there.has(id)),
        twice: rows.length - there.size,
        leads: await count('lead'),
        expected: visited.size,
        wrongDebits:
          await stage.number(`select count(*) from lead l full join transfer t on t.id = l.transfer_id
          where (t.id is null or l.id is null or t.reference_id <> l.id) and (t.kind is null or t.kind = 'lead')`),
        unhelpful: unhelpful + visitors.log.unhelpful,
        broken: checks.filter(({ violations }) => violations > 0).map(({ name }) => name),
      };
    } finally {
      await stage.close();
    }
  } finally {
    await hosts.close();
  }
}

const agent = new Agent({ keepAlive: true });

/** A request to the tenant's host through HAProxy, as Caddy passes it on; status 0 if there was no answer. */
function request(
  port: number,
  path: string,
  { token, body }: { token?: string; body?: object },
): Promise<{ status: number; text: string; retryAfter: string | undefined }> {
  return new Promise((done) => {
    const asked = http(
      {
        ...{ port, path, agent, host: '127.0.0.1', method: body ? 'POST' : 'GET', timeout: 60_000 },
        headers: {
          host: HOST,
          'x-forwarded-for': '203.0.113.7',
          'x-forwarded-proto': 'https',
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('error', () => done({ status: 0, text: '', retryAfter: undefined }));
        answer.on('end', () =>
          done({ status: answer.statusCode!, text, retryAfter: answer.headers['retry-after'] }),
        );
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => done({ status: 0, text: '', retryAfter: undefined }));
    asked.end(body ? JSON.stringify(body) : undefined);
  });
}
