import type { INVOICE_LINE_KINDS } from '../../../../contract/money/invoices.ts';
import type { InvoiceParty } from '../../../platform/db/columns.ts';

export type LineKind = (typeof INVOICE_LINE_KINDS)[number];
export type Cycle = 'Weekly' | 'Monthly';

const CENT = 10_000n;
/** The minimum card charge; anything less waits for the next period. */
export const LEAST = 500_000n;

/** Rounds down to whole cents, also below zero. */
export const wholeCents = (micros: bigint): bigint => micros - (((micros % CENT) + CENT) % CENT);

/** The part of a sum that was sold, in whole cents: money that only went back to a card is no sale. */
export function taxableOf(events: readonly { amount: bigint; isMoney: boolean }[]): bigint {
  const sold = wholeCents(events.reduce((all, { amount, isMoney }) => (isMoney ? all : all + amount), 0n));
  return sold > 0n ? sold : 0n;
}

/** INV-000001, CN-000001. */
export const numberOf = (document: 'invoice' | 'credit_note', seq: number): string =>
  `${document === 'invoice' ? 'INV' : 'CN'}-${String(seq).padStart(6, '0')}`;

/** Transfers that settle or move what is owed; every other one on an account of arrears is an event to be billed. */
export const NO_EVENTS = ['invoice', 'credit_note', 'payment', 'refund', 'write_off'];

/** The key under which the wholesale part of a retail invoice is handed back to its agency to pay. */
export const releaseKey = (invoiceId: string): string => `wholesale_unpaid:${invoiceId}`;

const LINE_KINDS: Record<string, LineKind> = {
  lead: 'leads',
  lead_return: 'returns',
  platform_fee: 'platform_fee',
  monthly_fee: 'monthly_fee',
  onboarding: 'onboarding',
  developer_fee: 'developer_fee',
  minimum_spend: 'minimum_spend',
  coupon: 'coupon',
};
/** The kind of line that an event falls under. */
export const lineKindOf = (transferKind: string, isRelease: boolean): LineKind =>
  isRelease ? 'wholesale_unpaid' : (LINE_KINDS[transferKind] ?? 'adjustment');

const ORDER: LineKind[] = [
  'onboarding',
  'developer_fee',
  'minimum_spend',
  'platform_fee',
  'monthly_fee',
  'leads',
  'returns',
  'coupon',
  'top_up',
  'adjustment',
  'wholesale_unpaid',
  'rounding',
];
const WORDS: Record<LineKind, string> = {
  leads: 'Leads',
  returns: 'Returned leads',
  platform_fee: 'One-time platform fee',
  monthly_fee: 'Monthly fee',
  onboarding: 'Onboarding',
  developer_fee: 'One-time developer API fee',
  minimum_spend: 'Minimum spend',
  coupon: 'Coupon',
  top_up: 'Top-up',
  wholesale_unpaid: 'Platform costs for an invoice that your client did not pay by card',
  adjustment: 'Adjustment',
  rounding: 'Rounding to whole cents',
};

/** Events that share a line: each group has one campaign, kind and amount (micro-dollars; below zero: refunded). */
export interface Group {
  kind: LineKind;
  campaignId: string | null;
  memo: string | null;
  unit: bigint;
  count: number;
}

export interface LineDraft {
  kind: LineKind;
  campaign_id: string | null;
  description: string;
  quantity: number;
  unit_micros: bigint;
  amount_micros: bigint;
}

/**
 * The credits of a cycle that its own charges do not use up, for the invoice of the other cycle: as few as bring what is
 * open in it (below zero) back to zero, the smallest first. Groups of equal credits, with how many of each.
 */
export function spareCredits<G extends Pick<Group, 'unit' | 'count'>>(
  open: bigint,
  credits: readonly G[],
): { group: G; count: number }[] {
  let left = open;
  return credits
    .toSorted((a, b) => (a.unit < b.unit ? 1 : a.unit > b.unit ? -1 : 0))
    .flatMap((group) => {
      if (left >= 0n) return [];
      const needed = Number((left + group.unit + 1n) / group.unit);
      const count = Math.min(needed, group.count);
      left -= group.unit * BigInt(count);
      return [{ group, count }];
    });
}

