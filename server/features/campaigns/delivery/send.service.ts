import type { Exchange } from '../../../../contract/campaigns/destinations.ts';
import type { Payload, PayloadHeader } from '../../../../contract/campaigns/payloads.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { Result, Vendor, Way } from '../../../integrations/index.ts';
import {
  attempt,
  attemptMany,
  createRedactor,
  type Redactor,
  recorded,
} from '../../../integrations/index.ts';
import { fieldsOf, missingFields } from '../../../integrations/mapping.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Vault } from '../../../platform/crypto.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound.ts';
import { leadOf } from './lead.policy.ts';
import { type Message, messageOf, secretsOf } from './payload.policy.ts';
import { ANSWER_BYTES, type LeadData, type Outcome, TIMEOUT_MS } from './policy.ts';
import { provesBadAddress } from './refused.policy.ts';
import { signedHeaders } from './sign.ts';
import type { IntegrationRow } from './store.ts';

export const SECRET = 'integration.secret';
export const HEADERS = 'integration.headers';
const SECRET_UNREADABLE = 'Not sent: the signing secret cannot be decrypted with the current APP_KEY.';
const HEADERS_UNREADABLE =
  'Not sent: the values of the headers cannot be decrypted with the current APP_KEY. Enter them again.';

/** Where a delivery goes: a webhook of the campaign, or a vendor with the destination's settings. */
export type Target =
  | {
      kind: 'webhook';
      url: string;
      secretSealed: string;
      messageId: string;
      payload: Payload;
      headersSealed: string | null;
    }
  | {
      kind: 'vendor';
      vendor: Vendor;
      way: Way;
      settings: Record<string, string>;
      mapping: Record<string, string>;
      /** The account whose turn was taken, for vendors with a queue. */
      turn?: { root_id: string; vendor: string; account: string };
      /** How many calls the attempt made, once it is made. */
      calls?: number;
    };

/** The target of a webhook. */
export const webhookOf = (
  row: Pick<IntegrationRow, 'url' | 'secret_sealed' | 'payload' | 'headers_sealed'>,
  messageId: string,
): Target => ({
  kind: 'webhook',
  url: row.url!,
  secretSealed: row.secret_sealed!,
  messageId,
  payload: row.payload,
  headersSealed: row.headers_sealed,
});

/** A lead to send, with what is known about earlier attempts at a vendor. */
export interface Sent {
  data: LeadData;
  remoteId: string | null;
  /** An earlier attempt may have arrived. */
  isInDoubt: boolean;
}

/** The headers of a webhook; null if they cannot be decrypted with the current key. */
export function openHeaders(vault: Vault, sealed: string | null): PayloadHeader[] | null {
  if (sealed === null) return [];
  try {
    return JSON.parse(vault.open(sealed, HEADERS)) as PayloadHeader[];
  } catch {
    return null;
  }
}

/** Our headers with the client's own, which may replace the User-Agent. Names in lowercase. */
export const requestHeaders = (
  ours: Record<string, string>,
  own: readonly PayloadHeader[],
): Record<string, string> => ({
  ...ours,
  ...Object.fromEntries(own.map(({ name, value }) => [name.toLowerCase(), value])),
});

export type Sender = ReturnType<typeof createSender>;

