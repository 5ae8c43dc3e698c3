import { spawn } from 'node:child_process';
import { root } from './setup.mjs';

/** Runs npm in the project's folder; returns its exit code and output. */
export function runNpm(args: string[]): Promise<{ code: number | null; said: string; complained: string }> {
  const cli = process.env.npm_execpath;
  const node = process.env.npm_node_execpath;
  return new Promise((done, failed) => {
    const options = { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
    const child =
      cli?.endsWith('npm-cli.js') && node
        ? spawn(node, [cli, ...args], options)
        : spawn('npm', args, options);
    let said = '';
    let complained = '';
    child.stdout.on('data', (part) => {
      said += part;
    });
    child.stderr.on('data', (part) => {
      complained += part;
    });
    child.once('error', failed);
    child.once('close', (code) => done({ code, said, complained }));
  });
}
