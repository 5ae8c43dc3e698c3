import { setDefaultResultOrder } from 'node:dns';
import { createInstallation } from '../server/installation.ts';
import { loadConfig } from '../server/platform/config.ts';
import type { Asked } from './demo.ts';

/*
 * Runs a worker's demos, one after the other: to load the server again and to warm it up for each file would cost more than
 * half of what its tests need it for.
 */
setDefaultResultOrder('ipv4first');
let installation: ReturnType<typeof createInstallation> | undefined;

async function act(asked: Asked): Promise<void> {
  if ('start' in asked) {
    installation = createInstallation(loadConfig({ ...process.env, ...asked.start }, []), (line = '') =>
      console.log(line),
    );
    await installation.start().catch(async (error: unknown) => {
      await installation?.stop().catch(() => {});
      throw error;
    });
  } else {
    const ended = installation;
    installation = undefined;
    await ended?.stop();
  }
}

process.on('message', (asked: Asked) => {
  act(asked).then(
    () => process.send!({}),
    (error: Error) => process.send!({ failed: error.stack ?? error.message }),
  );
});
// The worker has ended, perhaps before its demo was closed.
process.on('disconnect', () => {
  void (installation?.stop() ?? Promise.resolve()).finally(() => process.exit(0));
});
