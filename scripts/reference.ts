import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import { build } from 'vite';

/** Writes the scripts of the API reference into a folder: the viewer, from its package, and the page that sets it up. */
export async function buildReference(outDir: string): Promise<void> {
  mkdirSync(outDir, { recursive: true });
  // The package has its script only as the answer of its own routes. The server serves it itself, so that a page is in the
  // look of its host, and five megabytes are not held in memory.
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } });
  const { body, statusCode } = await app.inject('/reference/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error('the viewer of the API reference is not in its package');
  writeFileSync(join(outDir, 'scalar.js'), body);
  await build({
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: false,
      reportCompressedSize: false,
      modulePreload: false,
      rolldownOptions: {
        input: join(import.meta.dirname, '../web/reference/page.ts'),
        output: { format: 'es', entryFileNames: 'page.js' },
      },
    },
  });
}
