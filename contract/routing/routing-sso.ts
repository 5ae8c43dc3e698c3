/**
 * The facts about the signed-in user that decide where a single sign-on ends up; optional facts decide nothing while
 * absent.
 */
export interface SsoFacts {
  user_type: 'user' | 'userdownline' | 'client' | 'administrator' | 'sales';
  system_user: boolean;
  /** The agency's own path segment for the Site ID module. */
  local_url: string;
  profile_setup_completed?: 'T' | 'F';
  charges_enabled?: boolean;
  payouts_enabled?: boolean;
}

/** The page that a single sign-on leads to, by the first matching rule (spec product 4, SSO). */
export function ssoLanding(facts: SsoFacts): string {
  const moduleDashboard = facts.local_url
    ? `/${encodeURIComponent(facts.local_url)}/dashboard`
    : '/dashboard';
  if (facts.profile_setup_completed === 'F') return '/user/profile-setup';
  if (facts.user_type === 'client') return moduleDashboard;
  if (facts.system_user) {
    return facts.user_type === 'sales'
      ? '/configuration/sales-connect-account'
      : '/configuration/agency-list';
  }
  if (facts.charges_enabled === false || facts.payouts_enabled === false)
    return '/configuration/general-setting';
  return moduleDashboard;
}