/** The lines of the next invoice of each cycle, from what is open in each. */
export function byInvoice<G extends Group & { cycle: Cycle }>(groups: readonly G[]): Record<Cycle, G[]> {
  const of = {
    Weekly: groups.filter(({ cycle }) => cycle === 'Weekly'),
    Monthly: groups.filter(({ cycle }) => cycle === 'Monthly'),
  };
  const sum = (some: G[]): bigint => some.reduce((all, { unit, count }) => all + unit * BigInt(count), 0n);
  for (const [from, to] of [
    ['Weekly', 'Monthly'],
    ['Monthly', 'Weekly'],
  ] as const) {
    if (sum(of[from]) >= 0n || sum(of[to]) <= 0n) continue;
    const spare = spareCredits(
      sum(of[from]),
      of[from].filter(({ unit }) => unit < 0n),
    );
    const moved = new Map(spare.map(({ group, count }) => [group, count]));
    of[to] = [...of[to], ...spare.map(({ group, count }) => ({ ...group, count }))];
    of[from] = of[from]
      .map((group) => ({ ...group, count: group.count - (moved.get(group) ?? 0) }))
      .filter(({ count }) => count > 0);
  }
  return of;
}

/** Identifies a group. */
export const groupKey = (group: Omit<Group, 'count'>): string =>
  `${group.kind}/${group.campaignId ?? ''}/${group.unit}/${group.memo ?? ''}`;

/** The lines for groups, in invoice order: by campaign, then by kind; each group with its line. */
export function linesOf<G extends Group>(
  groups: G[],
  campaignName: (id: string) => string,
): { group: G; line: LineDraft }[] {
  return groups
    .map((group) => {
      const campaign = group.campaignId ? campaignName(group.campaignId) : '';
      const words = group.memo ?? WORDS[group.kind];
      return {
        group,
        campaign,
        line: {
          kind: group.kind,
          campaign_id: group.campaignId,
          description: (campaign ? `${words}: ${campaign}` : words).slice(0, 500),
          quantity: group.count,
          unit_micros: group.unit,
          amount_micros: group.unit * BigInt(group.count),
        },
      };
    })
    .sort(
      (a, b) =>
        a.campaign.localeCompare(b.campaign) ||
        (a.group.campaignId ?? '').localeCompare(b.group.campaignId ?? '') ||
        ORDER.indexOf(a.group.kind) - ORDER.indexOf(b.group.kind) ||
        (a.group.unit < b.group.unit ? 1 : a.group.unit > b.group.unit ? -1 : 0),
    )
    .map(({ group, line }) => ({ group, line }));
}

/** The line that rounds a total to whole cents; null if it already is. */
export function roundingOf(sum: bigint): LineDraft | null {
  const rest = wholeCents(sum) - sum;
  if (rest === 0n) return null;
  return {
    kind: 'rounding',
    campaign_id: null,
    description: WORDS.rounding,
    quantity: 1,
    unit_micros: rest,
    amount_micros: rest,
  };
}

/** A company as it appears on an invoice. */
export function partyOf(company: {
  name: string;
  legal_name: string | null;
  address: string | null;
  city: string | null;
  zip: string | null;
  state_code: string | null;
  country_code: string | null;
  email: string | null;
  phone: string | null;
}): InvoiceParty {
  const place = [company.city, [company.state_code, company.zip].filter(Boolean).join(' ')];
  return {
    name: company.legal_name || company.name,
    address: [company.address, place.filter(Boolean).join(', '), company.country_code].filter(
      (line): line is string => Boolean(line),
    ),
    email: company.email ?? '',
    phone: company.phone ?? '',
  };
}

/** The status of an invoice, given what is due. If nothing is due and nothing was paid, all of it was credited. */
export function statusOf(row: {
  total_micros: bigint;
  paid_micros: bigint;
  credited_micros: bigint;
}): 'open' | 'paid' | 'void' {
  if (row.total_micros > row.paid_micros + row.credited_micros) return 'open';
  return row.paid_micros > 0n ? 'paid' : 'void';
}
