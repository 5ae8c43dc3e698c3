import { ItemPath } from '../../../../contract/developer/v1.ts';
import { type FieldErrors, Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { MOST_ISSUES } from '../../../platform/http/errors.ts';
import { checkInput } from '../../../platform/http/input.ts';
import { type ApiCaller, ApiRefusal } from './auth.service.ts';
import type { Resource, Sources } from './v1.resources.ts';

/** The rule for a parameter that there is not. */
export const UNKNOWN = 'is not a parameter of this request';

/** An answer of a resource; lists have a cursor. */
export type Answer = Record<string, unknown> & { next_cursor?: string | null };
export type Read = ReturnType<typeof createRead>;

/** Makes reads of the developer API for a key, checked against its scopes and the resource's parameters. */
export function createRead(sources: Sources) {
  /**
   * @param request its query by name (a list: the parameter was repeated), and the id in its path
   * @throws ApiRefusal 403 for a scope that the key lacks, or a test key; Refusal 422 that names each parameter, 404
   */
  return async (
    resource: Resource,
    caller: ApiCaller,
    request: { query: unknown; params: unknown },
  ): Promise<Answer> => {
    if (!caller.scopes.includes(resource.scope))
      throw new ApiRefusal(403, 'insufficient_scope', `The key does not have the scope ${resource.scope}.`);
    if (caller.key.mode === 'test')
      throw new ApiRefusal(403, 'unauthorized_client', ownMessages.testKeyEmpty);
    const { query, id } = await checked(resource, request);
    return resource.answer.parse(await located(() => resource.read(sources, caller.ctx, query, id)));
  };
}

/** A refusal of parameters, by their places in the request: query.limit, path.id. */
function refuseAt(placed: [place: string, rules: string[]][]): Refusal {
  const [[place, [rule]]] = placed as [[string, string[]]];
  return new Refusal('invalid', `${place}: ${rule}`, { errors: Object.fromEntries(placed) });
}

/** Places what a refusal names in the query. */
const inQuery = (errors: FieldErrors): [string, string[]][] =>
  Object.entries(errors).map(([name, rules]) => [`query.${name}`, rules]);

/** Runs a read, and places the parameters in its refusals. */
async function located<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const placed = error instanceof Refusal && error.code === 'invalid' ? inQuery(error.errors) : [];
    throw placed.length > 0 ? refuseAt(placed) : error;
  }
}

/** @throws Refusal 422 that names every parameter that is wrong, unknown, or repeated */
async function checked(
  { url, query: schema }: Resource,
  request: { query: unknown; params: unknown },
): Promise<{ query: unknown; id: string }> {
  const wrong: [string, string[]][] = [];
  const known: [string, unknown][] = [];
  const given = Object.entries(request.query as Record<string, unknown>).slice(0, MOST_ISSUES);
  for (const [name, value] of given) {
    if (!Object.hasOwn(schema.shape, name)) wrong.push([`query.${name}`, [UNKNOWN]]);
    else if (Array.isArray(value)) wrong.push([`query.${name}`, ['must be sent only once']]);
    else known.push([name, value]);
  }
  const isRepeated = new Set(wrong.map(([place]) => place));
  const check = async <T>(
    work: Promise<T>,
    place: (errors: FieldErrors) => [string, string[]][],
  ): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // A required parameter that was repeated has been named already.
      wrong.push(...place(error.errors).filter(([at]) => !isRepeated.has(at)));
      return undefined;
    }
  };
  const query = await check(checkInput(schema, Object.fromEntries(known)), inQuery);
  const path = url.includes(':id')
    ? await check(checkInput(ItemPath, request.params), ({ id = [] }) => [['path.id', id]])
    : { id: '' };
  if (wrong.length > 0) throw refuseAt(wrong);
  return { query, id: path!.id };
}
