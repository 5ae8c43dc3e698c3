import { createServer } from 'node:http';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricConfiguration,
  prometheusContentType,
  Registry,
} from 'prom-client';

/** Seconds: from what a cached answer takes to what no one waits for. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** How long a scrape waits for what has to be asked for. */
const COLLECT_MS = 3_000;

type Collector = () => Promise<void> | void;

/**
 * What a process counts and measures, for Prometheus. Each app has its own, so that several can run in one process.
 * Labels come from short, fixed lists: never a tenant, an address, or anything else that strangers choose.
 */
export class Metrics {
  readonly registry = new Registry<typeof prometheusContentType>();
  readonly #collectors = new Map<string, Collector>();
  readonly #failures: Counter<'of'>;
  readonly #limitMs: number;
  #collecting: Promise<unknown> | undefined;

  /** `limitMs`: how long a scrape waits for what has to be asked for. */
  constructor(limitMs = COLLECT_MS) {
    this.#limitMs = limitMs;
    this.registry.setContentType(prometheusContentType);
    this.#failures = this.counter(
      'platform_collect_failures_total',
      'Times that a scrape could not get what it asked for, by what it asked',
      ['of'],
    );
  }

  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Counter<Label> {
    return this.#known<Counter<Label>>(name) ?? new Counter(this.#of({ name, help, labelNames }));
  }

  gauge<Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return this.#known<Gauge<Label>>(name) ?? new Gauge(this.#of({ name, help, labelNames }));
  }

  /** `buckets`: in seconds, unless given. */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    buckets = SECONDS,
  ): Histogram<Label> {
    return (
      this.#known<Histogram<Label>>(name) ??
      new Histogram({ ...this.#of({ name, help, labelNames }), buckets })
    );
  }

  /**
   * Registers what is to be asked for at each scrape. A scrape does not wait for it longer than three seconds, and a
   * failure is counted under its name. The first of a name stays: the demo makes every service twice.
   */
  onScrape(name: string, collect: Collector): void {
    if (!this.#collectors.has(name)) this.#collectors.set(name, collect);
  }

  /** Everything in Prometheus's text format. Scrapes at the same time share what is asked for. */
  async text(): Promise<string> {
    this.#collecting ??= Promise.all([...this.#collectors].map((one) => this.#collect(...one))).finally(
      () => {
        this.#collecting = undefined;
      },
    );
    await this.#collecting;
    return this.registry.metrics();
  }

  async #collect(name: string, collect: Collector): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, fail) => {
      timer = setTimeout(() => fail(new Error(`${name} takes too long`)), this.#limitMs);
    });
    try {
      await Promise.race([collect(), late]);
    } catch {
      this.#failures.inc({ of: name });
    } finally {
      clearTimeout(timer);
    }
  }

  #known<One>(name: string): One | undefined {
    return this.registry.getSingleMetric(name) as One | undefined;
  }

  #of<Label extends string>(given: { name: string; help: string; labelNames: Label[] }) {
    return { ...given, registers: [this.registry] } satisfies MetricConfiguration<Label>;
  }
}

/** Measures the process itself as well: memory, CPU, garbage collection, and how late its event loop is. */
export const measureProcess = ({ registry }: Metrics): void => collectDefaultMetrics({ register: registry });

/**
 * Starts the listener that Prometheus scrapes: GET /metrics. It has a port of its own, because what it tells is for the
 * operator alone.
 */
export async function startMetrics(
  at: { host: string; port: number },
  metrics: Metrics,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
    };
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics')
      return answer(404, 'text/plain', 'Not found\n');
    metrics.text().then(
      (text) => answer(200, metrics.registry.contentType, text),
      () => answer(500, 'text/plain', 'The metrics could not be collected\n'),
    );
  });
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(at.port, at.host, done);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : at.port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
