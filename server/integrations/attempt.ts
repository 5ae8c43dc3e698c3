import { printable } from '../platform/printable.ts';
import { LostAnswer, NotSent } from './http.ts';
import type { Credentials, Request, Result, Sending, Vendor, Way } from './port.ts';

/** One attempt to deliver a lead: what came of it, and the vendor's record if it is known now. */
export interface Attempted {
  result: Result;
  remoteId: string | null;
  /** The answer was to a whole batch, so it says nothing about one of its leads. */
  isShared?: boolean;
}

/**
 * Makes one attempt. `isInDoubt`: an earlier attempt may have arrived, so the vendor is asked for the record before
 * anything is sent. A record that is found is updated, which also completes what an earlier attempt left half done.
 * Never throws because of what the vendor does.
 */
export async function attempt(
  vendor: Vendor,
  way: Way,
  request: Request,
  remoteId: string | null,
  isInDoubt: boolean,
): Promise<Attempted> {
  let known = remoteId;
  try {
    if (!known && isInDoubt && vendor.find) known = await vendor.find(way, request);
    const result = await vendor.deliver(way, request, known);
    return {
      result: masked(result, way),
      remoteId: idOf((result.kind === 'delivered' && result.remoteId) || known),
    };
  } catch (error) {
    return { result: masked(outcomeOf(error), way), remoteId: idOf(known) };
  }
}

/** Makes one attempt for each lead of a batch, all of one destination. Never throws because of what the vendor does. */
export async function attemptMany(vendor: Vendor, way: Way, batch: readonly Sending[]): Promise<Attempted[]> {
  let results: Result[];
  let isShared = false;
  try {
    results = await vendor.deliverMany!(way, batch);
  } catch (error) {
    const result = outcomeOf(error);
    results = batch.map(() => result);
    isShared = batch.length > 1;
  }
  return batch.map(({ remoteId }, at) => {
    const result = results[at]!;
    return {
      result: masked(result, way),
      remoteId: idOf((result.kind === 'delivered' && result.remoteId) || remoteId),
      ...(isShared ? { isShared } : {}),
    };
  });
}

const LONGEST_ID = 500;
/** A vendor's id, unless it is nothing that a vendor would use as one. */
const idOf = (id: string | null): string | null =>
  id !== null && id.length <= LONGEST_ID && printable(id, LONGEST_ID) === id ? id : null;

function masked(result: Result, way: Way): Result {
  if (result.kind === 'delivered') return result;
  const words = (text: string) => vendorWords(text, way.credentials);
  return { ...result, why: words(result.why), ...('fix' in result ? { fix: words(result.fix) } : {}) };
}

const LONGEST_WORDS = 1000;

/**
 * A vendor's words as they can be stored and shown. It may repeat what it was sent in its refusal: no credential gets
 * into the log or onto a screen that way.
 */
export function vendorWords(text: string, credentials: Credentials): string {
  const secrets = Object.values(credentials)
    .filter((value) => value.length >= 6)
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value.toWellFormed()),
    ]);
  return printable(
    secrets.reduce((rest, secret) => rest.replaceAll(secret, '•••'), text),
    LONGEST_WORDS,
  );
}

/** What an adapter throws when the vendor's answer ends its work early. */
export class Stopped extends Error {
  override name = 'Stopped';
  readonly result: Result;
  constructor(result: Result) {
    super(result.kind === 'delivered' ? 'delivered' : result.why);
    this.result = result;
  }
}

/** The result that an error of an adapter stands for. */
export function outcomeOf(error: unknown): Result {
  if (error instanceof Stopped) return error.result;
  if (error instanceof NotSent) return { kind: 'retry', why: `${error.message}.`, status: null };
  if (error instanceof LostAnswer) return { kind: 'unknown', why: `${error.message}.` };
  // Its answer was nothing that the adapter expected, such as half a character in an id that goes into an address.
  if (error instanceof URIError || error instanceof TypeError || error instanceof RangeError)
    return { kind: 'unknown', why: 'The response of the service could not be understood.' };
  throw error;
}
