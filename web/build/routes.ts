import { contract } from '../../contract/index.ts';

/** Method, path below /api, and whether the call works without signing in. */
export type RouteEntry = readonly [method: string, path: string, open: boolean];
/** 'leads.list' -> its route. */
export type RouteTable = Readonly<Record<string, RouteEntry>>;

interface Definition {
  '~orpc': { route: { method?: string; path?: string }; meta: { access?: string } };
}

/** The contract as the small table the web client needs, so that no schema travels to the browser. */
export function routeTable(): RouteTable {
  const table: Record<string, RouteEntry> = {};
  for (const [feature, calls] of Object.entries(contract)) {
    for (const [name, call] of Object.entries(calls as unknown as Record<string, Definition>)) {
      const { route, meta } = call['~orpc'];
      if (!route.path) throw new Error(`contract.${feature}.${name} has no path`);
      table[`${feature}.${name}`] = [route.method ?? 'POST', route.path, meta.access === 'public'];
    }
  }
  return table;
}
