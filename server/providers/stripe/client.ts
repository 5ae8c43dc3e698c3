import { AsyncLocalStorage } from 'node:async_hooks';
import Stripe from 'stripe';

export interface StripeParts {
  secretKey: string;
  publishableKey: string;
  /** One per webhook endpoint (the platform's, the connected accounts'), plus previous ones during a rotation. */
  webhookSecrets: string[];
  /** Origin of the API. */
  apiBase: string;
  /** How long a call may take, from its start to the last byte of its answer. */
  timeoutMs?: number;
}

/** No answer: the request may have been carried out. */
export class AnswerLost extends Error {}
/** No connection: nothing was sent. */
export class NotSent extends Error {}

export interface StripeClient {
  stripe: Stripe;
  /** Runs one SDK call. Throws AnswerLost, NotSent, or the SDK's error for Stripe's response. */
  call<T>(run: (stripe: Stripe) => Promise<T>): Promise<T>;
}

/**
 * The SDK, adapted to our rules: no retries except the one it makes itself when a connection is closed under it (under
 * the same idempotency key), no telemetry, one deadline over everything. The SDK reports only its last attempt, and the
 * one before may have arrived, so each attempt is recorded at the HTTP client.
 */
export function createStripeClient({ secretKey, apiBase, timeoutMs = 20_000 }: StripeParts): StripeClient {
  const base = new URL(apiBase);
  const http = Stripe.createNodeHttpClient();
  const current = new AsyncLocalStorage<{ sent: boolean }>();
  const stripe = new Stripe(secretKey, {
    apiVersion: '2026-10-28.endive',
    host: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port || (base.protocol === 'https:' ? 443 : 80),
    protocol: base.protocol === 'https:' ? 'https' : 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    timeout: timeoutMs,
    httpClient: {
      getClientName: () => http.getClientName(),
      makeRequest: (...request) =>
        http.makeRequest(...request).catch((error) => {
          const attempt = current.getStore();
          if (attempt && !neverConnected(error)) attempt.sent = true;
          throw error;
        }),
    },
  });

  return {
    stripe,
    call(run) {
      const attempt = { sent: false };
      return current.run(attempt, async () => {
        let timer: NodeJS.Timeout | undefined;
        const deadline = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new AnswerLost(`no answer within ${timeoutMs} ms`)), timeoutMs);
        });
        try {
          return await Promise.race([run(stripe), deadline]);
        } catch (error) {
          if (!(error instanceof Stripe.errors.StripeConnectionError)) throw error;
          const code = (error.detail as { code?: string } | undefined)?.code ?? 'connection';
          if (attempt.sent || !neverConnected(error.detail)) throw new AnswerLost(`no answer (${code})`);
          throw new NotSent(`could not be reached (${code})`);
        } finally {
          clearTimeout(timer);
        }
      });
    },
  };
}

/** Whether the connection was never made, so that nothing can have been done. */
function neverConnected(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(
    code ?? '',
  );
}
