import { type Described, describedOf } from './requests.policy.ts';
import { resources } from './v1.resources.ts';
import { writes } from './v1.writes.ts';

/** Described once: schemas take a while. */
const DESCRIBED = new Map<string, Described>([
  ...resources.map(({ url, query }) => [`GET ${url}`, describedOf({ query })] as const),
  ...writes.map(({ method, url, body }) => [`${method} ${url}`, describedOf({ body })] as const),
]);
const NOTHING = describedOf({});

/** What a request may have, by its method and route. */
export const describedAt = (method: string, route: string): Described =>
  DESCRIBED.get(`${method} ${route}`) ?? NOTHING;
