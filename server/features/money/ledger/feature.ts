import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { SignPaper } from '../../../platform/paper.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { exports } from './exports.ts';
import { snapshotJobs } from './jobs.ts';
import { createNotices } from './notices.ts';
import { ledgerRoutes } from './routes.ts';
import { createLedger, type Ledger } from './service.ts';

/** Files are signed by a feature above. */
interface Above {
  agreements: { files: { signPaper: SignPaper } };
}

export const feature = defineFeature({
  name: 'money/ledger',
  about:
    'The double-entry ledger: accounts, transfers, balances, statements, margins, and the audit of all of it.',
  tables: [
    'account',
    'account_balance',
    'account_snapshot',
    'entry',
    'sale_day',
    'sale_day_mark',
    'transfer',
    'transfer_cover',
  ],
  reads: [
    'billing_mark',
    'campaign',
    'campaign_fee',
    'company',
    'credit_note',
    'invoice',
    'invoice_line',
    'invoice_series',
    'lead',
    'lead_bill',
    'lead_contact',
    'retail_cost',
    'spend_day',
    'wallet_lot',
  ],
  create: (platform, below: Omit<Parameters<typeof createNotices>[0], 'port'>) => ({
    ledger: createLedger(platform),
    notices: createNotices({ ...below, port: platform.config.port }),
  }),
  http({ tenants, agreements }: { tenants: Tenants } & Above, platform) {
    const { handlers, plain } = ledgerRoutes(platform, tenants, agreements.files.signPaper);
    return { calls: [serve(contract.ledger, handlers)], plain };
  },
  work: async ({ ledger, tenants }: { ledger: Ledger; tenants: Tenants }, platform) =>
    void (await snapshotJobs(platform, ledger, tenants)),
  exports,
});
