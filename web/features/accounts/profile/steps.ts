import { mayUser, type Permission } from '../../../../contract/accounts/permissions.ts';
import type { SetupCheck } from '../../../../contract/accounts/setup.ts';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import type { StepState } from '../../../ui/wizard.ts';
import { companyOf, companyRules, detailsOf, detailsRules, isComplete, isOwner } from './model.ts';

export const STEP_KEYS = ['details', 'company', 'agreement', 'card', 'onboarding', 'account'] as const;
export type StepKey = (typeof STEP_KEYS)[number];

type Person = SessionUser;
type Check = Pick<
  SetupCheck,
  'gateway' | 'card_set' | 'account_status' | 'onboarding_on' | 'onboarding_waiting'
>;

const has = (user: Person, permission: Permission) => mayUser(user, permission);

/** Returns the document that a user's kind of company has to accept; none for users of a root. */
export function documentOf(
  user: Pick<SessionUser, 'company_kind'>,
): 'default_agency' | 'default_client' | undefined {
  return user.company_kind === 'root'
    ? undefined
    : user.company_kind === 'agency'
      ? 'default_agency'
      : 'default_client';
}

/** Whether a setup is complete without a card (domain, Setup states: card unless not required). */
function cardMayWait(user: Person, check: Check): boolean {
  return user.company_kind === 'agency' ? check.onboarding_on : user.manual_bill === 'T';
}

/**
 * Returns the steps of a user's setup and which of them are done. Users who manage the company's details, cards,
 * accounts, and agreements have steps for them (PROF-01). Completed steps stay in the list, so that the user can go
 * back. The account can wait: it is not part of a complete setup, although nothing runs without it.
 * @param withCard false leaves out the card (profile-setup-v1)
 */
export function stepsOf(
  user: Person,
  check: Check,
  isAgreed: boolean,
  withCard: boolean,
): (StepState & { key: StepKey })[] {
  const steps: (StepState & { key: StepKey })[] = [
    { key: 'details', isDone: isComplete(detailsOf(user), detailsRules(user.email)) },
  ];
  if (isOwner(user)) {
    steps.push({ key: 'company', isDone: isComplete(companyOf(user), companyRules(true)) });
  }
  if (documentOf(user) && has(user, 'agreement.accept')) steps.push({ key: 'agreement', isDone: isAgreed });
  if (check.gateway !== 'none') {
    if (withCard && has(user, 'card.write'))
      steps.push({ key: 'card', isDone: check.card_set, isOptional: cardMayWait(user, check) });
    if (withCard && user.company_kind === 'agency' && check.onboarding_on && has(user, 'invoice.pay'))
      steps.push({ key: 'onboarding', isDone: !check.onboarding_waiting });
    if (user.company_kind === 'agency' && has(user, 'account.write')) {
      steps.push({ key: 'account', isDone: check.account_status === 'completed', isOptional: true });
    }
  }
  return steps;
}

/** Whether the last step's button leads to the general settings; not for clients, nor for users without that page. */
const toSettings = (user: Pick<SessionUser, 'company_kind'> & Parameters<typeof mayUser>[0]): boolean =>
  user.company_kind !== 'client' && mayUser(user, 'setting.read');

/** The last step's button (spec product 2). */
export function finishWords(user: Parameters<typeof toSettings>[0]): string {
  return toSettings(user) ? 'Go To General Settings' : 'Go To Dashboard';
}

/** Where the last step's button leads. */
export function finishPath(user: Parameters<typeof toSettings>[0]): string {
  return toSettings(user) ? '/configuration/general-setting' : '/dashboard';
}
