/** Every error code with the HTTP status it is sent with. */
export const ERROR_STATUS = {
  invalid: 422,
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  too_many: 429,
  unavailable: 503,
  blocked: 504,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Messages per field: `{ campaignName: ['is required'] }`. */
export type FieldErrors = Record<string, string[]>;

/** The body of every failed call. */
export interface ErrorBody {
  result: 'failed';
  message: string;
  errors: FieldErrors;
  requestId: string;
}

/**
 * A refusal that the user should read. `message` is shown as it is; it never contains a secret or an internal detail.
 */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: ErrorCode;
  readonly errors: FieldErrors;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  constructor(code: ErrorCode, message: string, more: { errors?: FieldErrors; retryAfter?: number } = {}) {
    super(message);
    this.code = code;
    this.errors = more.errors ?? {};
    this.retryAfter = more.retryAfter;
  }
}

/** A refusal of one field, by its name on the wire: the broken rule is in the message and listed under the field. */
export const refusalOf = (field: string, rule: string, code: ErrorCode = 'invalid'): Refusal =>
  new Refusal(code, `${field}: ${rule}`, { errors: { [field]: [rule] } });
