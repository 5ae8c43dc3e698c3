/**
 * Messages about people, mail servers and roots. Only the server uses them, so they are not in the scripts of the login
 * page.
 */
export const configMessages = {
  invitationsSent: (sent: number, signedIn: number, removed: number) =>
    [
      `${sent} sent`,
      ...(signedIn > 0 ? [`${signedIn} ${signedIn === 1 ? 'has' : 'have'} already signed in`] : []),
      ...(removed > 0 ? [`${removed} ${removed === 1 ? 'is' : 'are'} removed`] : []),
    ].join(', '),
  personStale:
    'Someone else changed this user in the meantime. Reload to see their changes, then make yours again.',
  personRemoved: 'User removed and signed out everywhere.',
  personRestored: 'User restored. They can sign in again.',
  personSelf: 'You cannot remove yourself or change your own role.',
  permissionSelf: 'You cannot change your own permissions.',
  permissionBeyond: 'Only owners and users who have this permission themselves can give it.',
  ownersOnly: 'Only an owner can add, change, or remove owners.',
  hostOwner: 'Only an owner can change the addresses where a company’s users sign in.',
  salesBeyond:
    'Salespeople see the campaigns and leads of companies assigned to them. Your own role must allow that, and changing settings, before you can add, change, or assign them.',
  ownerAddress:
    'Only owners and administrators with full access can add an owner to a company, or change an owner’s email address.',
  addressHeld:
    'The new email address takes effect after 72 hours, or as soon as it’s confirmed from the old address. We emailed both addresses.',
  lastOwner: 'This is the last owner of the company. Make someone else an owner first.',
  rootAdded: 'The root was created and its owner was invited.',
  smtpGreeted: 'The mail server responded and accepted the sign-in.',
  smtpNone: 'No mail server is saved yet. Save one first.',
  smtpFailed: 'The mail server could not be used. Its response is below.',
  smtpSent: (to: string) => `The mail server accepted an email to ${to}.`,
  smtpPassword: 'is required because the server or user changed',
} as const;
