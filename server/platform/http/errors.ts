import { z } from 'zod';
import { ERROR_STATUS, type ErrorBody, type FieldErrors, Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import { isDatabaseAway } from '../db/away.ts';
import { isDiskFull } from '../disk.ts';
import { FilesAway } from '../files.ts';
import { Overfull } from '../gather.ts';

/** Maximum number of input errors reported. */
export const MOST_ISSUES = 100;

/** Turns the issues of a failed validation into messages per field, and a sentence that names the first. */
export function refuseInput(
  issues: readonly { path?: readonly unknown[] | undefined; message: string }[],
): Refusal {
  const found = new Map<string, string[]>();
  // For a body full of faults, the first ones are enough: neither the time nor the response grows with it.
  for (const issue of issues.slice(0, MOST_ISSUES)) {
    const field =
      (issue.path ?? []).map((part) => String((part as { key?: unknown })?.key ?? part)).join('.') || 'body';
    const messages = found.get(field);
    if (messages) messages.push(issue.message);
    else found.set(field, [issue.message]);
  }
  const errors: FieldErrors = Object.fromEntries(found);
  const [field, [message] = []] = Object.entries(errors)[0] ?? ['body', ['is not valid']];
  return new Refusal('invalid', `${field}: ${message}`, { errors });
}

z.config({
  customError: (issue) =>
    issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : undefined,
});

/**
 * Returns the response to a failed request: status, body, and seconds to wait if that helps. Never includes internal
 * details.
 */
export function answerFor(
  error: unknown,
  requestId: string,
): { status: number; body: ErrorBody; retryAfter?: number | undefined } {
  const body = (message: string, errors: FieldErrors = {}): ErrorBody => ({
    result: 'failed',
    message,
    errors,
    requestId,
  });
  if (error instanceof Refusal) {
    return {
      status: ERROR_STATUS[error.code],
      body: body(error.message, error.errors),
      retryAfter: error.retryAfter,
    };
  }
  if (isDiskFull(error)) return { status: 503, body: body(ownMessages.diskFull), retryAfter: 30 };
  if (error instanceof FilesAway)
    return { status: 503, body: body(ownMessages.filesUnavailable), retryAfter: 60 };
  if (error instanceof Overfull) return { status: 503, body: body(ownMessages.unavailable), retryAfter: 1 };
  if (isDatabaseAway(error)) return { status: 503, body: body(ownMessages.unavailable), retryAfter: 2 };
  const { statusCode, code } = (error ?? {}) as { statusCode?: number; code?: string };
  // checkInput refuses texts that cannot be stored (NUL) and names the field; this is for those that do not go through
  // it.
  if (code === '22021' || code === '22P05')
    return { status: 400, body: body('The request contains characters that cannot be stored.') };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return { status: 413, body: body('The request body is too large.') };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return { status: 415, body: body('Send JSON (Content-Type: application/json).') };
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return {
      status: statusCode,
      body: body(statusCode === 404 ? ownMessages.notFound : 'The request is not valid.'),
    };
  }
  return { status: 500, body: body(ownMessages.internal) };
}
