/** Those of `ownMessages` that screens say themselves: apart, so that the rest does not travel to every browser. */
export const screenMessages = {
  viewOver: 'View mode has ended. You are back in your own account.',
  ssoUsed: 'This sign-in link has been used already. Open a new one where you found it.',
  resetInvalid: 'This link is not valid. Please ask for a new one.',
  captchaNeeded: 'Please confirm that you are not a robot.',
  captchaAway: 'The check that you are not a robot is not available at the moment. Please try again shortly.',
  agencyAccountUnfinished:
    "Your agency's payment account is not fully set up yet, so campaigns cannot run. Please contact your agency.",
  agencyAccountAway:
    "Your agency's payment account is not available, so campaigns cannot run. Please contact your agency.",
  walletToppedUp: (amount: string) => `Your Data Wallet has been topped up by $${amount}.`,
} as const;
