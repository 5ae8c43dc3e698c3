import type { Tracing } from './tracing.ts';

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
