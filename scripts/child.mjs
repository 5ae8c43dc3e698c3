import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './setup.mjs';

const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** What Node has made of the sources: without it, each process makes it again, which takes a second or more. */
const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/compiled');

/** Two signals closer than this (ms) are one wish: npm passes on the Ctrl-C that the terminal sent us as well. */
const oneWish = 500;

/**
 * Runs a script under the given Node with this terminal and waits for its end. The child gets a process group of its
 * own, so that Ctrl-C, which a terminal sends to the whole group, reaches it exactly once: from us. A third wish to
 * end kills it. When this process is killed, the child gets SIGTERM (orphan.mjs).
 * @param {string} node
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>} exit code; 128 + n when a signal ended it, 0 when that signal was passed on by us
 */
export function runNode(node, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(node, ['--import', pathToFileURL(`${root}/scripts/orphan.mjs`).href, ...args], {
      cwd: root,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { NODE_COMPILE_CACHE, ...(options.env ?? process.env) },
      detached: true,
    });
    let wishes = 0;
    let last = -oneWish;
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => {
      const now = performance.now();
      if (now - last < oneWish) return;
      last = now;
      wishes += 1;
      child.kill(wishes < 3 ? signal : 'SIGKILL');
    };
    for (const signal of signals) process.on(signal, pass);
    child.on('error', (error) => {
      console.error(`${node}: ${error.message}`);
      done(1);
    });
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, pass);
      done(code ?? (wishes > 0 ? 0 : 128 + (signal ? constants.signals[signal] : 0)));
    });
  });
}
