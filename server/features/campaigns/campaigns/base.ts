import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import type { CAMPAIGN_MODULES, CampaignFields } from '../../../../contract/campaigns/campaigns.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Users } from '../../accounts/users/index.ts';
import type { KeywordThemes } from '../../audience/keywords/index.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { Pricing } from '../../money/pricing/index.ts';
import type { Groups } from './groups.service.ts';

/** The dependencies of the feature's parts. */
export interface Deps {
  audit: Audit;
  billing: Billing;
  pricing: Pricing;
  tenants: Tenants;
  groups: Groups;
  keywordThemes: KeywordThemes;
  users: Users;
  /** Which data fields a company's campaigns may ask for. */
  information: {
    fieldsFor(tx: Tx, companyId: string): Promise<ReadonlySet<number>>;
    /** The same, held until the transaction ends. */
    fieldsToAsk(tx: Tx, rootId: string, companyId: string): Promise<ReadonlySet<number>>;
  };
  outbound: Outbound;
  limits: Limits;
}

export type Fields = Inside<z.output<typeof CampaignFields>>;
export type Module = (typeof CAMPAIGN_MODULES)[number];

export const DAY_MS = 86_400_000;

/** There is no such campaign in the scope. */
export const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** The companies that a row belongs to. */
export const ownerOf = (row: { root_id: string; agency_id: string; company_id: string }): Owner => ({
  root_id: row.root_id,
  agency_id: row.agency_id,
  company_id: row.company_id,
});

const KEY_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
/** Returns a new key for the pixel of a site. */
export const newSiteKey = (): string =>
  Array.from({ length: 20 }, () => KEY_LETTERS[randomInt(KEY_LETTERS.length)]).join('');
