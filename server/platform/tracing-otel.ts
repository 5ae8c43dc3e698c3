import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  isSpanContextValid,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Span, Tracing } from './tracing.ts';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const KINDS = { server: SpanKind.SERVER, job: SpanKind.CONSUMER };

/** Below what a traceparent names; undefined if it names nothing. */
function contextOf(parent: unknown): Context | undefined {
  const [, traceId, spanId, flags] = (typeof parent === 'string' && TRACEPARENT.exec(parent)) || [];
  if (!traceId || !spanId || !flags) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : undefined;
}

/** Sends spans to a collector, in OTLP over HTTP. */
export function openTelemetry(
  { endpoint, ratio }: { endpoint: string; ratio: number },
  roles: readonly string[],
): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME || 'lead-platform',
      'service.instance.id': String(process.pid),
      'platform.roles': roles.join(','),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
      }),
    ],
  });
  const tracer = provider.getTracer('platform');
  const running = new AsyncLocalStorage<OtelSpan>();

  return {
    begin(name, kind, parent): Span {
      const above = running.getStore();
      const context = contextOf(parent) ?? (above ? trace.setSpan(ROOT_CONTEXT, above) : ROOT_CONTEXT);
      const span = tracer.startSpan(name, { kind: KINDS[kind] }, context);
      return {
        traceId: span.spanContext().traceId,
        set: (attributes) => void span.setAttributes(attributes),
        run: (work) => running.run(span, work),
        end(hasFailed) {
          if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    current() {
      const context = running.getStore()?.spanContext();
      return (
        context &&
        `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
      );
    },
    stop: () => provider.shutdown(),
  };
}
