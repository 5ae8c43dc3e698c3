import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { TestApp } from './app.ts';

/**
 * Runs a command of `scripts/` on a test's database, with its files in `folder`; `until` kills it without warning when
 * its output matches.
 * @returns its exit code, null if it was killed, and what it printed
 */
export function runCommand(
  script: string,
  args: string[],
  { app, folder, until }: { app: TestApp; folder: string; until?: RegExp | undefined },
): Promise<{ code: number | null; said: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../scripts', script), ...args], {
      env: {
        ...process.env,
        DATABASE_URL: app.databaseUrl,
        DATA_DIR: folder,
        APP_KEY: app.platform.config.appKey.toString('base64'),
        NODE_OPTIONS: '',
      },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
        if (until?.test(said)) child.kill('SIGKILL');
      });
    }
    child.on('close', (code) => done({ code, said }));
  });
}
