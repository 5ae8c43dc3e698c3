import { messages } from '../messages.ts';
import { screenMessages } from '../screen-messages.ts';
import { type Grade, mayPerson } from './permissions.ts';
import type { SetupCheck } from './setup.ts';
import type { SessionUser } from './users.ts';

/** The fields of a set-up check and of a person that the rules read; server and screens use the same functions. */
type Check = Pick<
  SetupCheck,
  | 'setupcomplete'
  | 'accessmodule'
  | 'accessmodule_agency'
  | 'paymentStatusFailed'
  | 'accountconnected'
  | 'package_id'
  | 'paymentgateway'
  | 'card_set'
  | 'agency_onboarding_status'
>;
type Who = Pick<
  SessionUser,
  'company_kind' | 'user_type' | 'isViewMode' | 'manual_bill' | 'profile_setup_completed'
>;

/** Whether the gateway accepts cards; otherwise, companies settle outside the system. */
const byCard = (check: Pick<Check, 'paymentgateway'>): boolean => check.paymentgateway !== 'none';

/** Whether a card is asked for and none is on file. */
const lacksCard = (check: Pick<Check, 'paymentgateway' | 'card_set'>): boolean =>
  byCard(check) && !check.card_set;

/** Whether the agency's payment account counts as connected (spec product 4, Client setup). */
export function accountConnected(
  check: Pick<Check, 'accountconnected' | 'paymentgateway' | 'package_id'>,
  manualBill: boolean,
): boolean {
  if (check.package_id === '') return false;
  const state = check.accountconnected;
  if (state === 'completed') return true;
  if (!byCard(check)) return state === '';
  return (state === '' || state === 'failed') && manualBill;
}

/** Whether an agency may continue past its set-up (spec product 4, Agency setup). */
export function mayContinueAgency(
  check: Pick<Check, 'setupcomplete' | 'agency_onboarding_status' | 'card_set' | 'paymentgateway'>,
): boolean {
  return check.setupcomplete === 'T' && (check.agency_onboarding_status || !lacksCard(check));
}

/**
 * Whether the user's own company has lost access because of a failed payment; what an agency owes does not affect its
 * clients.
 */
export function paymentFailed(
  check: Pick<Check, 'accessmodule' | 'accessmodule_agency' | 'paymentStatusFailed'>,
  user: Pick<Who, 'company_kind'>,
): boolean {
  if (user.company_kind === 'root') return false;
  const access = user.company_kind === 'client' ? check.accessmodule : check.accessmodule_agency;
  return check.paymentStatusFailed || access === 'paymentfailed';
}

/**
 * Whether the menus for daily work are hidden: because of a failed payment or a missing card or account (spec product 4
 * and 6). A client needs its agency's account, and its own set-up completed; view mode and the people of a root are
 * exempt.
 */
export function hidesOperatingMenus(check: Check, user: Who): boolean {
  if (user.isViewMode || user.company_kind === 'root') return false;
  if (paymentFailed(check, user) || !accountConnected(check, user.manual_bill === 'T')) return true;
  return user.company_kind === 'agency' ? lacksCard(check) : check.setupcomplete === 'F';
}

/** The warning shown on the screen until set-up is finished; null for no warning (calls 8, Persistent warnings). */
export function accountWarning(check: Check, user: Who): string | null {
  if (user.isViewMode || user.company_kind === 'root') return null;
  if (user.profile_setup_completed === 'F') return messages.completeProfile;
  const connected = accountConnected(check, user.manual_bill === 'T');
  if (user.company_kind === 'agency') return lacksCard(check) || !connected ? messages.completePayment : null;
  if (!connected) {
    return ['pending', 'inverification', ''].includes(check.accountconnected)
      ? screenMessages.agencyAccountUnfinished
      : screenMessages.agencyAccountAway;
  }
  return check.setupcomplete === 'F' ? messages.completePayment : null;
}

/** Whether a feature in trial is shown: it is in trial, and open to all agencies or to this one (BETA-01). */
export function betaShown(
  check: Pick<SetupCheck, 'betaFeature' | 'isBeta'>,
  slug: SetupCheck['betaFeature'][number]['slug'],
): boolean {
  const feature = check.betaFeature.find((one) => one.slug === slug);
  return Boolean(feature?.is_beta && (feature.apply_to_all_agency || check.isBeta));
}

/**
 * Whether the user is notified that their company's agreement is open (NAV-06): anyone who may accept it, when acting
 * as themselves.
 */
export function mustAgree(
  check: Pick<SetupCheck, 'agreement_missing'>,
  user: Pick<SessionUser, 'grade' | 'module_permissions' | 'isViewMode'>,
): boolean {
  const may = mayPerson(user.grade as Grade, user.module_permissions, 'agreement.accept');
  return check.agreement_missing && !user.isViewMode && may;
}

/**
 * Whether the trial of the Data Wallet is open; while b2b is in trial, only for those who also qualify for b2b (product
 * 6).
 */
export function walletShown(check: Pick<SetupCheck, 'betaFeature' | 'isBeta'>): boolean {
  const b2b = check.betaFeature.find((one) => one.slug === 'b2b_module');
  return betaShown(check, 'data_wallet') && (!b2b?.is_beta || betaShown(check, 'b2b_module'));
}
