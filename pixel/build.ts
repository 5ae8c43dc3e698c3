import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** The maximum size of the visitor script, in bytes, gzipped at zlib's default level. */
export const PIXEL_LIMIT = 1536;
/** The same of the tag of house ads. */
export const AD_TAG_LIMIT = 2048;

interface Built {
  file: string;
  bytes: number;
  gzipBytes: number;
}

/** Builds the visitor script into `{outDir}/pixel.js`. @throws when it is over {@link PIXEL_LIMIT}. */
export const buildPixel = ({ outDir }: { outDir: string }): Promise<Built> =>
  buildScript('pixel', outDir, PIXEL_LIMIT);
/** Builds the tag of house ads into `{outDir}/ad.js`. @throws when it is over {@link AD_TAG_LIMIT}. */
export const buildAdTag = ({ outDir }: { outDir: string }): Promise<Built> =>
  buildScript('ad', outDir, AD_TAG_LIMIT);

/**
 * Builds a script for pages of other people into `{outDir}/{name}.js` (one minified IIFE, ES2018).
 * @returns the file's path and its size in bytes, plain and gzipped.
 * @throws when the gzipped script is over its limit.
 */
async function buildScript(name: 'pixel' | 'ad', outDir: string, limit: number): Promise<Built> {
  await mkdir(outDir, { recursive: true });
  await build({
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2018',
      minify: 'oxc',
      reportCompressedSize: false,
      modulePreload: false,
      // Not library mode: the source is already a single function, and a second wrapper would cost bytes.
      rolldownOptions: {
        input: fileURLToPath(new URL(`./src/${name}.ts`, import.meta.url)),
        output: { format: 'es', entryFileNames: `${name}.js` },
      },
    },
  });
  const file = join(outDir, `${name}.js`);
  const script = await readFile(file);
  const gzipBytes = gzipSync(script).length;
  if (gzipBytes > limit) throw new Error(`${name}.js: ${gzipBytes} bytes gzipped, the limit is ${limit}`);
  return { file, bytes: script.length, gzipBytes };
}

if (import.meta.main) {
  const outDir = fileURLToPath(new URL('../dist/pixel/v1', import.meta.url));
  const { file, bytes, gzipBytes } = await buildPixel({ outDir });
  console.log(`${file}: ${bytes} bytes, ${gzipBytes} gzipped (limit ${PIXEL_LIMIT})`);
}
