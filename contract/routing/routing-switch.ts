/** What decides where a user lands after switching users; facts that GET /user does not return (yet) are left out. */
export interface SwitchFacts {
  company_kind: 'root' | 'agency' | 'client';
  /** Owners and sales need no role; administrators do. */
  user_type?: string | undefined;
  /** Null or empty: the person has no role set. */
  role_id?: string | null | undefined;
  profile_setup_completed?: 'T' | 'F' | undefined;
  /** The state of the agency's payment account; 'completed', or anything else while it is not. */
  account_status?: string | null | undefined;
  local_url?: string | null | undefined;
  locator_url?: string | null | undefined;
}

/** The page after switching to another user (spec product 2, last paragraph; ROUT-11). */
export function switchLanding(facts: SwitchFacts): string {
  const isAgency = facts.company_kind === 'agency';
  const lacksRole =
    isAgency && facts.user_type === 'administrator' && facts.role_id !== undefined && !facts.role_id;
  if (lacksRole || facts.profile_setup_completed === 'F') return '/user/profile-setup';
  const lacksAccount = isAgency && facts.account_status !== undefined && facts.account_status !== 'completed';
  const url = facts.local_url || facts.locator_url;
  if (lacksAccount || !url) return '/configuration/general-setting';
  return `/${encodeURIComponent(url)}/dashboard`;
}

/** The page after returning to one's own account (NAV-03): the list that the view began from. */
export function revertLanding(own: { system_user: boolean }): string {
  return own.system_user ? '/configuration/agency-list' : '/configuration/client-management';
}
