import { Worker } from 'node:worker_threads';
import { activityMemory } from './activity.ts';

/** How the watchdog is set. */
export interface WatchdogOptions {
  /** How long the event loop may be held before it is told, in milliseconds. */
  warnMs: number;
  /** After how long the process is ended, so that whoever looks after it starts it anew; 0: never. */
  endMs: number;
  /** How often the thread looks. */
  tickMs?: number;
}

/** What the thread of the watchdog is given. */
export interface WatchdogTask extends Required<WatchdogOptions> {
  memory: SharedArrayBuffer;
}

/**
 * Watches this process's event loop from a thread of its own. While it is held nothing else can be answered, and nothing in
 * this thread can say so: the watchdog writes a line to the log with what was running and where in the program it was, and in
 * the end stops the process. A job that ends it twice is set aside (jobs.ts).
 * @returns a function that stops watching
 */
export function startWatchdog(options: WatchdogOptions): () => Promise<void> {
  const beats = new Int32Array(activityMemory, 0, 1);
  const tickMs = options.tickMs ?? 500;
  const timer = setInterval(() => Atomics.add(beats, 0, 1), tickMs);
  timer.unref();
  const task: WatchdogTask = { ...options, tickMs, memory: activityMemory };
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData: task });
  thread.unref();
  // Without it the process does its work all the same.
  thread.on('error', () => {});
  return async () => {
    clearInterval(timer);
    await thread.terminate();
  };
}
