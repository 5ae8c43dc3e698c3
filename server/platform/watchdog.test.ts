import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { activity, SLOTS, underWay } from './activity.ts';

const folder = mkdtempSync(join(tmpdir(), 'lead-watchdog-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const library = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);

interface Line {
  level: number;
  msg: string;
  heldMs: number;
  running: string[];
  at: string[];
}

/** Runs a program that blocks its event loop with `body`; returns what was logged and how it ended. */
async function held(options: string, body: string): Promise<{ lines: Line[]; signal: string | null }> {
  const path = join(folder, 'held.mjs');
  writeFileSync(
    path,
    `import { activity } from ${library('activity.ts')};
    import { startWatchdog } from ${library('watchdog.ts')};
    startWatchdog(${options});
    // As long as the thread needs to begin, and some.
    await new Promise((done) => setTimeout(done, 2000));
    activity('GET /over')();
    const done = activity('job identity.import 1');
    function holdUp() { ${body} }
    holdUp();
    done();
    setTimeout(() => process.exit(0), 1000);`,
  );
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (part) => {
    said += part;
  });
  const signal = await new Promise<string | null>((done) => child.once('close', (_, by) => done(by)));
  return {
    lines: said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
    signal,
  };
}

describe('[BEY-31] an event loop that is held', () => {
  test('is told with what was running and where, and that it turns again', async () => {
    const { lines, signal } = await held(
      '{ warnMs: 500, endMs: 0, tickMs: 100 }',
      'const end = Date.now() + 2500; while (Date.now() < end);',
    );
    expect(lines[0]).toMatchObject({
      level: 50,
      msg: 'the event loop is blocked',
      running: ['job identity.import 1'],
    });
    expect(lines[0]!.at[0]).toMatch(/^holdUp \(.*held\.mjs:\d+\)$/);
    expect(lines.at(-1)!.msg).toBe('the event loop is running again');
    expect(signal).toBeNull();
  });

  test('ends the process when it is held for too long', async () => {
    const { lines, signal } = await held('{ warnMs: 500, endMs: 1000, tickMs: 100 }', 'for (;;);');
    expect(signal).toBe('SIGKILL');
    expect(lines.at(-1)).toMatchObject({ level: 60, running: ['job identity.import 1'] });
  });

  test('what runs is noted in slots, and more than there are does no harm', () => {
    const ends = Array.from({ length: SLOTS + 5 }, (_, i) => activity(`job ${i} ${'x'.repeat(200)}`));
    expect(underWay()).toHaveLength(SLOTS);
    for (const end of ends) {
      end();
      end();
    }
    expect(underWay()).toEqual([]);
    activity('a')();
    expect(underWay()).toEqual([]);
  });
});
