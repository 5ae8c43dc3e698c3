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

test('[BEY-31] every list that a call takes has a greatest length, or checking it could hold the server', () => {
  const calls = Object.entries(contract).flatMap(([area, all]) =>
    Object.entries(all).map(([name, call]) => [`${area}.${name}`, call['~orpc'].inputSchema] as const),
  );
  const found = calls.flatMap(([name, input]) => (input ? [...endless(input as Schema, name)] : []));
  expect(calls.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});
