// A platform process for fault tests and benchmarks (stage.ts): the app as is, on a database that is ready, with two
// additions: loopback addresses that it may deliver to (OUTBOUND, comma separated), and POST /empty, which returns an
// empty response and so is the upper limit that benchmarks compare against.
import { flushCompileCache } from 'node:module';
import { createApp } from '../app.ts';
import { loadConfig } from '../platform/config.ts';
import { provisionLogins } from '../platform/db/connect.ts';

const config = loadConfig(process.env);
const app = await createApp({
  config,
  urls: await provisionLogins(config.databaseUrl!, config.appKey, config.databasePooler !== undefined),
  outboundExceptions: process.env.OUTBOUND?.split(',') ?? [],
  mount(server) {
    server.post('/empty', { config: { access: 'open' } }, async (_request, reply) => reply.code(204).send());
  },
});
process.on('SIGTERM', () => {
  void app.stop().then(() => process.exit(0));
});
console.log(`Listening http://127.0.0.1:${await app.start()}`);
// Most of these processes are killed; the next starts faster with what this one has compiled.
flushCompileCache();
