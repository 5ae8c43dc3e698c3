/** Messages about exclusion lists, verbatim from the specification (calls 5 and 8), used by screens and server. */
export const exclusionMessages = {
  csvOnly: 'Invalid file format. This upload only supports CSV files.',
  failed: 'Whoops that did not work, please check your file for errors and try again',
  submitted: 'Your Suppression file has been Submitted, Thank you!',
  purgeTitle: 'Record Purge Confirmation',
  purgeSure: 'Are you sure you want to purge existing records?',
  purgeFailed: 'There was an error processing your request.',
} as const;

/** Messages the specification does not define. */
export const ownExclusionMessages = {
  purgedTitle: 'Records purged',
  purged: (lists: number, entries: string) =>
    lists === 0
      ? 'There were no records to purge.'
      : `Purged ${entries} ${entries === '1' ? 'entry' : 'entries'} from ${lists} ${lists === 1 ? 'list' : 'lists'}.`,
  again: 'The file is being read again.',
  standing: 'People who made privacy requests stay excluded. This list cannot be undone.',
  undone: 'List undone. It no longer excludes anyone.',
  removed: 'List removed. Its people are no longer known customers.',
} as const;

/** The maximum number of records in a file given to a client or a campaign. */
export const MOST_RECORDS = 10_000;
