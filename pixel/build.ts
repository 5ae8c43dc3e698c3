import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** The maximum size of the visitor script, in bytes, gzipped at zlib's default level. */
export const PIXEL_LIMIT = 1536;

/**
 * Builds the visitor script into `{outDir}/pixel.js` (one minified IIFE, ES2018).
 * @returns the file's path and its size in bytes, plain and gzipped.
 * @throws when the gzipped script is over {@link PIXEL_LIMIT}.
 */
export async function buildPixel({ outDir }: { outDir: string }): Promise<{
  file: string;
  bytes: number;
  gzipBytes: number;
}> {
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
        input: fileURLToPath(new URL('./src/pixel.ts', import.meta.url)),
        output: { format: 'es', entryFileNames: 'pixel.js' },
      },
    },
  });
  const file = join(outDir, 'pixel.js');
  const script = await readFile(file);
  const gzipBytes = gzipSync(script).length;
  if (gzipBytes > PIXEL_LIMIT)
    throw new Error(`pixel.js: ${gzipBytes} bytes gzipped, the limit is ${PIXEL_LIMIT}`);
  return { file, bytes: script.length, gzipBytes };
}

if (import.meta.main) {
  const outDir = fileURLToPath(new URL('../dist/pixel/v1', import.meta.url));
  const { file, bytes, gzipBytes } = await buildPixel({ outDir });
  console.log(`${file}: ${bytes} bytes, ${gzipBytes} gzipped (limit ${PIXEL_LIMIT})`);
}
