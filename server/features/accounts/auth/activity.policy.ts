/** The log actions that people see for their own account. */
export const ACTIVITY: Record<string, string> = {
  login: 'Signed in',
  logout: 'Signed out',
  'login.failed': 'Failed sign-in',
  'login.paused': 'Sign-in paused',
  'login.code': 'Code requested',
  'login.code_failed': 'Wrong code',
  'password.forgot': 'New password requested',
  'password.reset': 'Password changed',
  'password.change': 'Password changed',
  'factor.required': 'Second factor required',
  'factor.change': 'Two-factor authentication changed',
  'passkey.add': 'Passkey added',
  'passkey.rename': 'Passkey renamed',
  'passkey.remove': 'Passkey removed',
  'passkey.copied': 'Passkey may have been copied',
  'recovery.made': 'Recovery codes created',
  'recovery.used': 'Recovery code used',
  'email.asked': 'Email address change requested',
  'email.changed': 'Email address changed',
  'email.stopped': 'Email address change canceled',
  'session.ended': 'Device signed out',
  'session.revoked': 'Token used twice',
  'session.confirmed': 'Identity confirmed',
  'session.unconfirmed': 'Failed confirmation',
  'register.confirm': 'Signed up',
};

/** Those actions that someone else may be behind. */
export const BAD_ACTIVITY: ReadonlySet<string> = new Set([
  'login.failed',
  'login.paused',
  'login.code_failed',
  'recovery.used',
  'passkey.copied',
  'session.revoked',
  'session.unconfirmed',
]);
