import type { z } from 'zod';
import type { ApiScope } from '../../../../contract/developer/developer-rules.ts';
import { ItemPath, NoQuery } from '../../../../contract/developer/v1.ts';
import { type FieldErrors, Refusal } from '../../../../contract/errors.ts';
import { MOST_ISSUES } from '../../../platform/http/errors.ts';
import { checkInput } from '../../../platform/http/input.ts';
import { type ApiCaller, ApiRefusal } from './auth.service.ts';

// How requests of the developer API are checked. Refusals name places in the request: query.limit, path.id, body.name.

/** The rule for a parameter, or a field, that there is not. */
export const UNKNOWN = 'is not a parameter of this request';

type Placed = [place: string, rules: string[]];
/** The names in a refusal from below, by those in the request. */
export type Names = Readonly<Record<string, string>>;

/** @throws ApiRefusal 403 for a scope that the key lacks */
export function mustHaveScope({ scopes }: ApiCaller, scope: ApiScope): void {
  if (!scopes.includes(scope))
    throw new ApiRefusal(403, 'insufficient_scope', `The key does not have the scope ${scope}.`);
}

const placed = (part: 'query' | 'body', errors: FieldErrors, names: Names = {}): Placed[] =>
  Object.entries(errors).map(([name, rules]) => [
    part === name ? part : `${part}.${Object.hasOwn(names, name) ? names[name] : name}`,
    rules,
  ]);

/** A refusal of parts of the request, by their places. */
function refuseAt(places: Placed[]): Refusal {
  const [[place, [rule]]] = places as [[string, string[]]];
  return new Refusal('invalid', `${place}: ${rule}`, { errors: Object.fromEntries(places) });
}

/** Runs work, and places what its refusals name in the query or the body of the request. */
export async function located<T>(work: () => Promise<T>, part: 'query' | 'body', names?: Names): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const places = placed(part, error.errors, names);
    const [[place, [rule]] = ['', []]] = places;
    if (!rule) throw error;
    // A sentence that begins with the name of a field has the one that programs know.
    const isNamed = Object.keys(error.errors).some((name) => error.message.startsWith(`${name}: `));
    throw new Refusal(error.code, isNamed ? `${place}: ${rule}` : error.message, {
      errors: Object.fromEntries(places),
      ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
    });
  }
}

/** Collects everything that is wrong with a request. */
function collector() {
  const wrong: Placed[] = [];
  const told = (place: string): boolean => wrong.some(([at]) => at === place);
  return {
    wrong,
    /** The checked value; undefined if it is wrong. */
    async check<T>(work: Promise<T>, place: (errors: FieldErrors) => Placed[]): Promise<T | undefined> {
      try {
        return await work;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // A required parameter that was repeated has been named already.
        wrong.push(...place(error.errors).filter(([at]) => !told(at)));
        return undefined;
      }
    },
    /** The fields that a schema knows; the others are wrong. */
    known(part: 'query' | 'body', { shape }: z.ZodObject, given: object): Record<string, unknown> {
      const found: [string, unknown][] = [];
      for (const [name, value] of Object.entries(given).slice(0, MOST_ISSUES)) {
        if (!Object.hasOwn(shape, name)) wrong.push([`${part}.${name}`, [UNKNOWN]]);
        else if (part === 'query' && Array.isArray(value))
          wrong.push([`query.${name}`, ['must be sent only once']]);
        else found.push([name, value]);
      }
      return Object.fromEntries(found);
    },
    async path(url: string, params: unknown): Promise<string> {
      if (!url.includes(':id')) return '';
      const path = await this.check(checkInput(ItemPath, params), ({ id = [] }) => [['path.id', id]]);
      return path?.id ?? '';
    },
    /** @throws Refusal 422 that names everything that is wrong */
    end(): void {
      if (wrong.length > 0) throw refuseAt(wrong);
    },
  };
}

/** @throws Refusal 422 that names every parameter that is wrong, unknown, or repeated */
export async function checkRead(
  { url, query: schema }: { url: string; query: z.ZodObject },
  request: { query: unknown; params: unknown },
): Promise<{ query: unknown; id: string }> {
  const faults = collector();
  const given = faults.known('query', schema, request.query as object);
  const query = await faults.check(checkInput(schema, given), (errors) => placed('query', errors));
  const id = await faults.path(url, request.params);
  faults.end();
  return { query, id };
}

/** @throws Refusal 422 that names every field that is wrong or unknown */
export async function checkWrite(
  { url, body: schema }: { url: string; body: z.ZodObject },
  request: { query: unknown; params: unknown; body: unknown },
): Promise<{ body: unknown; id: string }> {
  const faults = collector();
  faults.known('query', NoQuery, request.query as object);
  const given = request.body ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    faults.wrong.push(['body', ['must be a JSON object']]);
    faults.end();
  }
  const fields = faults.known('body', schema, given as object);
  const body = await faults.check(checkInput(schema, fields), (errors) => placed('body', errors));
  const id = await faults.path(url, request.params);
  faults.end();
  return { body, id };
}
