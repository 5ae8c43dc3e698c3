import { mayUser, type Permission } from './permissions.ts';
import type { SessionUser } from './users.ts';

/** What a row of the agency or client list can offer, in the order of its menu (spec product 2, Row actions). */
export const ROW_ACTIONS = [
  'manualBill',
  'agreement',
  'minimumSpendExclusion',
  'onboardingCharge',
  'setSales',
  'setCost',
  'grantCredit',
  'viewAs',
  'edit',
  'remove',
  'logs',
  'export',
  'apiKey',
  'paymentFailed',
] as const;
export type RowAction = (typeof ROW_ACTIONS)[number];

/**
 * The row fields that the rules read; a field that a list does not carry yet counts as unset, and its action is not
 * offered.
 */
export interface ActionRow {
  kind: 'agency' | 'client';
  /** The root that the row's system belongs to. */
  root_id?: string;
  /** For salespeople: their own roles for it. */
  roles?: readonly ('representative' | 'account_executive' | 'referrer')[] | undefined;
  /** Whom to view as; null if no one can sign in there, or not for this user. */
  user_id?: string | null;
  /** 'download' or a link; empty if there is no file. */
  agreement_file?: string;
  onboarding_on?: boolean;
  onboarding_charged?: boolean;
  /** A payment method on file. */
  card_id?: string;
  /** Whether the developer mode is on; absent if not returned. */
  api_mode?: 'T' | 'F';
  payment_status?: string;
}

type Asker = Pick<
  SessionUser,
  | 'grade'
  | 'module_permissions'
  | 'user_type'
  | 'true_user_type'
  | 'company_kind'
  | 'company_id'
  | 'is_root'
  | 'in_view_mode'
>;

/** Whether a person with these roles has a company in their care; having only referred it does not count. */
export const isInCare = (roles: NonNullable<ActionRow['roles']>): boolean =>
  roles.some((role) => role !== 'referrer');

/**
 * What the user sees on a row of the agency or client list (ROLE-02; spec product 6). Salespeople see no manual bill
 * switch, delete, logs, failed payment, onboarding charge, minimum-spend exclusion or agreement, not even in view mode;
 * they edit and set the cost of what is in their care. The server also guards each action's call.
 */
export function rowActions(user: Asker, row: ActionRow): RowAction[] {
  const may = (permission: Permission) => mayUser(user, permission);
  // Also in view mode.
  const isSales = user.true_user_type === 'sales';
  const isAgency = row.kind === 'agency';
  const isRoot = user.company_kind === 'root';
  // Directly below: a root's agency, an agency's client. Anything further down is managed by another company.
  const isOwn = isRoot === isAgency;
  // The tree of the root company itself.
  const inTree = isRoot && user.is_root && row.root_id === user.company_id;
  const mayChange = !isSales && may('setting.write');
  const isTheirs = !isSales || isInCare(row.roles ?? []);
  const shown: Record<RowAction, boolean> = {
    manualBill: mayChange && isAgency,
    agreement: !isSales && may('document.read') && Boolean(row.agreement_file),
    minimumSpendExclusion: mayChange && inTree && isAgency,
    onboardingCharge:
      mayChange &&
      inTree &&
      isAgency &&
      row.onboarding_on === true &&
      row.onboarding_charged === false &&
      row.card_id === '',
    setSales: isOwn && may('sales.assign'),
    setCost: isTheirs && isRoot && isAgency && may('cost.agency'),
    grantCredit: !isSales && !user.in_view_mode && isOwn && may('credit.grant'),
    viewAs: !user.in_view_mode && may('view.switch') && !(isSales && !row.user_id),
    edit: isTheirs && may('company.write') && isOwn,
    remove: mayChange && may('company.remove') && isOwn,
    logs: !isSales && may('setting.read'),
    export: !isSales && !user.in_view_mode && may('company.export'),
    // There are five colors, including 'inactive' (spec product 4), so it shows on every row that returns the mode.
    apiKey: inTree && row.api_mode !== undefined,
    paymentFailed: !isSales && isAgency && row.payment_status === 'failed',
  };
  return ROW_ACTIONS.filter((action) => shown[action]);
}
