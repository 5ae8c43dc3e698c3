import type { Ctx } from '../../../platform/ctx.ts';
import { type LimitRule, networkOf } from '../../../platform/limits.ts';

const hour = 3600;
const rule = (name: string, max: number, base: number, window = hour, cap = 900): LimitRule => ({
  name,
  max,
  base,
  cap,
  window,
});

/**
 * Failed logins to one account from one network: after five, pauses of 30 s, then 1, 2, 4, 8 and 15 minutes (AUTH-21).
 */
export const LOGIN = rule('login', 5, 30);
/** Failed logins from one network at one tenant, across all accounts. */
export const LOGIN_NETWORK = rule('login.network', 100, 60);
/** Failed passkey sign-ins from one network at one tenant. Nothing else is paused with them: they are free to send. */
export const PASSKEY_NETWORK = rule('passkey.network', 100, 60);
/** Failed logins to one account from anywhere. Pauses start late, because otherwise anyone could lock its owner out. */
export const LOGIN_ACCOUNT = rule('login.account', 1000, 60);
/** Number of failures after which a captcha is required. */
export const CAPTCHA_AFTER = 3;
export const CAPTCHA_AFTER_ACCOUNT = 10;
/** The same across all accounts, so that pausing a network that many share costs work for each failure. */
export const CAPTCHA_AFTER_NETWORK = 30;

/** Wrong codes for one account, across all its logins. */
export const CODE = rule('code', 10, 900);
/** Codes sent to one account. */
export const CODE_MAIL = rule('code.mail', 6, 60);
/** Wrong current passwords entered by a signed-in user. */
export const PASSWORD = rule('password', 5, 30);

/** Password reset links requested for one address, and from one network at one tenant. */
export const FORGOT = rule('forgot', 5, 60);
export const FORGOT_NETWORK = rule('forgot.network', 30, 60);
/** Email address changes requested by one user. */
export const NEW_ADDRESS = rule('new.address', 5, 60);
/** Invalid links opened from one network at one tenant. */
export const LINK_NETWORK = rule('link.network', 20, 30);
/** Sign-ups of one address, and from one network at one tenant. */
export const REGISTER = rule('register', 5, 60);
export const REGISTER_NETWORK = rule('register.network', 20, 60);
/** Sign-ups per day from the neighborhood of a network, across all hosts. */
export const REGISTER_RANGE = rule('register.range', 60, 3600, 86_400, 86_400);
/** Captchas requested by one network: never paused, but each gets more expensive after this many. */
export const CAPTCHA = rule('captcha', 1_000_000, 1);
/** Links for file downloads, and for signing in as others, created for one user. */
export const DOWNLOAD = rule('download', 600, 60);
export const SSO_LINK = rule('sso', 6000, 60);
/** Security emails per day for one account. */
export const ALERT = rule('alert', 5, 86_400, 86_400, 86_400);
/** Number of failed logins to one account, from anywhere, that triggers another email. */
export const MANY_TRIES = 50;

/** The key of limits by network: what strangers in it do at one tenant pauses no one at another. */
export const networkAt = (ctx: Ctx): string => `${ctx.tenant.companyId}\n${networkOf(ctx.ip)}`;
