import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { keepPartitions } from '../features/campaigns/visits/service.ts';
import type { ArchiveState } from '../platform/db/archive.ts';
import { openDatabase } from '../platform/db/connect.ts';
import { inScope } from '../platform/db/scope.ts';
import { measureDatabase } from '../platform/gauges.ts';
import { newId } from '../platform/ids.ts';
import { Metrics, startMetrics } from '../platform/metrics.ts';
import { type TestApp, testApp } from './app.ts';
import { createTestDatabase } from './database.ts';
import { BROWSER, type Company } from './factories.ts';
import { until } from './faults/harness.ts';
import { openStage } from './stage.ts';

const ops = join(import.meta.dirname, '../../ops');

/** A port that is free now. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => probe.once('listening', done));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}

/** The series of a scrape: name, labels, value. */
const seriesOf = (text: string) =>
  [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => ({
    name: name!,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key!, text!]),
    ),
    value: Number(value),
  }));

describe('[SCAL-03] metrics', () => {
  let app: TestApp;
  let root: Company;
  let client: Company;
  let siteKey: string;
  let port: number;
  // An hour and a minute before the tests' clock.
  let backups: ArchiveState = {
    lastGood: new Date('2026-03-10T14:00:00Z'),
    archivedTo: new Date('2026-03-10T14:59:00Z'),
    fault: null,
  };
  const scrape = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const text = await answer.text();
    const series = seriesOf(text);
    return {
      text,
      series,
      value: (name: string, labels: Record<string, string> = {}) =>
        series.find(
          (one) => one.name === name && Object.entries(labels).every(([key, is]) => one.labels[key] === is),
        )?.value,
    };
  };

  beforeAll(async () => {
    port = await freePort();
    app = await testApp({
      settings: { metrics: { host: '127.0.0.1', port }, visitLog: 'spool' },
      start: true,
      backups: () => backups,
    });
    root = await app.make.root({ name: 'Quokka Root', host: 'quokka.test', isMaster: true });
    client = await app.make.client(await app.make.agency(root, { name: 'Wombat Agency' }), {
      name: 'Numbat Client',
    });
    ({ siteKey } = await app.make.campaign(client, {}));
  });
  afterAll(() => app.close());

  const visit = (key: string, url = 'https://shop.example.com/') =>
    app.call('POST', '/v', {
      headers: {
        'content-type': 'text/plain',
        'user-agent': BROWSER,
        origin: 'https://shop.example.com',
        'x-forwarded-for': '66.1.2.3',
      },
      body: { k: key, e: [{ i: newId(app.clock.now()), u: url }] },
    });

  test('requests by route and status, what ingest took and refused, queues, connections, and the process', async () => {
    expect((await visit(siteKey)).status).toBe(204);
    await visit(siteKey, 'https://elsewhere.example.net/');
    await visit('unknown');
    await app.call('GET', '/api/legal/privacy', { host: 'quokka.test' });
    await app.call('GET', `/p/v1/${siteKey}.js`);
    await app.call('GET', '/nowhere/at/all', { host: 'quokka.test' });
    const { value, series } = await scrape();
    const requests = (route: string, method: string, status: string) =>
      value('platform_http_requests_total', { route, method, status });
    expect(requests('/v', 'POST', '204')).toBe(2);
    expect(requests('/v', 'POST', '404')).toBe(1);
    expect(requests('/p/v1/:file', 'GET', '200')).toBe(1);
    expect(value('platform_http_request_duration_seconds_count', { route: '/v', method: 'POST' })).toBe(3);
    expect(value('platform_http_requests_in_flight')).toBe(0);
    expect(value('platform_visits_taken_total')).toBe(1);
    expect(value('platform_visits_refused_total', { reason: 'foreign_page' })).toBe(1);
    expect(value('platform_visit_batch_size_sum')).toBe(1);
    // What was refused is stored as well, to be counted.
    expect(value('platform_visit_commit_seconds_count')).toBe(2);
    expect(value('platform_visits_waiting')).toBe(0);
    expect(value('platform_visit_spool_damaged_total')).toBe(0);
    expect(value('platform_db_up')).toBe(1);
    expect(value('platform_db_pool_wait_seconds_count', { pool: 'app' })).toBeGreaterThan(0);
    expect(value('platform_db_pool_connections', { pool: 'app', state: 'awaited' })).toBe(0);
    expect(value('platform_queue_jobs', { queue: 'mail.send', state: 'due' })).toBe(0);
    expect(value('platform_campaigns', { state: 'active' })).toBe(1);
    expect(value('nodejs_eventloop_lag_p99_seconds')).toBeDefined();
    expect(series.filter(({ value: one }) => Number.isNaN(one) && one !== undefined)).toEqual([]);
  });

  test('a job that is due shows up in its queue, and runs are counted by outcome', async () => {
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.platform.jobs.send(tx, keepPartitions, [{}], { startAfter: new Date(Date.now() + 3_600_000) }),
    );
    const before = await scrape();
    expect(before.value('platform_queue_jobs', { queue: 'visits.partitions', state: 'later' })).toBe(1);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.platform.jobs.send(tx, keepPartitions, [{}]),
    );
    await until(
      'the job to be done',
      async () =>
        (await scrape()).value('platform_jobs_total', { queue: 'visits.partitions', outcome: 'done' }) === 1,
    );
  });

  test('[BEY-28] how old the last good backup is, and whether there is one', async () => {
    const found = async () => {
      const { text } = await scrape();
      return ['age_seconds', 'log_age_seconds', 'failing'].map(
        (name) => new RegExp(`^platform_backup_${name} (\\S+)$`, 'm').exec(text)?.[1],
      );
    };
    const said = async () => (await app.call('GET', '/readyz?role=web')).body;
    expect(await found()).toEqual(['3600', '60', '0']);
    expect(await said()).toEqual({
      status: 'ready',
      roles: { web: 'ready' },
      backups: { last: '2026-03-10T14:00:00.000Z', log_until: '2026-03-10T14:59:00.000Z', failing: false },
    });
    const before = backups;
    backups = { lastGood: null, archivedTo: null, fault: 'BACKUP_TO: secret' };
    expect(await found()).toEqual(['+Inf', '+Inf', '1']);
    // Backups that fail do not take the platform out of service. Why they fail is only for the operator.
    expect(await said()).toMatchObject({
      status: 'ready',
      backups: { last: null, log_until: null, failing: true },
    });
    expect(JSON.stringify(await said())).not.toContain('secret');
    backups = before;
  });

  test('nothing about a tenant or an address is in it', async () => {
    const { series, text } = await scrape();
    const labels = new Set(series.flatMap((one) => Object.keys(one.labels)));
    const allowed = 'method route status reason pool state queue outcome destination kind of le';
    const ofNode = 'version major minor patch type space';
    expect([...labels].filter((one) => !`${allowed} ${ofNode}`.split(' ').includes(one))).toEqual([]);
    for (const secret of [root.id, client.id, siteKey, 'quokka', 'Wombat', 'Numbat', 'example', '66.1.2.3'])
      expect(text).not.toContain(secret);
  });

  test('the listener answers nothing else, and the public port does not have it', async () => {
    const status = (path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${port}${path}`, { method }).then((answer) => answer.status);
    expect([await status('/'), await status('/metrics', 'POST'), await status('/api/login', 'POST')]).toEqual(
      [404, 404, 404],
    );
    const here = await app.call('GET', '/metrics', { host: 'quokka.test' });
    expect(here.text).not.toContain('platform_http_requests_total');
  });

  test('every metric that the dashboards and alert rules name exists, under the labels that they use', async () => {
    const known = new Map<string, Set<string>>();
    for (const one of await app.platform.metrics.registry.getMetricsAsJSON()) {
      const { name, type } = one;
      const { labelNames = [] } = app.platform.metrics.registry.getSingleMetric(name) as unknown as {
        labelNames?: string[];
      };
      const labels = new Set([...labelNames, 'instance', 'job']);
      const names =
        (type as unknown) === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
      for (const whole of names)
        known.set(whole, new Set([...labels, ...(whole.endsWith('_bucket') ? ['le'] : [])]));
    }
    known.set('up', new Set(['job', 'instance']));
    const alerts = readFileSync(join(ops, 'alerts.yml'), 'utf8');
    const rules = [...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, text]) => text!);
    expect(rules.length).toBe([...alerts.matchAll(/- alert: /g)].length);
    const { panels } = JSON.parse(readFileSync(join(ops, 'grafana/platform.json'), 'utf8')) as {
      panels: { targets: { expr: string; legendFormat: string }[] }[];
    };
    const shown = panels.flatMap(({ targets }) => targets);
    const used = [...rules, ...shown.map(({ expr }) => expr)];
    const wrong = used.flatMap((expr) => {
      // Names stand before their labels, a range, an operator, or the end; functions before a parenthesis.
      const metrics = [...expr.matchAll(/\b([a-z]+_[a-z_0-9]+|up)\b(?!\s*\()(?:\{([^}]*)\})?/g)].filter(
        ([, name]) => name !== '__rate_interval',
      );
      if (metrics.length === 0) return [`${expr}: names no metric`];
      return metrics.flatMap(([, name, labels = '']) => {
        const of = known.get(name!);
        if (!of) return [`${name}: no such metric`];
        const filtered = [...labels.matchAll(/(\w+)\s*[!=~]/g)].map(([, label]) => label!);
        const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
        return [...filtered, ...grouped]
          .filter((label) => !of.has(label))
          .map((label) => `${name}: no label ${label}`);
      });
    });
    expect(wrong).toEqual([]);
  });

  test('without a database, or with one that hangs, a scrape answers what the process knows by itself', async () => {
    const away = openDatabase({ appUrl: 'postgres://127.0.0.1:1/x', ingestUrl: 'postgres://127.0.0.1:1/x' });
    const metrics = new Metrics(500);
    measureDatabase(metrics, away.app);
    metrics.onScrape('hangs', () => new Promise<void>(() => {}));
    const listener = await startMetrics({ host: '127.0.0.1', port: 0 }, metrics);
    try {
      const text = await fetch(`http://127.0.0.1:${listener.port}/metrics`).then((answer) => answer.text());
      const found = seriesOf(text).map(({ name, labels, value }) => `${name} ${labels.of ?? ''} ${value}`);
      expect(found).toContain('platform_db_up  0');
      for (const of of ['queues', 'database', 'hangs'])
        expect(found).toContain(`platform_collect_failures_total ${of} 1`);
    } finally {
      await listener.close();
      await away.close();
    }
  });
});

