import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Metrics } from '../metrics.ts';
import type { Span, Tracing } from '../tracing.ts';

/** What a request is watched with. */
export interface Watch {
  metrics: Metrics;
  tracing: Tracing | undefined;
}

/** Levels at which each request has its line. */
const SAID_AT = new Set(['info', 'debug', 'trace']);

/** The route as it was written, so that no id becomes a label or a name. */
const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'none';

/**
 * Measures requests by route (rate, errors, duration), writes a line of JSON for each, and begins a span for each, as
 * far as the settings ask for these.
 */
export function observeRequests(
  app: FastifyInstance,
  config: Pick<Config, 'metrics' | 'logLevel'>,
  { metrics, tracing }: Watch,
): void {
  const isSaid = SAID_AT.has(config.logLevel);
  if (!config.metrics && !isSaid && !tracing) return;
  const requests = metrics.counter('platform_http_requests_total', 'Requests answered, by route and status', [
    'method',
    'route',
    'status',
  ]);
  const duration = metrics.histogram(
    'platform_http_request_duration_seconds',
    'How long requests took, by route',
    ['method', 'route'],
  );
  const open = metrics.gauge('platform_http_requests_in_flight', 'Requests that are being answered');
  const spans = new WeakMap<FastifyRequest, Span>();

  app.addHook('onRequest', (request, _reply, done) => {
    open.inc();
    if (!tracing) return done();
    const span = tracing.begin(`${request.method} ${routeOf(request)}`, 'server');
    span.set({
      'http.request.method': request.method,
      'http.route': routeOf(request),
      'platform.request_id': request.id,
    });
    spans.set(request, span);
    return span.run(done);
  });
  // Reading the body leaves the span that the request began.
  if (tracing)
    app.addHook('preValidation', (request, _reply, done) => {
      const span = spans.get(request);
      if (span) span.run(done);
      else done();
    });
  app.addHook('onResponse', (request, reply, done) => {
    open.dec();
    const { method } = request;
    const route = routeOf(request);
    const status = reply.statusCode;
    requests.inc({ method, route, status });
    duration.observe({ method, route }, reply.elapsedTime / 1000);
    const span = spans.get(request);
    if (isSaid)
      request.log.info(
        {
          method,
          route,
          status,
          ms: Math.round(reply.elapsedTime * 10) / 10,
          ...(request.actorId ? { actorId: request.actorId } : {}),
          ...(span ? { traceId: span.traceId } : {}),
        },
        'request',
      );
    span?.set({ 'http.response.status_code': status });
    span?.end(status >= 500);
    done();
  });
}
