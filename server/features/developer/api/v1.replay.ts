import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { ApiRefusal } from './auth.service.ts';
import type { Developer } from './service.ts';
import { problemOf } from './v1.problem.ts';
import { resources } from './v1.resources.ts';

/**
 * Sends a read of the log again as the key that sent it, and returns what the API answers now.
 * @throws Refusal 404, 409 for a request that is not a read or whose address is not kept as it was
 */
export async function replay({ requests, auth, api: { read } }: Developer, ctx: Ctx, id: string) {
  const row = await requests.one(ctx, id);
  const resource = resources.find(({ url }) => url === row.route);
  if (!row.can_replay || !resource) throw new Refusal('conflict', ownMessages.requestNotReplayable);
  const [path = '', query] = row.path.split('?');
  const params = new URLSearchParams(query);
  const request = {
    query: Object.fromEntries(
      [...new Set(params.keys())].map((name) => {
        const values = params.getAll(name);
        return [name, values.length > 1 ? values : values[0]];
      }),
    ),
    params: { id: path.split('/').at(resource.url.split('/').indexOf(':id')) },
  };
  const began = performance.now();
  const answer = (status: number, body: object) => ({
    status,
    duration_ms: Math.round(performance.now() - began),
    body: JSON.stringify(body, null, 2),
  });
  try {
    return answer(200, await read(resource, await auth.asKey(ctx, row.key_id), request));
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof ApiRefusal)) throw error;
    const { status, body } = problemOf(error, { id: ctx.requestId, method: 'GET', url: resource.url });
    return answer(status, body);
  }
}
