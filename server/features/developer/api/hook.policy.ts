import { ALL_EVENTS, HOOK_EVENTS, type HookEvent } from '../../../../contract/developer/hook-events.ts';
import type { Ctx } from '../../../platform/ctx.ts';

/** Reads the data of an event as its agency would get it from the API. Throws a 404 Refusal if it is gone. */
export type DataOf = (ctx: Ctx, type: HookEvent, objectId: string) => Promise<object>;

/** The events that a row of the user log causes, by its action. */
const BY_ACTION: ReadonlyMap<string, HookEvent> = new Map(
  (Object.entries(HOOK_EVENTS) as [HookEvent, (typeof HOOK_EVENTS)[HookEvent]][]).flatMap(
    ([type, { actions }]) => actions.map((action): [string, HookEvent] => [action, type]),
  ),
);
export const eventOf = (action: string): HookEvent | undefined => BY_ACTION.get(action);

/** Whether an endpoint receives an event. @param clientId the client it concerns; null if none */
export const wants = (
  hook: { types: readonly string[]; client_ids: readonly string[] | null },
  type: HookEvent,
  clientId: string | null,
): boolean =>
  (hook.types.includes(ALL_EVENTS) || hook.types.includes(type)) &&
  (hook.client_ids === null || (clientId !== null && hook.client_ids.includes(clientId)));

/** A message as an endpoint receives it. */
export const bodyOf = (message: { type: string; is_test: boolean; created_at: Date }, data: object): string =>
  JSON.stringify({
    type: message.type,
    timestamp: message.created_at.toISOString(),
    test: message.is_test,
    data,
  });
