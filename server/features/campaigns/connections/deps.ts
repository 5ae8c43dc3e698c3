import type { Credentials, OAuthClient } from '../../../integrations/index.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Notices } from '../../money/ledger/index.ts';

/** What connections need from the features below them. */
export interface ConnectionsDeps {
  tenants: Tenants;
  audit: Audit;
  notices: Notices;
  limits: Limits;
  outbound: Outbound;
  standIns?: StandIns;
}

/** Servers that answer a vendor's calls in its place, by vendor: the demo's and the tests' own. */
export type StandIns = Readonly<
  Record<
    string,
    {
      base: string;
      /** The page that shows what has arrived, and the credentials that it accepts. */
      page?: string;
      credentials?: Credentials;
      /** What the platform is registered as, where people sign in. */
      client?: OAuthClient;
    }
  >
>;
