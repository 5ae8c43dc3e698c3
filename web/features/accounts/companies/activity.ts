import type { CompanyNodeData } from '../../../../contract/accounts/companies.ts';
import { money, shortDay } from '../../../ui/format.ts';

/** A part of the line: text, or text and the instant that it refers to. */
export type Part = { words: string; at?: string; tone?: 'bad' };

/**
 * Returns what to show below a company's name, so that problems are visible without opening it: failures first, then
 * its last lead and its balance. Empty for users who may not see this.
 */
export function activityParts(row: Pick<CompanyNodeData, 'kind' | 'activity'>, now: Date): Part[] {
  const { activity } = row;
  if (!activity) return [];
  const { failing, failing_since: since, last_lead_at: at, balance_micros: balance } = activity;
  const what = failing === 'payment' ? 'Payment' : 'Top-up';
  return [
    ...(failing
      ? [{ words: `${what} failing${since ? ` since ${shortDay(since, now)}` : ''}`, tone: 'bad' as const }]
      : []),
    at ? { words: 'Last lead', at } : { words: 'No leads yet' },
    ...(balance === null
      ? []
      : [{ words: `${row.kind === 'agency' ? 'Wallet' : 'Prepaid'} ${money(balance)}` }]),
  ];
}

/** Returns an agency's settings that are not visible elsewhere in its row. */
export function stateWords(
  row: Pick<
    CompanyNodeData,
    'kind' | 'activity' | 'white_labelling' | 'beta_user' | 'plan_name' | 'excluded_minimum_spend'
  >,
): { words: string; tone?: 'bad' }[] {
  if (row.kind !== 'agency') return [];
  const balance = row.activity?.balance_micros ?? null;
  return [
    ...(balance !== null && balance <= 0 ? [{ words: 'Out of balance', tone: 'bad' as const }] : []),
    ...(row.white_labelling === 'F' ? [{ words: 'No white label' }] : []),
    ...(row.beta_user === 'T' ? [{ words: 'Beta features' }] : []),
    ...(row.plan_name ? [{ words: `Plan: ${row.plan_name}` }] : []),
    ...(row.excluded_minimum_spend === 1 ? [{ words: 'No minimum spend' }] : []),
  ];
}
