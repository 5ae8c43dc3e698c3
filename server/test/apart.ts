import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const CODE = `const { parentPort, workerData } = require('node:worker_threads');
import(workerData.module).then((module) => parentPort.postMessage(module[workerData.name](...workerData.args)));`;

/**
 * Calls an exported function of a module in its own thread, and ends the thread if it has not answered within
 * `limitMs`: otherwise, a function that never ends would hang the test.
 * @param module path from the project's folder
 */
export async function callApart(
  module: string,
  name: string,
  args: unknown[],
  limitMs = 20_000,
): Promise<unknown> {
  const url = new URL(`../../${module}`, import.meta.url).href;
  const worker = new Worker(CODE, { eval: true, workerData: { module: url, name, args } });
  try {
    const [answer] = await once(worker, 'message', { signal: AbortSignal.timeout(limitMs) });
    return answer;
  } finally {
    await worker.terminate();
  }
}
