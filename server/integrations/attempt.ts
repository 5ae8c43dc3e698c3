import { LostAnswer, NotSent } from './http.ts';
import type { Request, Result, Vendor, Way } from './port.ts';

/** One attempt to deliver a lead: what came of it, and the vendor's record if it is known now. */
export interface Attempted {
  result: Result;
  remoteId: string | null;
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
      remoteId: (result.kind === 'delivered' && result.remoteId) || known,
    };
  } catch (error) {
    return { result: masked(outcomeOf(error), way), remoteId: known };
  }
}

/** A vendor may repeat what it was sent in its refusal: no credential gets into the log that way. */
function masked(result: Result, { credentials }: Way): Result {
  if (result.kind === 'delivered') return result;
  const secrets = Object.values(credentials).filter((value) => value.length >= 6);
  const mask = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '•••'), text);
  return { ...result, why: mask(result.why), ...('fix' in result ? { fix: mask(result.fix) } : {}) };
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

/** The result that an error of an adapter stands for; rethrows what is our own mistake. */
export function outcomeOf(error: unknown): Result {
  if (error instanceof Stopped) return error.result;
  if (error instanceof NotSent) return { kind: 'retry', why: `${error.message}.`, status: null };
  if (error instanceof LostAnswer) return { kind: 'unknown', why: `${error.message}.` };
  throw error;
}
