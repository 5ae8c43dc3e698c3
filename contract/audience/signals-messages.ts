/** Messages about keyword counts. `retryFailed` is the spec's text (calls 8); the others are our own. */
export const intentMessages = {
  retryFailed: 'Server might be busy. Please try again later.',
  queued: 'The count is queued. You will get an email when it is done.',
  applied: 'The campaign now searches for these keywords.',
  notFailed: 'Only failed counts can be retried.',
  notDone: 'This count is not finished yet.',
  otherModule:
    'This count was made for another product, which matches keywords differently. Run a new count for this product.',
  notSearch: 'This campaign does not search by keywords.',
} as const;

/** A count of fewer people is told as 0, and larger ones in full tens (docs/decisions/0364-fewer-than-20.md). */
export const LEAST_TOLD = 20;
export const TOLD_STEP = 10;
