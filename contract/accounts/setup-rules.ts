import { messages } from '../messages.ts';
import { screenMessages } from '../screen-messages.ts';
import { type Grade, mayPerson } from './permissions.ts';
import type { SetupCheck } from './setup.ts';
import type { SessionUser } from './users.ts';

/** The fields of a setup check and of a person that the rules read; server and screens use the same functions. */
type Check = Pick<
  SetupCheck,
  | 'setup_complete'
  | 'access'
  | 'agency_access'
  | 'payment_failed'
  | 'account_status'
  | 'package_id'
  | 'gateway'
  | 'card_set'
  | 'onboarding_on'
>;
type Who = Pick<
  SessionUser,
  'company_kind' | 'user_type' | 'in_view_mode' | 'manual_bill' | 'profile_setup_completed'
>;

/** Whether the gateway accepts cards; otherwise, companies settle outside the system. */
const byCard = (check: Pick<Check, 'gateway'>): boolean => check.gateway !== 'none';

/** Whether a card is asked for and none is on file. */
const lacksCard = (check: Pick<Check, 'gateway' | 'card_set'>): boolean => byCard(check) && !check.card_set;

/** Whether the agency's payment account counts as connected (spec product 4, Client setup). */
export function accountConnected(
  check: Pick<Check, 'account_status' | 'gateway' | 'package_id'>,
  manualBill: boolean,
): boolean {
  if (check.package_id === '') return false;
  const state = check.account_status;
  if (state === 'completed') return true;
  if (!byCard(check)) return state === '';
  return (state === '' || state === 'failed') && manualBill;
}

/** Whether an agency may continue past its setup (spec product 4, Agency setup). */
export function mayContinueAgency(
  check: Pick<Check, 'setup_complete' | 'onboarding_on' | 'card_set' | 'gateway'>,
): boolean {
  return check.setup_complete === 'T' && (check.onboarding_on || !lacksCard(check));
}

/**
 * Whether the user's own company has lost access because of a failed payment; what an agency owes does not affect its
 * clients.
 */
export function paymentFailed(
  check: Pick<Check, 'access' | 'agency_access' | 'payment_failed'>,
  user: Pick<Who, 'company_kind'>,
): boolean {
  if (user.company_kind === 'root') return false;
  const access = user.company_kind === 'client' ? check.access : check.agency_access;
  return check.payment_failed || access === 'paymentfailed';
}

/**
 * Whether the menus for daily work are hidden: because of a failed payment or a missing card or account (spec product 4
 * and 6). A client needs its agency's account, and its own setup completed; view mode and the people of a root are
 * exempt.
 */
export function hidesOperatingMenus(check: Check, user: Who): boolean {
  if (user.in_view_mode || user.company_kind === 'root') return false;
  if (paymentFailed(check, user) || !accountConnected(check, user.manual_bill === 'T')) return true;
  return user.company_kind === 'agency' ? lacksCard(check) : check.setup_complete === 'F';
}

/** The warning shown on the screen until setup is finished; null for no warning (calls 8, Persistent warnings). */
export function accountWarning(check: Check, user: Who): string | null {
  if (user.in_view_mode || user.company_kind === 'root') return null;
  if (user.profile_setup_completed === 'F') return messages.completeProfile;
  const connected = accountConnected(check, user.manual_bill === 'T');
  if (user.company_kind === 'agency') return lacksCard(check) || !connected ? messages.completePayment : null;
  if (!connected) {
    return ['pending', 'inverification', ''].includes(check.account_status)
      ? screenMessages.agencyAccountUnfinished
      : screenMessages.agencyAccountAway;
  }
  return check.setup_complete === 'F' ? messages.completePayment : null;
}

/** Whether a feature in trial is shown: it is in trial, and open to all agencies or to this one (BETA-01). */
export function betaShown(
  check: Pick<SetupCheck, 'beta_features' | 'beta_user'>,
  slug: SetupCheck['beta_features'][number]['slug'],
): boolean {
  const feature = check.beta_features.find((one) => one.slug === slug);
  return Boolean(feature?.is_beta && (feature.for_all || check.beta_user));
}

/**
 * Whether the user is notified that their company's agreement is open (NAV-06): anyone who may accept it, when acting
 * as themselves.
 */
export function mustAgree(
  check: Pick<SetupCheck, 'agreement_missing'>,
  user: Pick<SessionUser, 'grade' | 'module_permissions' | 'in_view_mode'>,
): boolean {
  const may = mayPerson(user.grade as Grade, user.module_permissions, 'agreement.accept');
  return check.agreement_missing && !user.in_view_mode && may;
}

/**
 * Whether the trial of the Data Wallet is open; while b2b is in trial, only for those who also qualify for b2b (product
 * 6).
 */
export function walletShown(check: Pick<SetupCheck, 'beta_features' | 'beta_user'>): boolean {
  const b2b = check.beta_features.find((one) => one.slug === 'b2b_module');
  return betaShown(check, 'data_wallet') && (!b2b?.is_beta || betaShown(check, 'b2b_module'));
}
