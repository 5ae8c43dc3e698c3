import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { fail, root } from './setup.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.stamp');
const sources = [
  'web',
  'pixel',
  'contract',
  'server/features/developer/api',
  'server/platform/http/openapi.ts',
  'scripts/sdk',
  'scripts/reference.ts',
  'package-lock.json',
  'scripts/build.ts',
  'tsconfig.base.json',
];

/** Hash over the names and contents of everything that the browser's files are built from. */
function sourcesHash(): string {
  for (const needed of [...sources, 'web/vite.config.ts', 'web/index.html', 'pixel/build.ts']) {
    if (!existsSync(join(root, needed))) fail(`Cannot build: ${needed} is missing. Is this checkout whole?`);
  }
  const hash = createHash('sha256');
  for (const source of sources) {
    const path = join(root, source);
    const files = source.includes('.')
      ? ['']
      : readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
          .map((entry) => join(entry.parentPath, entry.name).slice(path.length))
          .sort();
    for (const file of files) hash.update(`${source}${file}\0`).update(readFileSync(join(path, file)));
  }
  return hash.digest('hex');
}

/**
 * Writes a Brotli and a gzip version next to each text file of a folder that is long enough; the server sends the one
 * the browser accepts.
 */
async function compress(folder: string, quality: number): Promise<void> {
  const texts = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.(js|css|svg|json)$/.test(entry.name),
  );
  await Promise.all(
    texts.map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      const bytes = readFileSync(file);
      if (bytes.length < 1024) return;
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
      writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}

/** Writes the fonts that uploaded drawings are rendered with (server/platform/picture.ts) into dist/fonts. */
export async function buildDrawingFonts(): Promise<void> {
  const { drawingFonts } = await import('../web/build/fonts.ts');
  mkdirSync(join(dist, 'fonts'), { recursive: true });
  for await (const [name, bytes] of drawingFonts()) writeFileSync(join(dist, 'fonts', name), bytes);
}

/**
 * Builds the visitor script into dist/pixel/v1, the web app into dist/web, the API client into dist/sdk, and the scripts of
 * the API reference into dist/reference.
 * @param ifNeeded leave them when no source has changed since the last build
 */
export async function buildAll(ifNeeded: boolean): Promise<void> {
  const hash = sourcesHash();
  const outputs = [
    join(dist, 'pixel/v1/pixel.js'),
    join(dist, 'web/index.html'),
    join(dist, 'web/sw.js'),
    join(dist, 'sdk/client.tgz'),
    join(dist, 'reference/page.js'),
    join(dist, 'fonts'),
  ];
  const fresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === hash && outputs.every(existsSync);
  if (ifNeeded && fresh) return;
  console.log('Building pixel, web app, and API client ...');
  rmSync(stamp, { force: true });
  const { buildAdTag, buildPixel } = await import('../pixel/build.ts');
  const pixel = await buildPixel({ outDir: join(dist, 'pixel/v1') });
  await buildAdTag({ outDir: join(dist, 'pixel/v1') });
  console.log(`pixel: ${pixel.gzipBytes} bytes gzipped`);
  const { buildSdk } = await import('./sdk/build.ts');
  await buildSdk(join(dist, 'sdk'));
  const { build } = await import('vite');
  // Inside a test, NODE_ENV is 'test', which would select React's development build, twice as large.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  await build({
    configFile: join(root, 'web/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: join(dist, 'web'), emptyOutDir: true },
  });
  await build({
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    define: { __VERSION__: JSON.stringify(hash.slice(0, 12)), 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: join(dist, 'web'),
      emptyOutDir: false,
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: {
        input: join(root, 'web/worker/sw.ts'),
        output: { format: 'es', entryFileNames: 'sw.js' },
      },
    },
  });
  if (before === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = before;
  await compress(join(dist, 'web'), constants.BROTLI_MAX_QUALITY);
  const { buildReference } = await import('./reference.ts');
  await buildReference(join(dist, 'reference'));
  // Its viewer is large: the best compression would take longer than all the rest, for a few percent.
  await compress(join(dist, 'reference'), 9);
  await buildDrawingFonts();
  for (const output of outputs) if (!existsSync(output)) fail(`The build did not make ${output}.`);
  mkdirSync(dist, { recursive: true });
  writeFileSync(stamp, hash);
}

if (import.meta.main) await buildAll(process.argv.includes('--if-needed'));
