import { readFile } from 'node:fs/promises';
import { registerDemoCrm } from '../demo/crm/crm.ts';
import { type DemoReceiver, registerDemoReceiver } from '../demo/receiver/receiver.ts';
import { createApp } from './app.ts';
import { demoDns } from './demo/dns.ts';
import { addDemoNews } from './demo/news.ts';
import {
  DEMO_LOGINS,
  RECEIVER_NAME,
  receiverSecretFile,
  SHOP_SITE_KEY,
  SLOW_SERVICE,
  seedDemo,
  shopPeople,
} from './demo/seed.ts';
import { addDemoShop } from './demo/shop.ts';
import { vendors } from './integrations/index.ts';
import { stubs } from './integrations/stubs.ts';
import { systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { type Archive, createArchive, removeParts, stopKeepingLog } from './platform/db/archive.ts';
import { openBackups } from './platform/db/backup-store.ts';
import { ensureDatabase, loginUrls, provisionLogins, tryDatabase } from './platform/db/connect.ts';
import { type DemoHold, holdDemo } from './platform/db/demo-mark.ts';
import { type Embedded, installationOf, startEmbedded } from './platform/db/embedded.ts';
import { migrate } from './platform/db/migrate.ts';
import { createDns } from './platform/dns.ts';
import { setUpJobs } from './platform/jobs.ts';
import { startWatchdog } from './platform/watchdog.ts';

/** Writes a line to whoever started the process. */
type Say = (line?: string) => void;

/** Reports how much of the demo has been created: in place on a terminal, otherwise at every fifth of it. */
function sayProgress(say: Say): (share: number) => void {
  let said = 0;
  return (share) => {
    const percent = Math.floor(share * 100);
    if (process.stdout.isTTY) process.stdout.write(`\r  ${percent} %${percent === 100 ? '\n' : ''}`);
    else if (percent >= said + 20) {
      said = percent - (percent % 20);
      say(`  ${said}%`);
    }
  };
}

/** Archives the log of the embedded database, and makes backups, if there is a place for them. */
async function startBackups(config: Config, url: string, say: Say): Promise<Archive | undefined> {
  if (!config.backups) {
    await stopKeepingLog(url);
    return undefined;
  }
  const { dataDir, backups } = config;
  const store = await openBackups(config);
  const installation = installationOf(dataDir);
  await removeParts(store, installation, backups.s3 !== undefined);
  const archive = createArchive({
    ...backups,
    store,
    url,
    dataDir,
    installation,
    uploads: !config.s3,
    log: say,
  });
  archive.start();
  return archive;
}

/** Whether the process can do all of its work without the database for a while: accept visits, and nothing else. */
const acceptsAlone = ({ roles, visitLog }: Config): boolean =>
  visitLog !== 'database' && roles.every((role) => role === 'ingest');

/**
 * All that one process runs: the embedded database if there is one, its migrations, the demo, backups, and the app. A
 * process can run several, one after the other.
 */
export function createInstallation(config: Config, say: Say) {
  let embedded: Embedded | undefined;
  let archive: Archive | undefined;
  let app: Awaited<ReturnType<typeof createApp>> | undefined;
  let demoHold: DemoHold | undefined;
  let stopWatching: (() => Promise<void>) | undefined;

  return {
    /** Resolves when requests are served. @throws what prevented it; `stop` then ends what has been started */
    async start(): Promise<void> {
      if (config.databaseUrl) {
        const away = await tryDatabase(config.databaseUrl).catch((error: unknown) => error);
        if (away && !acceptsAlone(config)) throw away;
        if (away) {
          say('The database is away. Visits are accepted, and go into it when it is back.');
          app = await createApp({ config, urls: loginUrls(config.databaseUrl, config.appKey) });
          stopWatching = startWatchdog({ warnMs: 5_000, endMs: config.holdLimitSeconds * 1000 });
          say(`  Listening       http://${config.rootDomain}:${await app.start()}`);
          return;
        }
      } else embedded = await startEmbedded({ dataDir: config.dataDir, log: say });
      const adminUrl = config.databaseUrl ?? (await ensureDatabase(embedded!.url, 'lead'));
      const applied = await migrate(adminUrl);
      if (applied.length > 0) say(`Migrated the database: ${applied.length} steps`);
      await setUpJobs(adminUrl);
      const urls = await provisionLogins(adminUrl, config.appKey, config.databasePooler !== undefined);

      const wantsDemo = config.seed === 'demo';
      demoHold = await holdDemo(adminUrl, say);
      let state = await demoHold.state();
      if (state.is === 'begun') {
        if (!wantsDemo)
          throw new Error(
            'SEED: this database contains a demo that was interrupted while it was being created. ' +
              'Start once with SEED=demo to recreate it, or use an empty database.',
          );
        say('The demo was interrupted while it was being created. Recreating it.');
        await demoHold.empty();
        await migrate(adminUrl);
        await setUpJobs(adminUrl);
        state = { is: 'none' };
      }
      const host = (name: string): string => `${name}${config.rootDomain}`;
      // The demo's webhook points to the port of the process that created it.
      const demoPort = state.is === 'whole' ? state.port : config.port;
      const outboundExceptions = wantsDemo
        ? [...new Set([config.port, demoPort])].flatMap((port) => [
            `${host('shop.')}:${port}`,
            `${host('receiver.')}:${port}`,
            `${host('crm.')}:${port}`,
          ])
        : [];
      const crm = `http://${host('crm.')}:${config.port}`;
      const services = wantsDemo
        ? [...vendors.values()].flatMap(({ id, name, noun }) => {
            const stub = stubs[id]?.();
            return stub ? [{ id, name, noun, stub }] : [];
          })
        : [];
      const standIns = Object.fromEntries(
        services.map(({ id, stub }) => {
          const base = `${crm}/${id}`;
          const client = stub.signIn?.client;
          return [
            id,
            {
              base,
              page: `${crm}/?of=${id}`,
              credentials: stub.credentials(base),
              ...(client ? { client } : {}),
            },
          ];
        }),
      );
      let receiver: DemoReceiver | undefined;
      if (embedded) archive = await startBackups(config, adminUrl, say);
      app = await createApp({
        config,
        urls,
        backups: archive?.state,
        outboundExceptions,
        standIns,
        ...(wantsDemo ? { dns: demoDns(config, createDns(config.dnsServers)) } : {}),
        mount(server) {
          if (!wantsDemo) return;
          registerDemoCrm(server, { host: host('crm.'), services, slow: SLOW_SERVICE });
          receiver = registerDemoReceiver(server, { host: host('receiver.') });
          addDemoNews(server, { host: host('news.'), agencyHost: host('acme.') });
          addDemoShop(server, {
            host: host('shop.'),
            agencyHost: host('acme.'),
            siteKey: SHOP_SITE_KEY,
            people: shopPeople(),
            dashboard: '/dashboard',
          });
        },
      });
      const { auth } = app.features;
      await auth.keys.publicSet(); // with another APP_KEY no one could sign in: better not to start
      const setupToken = await auth.offerSetup();
      if (wantsDemo && setupToken) {
        say('Creating the demo (once) ...');
        await demoHold.begin(config.port);
        await app.platform.jobs.start();
        await seedDemo(
          // What the seed makes is there at once.
          { ...app.platform, clock: systemClock, config: { ...config, visitLog: 'database' } },
          { outboundExceptions },
          config,
          `http://${host('receiver.')}:${config.port}`,
          sayProgress(say),
        );
        await demoHold.whole();
      } else if (wantsDemo && state.is === 'none')
        say('SEED: this database is already in use without a demo, so none is created.');
      const hasDemo = wantsDemo && (await demoHold.state()).is === 'whole';
      await demoHold.release();
      const secret = hasDemo ? await readFile(receiverSecretFile(config), 'utf8').catch(() => null) : null;
      if (secret) receiver?.setSecret(RECEIVER_NAME, secret);
      stopWatching = startWatchdog({ warnMs: 5_000, endMs: config.holdLimitSeconds * 1000 });
      const port = await app.start();
      const at = (name: string): string =>
        name === '' && config.publicUrl ? config.publicUrl : `http://${host(name)}:${port}`;

      say();
      if (hasDemo) {
        say(`  Platform        ${at('')}`);
        say(`  Agencies        ${at('acme.')}   ${at('bluepeak.')}`);
        say(`  Second root     ${at('summit.')}`);
        say(`  Demo shop       ${at('shop.')}   visit it, sign up, and become a lead`);
        say(`  Demo news site  ${at('news.')}   click an ad, and become a lead that it brought`);
        say(`  Demo receiver   ${at('receiver.')}   where leads are delivered`);
        say(`  Demo CRM        ${at('crm.')}   stands in for the services that leads are delivered to`);
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
      if (!config.smtpUrl)
        say(
          '  Email           no server (SMTP_URL): nothing is sent, except by tenants with their own server',
        );
    },

    /** Ends it, also while it starts; requests and jobs under way are completed first. */
    async stop(): Promise<void> {
      try {
        await app?.stop();
      } finally {
        await demoHold?.release();
        await archive?.stop();
        await embedded?.stop();
        await stopWatching?.();
      }
    },
  };
}
