import { Worker } from 'node:worker_threads';
import { activityMemory } from './activity.ts';

/** The watchdog's settings. */
export interface WatchdogOptions {
  /** How long the event loop may be blocked before it is reported, in milliseconds. */
  warnMs: number;
  /** After how long the process is ended, so that its supervisor restarts it; 0: never. */
  endMs: number;
  /** How often the thread checks. */
  tickMs?: number;
}

/** What the watchdog's thread is given. */
export interface WatchdogTask extends Required<WatchdogOptions> {
  memory: SharedArrayBuffer;
}

/**
 * Watches this process's event loop from its own thread. While the loop is blocked, nothing else can be answered,
 * and nothing in this thread can report it: the watchdog logs what was running and where in the program it was, and
 * eventually stops the process. A job that causes this twice is set aside (jobs.ts).
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
  // The process keeps working without it.
  thread.on('error', () => {});
  return async () => {
    clearInterval(timer);
    await thread.terminate();
  };
}
