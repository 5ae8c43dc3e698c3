import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { underWay } from './activity.ts';
import type { WatchdogTask } from './watchdog.ts';

// The watchdog's thread (watchdog.ts). It writes to standard output directly: the process's stream belongs to the
// blocked thread.

const { memory, warnMs, endMs, tickMs } = workerData as WatchdogTask;
const beats = new Int32Array(memory, 0, 1);

const say = (level: number, msg: string, more: object): void => {
  writeSync(1, `${JSON.stringify({ level, time: Date.now(), pid: process.pid, ...more, msg })}\n`);
};

interface Frame {
  functionName: string;
  location: { scriptId: string; lineNumber: number };
}

/** Where in the program the main thread is: its innermost functions; empty if that cannot be determined in time. */
function place(): Promise<string[]> {
  return new Promise((done) => {
    const session = new Session();
    const end = (frames: string[]) => {
      clearTimeout(timer);
      try {
        session.disconnect();
      } catch {
        // It is gone already.
      }
      done(frames);
    };
    const timer = setTimeout(() => end([]), 2_000);
    try {
      session.connectToMainThread();
      const files = new Map<string, string>();
      session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => files.set(scriptId, url));
      session.on('Debugger.paused', ({ params }) => {
        const frames = (params.callFrames as Frame[]).slice(0, 8).map(({ functionName, location }) => {
          const file = files.get(location.scriptId)?.replace(/^file:\/\//, '') ?? '';
          return `${functionName || 'anonymous'} (${file}:${location.lineNumber + 1})`;
        });
        session.post('Debugger.resume', () => end(frames));
      });
      session.post('Debugger.enable');
      session.post('Debugger.pause');
    } catch {
      end([]);
    }
  });
}

let seen = Atomics.load(beats, 0);
// Counted in ticks of this thread, which, like the other one, stops when the machine sleeps.
let held = 0;
let tellAt = warnMs;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  if (now !== seen) {
    if (tellAt > warnMs) say(40, 'the event loop is running again', { heldMs: held });
    seen = now;
    held = 0;
    tellAt = warnMs;
    return;
  }
  held += tickMs;
  if (endMs > 0 && held >= endMs) {
    say(60, 'the event loop was blocked for too long, ending the process', {
      heldMs: held,
      running: underWay(memory),
    });
    process.kill(process.pid, 'SIGKILL');
  }
  if (held >= tellAt) {
    tellAt = held * 2;
    const heldMs = held;
    const names = underWay(memory);
    void place().then((at) => say(50, 'the event loop is blocked', { heldMs, running: names, at }));
  }
}, tickMs);
