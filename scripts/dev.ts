// npm run dev: rebuilds the web app on each change, and restarts the server on each change of its own.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'vite';
import { buildPixel } from '../pixel/build.ts';
import { root } from './setup.mjs';

await buildPixel({ outDir: join(root, 'dist/pixel/v1') });
await build({
  configFile: join(root, 'web/vite.config.ts'),
  mode: 'development',
  logLevel: 'warn',
  build: { outDir: join(root, 'dist/web'), emptyOutDir: true, watch: {}, minify: false },
});

const server = spawn(
  process.execPath,
  ['--watch', '--watch-preserve-output', 'server/main.ts', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
}
server.on('exit', (code) => process.exit(code ?? 0));
