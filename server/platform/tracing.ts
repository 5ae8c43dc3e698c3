/** Something that is being done, as part of a trace. */
export interface Span {
  traceId: string;
  set(attributes: Record<string, string | number>): void;
  /** Does the work as part of this span: what it begins belongs below it. */
  run<T>(work: () => T): T;
  end(hasFailed?: boolean): void;
}

/** Follows what belongs together through requests, jobs, and processes. */
export interface Tracing {
  /** Begins a span below `parent` (a traceparent, from a header or a job), or below what is running. */
  begin(name: string, kind: 'server' | 'job', parent?: unknown): Span;
  /** The traceparent of what is running, to be handed on; undefined outside of any span. */
  current(): string | undefined;
  /** Sends what has not been sent. */
  stop(): Promise<void>;
}

/**
 * Starts tracing, if an endpoint is set. OpenTelemetry is loaded only then: it takes time and memory that no one else
 * should pay for.
 */
export async function startTracing(
  settings: { endpoint: string; ratio: number } | undefined,
  roles: readonly string[],
): Promise<Tracing | undefined> {
  if (!settings) return undefined;
  const { openTelemetry } = await import('./tracing-otel.ts');
  return openTelemetry(settings, roles);
}
