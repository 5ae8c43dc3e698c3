import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import ts from 'typescript';
import { LEAD_VERSION } from '../../contract/developer/versions.ts';
import { apiRoutes } from '../../server/features/developer/api/index.ts';
import { describeApi } from '../../server/platform/http/openapi.ts';
import { runNpm } from '../npm.ts';
import { fail, root } from '../setup.mjs';

/** The package's name: no tenant's, as it is the same for all of them. */
const NAME = 'lead-api-client';

/**
 * Generates the TypeScript client of the developer API from its OpenAPI document, compiles it, and packs it.
 * @param outDir replaced; `lib/index.js` is the client, `client.tgz` the package
 */
export async function buildSdk(outDir: string): Promise<void> {
  rmSync(outDir, { recursive: true, force: true });
  const source = join(outDir, 'src');
  mkdirSync(outDir, { recursive: true });
  const document = await describeApi(
    {},
    apiRoutes.filter(({ url }) => url.startsWith('/v1/')),
  );
  await createClient({
    input: document as never,
    output: { path: source },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  });
  cpSync(join(import.meta.dirname, 'pages.ts'), join(source, 'pages.ts'));
  // Its own index lists the operations only.
  writeFileSync(
    join(source, 'index.ts'),
    [
      "export * from './sdk.gen.js';",
      "export type * from './types.gen.js';",
      // The operation that creates one of an agency's clients is called createClient.
      "import { createClient } from './client/index.js';",
      "export { createConfig } from './client/index.js';",
      "export { pages } from './pages.js';",
      '/** Makes a client. It asks for the version that it was made for, whatever version the key has. */',
      'export const createApiClient = (config: Parameters<typeof createClient>[0]): ReturnType<typeof createClient> => {',
      '  const client = createClient(config);',
      `  client.setConfig({ headers: { 'Lead-Version': '${LEAD_VERSION}' } });`,
      '  return client;',
      '};',
      '',
    ].join('\n'),
  );
  writeFileSync(join(outDir, 'README.md'), readFileSync(join(import.meta.dirname, 'README.md')));
  writeFileSync(
    join(outDir, 'package.json'),
    JSON.stringify(
      {
        name: NAME,
        version: LEAD_VERSION.split('-').map(Number).join('.'),
        description: 'TypeScript client of the developer API',
        license: 'UNLICENSED',
        type: 'module',
        exports: { '.': { types: './lib/index.d.ts', default: './lib/index.js' } },
        files: ['lib', 'README.md'],
        engines: { node: '>=20' },
      },
      null,
      2,
    ),
  );
  // With the package's own type of modules.
  compile(source, join(outDir, 'lib'));
  rmSync(source, { recursive: true });
  const { code, complained } = await runNpm([
    'pack',
    outDir,
    '--pack-destination',
    outDir,
    '--ignore-scripts',
  ]);
  const packed = readdirSync(outDir).find((name) => name.endsWith('.tgz'));
  if (code !== 0 || !packed) fail(`The API client could not be packed. ${complained}`);
  renameSync(join(outDir, packed), join(outDir, 'client.tgz'));
}

function compile(source: string, outDir: string): void {
  const program = ts.createProgram([join(source, 'index.ts')], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    declaration: true,
    skipLibCheck: true,
    rootDir: source,
    outDir,
  });
  const { diagnostics } = program.emit();
  const wrong = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (wrong.length > 0)
    fail(
      `The API client does not compile.\n${ts.formatDiagnostics(wrong, {
        getCurrentDirectory: () => root,
        getCanonicalFileName: (name) => name,
        getNewLine: () => '\n',
      })}`,
    );
}
