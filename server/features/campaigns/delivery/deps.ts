import type { Tx } from '../../../platform/db/scope.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Retention } from '../../operations/retention/index.ts';
import type { Connections } from '../connections/index.ts';
import type { LeadData } from './policy.ts';

/** What delivery needs from the features below it. */
export interface DeliveryDeps {
  audit: Audit;
  notices: Notices;
  tenants: Tenants;
  connections: Connections;
  outbound: Outbound;
  limits: Limits;
  retention: Retention;
  leads: {
    /** Returns what is sent about each lead; a lead whose contact has been erased is missing. */
    message(tx: Tx, leadIds: string[]): Promise<Map<string, LeadData>>;
    /** Returns the leads whose person was put on an exclusion list after they were sold; in the root's scope. */
    withheldIn(tx: Tx, rootId: string, leadIds: string[]): Promise<Set<string>>;
    changed(tx: Tx, ids: readonly (string | null | undefined)[]): Promise<void>;
    /** The same in any scope, in its own transaction. */
    withheld(rootId: string, leadIds: string[]): Promise<Set<string>>;
    /** Returns the newest leads of a campaign, without tests. */
    newest(tx: Tx, campaignId: string, limit: number): Promise<{ id: string; created_at: Date }[]>;
  };
  campaigns: {
    visible(
      tx: Tx,
      id: string,
    ): Promise<{
      id: string;
      root_id: string;
      agency_id: string;
      company_id: string;
      number: bigint;
      name: string;
      module: string;
      advance_information: number[];
      b2b_information: number[];
    } | null>;
  };
  enrichment: {
    /** Returns made-up values of data fields, limited to those that a company may use. */
    sampleFor(tx: Tx, companyId: string, asked: readonly number[]): Promise<Record<string, string>>;
  };
}
