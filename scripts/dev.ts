// npm run dev: the server, restarted on each change of its own, and in front of it the web app with hot reload.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createServer } from 'vite';
import { runNode } from './child.mjs';
import { root } from './setup.mjs';

const built = await runNode(process.execPath, ['scripts/build.ts', '--if-needed']);
if (built !== 0) process.exit(built);

const port = Number(process.env.PORT ?? 8080);
const server = spawn(
  process.execPath,
  ['--watch', '--watch-preserve-output', 'server/main.ts', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.env.DEV_SERVER = `http://localhost:${port}`;
const web = await createServer({
  configFile: join(root, 'web/vite.config.ts'),
  logLevel: 'warn',
  server: { host: '127.0.0.1', port: port + 10, strictPort: true },
});
await web.listen();
console.log(
  `\nHot reload: every address of port ${port} also works on port ${port + 10}, such as http://localhost:${port + 10}\n`,
);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
}
server.on('exit', async (code) => {
  await web.close();
  process.exit(code ?? 0);
});
