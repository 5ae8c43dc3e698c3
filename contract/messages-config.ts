/** Texts of people, mail servers and roots. The server alone writes them, so they are not in the scripts of the login page. */
export const configMessages = {
  invitationsSent: (sent: number, signedIn: number, removed: number) =>
    [
      `${sent} sent`,
      ...(signedIn > 0 ? [`${signedIn} ${signedIn === 1 ? 'has' : 'have'} signed in already`] : []),
      ...(removed > 0 ? [`${removed} ${removed === 1 ? 'is' : 'are'} removed`] : []),
    ].join(', '),
  personStale:
    'Somebody else has changed this person in the meantime. Reload to see their changes, then make yours again.',
  personRemoved: 'The person is removed and signed out everywhere.',
  personRestored: 'The person is back and can sign in again.',
  personSelf: 'You cannot remove yourself or change your own role.',
  ownersOnly: 'Only an owner may add, change or remove owners.',
  ownerAddress: 'Only owners and administrators with full access can change an owner’s email address.',
  addressHeld:
    'The new email address works after 72 hours, or as soon as it’s confirmed at the old one. Both addresses got an email.',
  lastOwner: 'This is the last owner of the company. Make somebody else an owner first.',
  rootAdded: 'The root is made, and its owner is invited.',
  smtpGreeted: 'The mail server answers and takes the sign-in.',
  smtpNone: 'No mail server is saved. Save one first.',
  smtpFailed: 'The mail server could not be used. Its answer is below.',
  smtpSent: (to: string) => `The mail server has taken an e-mail to ${to}.`,
  smtpPassword: 'is required: the server or the user is another one than before',
} as const;
