/** What keyword counts say. `retryFailed` is the spec's text (calls 8); the others are our own. */
export const intentMessages = {
  retryFailed: 'Server might be busy. Please try again later.',
  queued: 'The count is queued. You get an e-mail when it is done.',
  applied: 'The campaign looks for these keywords now.',
  notFailed: 'Only a count that failed can be tried again.',
  notDone: 'This count is not done yet.',
  otherModule:
    'This count was made for another product, which matches keywords in its own way. Count anew for this one.',
  notSearch: 'This campaign does not search by keywords.',
} as const;
