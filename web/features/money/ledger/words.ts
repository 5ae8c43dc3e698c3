import type { MarginGroup, StatementView } from '../../../../contract/money/ledger.ts';
import { prettyCode } from '../../../ui/format.ts';

export { kindWords } from '../../../../contract/money/ledger-words.ts';

const views: Record<'client' | 'agency' | 'root', Partial<Record<StatementView, [string, string]>>> = {
  client: { balance: ['Balance', 'Prepaid balance minus what is owed'] },
  agency: {
    balance: ['With the platform', 'Data Wallet balance minus what is owed to the platform'],
    wallet: ['Data Wallet', 'Remaining Data Wallet balance'],
    earnings: ['Earnings', 'Total charged to clients'],
    card: ['Money in', 'Client payments minus refunds'],
    tax: ['Tax', 'Tax charged to your clients'],
  },
  root: {
    balance: ['Revenue', 'Total revenue minus costs'],
    card: ['Money in', 'Agency card payments minus refunds'],
    tax: ['Tax', 'Tax charged to your agencies'],
  },
};

/** A view's name and the meaning of its balance. */
export function viewWords(
  company: 'client' | 'agency' | 'root',
  view: StatementView,
): { title: string; meaning: string } {
  const [title, meaning] = views[company][view] ?? [prettyCode(view), ''];
  return { title, meaning };
}

const accounts: Record<string, string> = {
  client_prepaid: 'Prepaid balance',
  client_unbilled: 'Not yet invoiced',
  client_receivable: 'Invoiced',
  agency_wallet: 'Data Wallet',
  agency_payable: 'Owed to the platform',
  agency_invoiced: 'Invoiced by the platform',
  agency_revenue: 'Earnings',
  root_revenue: 'Revenue',
  root_cost: 'Supplier cost',
  supplier_due: 'Owed to suppliers',
  card_clearing: 'Card provider',
};

/** Returns the name of an account, in words. */
export const accountWords = (account: string): string => accounts[account] ?? prettyCode(account);

/** Returns the filter for the sales behind a row of the margins; a month is limited to the requested days. */
export function marginFilterOf(
  by: MarginGroup,
  key: string,
  range: { start: string; end: string },
): { company_id?: string; campaign_id?: string; module?: 'local'; starts_on?: string; ends_on?: string } {
  if (by === 'client' || by === 'agency') return { company_id: key };
  if (by === 'campaign') return { campaign_id: key };
  if (by === 'product') return { module: key as 'local' };
  const [year, month] = key.split('-').map(Number);
  const last = new Date(Date.UTC(year!, month!, 0)).toISOString().slice(0, 10);
  const [start, end] = [[`${key}-01`, range.start].toSorted()[1], [last, range.end].toSorted()[0]];
  return { starts_on: start!, ends_on: end! };
}
