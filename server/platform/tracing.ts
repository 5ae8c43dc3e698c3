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
