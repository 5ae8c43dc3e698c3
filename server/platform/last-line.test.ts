import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';

const url = (name: string) => pathToFileURL(`${import.meta.dirname}/${name}.ts`).href;

describe('[BEY-31] an error that nothing handles', () => {
  test.each([
    ['of a stream', `process.nextTick(() => new Readable().emit('error', new Error('quokka')));`],
    ['of a promise', `void Promise.reject(new Error('quokka'));`],
    ['that is none', `setTimeout(() => { throw 'quokka'; });`],
  ])('%s ends the process at once, with one line that says what was running', (_of, fault) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { Readable } from 'node:stream';
        import { activity } from '${url('activity')}';
        import { endOnFault } from '${url('last-line')}';
        endOnFault();
        setInterval(() => {}, 1_000);
        activity('digest.send 0198');
        ${fault}`,
      ],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([1, '']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      {
        level: 60,
        err: { message: 'quokka', stack: expect.stringContaining('quokka') },
        running: ['digest.send 0198'],
        msg: 'an error that nothing handled, ending the process',
      },
    ]);
  });
});
