import type { AnySchema, InferSchemaOutput } from '@orpc/contract';
import type { Inside } from '../../../contract/wire.ts';
import { toInside } from '../../../contract/wire-schema.ts';
import { MOST_ISSUES, refuseInput } from './errors.ts';

/**
 * Checks input against its schema and returns the checked value with the names that its fields have inside.
 * @throws Refusal 422 naming each invalid field; texts that the database cannot store as they are (NUL, half a
 * surrogate pair) are invalid in every field.
 */
export async function checkInput<S extends AnySchema>(
  schema: S,
  value: unknown,
): Promise<Inside<InferSchemaOutput<S>>> {
  const result = await schema['~standard'].validate(value);
  if (result.issues) throw refuseInput(result.issues);
  const issues = [...unstorable(result.value, []).take(MOST_ISSUES)];
  if (issues.length > 0) throw refuseInput(issues);
  return toInside(schema, result.value) as Inside<InferSchemaOutput<S>>;
}

/** Yields the paths of texts, including field names, that PostgreSQL would refuse or change. */
function* unstorable(value: unknown, path: string[]): Generator<{ path: string[]; message: string }> {
  if (typeof value === 'string') {
    if (value.includes('\0')) yield { path, message: 'must not contain NUL characters' };
    else if (!value.isWellFormed()) yield { path, message: 'must be well-formed Unicode' };
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      yield* unstorable(name, path);
      yield* unstorable(part, [...path, name]);
    }
  }
}
