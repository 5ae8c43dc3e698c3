import { expect, test } from 'vitest';
import type { z } from 'zod';
import { contract } from './index.ts';

type Schema = z.core.$ZodType;

/** Yields the lists in a schema that say nothing about how long they may be. */
function* endless(schema: Schema, path: string, above: readonly Schema[] = []): Generator<string> {
  if (above.includes(schema)) return;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const into = (part: Schema, at = path) => endless(part, at, [...above, schema]);
  if (def.type === 'array') {
    const bounds = (def.checks ?? []).map((check) => check._zod.def.check);
    if (!bounds.includes('max_length') && !bounds.includes('length_equals')) yield path;
    yield* into(def.element, `${path}[]`);
  } else if (def.type === 'object') {
    for (const [name, part] of Object.entries(def.shape)) yield* into(part, `${path}.${name}`);
    if (def.catchall) yield* into(def.catchall, `${path}.*`);
  } else if (def.type === 'record' || def.type === 'map') yield* into(def.valueType, `${path}.*`);
  else if (def.type === 'union') for (const option of def.options) yield* into(option);
  else if (def.type === 'intersection') {
    yield* into(def.left);
    yield* into(def.right);
  } else if (def.type === 'pipe') {
    yield* into(def.in);
    yield* into(def.out);
  } else if (def.type === 'tuple') {
    for (const item of def.items) yield* into(item, `${path}[]`);
    if (def.rest) yield path;
  } else if (def.type === 'lazy') yield* into(def.getter());
  else if ('innerType' in def) yield* into(def.innerType);
}

const calls = Object.entries(contract).flatMap(([area, all]) =>
  Object.entries(all).map(([name, call]) => [`${area}.${name}`, call['~orpc'].inputSchema] as const),
);

/** The objects that are somewhere in a schema. */
function* objectsOf(schema: Schema): Generator<z.core.$ZodObjectDef['shape']> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') yield def.shape;
  else if (def.type === 'union') for (const option of def.options) yield* objectsOf(option);
  else if (def.type === 'intersection') {
    yield* objectsOf(def.left);
    yield* objectsOf(def.right);
  } else if (def.type === 'pipe') yield* objectsOf(def.in);
  else if ('innerType' in def) yield* objectsOf(def.innerType);
}

test('[BEY-31] an object that has no text is refused by each field, and never makes the check itself fail', async () => {
  // `String(value)` throws for these.
  const HOSTILE: unknown[] = [
    { toString: 1, valueOf: 1 },
    { toString: null, length: -1 },
    [{ toString: 1, valueOf: 1 }],
  ];
  const found: string[] = [];
  let tried = 0;
  for (const [name, input] of calls)
    for (const shape of input ? objectsOf(input as Schema) : [])
      for (const field of Object.keys(shape))
        for (const value of HOSTILE) {
          tried++;
          await Promise.resolve()
            .then(() => (input as z.ZodType)['~standard'].validate({ [field]: value }))
            .catch((error: Error) => found.push(`${name}.${field}: ${error.message}`));
        }
  expect(tried).toBeGreaterThan(2000);
  expect(found).toEqual([]);
});

test('[BEY-31] every list that a call takes has a greatest length, or checking it could hold the server', () => {
  const found = calls.flatMap(([name, input]) => (input ? [...endless(input as Schema, name)] : []));
  expect(calls.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});
