/**
 * PostgreSQL is shutting down, has crashed, is starting, is full, or is read-only (a standby); or the connection to it
 * is broken.
 */
const awayCodes = new Set(
  '57P01 57P02 57P03 57P05 53300 25006 ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN'.split(
    ' ',
  ),
);
const awayMessages =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|connection error and is not queryable|Client was closed and is not queryable/i;

/**
 * Returns whether an error means that the database is unavailable (then 503 and Retry-After), rather than that
 * something is wrong.
 */
export function isDatabaseAway(error: unknown): boolean {
  const { code, syscall, message } = (error ?? {}) as {
    code?: string | number;
    syscall?: string;
    message?: string;
  };
  // An aborted signal has a number as its code.
  if (typeof code === 'string' && (awayCodes.has(code) || code.startsWith('08'))) return true;
  // A missing socket file; any other missing file is our own fault.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  return awayMessages.test(message ?? '');
}
