/**
 * The chart of accounts (docs/money.md): the code that entries carry (account_code() in the database), and whether
 * an account can refuse, that is, keeps a balance row that never falls below zero.
 */
export const ACCOUNTS = {
  client_prepaid: { code: 1, refuses: true },
  client_unbilled: { code: 2, refuses: false },
  client_receivable: { code: 3, refuses: false },
  agency_wallet: { code: 10, refuses: true },
  agency_payable: { code: 11, refuses: false },
  agency_invoiced: { code: 12, refuses: false },
  agency_revenue: { code: 13, refuses: false },
  root_revenue: { code: 20, refuses: false },
  root_cost: { code: 21, refuses: false },
  expired: { code: 22, refuses: false },
  granted: { code: 23, refuses: false },
  card_clearing: { code: 30, refuses: false },
  supplier_due: { code: 31, refuses: false },
  provider_fee: { code: 32, refuses: false },
  tax_due: { code: 33, refuses: false },
  written_off: { code: 34, refuses: false },
} as const;

export type AccountKind = keyof typeof ACCOUNTS;

const byCode = new Map<number, AccountKind>(
  Object.entries(ACCOUNTS).map(([kind, { code }]) => [code, kind as AccountKind]),
);

/** The kind of account of a code. */
export const kindOfCode = (code: number): AccountKind => byCode.get(code)!;

/** The codes of the given kinds of accounts. */
export const codesOf = (...kinds: AccountKind[]): number[] => kinds.map((kind) => ACCOUNTS[kind].code);
