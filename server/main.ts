import { setDefaultResultOrder } from 'node:dns';
import { createInstallation } from './installation.ts';
import { type Config, ConfigError, loadConfig } from './platform/config.ts';
import { SealError } from './platform/crypto.ts';
import { isDiskFull } from './platform/disk.ts';
import { endOnFault } from './platform/last-line.ts';

setDefaultResultOrder('ipv4first');
endOnFault();
const say = (line = ''): void => console.log(line);

/** Explains to the person at the terminal what prevented the start, naming the setting to check if there is one. */
function inWords(error: Error & { code?: string; syscall?: string }, config: Config): string {
  if (error.syscall === 'listen' || error.syscall === 'bind') {
    return error.code === 'EADDRINUSE'
      ? `PORT: ${config.port} is used by another program. Stop that program or set another PORT.`
      : `PORT, HOST: ${error.message}`;
  }
  if (isDiskFull(error))
    return `DATA_DIR: the disk of ${config.dataDir} is full. Free up space, then start again. (${error.message})`;
  if (error instanceof SealError) {
    return `APP_KEY: the database was set up with a different key. Set that key, or put its app-key file in ${config.dataDir}.`;
  }
  return error.message;
}

async function main(): Promise<void> {
  let config: Config;
  try {
    config = loadConfig(process.env, process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`The configuration is invalid.\n${error.message}`);
    process.exit(1);
  }

  const installation = createInstallation(config, say);
  let stopping: Promise<void> | undefined;
  const stop = (why: string): Promise<void> => {
    stopping ??= (async () => {
      say(`\nStopping (${why}) ...`);
      await installation.stop();
    })();
    return stopping;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stop(signal).then(
        () => process.exit(0),
        (error) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }

  try {
    await installation.start();
    say('  Press Ctrl-C to stop');
  } catch (error) {
    // If the start was stopped, errors caused by that are not worth reporting.
    if (stopping) return stopping;
    console.error(process.env.DEBUG || !(error instanceof Error) ? error : inWords(error, config));
    await stop('start failed').catch(() => {});
    process.exit(1);
  }
}

await main();
