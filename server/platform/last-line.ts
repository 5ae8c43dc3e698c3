import { writeSync } from 'node:fs';
import { underWay } from './activity.ts';

/**
 * Makes an error that nothing handled end this process with a line in its log, which says what was running. At once,
 * without completing that: what such an error left half done is not known, everything is made to be cut off, and a job
 * that ends its process is set aside only if it was cut off (jobs.ts).
 */
export function endOnFault(): void {
  process.on('uncaughtException', (fault: unknown, origin) => {
    const { name, message, code, stack } = (
      fault instanceof Error ? fault : new Error(String(fault))
    ) as Error & {
      code?: unknown;
    };
    const line = {
      ...{ level: 60, time: Date.now(), pid: process.pid },
      ...{ err: { type: name, message, code, stack }, origin, running: underWay() },
      msg: 'an error that nothing handled, ending the process',
    };
    try {
      writeSync(1, `${JSON.stringify(line)}\n`);
    } catch {
      // No one reads it.
    }
    process.exit(1);
  });
}
