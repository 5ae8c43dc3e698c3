// A process that charges a card and kills itself with kill -9 at some step; a message tells it what to charge and which
// step.
import { createApp } from '../../app.ts';
import type { ChargeAsk } from '../../features/money/payments/index.ts';
import { loadConfig } from '../../platform/config.ts';
import { provisionLogins } from '../../platform/db/connect.ts';
import { TEST_PURPOSE, walletPurpose } from '../wallet-purpose.ts';

/** The step that kills it, and either a charge (its amount as text) or an invoice */
interface Told {
  step: string;
  charge?: Omit<ChargeAsk, 'amountMicros'> & { amountMicros: string };
  invoice?: { rootId: string; id: string };
}

let step: string | undefined;
const config = loadConfig(process.env);
const { features, platform, stop } = await createApp({
  config: { ...config, roles: [] },
  urls: await provisionLogins(config.databaseUrl!, config.appKey),
  cards: {
    onStep: (now) => {
      if (now === step) process.kill(process.pid, 'SIGKILL');
    },
  },
});
await platform.jobs.start();
features.payments.charges.onSettled(TEST_PURPOSE, walletPurpose(features.wallet));
process.on('message', async (told: Told) => {
  step = told.step;
  if (told.charge)
    await features.payments.charges.charge({
      ...told.charge,
      amountMicros: BigInt(told.charge.amountMicros),
    });
  if (told.invoice) await features.dunning.collector.charge(told.invoice.rootId, told.invoice.id);
  await stop();
  process.exit(0);
});
process.send!('ready');
