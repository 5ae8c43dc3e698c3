import type { TaxPort } from '../../../platform/tax.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Billing } from '../billing/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Charges } from '../payments/index.ts';
import type { Pricing } from '../pricing/index.ts';
import type { Wallet } from '../wallet/index.ts';

/** The feature's dependencies. */
export interface InvoiceParts {
  ledger: Ledger;
  taxes: TaxPort;
  tenants: Tenants;
  billing: Billing;
  wallet: Wallet;
  pricing: Pricing;
  audit: Audit;
  charges: Charges;
}
