import { readFileSync } from 'node:fs';

// The arrows of the house (ARCHITECTURE.md): who may import whom. Run by `npm run check`.

/** Features from low to high, as server/features/index.ts lists them: each may import only those before it. */
const list = readFileSync(new URL('server/features/index.ts', import.meta.url), 'utf8');
const rooms = new Map(
  [...list.matchAll(/import \{ feature as (\w+) \} from '\.\/(.+)\/feature\.ts'/g)].map(([, name, room]) => [
    name,
    room,
  ]),
);
const features = [...list.slice(list.indexOf('FEATURES = [')).matchAll(/^ {2}(\w+),$/gm)].map(([, name]) =>
  rooms.get(name),
);

const test = '\\.test\\.tsx?$';
/** A file, a folder or a `*.part.ts` of a feature: routes.ts, routes/leads.ts, leads.routes.ts, leads-routes.ts. */
const part = (names) => `^server/features/[^/]+/[^/]+/(${names}|[a-z-]+[.-](${names}))([.]ts$|/)`;

const upward = features.map((name, at) => ({
  name: `feature-order-${name.replace('/', '-')}`,
  comment: `${name} may import only the features below it: ${features.slice(0, at).join(', ') || 'none'}.`,
  severity: 'error',
  from: { path: `^server/features/${name}/`, pathNot: test },
  to: {
    path: '^server/features/',
    pathNot: `^server/features/(${[...features.slice(0, at), name].join('|')})/`,
  },
}));

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(vite/client$|virtual:)' },
    },
    {
      name: 'contract-is-the-floor',
      comment: 'The contract imports zod and @orpc/contract only.',
      severity: 'error',
      from: { path: '^contract/', pathNot: test },
      to: { pathNot: '^contract/|^node_modules/(zod|@orpc/contract)/' },
    },
    {
      name: 'pixel-stands-alone',
      comment: 'The visitor script imports nothing from outside its folder.',
      severity: 'error',
      from: { path: '^pixel/src/', pathNot: test },
      to: { pathNot: '^pixel/src/' },
    },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      from: { path: '^server/platform/', pathNot: test },
      to: { path: '^server/(features|providers|integrations|test|app\\.ts)' },
    },
    {
      name: 'only-app-wires',
      comment: 'server/app.ts wires everything; features and providers do not import it.',
      severity: 'error',
      from: { path: '^server/(features|providers|integrations)/', pathNot: test },
      to: { path: '^server/(app|main)\\.ts$' },
    },
    {
      name: 'ui-knows-no-feature',
      severity: 'error',
      from: { path: '^web/(ui|brand|api)/', pathNot: test },
      to: { path: '^web/features/' },
    },
    {
      name: 'web-never-imports-server',
      severity: 'error',
      from: { path: '^web/', pathNot: test },
      to: { path: '^(server|scripts|bench|demo|e2e|pixel)/' },
    },
    {
      name: 'features-by-their-door',
      comment: "Another feature's index.ts only.",
      severity: 'error',
      from: { path: '^server/features/([^/]+/[^/]+)/', pathNot: test },
      to: { path: '^server/features/', pathNot: '^server/features/($1/|[^/]+/[^/]+/index\\.ts$)' },
    },
    {
      name: 'app-by-the-doors',
      comment: "The wiring uses the features' index.ts only, and the list their feature.ts.",
      severity: 'error',
      from: { path: '^server/[^/]+\\.ts$|^server/providers/', pathNot: test },
      to: {
        path: '^server/features/',
        pathNot: ['^server/features/index\\.ts$', '^server/features/[^/]+/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'vendors-know-the-port-only',
      comment:
        'A folder of server/integrations imports only the port beside it, so that one more is one folder and a line.',
      severity: 'error',
      from: { path: '^server/integrations/([^/]+)/', pathNot: test },
      to: { path: '^(server|contract|web|demo)/', pathNot: '^server/integrations/($1/|[^/]+\\.ts$)' },
    },
    ...upward,
    {
      name: 'known-features',
      comment: 'A feature missing from the list in server/features/index.ts.',
      severity: 'error',
      from: {},
      to: { path: '^server/features/[^/]+/', pathNot: `^server/features/(${features.join('|')})/` },
    },
    {
      name: 'known-features-only',
      comment: 'A feature missing from the list in server/features/index.ts.',
      severity: 'error',
      from: { path: '^server/features/[^/]+/', pathNot: `^server/features/(${features.join('|')})/` },
      to: {},
    },
    {
      name: 'store-is-the-bottom',
      comment: 'A store imports no routes, jobs or service; the rules of policy.ts lie below it.',
      severity: 'error',
      from: { path: part('store'), pathNot: test },
      to: { path: part('routes|jobs|service') },
    },
    {
      name: 'policy-is-pure',
      comment: 'A policy imports no routes, jobs, service or store.',
      severity: 'error',
      from: { path: part('policy'), pathNot: test },
      to: { path: part('routes|jobs|service|store') },
    },
    {
      name: 'service-below-routes',
      severity: 'error',
      from: { path: part('service'), pathNot: test },
      to: { path: part('routes|jobs') },
    },
    {
      name: 'routes-and-jobs-by-the-service',
      comment: 'Routes and jobs reach the store through the service.',
      severity: 'error',
      from: { path: part('routes|jobs'), pathNot: test },
      to: { path: part('store') },
    },
    {
      name: 'sql-in-stores',
      comment: 'kysely and pg only in stores, server/platform/db and server/platform/jobs.',
      severity: 'error',
      from: {
        path: '^(server|contract|web|pixel|demo)/',
        pathNot: [
          test,
          part('store'),
          '^server/platform/(db|jobs)(/|\\.ts$)',
          '^server/migrations/',
          '^server/test/',
        ],
      },
      to: { path: '^node_modules/(@types/)?(kysely|pg|pg-copy-streams|pg-boss)/' },
    },
    {
      name: 'no-entry-points',
      comment: 'Nobody imports an entry point.',
      severity: 'error',
      from: {},
      to: { path: '^(server/main\\.ts|web/main\\.tsx)$' },
    },
    {
      name: 'no-tests',
      comment: 'Nobody imports a test.',
      severity: 'error',
      from: {},
      to: { path: test },
    },
    {
      name: 'no-dev-dependencies',
      comment: 'What runs in production is not a development dependency.',
      severity: 'error',
      from: {
        path: '^(server|web|contract)/',
        pathNot: [
          test,
          '^web/(vite\\.config\\.ts$|build/)',
          '^server/test/',
          '^server/integrations/(suite|bench)\\.ts$',
        ],
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data|reports|screens)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
};
