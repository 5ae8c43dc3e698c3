import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { connectionOf, parseDatabaseUrl } from '../../platform/db/hosts.ts';
import { inScope } from '../../platform/db/scope.ts';
import { createTestDatabase } from '../database.ts';
import { startDatabasePair } from '../database-pair.ts';
import { openStage } from '../stage.ts';
import { prepareTestDatabases } from '../template.ts';
import { type FaultRun, randomFrom, sendVisits, until } from './harness.ts';

/** What two database hosts have after failovers, compared with what visitors and callers were told. */
export interface FailoverReport {
  visits: number;
  /** Visits that were acknowledged, but are missing. */
  lostVisits: string[];
  /** Visits that are there more than once. */
  twice: number;
  postings: number;
  /** Postings that were acknowledged, but are missing. */
  lostPostings: string[];
  /** Postings in the ledger beyond one for each key. */
  extraPostings: number;
  /** Answers to visits, by status. */
  answers: Record<number, number>;
  /** 503 answers without Retry-After. */
  unhelpful: number;
  /** How long no posting was acknowledged after a kill, in milliseconds, for each. */
  pauses: number[];
  /** The ledger's invariants that do not hold. */
  broken: string[];
}

/**
 * Kills the primary database (-9), again and again, while visitors send and money is posted, promotes its synchronous
 * standby, and gives it a new one. The platform knows both hosts and finds the one that accepts writes.
 */
export async function killPrimary({ kills, seed, log }: FaultRun): Promise<FailoverReport> {
  const random = randomFrom(seed);
  const pair = await startDatabasePair();
  try {
    await prepareTestDatabases(pair.primary());
    const name = new URL((await createTestDatabase(pair.primary())).url).pathname.slice(1);
    await pair.addStandby();
    const stage = await openStage({ databaseUrl: parseDatabaseUrl(pair.url(name)) });
    try {
      const root = await stage.make.root();
      const agency = await stage.make.agency(root);
      const client = await stage.make.client(agency);
      const campaign = await stage.make.campaign(client);
      const server = await stage.start('app', { DATABASE_URL: pair.url(name), ROLES: 'ingest' });
      const visitors = sendVisits(() => server, campaign.siteKey, 6);

      const acknowledged = new Set<string>();
      let ending = false;
      const owner = (of: typeof client) => ({
        root_id: of.root_id,
        agency_id: agency.id,
        company_id: of.id,
      });
      /** Posts one cent under its key until that is acknowledged, as a caller does who repeats a request. */
      const post = async (key: string): Promise<void> => {
        while (!ending) {
          try {
            await inScope(stage.platform.db.app, { rootId: root.id }, (tx) =>
              stage.features.ledger.post(
                tx,
                [
                  {
                    owner: owner(client),
                    kind: 'top_up',
                    referenceId: campaign.id,
                    key,
                    entries: [
                      {
                        account: {
                          owner: owner(client),
                          kind: 'client_prepaid',
                          campaignId: campaign.id,
                        },
                        amount: 10_000n,
                      },
                      { account: { owner: owner(agency), kind: 'card_clearing' }, amount: -10_000n },
                    ],
                  },
                ],
                systemClock.now(),
              ),
            );
            acknowledged.add(key);
            return;
          } catch {
            await sleep(50);
          }
        }
      };
      const cashier = async (number: number): Promise<void> => {
        for (let n = 0; !ending; n += 1) await post(`failover:${number}:${n}`);
      };
      const cashiers = [1, 2, 3].map(cashier);

      const pauses: number[] = [];
      for (let kill = 1; kill <= kills; kill++) {
        const [visits, postings] = [visitors.log.acknowledged.size, acknowledged.size];
        await until('visits and postings', () => {
          return visitors.log.acknowledged.size > visits + 20 && acknowledged.size > postings + 20;
        });
        await sleep(random() * 500);
        const killed = performance.now();
        const before = acknowledged.size;
        const visitsBefore = visitors.log.acknowledged.size;
        await pair.failOver(async () => {
          await until('postings after the failover', () => acknowledged.size > before + 3);
          pauses.push(Math.round(performance.now() - killed));
          await until('visits after the failover', () => visitors.log.acknowledged.size > visitsBefore + 6);
          await until('connections that begin now', async () => {
            const client = new pg.Client(connectionOf(stage.databaseUrl));
            await client.connect();
            const { rows } = await client.query('select inet_server_port() as port');
            await client.end();
            return String(rows[0].port) === new URL(pair.primary()).port;
          });
        });
        await pair.addStandby();
        log?.(`kill ${kill} of ${kills}: writes again after ${pauses.at(-1)} ms`);
      }
      ending = true;
      await Promise.all([visitors.stop(), ...cashiers]);
      await server.stop();

      const reader = new pg.Client(connectionOf(stage.databaseUrl));
      await reader.connect();
      try {
        const { rows: visits } = await reader.query<{ id: string }>('select event_id as id from visit');
        const { rows: posted } = await reader.query<{ key: string }>(
          `select idempotency_key as key from transfer where idempotency_key like 'failover:%'`,
        );
        const there = new Set(visits.map(({ id }) => id));
        const keys = new Set(posted.map(({ key }) => key));
        const { checks } = await auditLedger(reader);
        return {
          visits: visitors.log.acknowledged.size,
          lostVisits: [...visitors.log.acknowledged].filter((id) => !there.has(id)),
          twice: visits.length - there.size,
          postings: acknowledged.size,
          lostPostings: [...acknowledged].filter((key) => !keys.has(key)),
          extraPostings: posted.length - keys.size,
          answers: Object.fromEntries(visitors.log.answers),
          unhelpful: visitors.log.unhelpful,
          pauses,
          broken: checks.filter(({ violations }) => violations > 0).map(({ name }) => name),
        };
      } finally {
        await reader.end();
      }
    } finally {
      await stage.close();
    }
  } finally {
    await pair.close();
  }
}
