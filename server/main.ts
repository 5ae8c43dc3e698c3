import { setDefaultResultOrder } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { type DemoReceiver, registerDemoReceiver } from '../demo/receiver/receiver.ts';
import { createApp } from './app.ts';
import {
  DEMO_LOGINS,
  RECEIVER_NAME,
  receiverSecretFile,
  SHOP_SITE_KEY,
  seedDemo,
  shopPeople,
} from './demo/seed.ts';
import { addDemoShop } from './demo/shop.ts';
import { systemClock } from './platform/clock.ts';
import { type Config, ConfigError, loadConfig } from './platform/config.ts';
import { SealError } from './platform/crypto.ts';
import { ensureDatabase, provisionLogins, tryDatabase } from './platform/db/connect.ts';
import { type Embedded, startEmbedded } from './platform/db/embedded.ts';
import { migrate } from './platform/db/migrate.ts';
import { setUpJobs } from './platform/jobs.ts';
import { startWatchdog } from './platform/watchdog.ts';

setDefaultResultOrder('ipv4first');
const say = (line = ''): void => console.log(line);

/** What stopped the start, for the person at the terminal: with the setting to look at, where it is one. */
function inWords(error: Error & { code?: string; syscall?: string }, config: Config): string {
  if (error.syscall === 'listen' || error.syscall === 'bind') {
    return error.code === 'EADDRINUSE'
      ? `PORT: ${config.port} is taken by another program. Stop that one, or set another PORT.`
      : `PORT, HOST: ${error.message}`;
  }
  if (error instanceof SealError) {
    return `APP_KEY: the database was set up with another key. Set that one, or put its app-key file into ${config.dataDir}.`;
  }
  return error.message;
}

async function main(): Promise<void> {
  let config: Config;
  try {
    config = loadConfig(process.env, process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`The configuration cannot be used.\n${error.message}`);
    process.exit(1);
  }

  let embedded: Embedded | undefined;
  let app: Awaited<ReturnType<typeof createApp>> | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (why: string): Promise<void> => {
    stopping ??= (async () => {
      say(`\nStopping (${why}) ...`);
      try {
        await app?.stop();
      } finally {
        await embedded?.stop();
      }
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
    if (config.databaseUrl) await tryDatabase(config.databaseUrl);
    else embedded = await startEmbedded({ dataDir: config.dataDir, log: say });
    const adminUrl = config.databaseUrl ?? (await ensureDatabase(embedded!.url, 'lead'));
    const applied = await migrate(adminUrl);
    if (applied.length > 0) say(`Migrated the database: ${applied.length} steps`);
    await setUpJobs(adminUrl);
    const urls = await provisionLogins(adminUrl, config.appKey);

    const demo = config.seed === 'demo';
    const host = (name: string): string => `${name}${config.rootDomain}`;
    const outboundExceptions = demo
      ? [`${host('shop.')}:${config.port}`, `${host('receiver.')}:${config.port}`]
      : [];
    let receiver: DemoReceiver | undefined;
    app = await createApp({
      config,
      urls,
      outboundExceptions,
      mount(server) {
        if (!demo) return;
        receiver = registerDemoReceiver(server, { host: host('receiver.') });
        addDemoShop(server, {
          host: host('shop.'),
          agencyHost: host('acme.'),
          siteKey: SHOP_SITE_KEY,
          people: shopPeople(),
          dashboard: '/dashboard',
        });
      },
    });
    const { access } = app.features;
    await access.keys.publicSet(); // with another APP_KEY nobody could sign in: better not to start
    const setupToken = await access.offerSetup();
    if (demo && setupToken) {
      say('Filling the demo (once) ...');
      await app.platform.jobs.start();
      await seedDemo(
        { ...app.platform, clock: systemClock },
        { outboundExceptions },
        config,
        `http://${host('receiver.')}:${config.port}`,
      );
    }
    const secret = demo ? await readFile(receiverSecretFile(config), 'utf8').catch(() => null) : null;
    if (secret) receiver?.setSecret(RECEIVER_NAME, secret);
    startWatchdog({ warnMs: 5_000, endMs: config.holdLimitSeconds * 1000 });
    const port = await app.start();
    const at = (name: string): string => `http://${host(name)}:${port}`;

    say();
    if (demo) {
      say(`  Platform        ${at('')}`);
      say(`  Agencies        ${at('acme.')}   ${at('bluepeak.')}`);
      say(`  Second root     ${at('summit.')}`);
      say(`  Demo shop       ${at('shop.')}   visit it, sign up, and become a lead`);
      say(`  Demo receiver   ${at('receiver.')}   where the leads are delivered to`);
      say();
      for (const { email, host: name, what } of DEMO_LOGINS)
        say(`  ${email.padEnd(22)} ${at(name).padEnd(34)} ${what}`);
      say(`  Password for all: ${config.demoPassword}`);
    } else {
      say(`  Listening       ${at('')}`);
      if (setupToken && config.roles.includes('web'))
        say(`  Set up the first owner (once, within 24 hours): ${at('')}/setup?token=${setupToken}`);
    }
    say(`  API reference   ${at('')}/api/reference`);
    say('  Stop with Ctrl-C');
  } catch (error) {
    console.error(process.env.DEBUG || !(error instanceof Error) ? error : inWords(error, config));
    await stop('start failed').catch(() => {});
    process.exit(1);
  }
}

await main();
