// Plain lists and words of returns, shared by server and browser: no schema here, so that none is sent to the browser.

/** Why a client returns a lead. Each is also a reason for credit (contract/money/credits.ts). */
export const RETURN_REASONS = [
  'wrong_person',
  'invalid_contact',
  'duplicate',
  'customer',
  'excluded',
  'outside_target',
  'other',
] as const;
export type ReturnReason = (typeof RETURN_REASONS)[number];
/** The reasons that facts can prove. */
export const PROVABLE_REASONS = [
  'invalid_contact',
  'duplicate',
  'customer',
  'excluded',
  'outside_target',
] as const satisfies readonly ReturnReason[];

export const RETURN_STATES = ['open', 'approved', 'declined'] as const;
export type ReturnState = (typeof RETURN_STATES)[number];

/** What can be known about a returned lead. */
export const PROOF_KINDS = [
  'address_refused',
  'earlier_lead',
  'bought_before',
  'on_list',
  'do_not_call',
  'outside_filter',
  'below_threshold',
] as const;
export type ProofKind = (typeof PROOF_KINDS)[number];

/** A fact about a returned lead, as of the moment it was returned. */
export interface Proof {
  kind: ProofKind;
  /** The reason that it proves; null: it only supports a decision. */
  proves: ReturnReason | null;
  /** A sentence without personal data: it outlives them. */
  words: string;
  /** Another lead that it is about. */
  lead_id: string | null;
}

/** How long leads can be returned if a root has chosen nothing. */
export const RETURN_DAYS = 7;
export const MOST_RETURN_DAYS = 90;
/** How many leads can be returned, or returns decided, at once. */
export const MOST_RETURNED = 100;
export const MOST_RETURN_NOTE = 500;

/**
 * How many of a client's leads are credited without anyone looking at it, in as many days: a share of those that it got, and a few in
 * any case. A client's own site says who has bought there, so a fact that proves a return can be forged before the sale.
 */
export const AUTOMATIC_RETURNS = { days: 30, percent: 20, least: 5 } as const;

/** What sales and their returns can be grouped by. Only a root knows its suppliers. */
export const QUALITY_GROUPS = ['campaign', 'client', 'match', 'agency', 'supplier'] as const;
export type QualityGroup = (typeof QUALITY_GROUPS)[number];
/** The groups of an agency, and those of a root. */
export const AGENCY_GROUPS: readonly QualityGroup[] = ['campaign', 'client', 'match'];
export const ROOT_GROUPS: readonly QualityGroup[] = ['supplier', 'agency', 'campaign', 'match'];
/** How many days of sales can be looked at. */
export const MOST_QUALITY_DAYS = 366;
