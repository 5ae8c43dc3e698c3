import { defineFeature } from '../../../platform/feature.ts';
import { createLogChain } from './chain.service.ts';
import { startAudit } from './jobs.ts';
import { createAudit } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/audit',
  about: 'The user log: who did what, sealed into a chain of hashes.',
  tables: ['log_seal', 'log_unsealed', 'user_log', 'user_log_detail'],
  reads: ['company', 'user_account'],
  create: (platform) => ({ audit: createAudit(platform.events), logChain: createLogChain(platform) }),
  async work({ logChain }: { logChain: ReturnType<typeof createLogChain> }, { jobs, log }) {
    await startAudit(logChain, jobs);
    // Seals the latest entries now; without the database, that happens at the next start.
    return { finish: () => logChain.seal().catch((error) => log.error({ err: error }, 'not sealed')) };
  },
});
