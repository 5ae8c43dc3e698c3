/** Texts of the specification that people see, each once and to the letter. */
export const messages = {
  sessionEndedTitle: 'Session Ended',
  sessionEnded: 'Your session has ended. Please log in again to continue.',
  unauthenticated: 'Unauthenticated.',
  errorTitle: 'Something Went Wrong',
  errorText: 'Please try again later or contact the administrator.',
  notFoundTitle: 'Page Not Found',
  notFoundText: 'The page you requested could not be found.',
  goHome: 'Go to Homepage',
  changesSaved: 'Changes saved successfully',
  added: 'Data has been added successfully',
  updated: 'Data has been updated successfully',
  busy: 'Server might be busy please try again later',
  crawlBlocked: 'Blocked from crawling (Needs manual review at your url)',
  testOncePerMinute: 'You can only attempt this test once every minute. Please try again later.',
  preparingFile: 'Preparing your file...',
  downloadDone: 'Download Successful',
  downloadFailed: 'There was an error downloading file',
  phoneInvalid: 'Please enter valid phone number',
  settingSaved: 'Setting has been saved.',
  settingFailed: 'We are unable to save your setting, please try again later.',
  currentPasswordWrong: '* Sorry, your current password invalid',
  passwordUpdated: 'your password has been updated!',
  forgotFailed: 'Something went wrong. Please try again later.',
  ssoValid: 'Access Token Valid',
  ssoInvalid:
    'Sorry! There is currently an update processing on the platform. Please wait five minutes and try again.',
} as const;

/** Texts the specification leaves open. */
export const ownMessages = {
  badLogin: 'The e-mail address or the password is not right.',
  tooManyTries: 'Too many tries. Please wait a moment and try again.',
  captchaNeeded: 'Please confirm that you are not a robot.',
  captchaAway: 'The check that you are not a robot is not available at the moment. Please try again shortly.',
  badCode: 'The code is not right or no longer valid.',
  codeOver: 'This login has expired. Please sign in again.',
  codeSentTooSoon: 'A code has just been sent. Please wait a moment before you ask for another one.',
  codeSentTooOften: 'No further code can be sent for this login. Please sign in again.',
  codesFromApp: 'Codes for this login come from your authenticator app.',
  resetSent:
    'If this address has an account here, an e-mail with a link to set a new password is on its way.',
  resetInvalid: 'This link is not valid. Please ask for a new one.',
  resetExpired: 'This link has expired. Please ask for a new one.',
  resetUsed: 'This link has been used already. Please ask for a new one if you need it.',
  newPasswordSet: 'Your new password is set. Please sign in with it.',
  registerClosed: 'Registration is not open here.',
  registerSent:
    'Thank you. Please follow the link in the e-mail we have just sent you to complete your registration.',
  registerInvalid: 'This link is not valid any more. Please register again.',
  registerDone: 'Your account is ready. Please sign in.',
  refcodeUnknown: 'is not a referral code of this platform',
  passwordIsAddress: 'must not be your e-mail address',
  notInView: 'This is not possible while you view as somebody else. Return to your own account first.',
  viewNotAllowed: 'You can view as people of agencies and clients below your own company only.',
  viewAlready: 'You are viewing as somebody else already. Return to your own account first.',
  viewNone: 'You are not viewing as anybody.',
  viewStarted: 'You now see what this person sees.',
  viewRenewed: 'The view goes on for 30 minutes.',
  viewEnded: 'You are back in your own account.',
  viewOver: 'View mode has ended. You are back in your own account.',
  settingStale:
    'Somebody else has saved this setting in the meantime. Reload it to see their changes, then make yours again.',
  domainSaved:
    'The domain has been entered. Add the two records below to its DNS; we look for them every few minutes.',
  domainRemoved: 'The domain has been taken away.',
  domainChecked: 'The records have been looked for.',
  notFound: 'This does not exist, or you may not see it.',
  forbidden: 'Your role does not allow this.',
  unavailable: 'The database is not available at the moment. Please try again shortly.',
  internal: 'Something went wrong on our side. It has been recorded.',
  balanceEmpty:
    'The prepaid balance does not cover another lead. Add balance, then activate the campaign again.',
  capSet: 'The limit is saved.',
  capCampaign:
    'The spending limit of the campaign is reached. It goes on when the day or month is over, or when the limit is raised.',
  capClient:
    'The spending limit of the client is reached. It goes on when the day or month is over, or when the limit is raised.',
  capWallet:
    'A spending limit of the agency is reached. It goes on when the day or month is over, or when the agency raises the limit.',
  walletEmpty: 'The Data Wallet does not cover this.',
} as const;
