import { type CompanyFieldValues, companyFields } from '../../../../contract/accounts/company-fields.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Sales } from '../sales/index.ts';
import type { Users } from '../users/index.ts';
import { refuse } from './policy.ts';
import { keepsFactor } from './staff.policy.ts';
import { FLAG_WORDS, type StaffGiven } from './staff.service.ts';
import * as staff from './staff.store.ts';
import type { NodeRow } from './store.ts';

/** The input for an agency or client and its owner; undefined values stay unchanged. */
export interface Entered {
  name: string;
  ownerName: string;
  /** Empty only where there is no owner, who then stays missing. */
  email: string;
  phone: { number: string; country: string; calling: string } | undefined;
  whiteLabelling: boolean | undefined;
  apiMode: boolean | undefined;
  campaignsClosed: boolean | undefined;
  /** Those fields of its own row that are given. */
  fields: Partial<CompanyFieldValues>;
  ownerFlags: StaffGiven['flags'];
  /** The owner's second factor as it is: no one else can set it. */
  factor: '' | 'email' | 'google' | undefined;
  sales: Partial<Record<'sales_rep_id' | 'account_executive_id' | 'referrer_id', string | null | undefined>>;
  subdomain: string | undefined;
  domain: string | undefined;
}

/**
 * The given fields of a company's own row.
 * @throws Refusal 422 for one that companies of its kind do not have
 */
export function ownFields(kind: 'agency' | 'client', { fields }: Entered): Partial<CompanyFieldValues> {
  for (const [name, field] of companyFields)
    if (fields[name] && !field.of.includes(kind)) throw refuse(field.enter, 'is for clients only');
  return fields;
}

/** The addresses where the company's users sign in that a save would change, by their fields. */
export function movedHosts(before: NodeRow, given: Entered): string[] {
  const subdomain = given.subdomain?.trim().toLowerCase();
  // An empty domain leaves the custom domain unchanged.
  const domain = given.domain?.trim().toLowerCase() || undefined;
  return [
    ...(subdomain === undefined || subdomain === (before.subdomain?.split('.')[0] ?? '')
      ? []
      : ['subdomain_name']),
    ...(domain === undefined || domain === before.domain ? [] : ['domain']),
  ];
}

/**
 * Checks that a sales person may save this: not how owners sign in (address, host, whose pages they see) or are notified,
 * and not what only a root's users decide. Unchanged values may be sent.
 * @throws Refusal 403 naming the field
 */
export function mustBeForSales(before: NodeRow, given: Entered & { betaUser?: boolean | undefined }): void {
  const { ownerFlags: flags } = given;
  const values: [field: string, was: unknown, is: unknown][] = [
    ['email', before.owner_email, given.email],
    ['subdomain_name', before.subdomain?.split('.')[0] ?? '', given.subdomain?.trim().toLowerCase()],
    ['domain', before.domain ?? '', given.domain?.trim().toLowerCase()],
    ['white_labelling', before.white_labelling ?? true, given.whiteLabelling],
    ['is_default_admin', before.is_default_admin ?? false, flags.is_default_admin],
    ['customer_care', before.customer_care ?? false, flags.customer_care],
    ['gets_notices', before.gets_notices ?? false, flags.gets_notices],
    ['mail_off', before.mail_off ?? false, flags.mail_off],
    ['beta_user', before.beta_user, given.betaUser],
    ['api_mode', before.api_mode ?? false, given.apiMode],
  ];
  const [field] = values.find(([, was, is]) => is !== undefined && is !== was) ?? [];
  if (field)
    throw new Refusal('forbidden', ownMessages.notForSales, {
      errors: { [field]: [ownMessages.notForSales] },
    });
}

const gone = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/**
 * The part of the client/user payload (spec product 3) that belongs to the owner and to the salespeople of a company.
 */
export function createPayload({ sales, users }: { sales: Sales; users: Users }) {
  /** Sets those of the owner's flags that are given; returns what changed, in words. */
  async function keepOwner(
    tx: Tx,
    company: { id: string },
    ownerId: string,
    given: Entered,
  ): Promise<string[]> {
    const owner = (await staff.person(tx, company.id, ownerId)) ?? gone();
    keepsFactor(given.factor, owner.factor);
    const flags = Object.entries(given.ownerFlags) as [keyof typeof given.ownerFlags, boolean][];
    const changed = flags.filter(([name, is]) => owner[name] !== is);
    if (changed.some(([name, is]) => name === 'is_default_admin' && is))
      await users.noDefault(tx, company.id);
    if (changed.length > 0) await users.set(tx, ownerId, Object.fromEntries(changed));
    return changed.map(([name, is]) => `${FLAG_WORDS[name]}: ${is ? 'yes' : 'no'}`);
  }

  /**
   * Assigns a company to the named salespeople.
   * @throws Refusal 403, 422
   */
  async function care(tx: Tx, ctx: Ctx, company: Parameters<Sales['setWithin']>[2], given: Entered) {
    if (Object.values(given.sales).every((one) => one === undefined)) return [];
    ctx.need('sales.assign');
    return sales.setWithin(tx, ctx, company, given.sales);
  }

  return { keepOwner, care };
}
