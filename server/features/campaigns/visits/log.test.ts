import { mkdtempSync, promises, readdirSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Config } from '../../../platform/config.ts';
import { isDatabaseAway } from '../../../platform/db/away.ts';
import { type Database, openDatabase } from '../../../platform/db/connect.ts';
import { inScope, type Scope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { Metrics } from '../../../platform/metrics.ts';
import type { Log } from '../../../platform/platform.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { BROWSER, type MadeCampaign } from '../../../test/factories.ts';
import { until } from '../../../test/faults/harness.ts';
import { hasNats, startNats } from '../../../test/nats.ts';
import { startTcpProxy } from '../../../test/tcp-proxy.ts';
import { jetStreamLog, promiseOf } from './log.jetstream.ts';
import { spoolLog } from './log.spool.ts';
import { databaseLog, type Taken, type VisitLog } from './log.ts';
import { createSites } from './sites.ts';
import { decodeTaken, encodeTaken } from './spool.policy.ts';
import { spools } from './store.ts';

let app: TestApp;
let campaign: MadeCampaign;
let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
let folder: string;
let db: Database;
let said: string[];
let nats: Awaited<ReturnType<typeof startNats>> | undefined;

const quiet = (): Log => {
  said = [];
  const say = (_: unknown, text: string) => void said.push(text);
  return { info: say, warn: say, error: say } as unknown as Log;
};

beforeAll(async () => {
  app = await testApp();
  campaign = await app.make.campaign(await app.make.client(await app.make.agency(await app.make.root())));
  proxy = await startTcpProxy(app.urls.appUrl);
  if (hasNats) nats = await startNats();
});
afterAll(async () => {
  await nats?.close();
  await proxy.close();
  await app.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lead-visit-log-'));
  db = openDatabase(
    { appUrl: proxy.through(app.urls.appUrl), ingestUrl: proxy.through(app.urls.ingestUrl) },
    2,
  );
});
afterEach(async () => {
  proxy.mend();
  await db.close();
  await app.admin.query('delete from visit; delete from campaign_refusal; delete from campaign_foreign_host');
  await app.admin.query('delete from visit_spool');
  rmSync(folder, { recursive: true, force: true });
});

const openLog = {
  database: () => databaseLog({ db }),
  spool: (log = quiet()) =>
    spoolLog({
      db,
      config: { ...app.platform.config, dataDir: folder },
      log,
      clock: app.clock,
      metrics: new Metrics(),
    }),
  jetstream: (more: Partial<NonNullable<Config['nats']>> = {}, log = quiet()) =>
    jetStreamLog(
      {
        db,
        config: { ...app.platform.config, dataDir: folder },
        log,
        clock: app.clock,
        metrics: new Metrics(),
      },
      {
        servers: nats!.servers,
        monitors: nats!.monitors,
        user: undefined,
        password: undefined,
        tls: false,
        replicas: 3,
        stream: `visits-${newId(new Date())}`,
        bytes: 20_000_000,
        ...more,
      },
      3_000,
    ),
};

/** What a request with these visits brought. */
function taken(ids: string[], more: Partial<Taken['visits'][number]> = {}): Taken {
  const { root_id: rootId, agency_id: agencyId, company_id: companyId } = campaign.owner;
  const at = app.clock.now();
  return {
    at,
    visits: ids.map((id) => ({
      id,
      day: at.toISOString().slice(0, 10),
      visitorId: null,
      hashKind: null,
      hash: null,
      url: 'https://shop.example.com/',
      referrer: null,
      title: null,
      event: 'view',
      gpc: false,
      rootId,
      agencyId: agencyId!,
      companyId,
      campaignId: campaign.id,
      at,
      ip: '66.1.2.3',
      userAgent: BROWSER,
      ...more,
    })),
    refused: [],
  };
}
const fresh = (count = 1): string[] => Array.from({ length: count }, () => newId(app.clock.now()));
const stored = async (): Promise<string[]> =>
  (await app.admin.query('select event_id from visit order by event_id')).rows.map((row) => row.event_id);

/** Every form keeps the same promise. */
describe.each(['database', 'spool', ...(hasNats ? (['jetstream'] as const) : [])] as const)(
  '[BEY-29] [SCAL-02] the visit log as %s',
  (form) => {
    let log: VisitLog;
    beforeEach(() => {
      log = openLog[form]();
    });
    afterEach(() => log.stop());

    test('what it has accepted is in the database once it is drained, whole, once, no matter how often it was sent', async () => {
      const [one, two] = fresh(2) as [string, string];
      const hash = Buffer.alloc(32, 7);
      const first = taken([one], {
        visitorId: newId(app.clock.now()),
        hashKind: 1,
        hash,
        referrer: 'https://www.example.org/?q=ümläut',
        title: 'A “title”',
        event: 'identify',
      });
      await log.append([first, taken([two], { gpc: true, ip: null })]);
      await log.append([first]);
      await log.drain();
      await log.append([first]);
      await log.drain();
      const { rows } = await app.admin.query('select *, host(ip) as ip from visit order by gpc');
      expect(rows).toHaveLength(2);
      expect(rows[0]).toMatchObject({
        event_id: one,
        visitor_id: first.visits[0]!.visitorId,
        hash_kind: 1,
        hash,
        referrer: 'https://www.example.org/?q=ümläut',
        title: 'A “title”',
        event: 'identify',
        user_agent: BROWSER,
        ip: '66.1.2.3',
        received_at: app.clock.now(),
        campaign_id: campaign.id,
      });
      expect(rows[1]).toMatchObject({ event_id: two, gpc: true, ip: null });
      expect(log.state()).toMatchObject({ records: 0, bytes: 0, oldestAt: null, damaged: 0 });
    });

    test('what was refused is counted, with the hosts it came from', async () => {
      const at = app.clock.now();
      const refused = [
        { campaignId: campaign.id, reason: 'bot' },
        { campaignId: campaign.id, reason: 'foreign_page', host: 'other.example' },
        { campaignId: campaign.id, reason: 'too_many', count: 40 },
      ];
      await log.append([{ at, visits: [], refused }]);
      await log.append([{ at, visits: [], refused: [{ campaignId: campaign.id, reason: 'bot' }] }]);
      await log.drain();
      const { rows } = await app.admin.query(
        'select reason, count::int from campaign_refusal order by reason',
      );
      expect(rows).toEqual([
        { reason: 'bot', count: 2 },
        { reason: 'foreign_page', count: 1 },
        { reason: 'too_many', count: 40 },
      ]);
      expect((await app.admin.query('select host from campaign_foreign_host')).rows).toEqual([
        { host: 'other.example' },
      ]);
    });

    test('while the database is away, nothing is acknowledged that is not there when it is back', async () => {
      const acknowledged: string[] = [];
      const send = async (id: string): Promise<unknown> =>
        log.append([taken([id])]).then(
          () => void acknowledged.push(id),
          (error) => error,
        );
      await send(fresh()[0]!);
      proxy.cut();
      const errors = (await Promise.all(fresh(20).map(send))).filter(Boolean);
      expect(errors.every(isDatabaseAway)).toBe(true);
      expect(errors).toHaveLength(form === 'database' ? 20 : 0);
      if (form !== 'database') await expect(log.drain()).rejects.toSatisfy(isDatabaseAway);
      expect(log.state().records).toBeGreaterThanOrEqual(errors.length ? 0 : 20);
      proxy.mend();
      await send(fresh()[0]!);
      await log.drain();
      expect(await stored()).toEqual(acknowledged.sort());
      expect(log.state().records).toBe(0);
    });
  },
);

describe('[BEY-29] the spool as visit log', () => {
  test('what one process leaves behind is stored by the next, and by another that finds its folder free', async () => {
    proxy.cut();
    const [first, second] = [openLog.spool(), openLog.spool()];
    const [one, two] = fresh(2) as [string, string];
    await first.append([taken([one])]);
    await second.append([taken([two])]);
    expect(readdirSync(join(folder, 'spool')).sort()).toEqual(['0', '1']);
    await Promise.all([first.stop(), second.stop()]);
    expect(await stored()).toEqual([]);
    proxy.mend();
    // It has the folder of the first one, and takes care of that of the second.
    const next = openLog.spool();
    await next.start();
    await until('both visits', async () => (await stored()).length === 2);
    await until('the report', async () => {
      const { rows } = await app.admin.query('select place, records::int from visit_spool order by place');
      return rows.length === 2 && rows.every((row) => row.records === 0 && row.place.includes(folder));
    });
    await next.stop();
  });

  test('a record that the database refuses is put aside, and holds up no other', async () => {
    const log = openLog.spool();
    const [good, bad, also] = fresh(3) as [string, string, string];
    await log.append([taken([good]), taken([bad], { ip: 'nonsense' }), taken([also])]);
    await log.drain();
    expect(await stored()).toEqual([good, also].sort());
    expect(log.state()).toMatchObject({ records: 0, damaged: 1 });
    expect(said).toContain('visits in the spool could not be used');
    const damaged = join(folder, 'spool/0/damaged');
    expect(readFileSync(join(damaged, readdirSync(damaged)[0]!), 'utf8')).toContain(bad);
    await log.stop();
  });

  test('visits of a day that has no partition any more, or not yet, get one', async () => {
    const log = openLog.spool();
    const at = new Date(app.clock.now().getTime() - 20 * 86_400_000);
    const id = newId(at);
    await log.append([taken([id], { day: at.toISOString().slice(0, 10) })]);
    await log.drain();
    expect(await stored()).toEqual([id]);
    await log.stop();
  });

  test('a full disk: not ready, and an append fails as such', async () => {
    const log = openLog.spool();
    await log.append([taken(fresh())]);
    expect(await log.notReady()).toBeNull();
    const { bsize } = await promises.statfs(folder);
    vi.spyOn(promises, 'statfs').mockResolvedValue({ bavail: 10, bsize } as never);
    syncBuiltinESMExports();
    try {
      await until(
        'the disk to be looked at again',
        async () => (await log.notReady()) === 'the disk is full',
      );
      await expect(log.append([taken(fresh())])).rejects.toMatchObject({ code: 'ENOSPC' });
    } finally {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
      await log.stop();
    }
  });

  test('a record says the same after it was written and read', () => {
    const one = taken(fresh(2), { hashKind: 2, hash: Buffer.alloc(20, 1), gpc: false, title: '\u2028"\\' });
    const refused = [{ campaignId: campaign.id, reason: 'foreign_page', host: 'x.example', count: 3 }];
    expect(decodeTaken(encodeTaken({ ...one, refused }))).toEqual({ ...one, refused });
  });
});

test('[BEY-29] what waits is shown to the master root, and to no one else', async () => {
  const master = await app.make.root({ name: 'Master', host: 'localhost', isMaster: true });
  const { root_id: rootId, agency_id: agencyId, company_id: companyId } = campaign.owner;
  await app.admin.query(`insert into visit_spool values ('host /spool/0', 3, 900, now(), 0, now())`);
  const seenBy = (scope: Scope) => inScope(app.platform.db.app, scope, spools);
  expect(await seenBy({ rootId: master.id })).toMatchObject([
    { place: 'host /spool/0', records: 3n, bytes: 900n },
  ]);
  expect(await seenBy({ rootId })).toEqual([]);
  for (const scope of [
    { rootId, agencyId: agencyId! },
    { rootId, agencyId: agencyId!, companyId },
    { rootId: master.id, agencyId: agencyId! },
  ])
    expect(await seenBy(scope)).toEqual([]);
});

describe.skipIf(!hasNats)('[SCAL-02] JetStream as visit log', () => {
  test('a server is killed (-9) while visits come in: what was acknowledged is there once, from any process', async () => {
    const stream = `visits-${newId(new Date())}`;
    const [log, other] = [openLog.jetstream({ stream }), openLog.jetstream({ stream })];
    await log.start();
    await other.start();
    const acknowledged: string[] = [];
    let ending = false;
    const browser = async (): Promise<void> => {
      while (!ending) {
        const id = newId(app.clock.now());
        await log.append([taken([id])]).then(
          () => acknowledged.push(id),
          () => {},
        );
      }
    };
    const browsers = Array.from({ length: 8 }, browser);
    await until('visits', () => acknowledged.length > 100);
    await nats!.kill(1);
    const before = acknowledged.length;
    await until('visits after the kill', () => acknowledged.length > before + 100);
    ending = true;
    await Promise.all(browsers);
    nats!.start(1);
    await until('all of them', async () => {
      const there = new Set(await stored());
      return acknowledged.every((id) => there.has(id));
    });
    expect(await log.notReady()).toBeNull();
    await Promise.all([log.stop(), other.stop()]);
    await nats!.ready();
  });

  test('a full stream refuses what comes with 503, and keeps what it has', async () => {
    const log = openLog.jetstream({ bytes: 20_000 });
    proxy.cut();
    const ids = fresh(100);
    const answers = await Promise.all(
      ids.map((id) =>
        log.append([taken([id])]).then(
          () => 204,
          (error) => error,
        ),
      ),
    );
    const kept = ids.filter((_, i) => answers[i] === 204);
    expect(kept.length).toBeGreaterThan(10);
    expect(answers.find((one) => one !== 204)).toMatchObject({ code: 'unavailable', retryAfter: 5 });
    proxy.mend();
    await log.drain();
    expect((await stored()).filter((id) => kept.includes(id))).toEqual(kept.sort());
    await log.stop();
  });

  test('a record that the database refuses is put aside', async () => {
    const log = openLog.jetstream();
    const [good, bad] = fresh(2) as [string, string];
    await log.append([taken([good]), taken([bad], { ip: 'nonsense' })]);
    await log.drain();
    expect(await stored()).toEqual([good]);
    expect(log.state()).toMatchObject({ records: 0, damaged: 1 });
    await log.stop();
  });

  test('it says what the servers really promise', async () => {
    const log = openLog.jetstream();
    await log.start();
    // Debian's server flushes now and then, and so do newer ones unless they are told otherwise.
    expect(log.promise).toContain('before a flush to disk');
    await log.stop();
  });
});

describe('[SCAL-02] what a cluster promises', () => {
  test.each([
    [[true, true, true], 'each after a flush to its disk'],
    [[true, false, true], 'before a flush to disk'],
    [[], 'is not known'],
  ] as const)('%j: %s', (flushed, words) => {
    expect(
      promiseOf(
        flushed.map((isFlushed) => ({ version: '2.12.1', isFlushed })),
        3,
      ),
    ).toContain(words);
  });
});

describe('[SCAL-02] what the ingest knows about sites', () => {
  test('the copy on disk answers while the database is away, even for a process that has just started', async () => {
    const file = join(folder, 'sites.json');
    const sources = {
      byKey: async (key: string) => {
        const { rows } = await db.appPool.query('select * from site_by_key($1)', [key]);
        return rows[0];
      },
      after: async (key: string, most: number) =>
        (await db.appPool.query('select * from sites_after($1, $2)', [key, most])).rows,
    };
    const before = createSites(sources, quiet(), file);
    await before.start();
    before.stop();
    expect(await before.of('unknown')).toBeUndefined();
    expect((await before.of(campaign.siteKey))?.campaign_id).toBe(campaign.id);
    proxy.cut();
    const sites = createSites(sources, quiet(), file);
    await sites.start();
    expect((await sites.of(campaign.siteKey))?.campaign_id).toBe(campaign.id);
    expect((await sites.of(campaign.siteKey))?.sites).toEqual((await before.of(campaign.siteKey))?.sites);
    // It may be a new one.
    await expect(sites.of('unknown')).rejects.toMatchObject({ code: 'unavailable', retryAfter: 2 });
    proxy.mend();
    await until('the database to be asked again', async () =>
      sites.of('unknown').then(
        (found) => found === undefined,
        () => false,
      ),
    );
    sites.stop();
    // Without a copy, it is as unavailable as the database.
    proxy.cut();
    await expect(createSites(sources, quiet()).of(campaign.siteKey)).rejects.toSatisfy(isDatabaseAway);
  });

  test('a database that says nothing is waited for once, not by every visit', async () => {
    const asked: string[] = [];
    const never = new Promise<never>(() => {});
    const sites = createSites(
      {
        byKey: (key) => {
          asked.push(key);
          return never;
        },
        after: async () => [
          {
            site_key: 'known',
            campaign_id: campaign.id,
            root_id: '',
            agency_id: '',
            company_id: '',
            state: 'active',
            site_url: 'https://shop.example.com',
            thank_you_url: null,
            site_hosts: [],
          },
        ],
      },
      quiet(),
      join(folder, 'sites.json'),
    );
    await sites.start();
    for (let i = 0; i < 50; i++) expect((await sites.of('known'))?.campaign_id).toBe(campaign.id);
    expect(asked.length).toBeLessThan(5);
    sites.stop();
  });
});
