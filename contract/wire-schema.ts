import type { AnySchema } from '@orpc/contract';
import { z } from 'zod';
import { insideName, isNaming } from './wire.ts';

type Schema = z.core.$ZodType;
type Convert = (value: unknown) => unknown;

/** Records whose content has one of several shapes. */
const shaped = new WeakMap<Schema, { shapes: readonly Schema[]; checkedLater: boolean }>();
/**
 * A record whose content has one of several shapes. `checkedLater`: as input, it is checked and converted by whoever
 * knows which one.
 */
export function oneOf(shapes: readonly Schema[], checkedLater = false) {
  const record = z.record(z.string(), z.unknown());
  shaped.set(record, { shapes, checkedLater });
  return record;
}

/** What a value of a schema can consist of; of a union, everything that its options can. */
interface Parts {
  /** By name on the wire. */
  fields: Map<string, Schema[]>;
  items: Schema[];
  /** The names that the value itself can be: those of an enumeration. */
  values: string[];
  /** Whether some of its keys are data rather than names. */
  isOpen: boolean;
}

function add(parts: Parts, schema: Schema, later: boolean): Parts {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      for (const [name, field] of Object.entries(def.shape))
        parts.fields.set(name, [...(parts.fields.get(name) ?? []), field]);
      break;
    case 'array':
      parts.items.push(def.element);
      break;
    case 'tuple':
      parts.items.push(...def.items);
      break;
    case 'record': {
      const known = shaped.get(schema);
      if (known && (later || !known.checkedLater)) for (const shape of known.shapes) add(parts, shape, later);
      else parts.isOpen = true;
      break;
    }
    case 'unknown':
      parts.isOpen = true;
      break;
    case 'enum':
      parts.values.push(...Object.values(def.entries).map(String));
      break;
    case 'union':
      for (const option of def.options) add(parts, option, later);
      break;
    case 'pipe':
      add(add(parts, def.in, later), def.out, later);
      break;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      add(parts, def.innerType, later);
      break;
    case 'string':
    case 'number':
    case 'boolean':
    case 'literal':
    case 'null':
    case 'transform':
      break;
    default:
      throw new Error(`Which names does a schema of the type ${def.type} have?`);
  }
  return parts;
}

/** `later`: also of what is checked later. */
const partsOf = (schemas: readonly Schema[], later = false): Parts =>
  schemas.reduce<Parts>((parts, schema) => add(parts, schema, later), {
    fields: new Map(),
    items: [],
    values: [],
    isOpen: false,
  });

/** Calls `visit` for every part of a schema with the name of its field, however deep, also in what is checked later. */
export function eachPart(schema: AnySchema, visit: (parts: Parts, field?: string) => void): void {
  const walk = (schemas: readonly Schema[], field?: string): void => {
    const parts = partsOf(schemas, true);
    visit(parts, field);
    for (const [name, part] of parts.fields) walk(part, name);
    if (parts.items.length > 0) walk(parts.items, field);
  };
  walk([schema as unknown as Schema]);
}

const same: Convert = (value) => value;

function compile(schemas: readonly Schema[], to: 'inside' | 'wire'): Convert {
  const { fields, items } = partsOf(schemas);
  const item = items.length > 0 ? compile(items, to) : same;
  const known = new Map<string, { name: string; convert: Convert }>();
  for (const [wire, field] of fields) {
    const inside = insideName(wire);
    const convert = isNaming(wire) ? naming(field, to) : compile(field, to);
    if (wire === inside && convert === same) continue;
    known.set(to === 'inside' ? wire : inside, { name: to === 'inside' ? inside : wire, convert });
  }
  if (item === same && known.size === 0) return same;
  return (value) => {
    if (Array.isArray(value)) return item === same ? value : value.map(item);
    if (typeof value !== 'object' || value === null || known.size === 0) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        const field = known.get(name);
        return field ? [field.name, field.convert(part)] : [name, part];
      }),
    );
  };
}

/** Converts a value that is a name itself. */
function naming(schemas: readonly Schema[], to: 'inside' | 'wire'): Convert {
  const wireNames = new Map(partsOf(schemas).values.map((wire) => [insideName(wire), wire]));
  return (value) =>
    typeof value !== 'string' ? value : to === 'inside' ? insideName(value) : (wireNames.get(value) ?? value);
}

const made = { inside: new WeakMap<object, Convert>(), wire: new WeakMap<object, Convert>() };
function converter(schema: AnySchema, to: 'inside' | 'wire'): Convert {
  const known = made[to].get(schema);
  if (known) return known;
  const convert = compile([schema as unknown as Schema], to);
  made[to].set(schema, convert);
  return convert;
}

/** A value that a schema has checked, with the names that it has inside. */
export const toInside = (schema: AnySchema, value: unknown): unknown => converter(schema, 'inside')(value);

/** A value with the names that it has inside as the schema checks it. */
export const toWire = (schema: AnySchema, value: unknown): unknown => converter(schema, 'wire')(value);

const listed = new WeakMap<object, ReadonlyMap<string, string>>();
/**
 * The names in a schema that differ inside, and the values of fields that name something: by name inside, the name on
 * the wire. @throws Error if one name inside stands for several on the wire
 */
export function wireNames(schema: AnySchema): ReadonlyMap<string, string> {
  const known = listed.get(schema);
  if (known) return known;
  const names = new Map<string, string>();
  const keep = (wire: string): void => {
    const inside = insideName(wire);
    const other = names.get(inside);
    if (other !== undefined && other !== wire) throw new Error(`${inside} is both ${other} and ${wire}`);
    names.set(inside, wire);
  };
  eachPart(schema, ({ values }, field) => {
    if (field === undefined) return;
    keep(field);
    if (isNaming(field)) for (const value of values) keep(value);
  });
  for (const [inside, wire] of names) if (inside === wire) names.delete(inside);
  listed.set(schema, names);
  return names;
}
