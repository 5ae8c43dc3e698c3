import type { LimitRule } from '../../platform/limits.ts';

const hour = 3600;
const rule = (name: string, max: number, base: number, window = hour, cap = 900): LimitRule => ({
  name,
  max,
  base,
  cap,
  window,
});

/** Failed logins at one account from one network: after five, pauses of 30 s, 1, 2, 4, 8, 15 minutes (AUTH-21). */
export const LOGIN = rule('login', 5, 30);
/** Failed logins from one network, whatever the account. */
export const LOGIN_NETWORK = rule('login.network', 100, 60);
/** Failed logins at one account, wherever from. Pauses only late, or anybody could keep its owner out. */
export const LOGIN_ACCOUNT = rule('login.account', 1000, 60);
/** From so many failures on a captcha is asked for. */
export const CAPTCHA_AFTER = 3;
export const CAPTCHA_AFTER_ACCOUNT = 10;

/** Wrong codes at one account, over all its logins. */
export const CODE = rule('code', 10, 900);
/** Codes sent to one account. */
export const CODE_MAIL = rule('code.mail', 6, 60);
/** Wrong current passwords of somebody who is signed in. */
export const PASSWORD = rule('password', 5, 30);

/** Links to set a new password asked for one address, and from one network. */
export const FORGOT = rule('forgot', 5, 60);
export const FORGOT_NETWORK = rule('forgot.network', 30, 60);
/** Wishes of one person for another email address. */
export const NEW_ADDRESS = rule('new.address', 5, 60);
/** Links that were not good, from one network. */
export const LINK_NETWORK = rule('link.network', 20, 30);
/** Sign-ups of one address, and from one network. */
export const REGISTER = rule('register', 5, 60);
export const REGISTER_NETWORK = rule('register.network', 20, 60);
/** Sign-ups from the neighborhood of a network a day, over all hosts. */
export const REGISTER_RANGE = rule('register.range', 60, 3600, 86_400, 86_400);
/** Captchas that a network has asked for: never paused, but each costs more after so many. */
export const CAPTCHA = rule('captcha', 1_000_000, 1);
/** Links to download a file, and to sign in as others, that one person has had made. */
export const DOWNLOAD = rule('download', 600, 60);
export const SSO_LINK = rule('sso', 6000, 60);
/** Mails about the safety of one account a day. */
export const ALERT = rule('alert', 5, 86_400, 86_400, 86_400);
/** So many failed logins at one account, wherever from, are worth another mail. */
export const MANY_TRIES = 50;
