import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** A new signing secret: whsec_ and 32 random bytes in base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** An id for a message, the same on all its attempts. */
export function newMessageId(): string {
  return `msg_${randomBytes(16).toString('hex')}`;
}

/** Names no brand. */
export const USER_AGENT = 'Webhook/1.0';

/** The headers of one attempt (Standard Webhooks 1.0.0). */
export function signedHeaders(
  secret: string,
  messageId: string,
  at: Date,
  body: string,
  contentType = 'application/json',
  /** Also signs, while receivers change over from it. */
  previous?: string,
): Record<string, string> {
  return {
    'content-type': contentType,
    'user-agent': USER_AGENT,
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': [secret, ...(previous ? [previous] : [])]
      .map((one) => new Webhook(one).sign(messageId, at, body))
      .join(' '),
  };
}