/** Makes single attempts, outside any transaction. None of them throws because of what the other side does. */
export function createSender({ clock, vault, outbound }: { clock: Clock; vault: Vault; outbound: Outbound }) {
  const timed = () => {
    const startedAt = clock.now();
    const began = performance.now();
    const elapsed = () => Math.round(performance.now() - began);
    const done = (rest: Omit<Outcome, 'startedAt' | 'durationMs'>): Outcome => ({
      startedAt,
      durationMs: elapsed(),
      ...rest,
    });
    return Object.assign(done, { elapsed });
  };

  /** Posts a signed message to a webhook. */
  async function post(
    { url, secretSealed, messageId, payload, headersSealed }: Target & { kind: 'webhook' },
    data: LeadData,
  ): Promise<Outcome> {
    const done = timed();
    let secret: string;
    try {
      secret = vault.open(secretSealed, SECRET);
    } catch {
      return done(notSent(SECRET_UNREADABLE));
    }
    const own = openHeaders(vault, headersSealed);
    if (!own) return done(notSent(HEADERS_UNREADABLE));
    let message: Message;
    try {
      message = messageOf(payload, data);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return done(notSent(`Not sent: ${error.message}.`));
    }
    const { body, contentType } = message;
    const signed = signedHeaders(secret, messageId, clock.now(), body, contentType);
    const redact = createRedactor([leadOf(data)], [secret, ...secretsOf(own)]);
    const exchange = (status: number | null, answer: string | null): Exchange => ({
      method: 'POST',
      url: redact.url(url),
      headers: [...redact.headers(signed), ...own.map(({ name }): [string, string] => [name, '•••'])],
      body: redact.body(body, contentType),
      status,
      answer,
      ms: done.elapsed(),
    });
    try {
      const answer = await outbound.fetch(url, {
        method: 'POST',
        headers: requestHeaders(signed, own),
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: ANSWER_BYTES,
      });
      const { status } = answer;
      const error =
        status >= 200 && status < 300
          ? null
          : status >= 300 && status < 400
            ? 'The endpoint redirects to another address. Redirects are not followed.'
            : `The endpoint returned ${status}.`;
      return done({
        status,
        exchanges: [exchange(status, redact.answer(answer.body.toString('utf8'), status))],
        error,
        gone: status === 410,
        retryAfter: answer.headers['retry-after'],
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return done({ status: null, exchanges: [exchange(null, null)], error: `${error.message}.` });
    }
  }

  /** Makes one attempt at a vendor for each lead: alone, or several together where the vendor takes batches. */
  async function hand(target: Target & { kind: 'vendor' }, sendings: readonly Sent[]): Promise<Outcome[]> {
    const done = timed();
    const { vendor, way, settings, mapping } = target;
    const prepared = sendings.map(({ data, remoteId, isInDoubt }) => ({
      data,
      remoteId,
      isInDoubt,
      request: {
        settings,
        fields: fieldsOf(vendor, mapping, leadOf(data)),
        leadId: data.id,
        at: clock.now(),
      },
    }));
    const lacking = ({ request }: (typeof prepared)[number]) => missingFields(vendor, request.fields);
    const batch = prepared.filter((one) => lacking(one).length === 0);
    // What is not on the form, such as the token of a sign-in, is secret, too.
    const open = new Set(vendor.credentials.flatMap(({ key, isSecret }) => (isSecret ? [] : [key])));
    const secrets = Object.entries(way.credentials).flatMap(([key, value]) => (open.has(key) ? [] : [value]));
    const redact = createRedactor(
      batch.map(({ data }) => leadOf(data)),
      secrets,
    );
    const { http, exchanges, calls } = recorded(way.http, redact);
    const [first] = batch;
    const attempted =
      first === undefined
        ? []
        : vendor.deliverMany
          ? await attemptMany(vendor, { ...way, http }, batch)
          : [await attempt(vendor, { ...way, http }, first.request, first.remoteId, first.isInDoubt)];
    target.calls = calls();
    const results = new Map(batch.map((one, at) => [one, attempted[at]!]));
    return prepared.map((one) => {
      const result = results.get(one);
      if (result)
        return done({
          ...outcomeOf(result.result, vendor, redact),
          exchanges,
          remoteId: result.remoteId,
          refusesEmail: provesBadAddress(vendor, one.request, leadOf(one.data), result),
        });
      const error = `Not sent: this lead has no ${lacking(one).join(', ')}, which ${vendor.name} requires.`;
      return done({ ...notSent(error), remoteId: one.remoteId });
    });
  }

  return {
    /** Sends one lead once. */
    send: async (target: Target, sending: Sent): Promise<Outcome> =>
      target.kind === 'webhook' ? post(target, sending.data) : (await hand(target, [sending]))[0]!,
    /** Sends the leads of a destination whose vendor takes batches; the outcomes are in their order. */
    sendMany: hand,
  };
}

const notSent = (error: string) => ({ status: null, exchanges: [], error, final: true });

/** What an adapter's result means for the schedule and the log, where the vendor's words name no person. */
function outcomeOf(
  result: Result,
  vendor: Vendor,
  redact: Redactor,
): Omit<Outcome, 'startedAt' | 'durationMs' | 'exchanges'> {
  const after = 'afterMs' in result && result.afterMs ? { afterMs: result.afterMs } : {};
  if (result.kind === 'delivered') return { status: result.status, error: null, ...after };
  const error = redact.words(result.why);
  switch (result.kind) {
    case 'final':
      return {
        status: result.status,
        error: `${error.replace(/\.$/, '')}. ${redact.words(result.fix)}`,
        final: true,
      };
    case 'broken':
      return { status: result.status, error, broken: error };
    case 'unknown':
      return { status: null, error, isInDoubt: vendor.find !== undefined };
    case 'retry':
      return {
        status: result.status,
        error,
        // A server that failed may have done half of it.
        isInDoubt: vendor.find !== undefined && (result.status ?? 0) >= 500,
        ...after,
      };
  }
}
