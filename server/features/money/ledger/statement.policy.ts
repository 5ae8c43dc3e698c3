import type { StatementView } from '../../../../contract/money/ledger.ts';
import type { CompanyKind } from '../../../platform/ctx.ts';
import { type AccountKind, codesOf } from './accounts.ts';

/** The accounts in each view, for each kind of company (contract/money/ledger.ts, STATEMENT_VIEWS). */
const VIEWS: Record<CompanyKind, Partial<Record<StatementView, AccountKind[]>>> = {
  client: { balance: ['client_prepaid', 'client_unbilled', 'client_receivable'] },
  agency: {
    balance: ['agency_wallet', 'agency_payable', 'agency_invoiced'],
    wallet: ['agency_wallet'],
    earnings: ['agency_revenue'],
    card: ['card_clearing'],
    tax: ['tax_due'],
  },
  root: {
    balance: ['root_revenue', 'root_cost', 'expired', 'granted', 'provider_fee', 'written_off'],
    card: ['card_clearing'],
    tax: ['tax_due'],
  },
};

export const viewsOf = (kind: CompanyKind): StatementView[] => Object.keys(VIEWS[kind]) as StatementView[];

/** The codes of a view; null if that kind of company has no view of that name. */
export function codesOfView(kind: CompanyKind, view: StatementView): number[] | null {
  const kinds = VIEWS[kind][view];
  return kinds ? codesOf(...kinds) : null;
}

/** The outside-world account is negative by the amount that came in; users read incoming money as a positive number. */
export const signOf = (view: StatementView): bigint => (view === 'card' ? -1n : 1n);

/** Both sides of an event, as far as the reader may know them (micro-dollars). */
export interface Sides {
  price: bigint | null;
  cost: bigint | null;
  supplier: bigint | null;
  margin: bigint | null;
}

export const RETAIL = codesOf('client_prepaid', 'client_unbilled');
export const WHOLESALE = codesOf('agency_wallet', 'agency_payable');
const AGENCY = [...WHOLESALE, ...codesOf('agency_revenue')];
export const ROOT = codesOf('root_revenue', 'root_cost');
export const SUPPLIER = codesOf('root_cost');

/** Events with a client side and an agency side. */
export const BILLED = ['lead', 'lead_return', 'ad_spend', 'platform_fee', 'monthly_fee'];

/**
 * What a lead (or its return, or a campaign's fee) was worth to each side, from its entries. Clients see only their
 * price, agencies their cost and margin, and the root everything, including its own margin.
 */
export function sidesOf(
  entries: { account_code: number; amount: bigint }[],
  reader: CompanyKind,
  kind: string,
): Sides {
  const none: Sides = { price: null, cost: null, supplier: null, margin: null };
  if (!BILLED.includes(kind)) return none;
  const sum = (codes: number[]): bigint =>
    entries.reduce((all, entry) => (codes.includes(entry.account_code) ? all + entry.amount : all), 0n);
  const price = -sum(RETAIL);
  if (reader === 'client') return { ...none, price };
  const cost = -sum(WHOLESALE);
  if (reader === 'agency') return { ...none, price, cost, margin: sum(AGENCY) };
  return { price, cost, supplier: -sum(SUPPLIER), margin: sum(ROOT) };
}

/** The encoded form of a position in a statement. */
export const cursorOf = (place: { at: Date; id: string }): string => `${place.at.getTime()}_${place.id}`;

/** The position for a cursor; null if it is not a valid cursor. */
export function placeOf(cursor: string): { at: Date; id: string } | null {
  const found = /^(\d{1,15})_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/.exec(cursor);
  return found ? { at: new Date(Number(found[1])), id: found[2]! } : null;
}
