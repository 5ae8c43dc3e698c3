import type { ApiCaller } from './auth.service.ts';
import { checkRead, located, mustHaveScope } from './v1.check.ts';
import type { Resource, Sources } from './v1.resources.ts';
import { brought, named, taken } from './v1.versions.ts';

/** An answer of a resource; lists have a cursor. */
export type Answer = Record<string, unknown> & { next_cursor?: string | null };
export type Read = ReturnType<typeof createRead>;

/** Makes reads of the developer API for a key, checked against its scopes and the resource's parameters. */
export function createRead(sources: Sources) {
  /**
   * @param request its query by name (a list: the parameter was repeated), and the id in its path
   * @throws ApiRefusal 403 for a scope that the key lacks; Refusal 422 that names each parameter, 404
   */
  return async (
    resource: Resource,
    caller: ApiCaller,
    request: { query: unknown; params: unknown },
  ): Promise<Answer> => {
    mustHaveScope(caller, resource.scope);
    const { version, ctx } = caller;
    try {
      const asked = { ...request, query: brought(version, resource.tool, request.query) };
      const { query, id } = await checkRead(resource, asked);
      const answer = await located(() => resource.read(sources, ctx.reading(), query, id), 'query');
      return taken(version, resource.tool, resource.answer.parse(answer));
    } catch (error) {
      throw named(version, resource.tool, error);
    }
  };
}
