import type { AnySchema } from '@orpc/contract';
import { contract, inputs } from '../../contract/index.ts';
import { isNaming, WIRE } from '../../contract/wire.ts';
import { eachPart, wireNames } from '../../contract/wire-schema.ts';

/** Method, path below /api, whether the call works without signing in, and those of its input's names that differ inside. */
export type RouteEntry = readonly [method: string, path: string, open: 0 | 1, names: string];

/** The contract as the small table that the web client needs, so that no schema travels to the browser. */
export interface CallTable {
  /** 'leads.list' -> its route. */
  routes: Readonly<Record<string, RouteEntry>>;
  /** Names of the wire -> names inside. */
  names: Readonly<Record<string, string>>;
  /** Fields whose keys are data rather than names. */
  open: readonly string[];
  /** Fields whose value is a name. */
  naming: readonly string[];
}

interface Definition {
  '~orpc': {
    route: { method?: string; path?: string };
    meta: { access?: string };
    inputSchema?: AnySchema;
    outputSchema?: AnySchema;
  };
}

/** The table of every call of the contract. */
export function callTable(): CallTable {
  const routes: Record<string, RouteEntry> = {};
  const open = new Set<string>();
  for (const [feature, calls] of Object.entries(contract)) {
    for (const [name, call] of Object.entries(calls as unknown as Record<string, Definition>)) {
      const { route, meta, inputSchema, outputSchema } = call['~orpc'];
      if (!route.path) throw new Error(`contract.${feature}.${name} has no path`);
      const names = inputSchema ? [...wireNames(inputSchema).values()].join(' ') : '';
      routes[`${feature}.${name}`] = [
        route.method ?? 'POST',
        route.path,
        meta.access === 'public' ? 1 : 0,
        names,
      ];
      for (const schema of [inputSchema, outputSchema])
        if (schema) eachPart(schema, ({ isOpen }, name) => isOpen && name && open.add(name));
    }
  }
  for (const [name, schema] of Object.entries(inputs))
    routes[`inputs.${name}`] = ['', '', 0, [...wireNames(schema).values()].join(' ')];
  return { routes, names: WIRE, open: [...open], naming: Object.keys(WIRE).filter(isNaming) };
}
