import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

type Json = Record<string, unknown>;
interface Operation {
  query: { name: string; required: boolean; schema: Json }[];
  body: Json;
}

/** Stripe's error for a request that does not match its schema. */
export interface Misfit {
  code: 'parameter_unknown' | 'parameter_missing' | 'parameter_invalid';
  param: string;
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`./data/${name}`, import.meta.url), 'utf8')) as Record<string, unknown>;

/** A fresh copy of Stripe's own example of a resource. */
const examples = read('stripe-fixtures.json');
export const example = (name: string): Json => structuredClone(examples[name]) as Json;

const ajv = new Ajv({ strict: false, validateFormats: false, coerceTypes: true, allErrors: false });

/** Objects accept only the fields they declare, at every depth, as Stripe does. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  if (inner.type === 'object' && inner.properties && inner.additionalProperties === undefined)
    inner.additionalProperties = false;
  return inner;
}

interface Call {
  name: string;
  path: RegExp;
  method: string;
  query: ValidateFunction;
  body: ValidateFunction;
}

const calls: Call[] = Object.entries(read('stripe-openapi.json') as Record<string, Operation>).map(
  ([name, { query, body }]) => {
    const [method, path] = name.split(' ') as [string, string];
    const asked = {
      type: 'object',
      properties: Object.fromEntries(query.map((parameter) => [parameter.name, parameter.schema])),
      required: query.filter((parameter) => parameter.required).map((parameter) => parameter.name),
      additionalProperties: false,
    };
    return {
      name,
      method,
      path: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
      query: ajv.compile(closed(asked) as Json),
      body: ajv.compile(closed({ type: 'object', ...body }) as Json),
    };
  },
);

/** Finds the call in Stripe's document that a request matches, with the ids in its path. */
export function callOf(method: string, path: string): { call: Call; ids: string[] } | undefined {
  for (const call of calls) {
    const found = call.method === method ? call.path.exec(path) : null;
    if (found) return { call, ids: found.slice(1).map(decodeURIComponent) };
  }
  return undefined;
}

/** Returns what is wrong with a request; its values are coerced to their types in the process. */
export function misfit(call: Call, query: Json, body: Json): Misfit | undefined {
  const validate = [call.query, call.body].find((one, at) => !one(at === 0 ? query : body));
  const error = validate?.errors?.[0];
  if (!error) return undefined;
  const { additionalProperty, missingProperty } = error.params as Record<string, string>;
  const param = [error.instancePath.slice(1), additionalProperty ?? missingProperty]
    .filter(Boolean)
    .join('/');
  if (additionalProperty) return { code: 'parameter_unknown', param };
  return { code: missingProperty ? 'parameter_missing' : 'parameter_invalid', param };
}

/** Parses `a[b][0]=x` into objects and arrays; throws on a name that would reach a prototype. */
export function readForm(text: string): Json {
  const root: Json = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[');
    if (path.some((part) => part === '__proto__' || part === 'constructor'))
      throw new Error(`refused ${name}`);
    let at = root;
    for (const part of path.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Json;
    }
    at[path.at(-1)!] = value;
  }
  return lists(root) as Json;
}

function lists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, lists(inner)] as const);
  const isList = entries.length > 0 && entries.every(([name], at) => name === String(at) || name === '');
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
