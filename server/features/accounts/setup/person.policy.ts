import type { Module } from '../../../../contract/accounts/setup.ts';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { MODULES } from '../../../../contract/choices.ts';

type Pairs = Pick<SessionUser, `${'local' | 'locator' | 'enhance' | 'b2b' | 'simplifi'}_${'name' | 'url'}`>;

/** Returns the names and slugs of a user's modules; empty where a module is off. */
export function modulePairs(
  labels: Record<string, { name: string; slug: string }>,
  modules: readonly Module[],
): Pairs {
  const pairs: Record<string, string> = {};
  for (const { module, name, slug } of MODULES) {
    const on = modules.includes(module as Module);
    pairs[`${module}_name`] = on ? (labels[module]?.name ?? name) : '';
    pairs[`${module}_url`] = on ? (labels[module]?.slug ?? slug) : '';
  }
  return pairs as unknown as Pairs;
}

/** Returns the names of required profile fields that are missing. */
export function missingOfProfile(
  person: { name: string; phone: string; role: string },
  company: { kind: 'root' | 'agency' | 'client'; phone: string | null; address: string | null } & {
    city: string | null;
    zip: string | null;
    state_code: string | null;
    country_code: string | null;
  },
): string[] {
  const fields: string[] = (['name', 'phone'] as const).filter((field) => person[field].trim() === '');
  // The company's documents and invoices need an address, which its owner provides.
  if (person.role === 'owner' && company.kind !== 'root') {
    const particulars = ['phone', 'address', 'city', 'zip', 'country_code'] as const;
    for (const field of particulars) if (!company[field]?.trim()) fields.push(`company_${field}`);
    if (company.country_code === 'US' && !company.state_code?.trim()) fields.push('company_state_code');
  }
  return fields;
}

export type SetupPart = 'profile' | 'card' | 'agreement' | 'onboarding';

/** Returns what setup_complete is waiting for (domain, Setup states). */
export function missingOfSetup(given: {
  profileDone: boolean;
  cardRequired: boolean;
  cardSet: boolean;
  agreementRequired: boolean;
  agreed: boolean;
  onboardingWaits: boolean;
}): SetupPart[] {
  const missing: SetupPart[] = [];
  if (!given.profileDone) missing.push('profile');
  if (given.cardRequired && !given.cardSet) missing.push('card');
  if (given.agreementRequired && !given.agreed) missing.push('agreement');
  if (given.onboardingWaits) missing.push('onboarding');
  return missing;
}

/**
 * Whether a company needs a card to complete its setup: an agency does unless its onboarding charge will ask for one; a
 * client does unless its agency bills it outside the system. No one does if no gateway accepts cards, and salespeople
 * do not for themselves.
 */
export function cardRequired(given: {
  kind: 'root' | 'agency' | 'client';
  role: string;
  gateway: 'stripe' | 'sandbox' | 'none';
  manualBill: boolean;
  onboardingOn: boolean;
}): boolean {
  if (given.gateway === 'none' || given.kind === 'root' || given.role === 'sales') return false;
  return given.kind === 'agency' ? !given.onboardingOn : !given.manualBill;
}