describe('[SCAL-03] traces', () => {
  test('a request and the jobs that it causes are one trace, sent in OTLP; a header from outside is not believed', async () => {
    interface Sent {
      traceId: string;
      spanId: string;
      parentSpanId?: string;
      name: string;
      kind: number;
    }
    const spans: Sent[] = [];
    const collector = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const { resourceSpans = [] } = JSON.parse(body) as {
          resourceSpans?: { scopeSpans: { spans: Sent[] }[] }[];
        };
        spans.push(...resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((done) => collector.once('listening', done));
    const { port } = collector.address() as AddressInfo;
    let app: TestApp | undefined;
    try {
      app = await testApp({
        settings: { tracing: { endpoint: `http://127.0.0.1:${port}`, ratio: 1 } },
        start: true,
        mount: (server) =>
          void server.post('/cause', { config: { access: 'open' } }, async () => {
            const { db, jobs } = app!.platform;
            await inScope(db.app, { rootId: newId(new Date()) }, (tx) => jobs.send(tx, keepPartitions, [{}]));
            return {};
          }),
      });
      const outside = '0123456789abcdef0123456789abcdef';
      await app.call('POST', '/cause', {
        body: { a: 1 },
        headers: { traceparent: `00-${outside}-0123456789abcdef-01` },
      });
      const ended = () =>
        app!.platform.metrics.registry
          .getSingleMetricAsString('platform_jobs_total')
          .then((text) => /visits\.partitions/.test(text));
      await until('the job to be done', ended);
      // Stopping sends what has not been sent.
      await app.close();
      app = undefined;
      const cause = spans.find(({ name }) => name === 'POST /cause')!;
      const job = spans.find(({ name }) => name === 'job visits.partitions')!;
      expect(cause.traceId).not.toBe(outside);
      expect(cause.parentSpanId ?? '').toBe('');
      expect([job.traceId, job.parentSpanId]).toEqual([cause.traceId, cause.spanId]);
    } finally {
      await app?.close();
      await new Promise((done) => collector.close(done));
    }
  });
});

const prometheus = process.env.PROMETHEUS_PATH ?? '/usr/bin/prometheus';
const hasPrometheus = spawnSync(prometheus, ['--version']).status === 0;
if (!hasPrometheus)
  console.warn(
    `SKIPPED: a scrape by a real Prometheus, since there is none at ${prometheus} (Debian: apt-get install prometheus).`,
  );

describe('[SCAL-03] a process as it is run', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let stage: Awaited<ReturnType<typeof openStage>>;
  let port: number;
  let server: Awaited<ReturnType<typeof stage.start>>;
  beforeAll(async () => {
    database = await createTestDatabase(inject('adminUrl'));
    stage = await openStage({ databaseUrl: database.url });
    port = await freePort();
    server = await stage.start('app', { LOG_LEVEL: 'info', METRICS_PORT: String(port), ROLES: 'web,ingest' });
  });
  afterAll(async () => {
    await server?.stop();
    await stage?.close();
    await database?.drop();
  });

  test('each request has one line of JSON: id, route, status, time, and nothing personal; roles are ready one by one', async () => {
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return { status: answer.status, id: answer.headers.get('x-request-id'), body: await answer.json() };
    };
    const ready = await get('/readyz?role=ingest&secret=hunter2');
    expect([ready.status, ready.body]).toEqual([
      200,
      {
        status: 'ready',
        roles: { ingest: 'ready' },
        visits: {
          kept_in: 'database',
          promise: 'committed before the answer',
          waiting: 0,
          bytes: 0,
          oldest_seconds: 0,
          damaged: 0,
        },
      },
    ]);
    const none = await get('/readyz?role=worker');
    expect(none.status).toBe(400);
    expect(none.body).toMatchObject({ message: 'role: must be a role of this process: web, ingest' });
    const lines = () =>
      server
        .said()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await until('the lines', () => lines().some(({ reqId }) => reqId === none.id));
    const mine = lines().filter(({ reqId }) => reqId === ready.id);
    expect(mine).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: server.pid,
        hostname: expect.any(String),
        reqId: ready.id,
        method: 'GET',
        route: '/readyz',
        status: 200,
        ms: expect.any(Number),
        msg: 'request',
      },
    ]);
    expect(server.said()).not.toContain('hunter2');
  });

  test.skipIf(!hasPrometheus)('a real Prometheus accepts the rules and scrapes what they name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lead-prometheus-'));
    const at = await freePort();
    writeFileSync(
      join(folder, 'prometheus.yml'),
      readFileSync(join(ops, 'prometheus.yml'), 'utf8')
        .replaceAll('15s', '1s')
        .replace('alerts.yml', join(ops, 'alerts.yml'))
        .replace('127.0.0.1:9464', `127.0.0.1:${port}`),
    );
    const child: ChildProcess = spawn(
      prometheus,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${at}`,
      ],
      { stdio: 'ignore' },
    );
    const ended = new Promise((done) => child.once('exit', done));
    try {
      const ask = async (path: string) => {
        const answer = await fetch(`http://127.0.0.1:${at}/api/v1/${path}`).catch(() => undefined);
        return answer?.ok ? ((await answer.json()) as { data: never }).data : undefined;
      };
      const query = async (expr: string) => {
        const data = (await ask(`query?query=${encodeURIComponent(expr)}`)) as
          | { result: { value: [number, string] }[] }
          | undefined;
        return data?.result[0]?.value[1];
      };
      await until('a scrape', async () => (await query('up{job="lead-platform"}')) === '1');
      await until('requests', async () => Number(await query('sum(platform_http_requests_total)')) > 0);
      expect(await query('min(platform_db_up)')).toBe('1');
      const rules = (await ask('rules')) as unknown as { groups: { rules: { health: string }[] }[] };
      expect(rules.groups.flatMap((one) => one.rules).length).toBeGreaterThan(10);
    } finally {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
