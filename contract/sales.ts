import { z } from 'zod';
import { call } from './base.ts';
import { AccountState } from './people.ts';
import { Done } from './primitives.ts';
import { SandboxStep } from './setup.ts';

/** What sales people do for themselves. */
export const sales = {
  sandboxAccount: call
    .route({
      method: 'POST',
      path: '/general/sandbox-sales-account/{step}',
      tags: ['Sandbox'],
      summary: 'Take the own sales account a step on; only while no payment provider is configured',
    })
    .meta({ access: 'sales.account', notInView: true })
    .input(z.object({ step: SandboxStep }))
    .output(z.object({ ...Done.shape, status_acc: AccountState })),
};
