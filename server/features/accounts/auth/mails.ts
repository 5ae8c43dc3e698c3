import type { MailContent } from '../../../platform/mail-layout.ts';
import { mailName } from '../../../platform/mail-name.ts';

const ignore = 'If this wasn’t you, you can ignore this email.';

/** The login code. It appears only in the body, so that a locked screen does not show it. */
export const codeMail = (name: string, code: string): MailContent => ({
  subject: 'Your sign-in code',
  lines: [`Hello ${mailName(name)},`, 'Use this code to finish signing in:'],
  code,
  after: [
    'It can be used once and expires in 10 minutes.',
    'If you aren’t signing in, someone knows your password. Change it.',
  ],
});

/** The link to set a new password. */
export const resetMail = (name: string, url: string): MailContent => ({
  subject: 'Set a new password',
  lines: [`Hello ${mailName(name)},`, 'Someone requested a new password for your account.'],
  action: { label: 'Set a new password', url },
  after: ['The link can be used once and expires in one hour.', ignore],
});

/** The link to set a first password, for a user whose company was added by the one above. */
export const inviteMail = (name: string, inviter: string, url: string): MailContent => ({
  subject: 'Your account is ready',
  lines: [
    `Hello ${mailName(name)},`,
    `${mailName(inviter)} created an account for you. Set a password to sign in.`,
  ],
  action: { label: 'Set your password', url },
  after: ['The link can be used once and expires in 7 days.', ignore],
});

/** The link that completes a sign-up. */
export const confirmMail = (name: string, url: string): MailContent => ({
  subject: 'Complete your registration',
  lines: [`Hello ${mailName(name)},`, 'Confirm your email address to complete your registration.'],
  action: { label: 'Complete registration', url },
  after: ['The link can be used once and expires in 24 hours.', ignore],
});

/** For a user who signs up with an address that already has an account. */
export const knownMail = (url: string): MailContent => ({
  subject: 'You already have an account',
  lines: ['Hello,', 'Someone tried to register with this email address, but it already has an account.'],
  action: { label: 'Sign in', url },
  after: ['If you forgot your password, request a new one on the sign-in page.', ignore],
});

/** Notifies the user that a security setting of the account was changed. */
export const noticeMail = (name: string, what: string, ip: string): MailContent => ({
  subject: 'Your account was changed',
  lines: [`Hello ${mailName(name)},`, `${what}. The request came from the IP address ${ip}.`],
  after: [
    'If this wasn’t you, request a new password on the sign-in page now and notify your administrator.',
  ],
});

/** Notifies a company's owners of another one. */
export const newOwnerMail = (
  name: string,
  { by, added, ip }: { by: string; added: { name: string; email: string }; ip: string },
): MailContent => ({
  subject: 'Your company has a new owner',
  lines: [
    `Hello ${mailName(name)},`,
    `${mailName(by)} made ${mailName(added.name)} (${added.email}) an owner of your company. Owners can do everything, including removing other owners. The request came from the IP address ${ip}.`,
  ],
  after: [
    'If this isn’t right, remove the new owner from your list of administrators now. Then change your password and sign out your other devices.',
  ],
});

/** Maximum number of passkeys named in one email. */
const MOST_NAMED = 20;

/**
 * Notifies the user of a new password and lists the passkeys that still open the account: someone who had access before
 * may have added one. `removed`: how many were removed with it; `url`: where to review them.
 */
export const passwordMail = (
  name: string,
  ip: string,
  passkeys: readonly { name: string; host: string; created_at: Date; last_used_at: Date | null }[],
  { removed = 0, url }: { removed?: number; url: string },
): MailContent => {
  const notice = noticeMail(name, 'Your password was changed', ip);
  const day = (at: Date) => at.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
  if (removed > 0)
    notice.lines.push(removed === 1 ? 'Your passkey was removed.' : `All ${removed} passkeys were removed.`);
  if (passkeys.length === 0) return notice;
  return {
    ...notice,
    lines: [
      ...notice.lines,
      'These passkeys still sign in to your account. Remove any that you don’t recognize:',
      ...passkeys
        .slice(0, MOST_NAMED)
        .map(
          (one) =>
            `${mailName(one.name)}, for ${one.host}, added ${day(one.created_at)}, ${one.last_used_at ? `last used ${day(one.last_used_at)}` : 'never used'}.`,
        ),
    ],
    links: passkeys.map(({ host }) => host),
    action: { label: 'Check your passkeys', url },
  };
};

