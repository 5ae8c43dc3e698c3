/** The `ownMessages` that screens show themselves: separate, so that the rest is not sent to every browser. */
export const screenMessages = {
  newVersion: 'A new version is available.',
  viewOver: 'View mode has ended. You are back in your own account.',
  ssoUsed: 'This sign-in link has already been used. Open a new one where you found it.',
  resetInvalid: 'This link is not valid. Request a new one.',
  captchaNeeded: 'Confirm that you are not a robot.',
  captchaAway: 'The robot check is not available right now. Try again in a moment.',
  agencyAccountUnfinished:
    "Your agency's payment account is not fully set up yet, so campaigns cannot run. Contact your agency.",
  agencyAccountAway:
    "Your agency's payment account is not available, so campaigns cannot run. Contact your agency.",
  walletToppedUp: (amount: string) => `$${amount} was added to your Data Wallet.`,
} as const;
