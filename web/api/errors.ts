import type { ErrorBody, FieldErrors } from '../../contract/errors.ts';
import { messages } from '../../contract/messages.ts';

/** A call that failed. `status` 0 means that there was no response. `retryAfter` is in seconds. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly errors: FieldErrors;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  constructor(
    status: number,
    message: string,
    more: { errors?: FieldErrors; requestId?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.errors = more.errors ?? {};
    this.requestId = more.requestId;
    this.retryAfter = more.retryAfter;
  }
}

const plainWords: Record<number, string> = {
  413: 'This is too large to send.',
  429: 'Too many requests. Wait a moment and try again.',
  502: 'The server cannot be reached right now. Try again shortly.',
  503: 'The server is not available right now. Try again shortly.',
  504: 'The server took too long to respond. Try again shortly.',
};

/** The ApiError for an unsuccessful response; a body that is not ours (a proxy's page) gets a plain message. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  let body: Partial<ErrorBody> = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed && typeof parsed === 'object') body = parsed as Partial<ErrorBody>;
  } catch {
    // Not JSON; the status has to speak for itself.
  }
  const after = Number(response.headers.get('Retry-After'));
  const requestId = body.requestId ?? response.headers.get('X-Request-Id');
  return new ApiError(response.status, body.message || plainWords[response.status] || messages.errorText, {
    errors: body.errors ?? {},
    ...(requestId ? { requestId } : {}),
    ...(after > 0 ? { retryAfter: after } : {}),
  });
}

/** The message for any error a screen may have to show. */
export function wordsOf(error: unknown): string {
  return error instanceof Error && error.message ? error.message : String(error);
}