/** Notifies the user that someone signed in with a recovery code, which may not have been the owner. */
export const recoveryMail = (name: string, left: number, ip: string): MailContent => ({
  subject: 'A recovery code was used',
  lines: [
    `Hello ${mailName(name)},`,
    `Someone signed in to your account with a recovery code instead of the second factor, from the IP address ${ip}.`,
    left === 0
      ? 'You have no recovery codes left. Create new ones under Security.'
      : `${left} recovery ${left === 1 ? 'code is' : 'codes are'} left.`,
  ],
  after: [
    'If this wasn’t you, request a new password on the sign-in page now and notify your administrator.',
    'If you lost your authenticator, set up a new one under Security.',
  ],
});

/** The link that confirms a new email address. */
export const newAddressMail = (name: string, url: string): MailContent => ({
  subject: 'Confirm your new email address',
  lines: [`Hello ${mailName(name)},`, 'Confirm that this is the new email address of your account.'],
  action: { label: 'Confirm address', url },
  after: [
    'The link can be used once and expires in 24 hours. Until you confirm, your old address stays in use.',
    ignore,
  ],
});

/** Notifies the old address that someone else is changing it, with a way to stop the change. */
export const heldAddressMail = (
  name: string,
  by: string,
  email: string,
  links: { allow: string; stop: string },
): MailContent => ({
  subject: 'Your email address is about to change',
  lines: [
    `Hello ${mailName(name)},`,
    `${mailName(by)} asked to change the email address of your account to ${email}.`,
    'It changes in 72 hours. If this isn’t right, stop it now. Anyone who reads email at the new address could take over your account.',
  ],
  action: { label: 'Stop this change', url: links.stop },
  after: [
    `If it’s right, you don’t have to do anything. To change it now: ${links.allow}`,
    'You’ll be signed out everywhere when it changes.',
  ],
  links: [links.allow],
});

/** Notifies the new address that it is about to become an account's address. */
export const comingAddressMail = (name: string, by: string): MailContent => ({
  subject: 'This will be your new email address',
  lines: [
    `Hello ${mailName(name)},`,
    `${mailName(by)} asked to use this email address for your account. You can sign in with it in 72 hours, or as soon as the change is confirmed at your old address.`,
  ],
  after: [ignore],
});

const ALERTS: Record<string, [subject: string, words: string]> = {
  login: [
    'New sign-in to your account',
    'Someone signed in to your account on a device we haven’t seen before.',
  ],
  'login.paused': [
    'Failed sign-ins to your account',
    'Someone tried to sign in to your account and failed several times. We paused sign-ins from there for a while.',
  ],
  'passkey.copied': [
    'A passkey for your account was rejected',
    'One of your passkeys was used on a device that is behind another one, so it may have been copied. Remove it and add a new one.',
  ],
  'session.revoked': [
    'A device was signed out of your account',
    'One of your sign-ins was used in two places at once, so we ended it. Sign in again on your device.',
  ],
};

const NEWS: Record<string, string> = {
  login: 'signed in on a new device',
  'login.failed': 'many sign-ins failed',
  'login.paused': 'sign-ins failed several times and were paused',
  'passkey.copied': 'a passkey was rejected because it may have been copied',
  'session.revoked': 'a sign-in was used in two places at once and was ended',
};
/** Maximum number of events listed in one email; the rest are only counted. */
const MOST_NEWS = 20;

interface News {
  action: string;
  at: Date;
  ip: string | null;
  location: string | null;
  name: string;
  company: string;
}
const whenAndWhere = ({ at, ip, location }: Pick<News, 'at' | 'ip' | 'location'>): string => {
  const place = [ip, location].filter(Boolean).join(', ');
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC${place ? `, from ${place}` : ''}.`;
};

/** What happened to the accounts of a company's people, for its owners. */
export const ownersMail = (name: string, news: readonly News[]): MailContent => ({
  subject: 'Security alerts for your users',
  lines: [
    `Hello ${mailName(name)},`,
    'The following happened on your users’ accounts:',
    ...news
      .slice(0, MOST_NEWS)
      .map(
        (one) =>
          `${mailName(one.name)} (${mailName(one.company)}): ${NEWS[one.action] ?? one.action}. ${whenAndWhere(one)}`,
      ),
    ...(news.length > MOST_NEWS ? [`And ${news.length - MOST_NEWS} more.`] : []),
  ],
  after: [
    'They have been notified as well. If something looks wrong, ask them to change their password and sign out their other devices.',
    'You can require a second factor under General Settings > Security.',
  ],
});

/** What happened to a user's account, and from where. */
export const alertMail = (
  name: string,
  row: { action: string; description: string | null; ip: string | null; location: string | null; at: Date },
): MailContent => {
  const [subject, words] = ALERTS[row.action] ?? ['Your account', row.description ?? ''];
  return {
    subject,
    lines: [`Hello ${mailName(name)},`, words, whenAndWhere(row)],
    after: [
      'If this was you, you can ignore this email.',
      'If not, change your password, sign out your other devices, and turn on two-factor authentication.',
    ],
  };
};
