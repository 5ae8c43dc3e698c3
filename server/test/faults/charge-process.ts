// A process that charges a card and ends itself with kill -9 at a step of it; it is told by a message which
// charge (amount as text) and which step.
import { createApp } from '../../app.ts';
import type { ChargeAsk } from '../../features/payments/index.ts';
import { loadConfig } from '../../platform/config.ts';
import { provisionLogins } from '../../platform/db/connect.ts';
import { TEST_PURPOSE, walletPurpose } from '../wallet-purpose.ts';

let step: string | undefined;
const config = loadConfig(process.env);
const { features, stop } = await createApp({
  config: { ...config, roles: [] },
  urls: await provisionLogins(config.databaseUrl!, config.appKey),
  cards: {
    onStep: (now) => {
      if (now === step) process.kill(process.pid, 'SIGKILL');
    },
  },
});
features.payments.charges.onSettled(TEST_PURPOSE, walletPurpose(features.wallet));
process.on(
  'message',
  async (told: { step: string; ask: Omit<ChargeAsk, 'amountMicros'> & { amountMicros: string } }) => {
    step = told.step;
    await features.payments.charges.charge({ ...told.ask, amountMicros: BigInt(told.ask.amountMicros) });
    await stop();
    process.exit(0);
  },
);
process.send!('ready');
