import { FIXES } from '../../../../contract/developer/v1.ts';
import { answerFor } from '../../../platform/http/errors.ts';
import { ApiRefusal } from './auth.service.ts';
import { UNKNOWN } from './v1.check.ts';
import { resources } from './v1.resources.ts';
import { writes } from './v1.writes.ts';

const TITLES: Record<number, string> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Invalid parameters',
  429: 'Too many requests',
};

/** The request that was refused. */
interface Refused {
  id: string;
  method: string;
  /** Its address's pattern. */
  url: string | undefined;
}

/** How to correct what a refusal names. */
function fixOf(place: string, rule: string, { method, url }: Refused): string {
  const [part, name] = [place.slice(0, place.indexOf('.')), place.slice(place.indexOf('.') + 1)];
  if (rule !== UNKNOWN)
    return part !== 'body' && Object.hasOwn(FIXES, name)
      ? FIXES[name]!
      : 'Correct it and send the request again.';
  const shape =
    part === 'body'
      ? writes.find((one) => one.url === url && one.method === method)?.body.shape
      : method === 'GET' && resources.find((one) => one.url === url)?.query.shape;
  const known = Object.keys(shape || {});
  if (known.length === 0) return `Remove it. This request has no ${part === 'body' ? 'body' : 'parameters'}.`;
  return `Remove it. The ${part === 'body' ? 'fields' : 'parameters'} are ${known.join(', ')}.`;
}

/** How a failure is reported (RFC 9457), and after how many seconds a retry makes sense. */
export function problemOf(error: unknown, request: Refused) {
  const plain = answerFor(error, request.id);
  const isOurs = error instanceof ApiRefusal;
  const status = isOurs ? error.status : plain.status;
  const errors = Object.entries(isOurs ? {} : plain.body.errors).flatMap(([location, rules]) =>
    rules.map((message) => ({ location, message, fix: fixOf(location, message, request) })),
  );
  return {
    status,
    retryAfter: isOurs ? error.retryAfter : plain.retryAfter,
    body: {
      type: 'about:blank',
      title: TITLES[status] ?? 'Error',
      status,
      detail: isOurs ? error.message : plain.body.message,
      ...(errors.length > 0 ? { errors } : {}),
      request_id: request.id,
    },
  };
}
