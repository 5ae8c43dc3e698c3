import type { AnySchema } from '@orpc/contract';
import { Refusal } from '../../../contract/errors.ts';
import { toInside, toWire, wireNames } from '../../../contract/wire-schema.ts';

/** A handler's answer as it is sent: with the names of the wire, without what the schema does not declare. */
export async function answerOf(schema: AnySchema, value: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(toWire(schema, value));
  if (result.issues)
    throw new Error(`The response breaks the contract: ${JSON.stringify(result.issues).slice(0, 500)}`);
  return result.value;
}

/** The same with the names that it has inside. */
export const insideOf = async (schema: AnySchema, value: unknown): Promise<unknown> =>
  toInside(schema, await answerOf(schema, value));

/** Runs a handler. Its refusals name the fields of this input as the caller does. */
export async function onWire<T>(input: AnySchema | undefined, handle: () => Promise<T>): Promise<T> {
  try {
    return await handle();
  } catch (error) {
    throw input && error instanceof Refusal ? refusalOnWire(error, input) : error;
  }
}

function refusalOnWire(refusal: Refusal, input: AnySchema): Refusal {
  const names = wireNames(input);
  const rename = (path: string): string =>
    path
      .split('.')
      .map((name) => names.get(name) ?? name)
      .join('.');
  const [field = ''] = refusal.message.split(': ', 1);
  const message = rename(field) + refusal.message.slice(field.length);
  const errors = Object.fromEntries(
    Object.entries(refusal.errors).map(([path, rules]) => [rename(path), rules]),
  );
  const { code, retryAfter } = refusal;
  return new Refusal(code, message, { errors, ...(retryAfter === undefined ? {} : { retryAfter }) });
}
