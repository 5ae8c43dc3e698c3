// Plain lists shared by server and browser.

/** The lists of California's Delete Request and Opt-out Platform, as its files are named. */
export const DROP_LISTS = ['NDZ', 'Email', 'Phone', 'MAID', 'NameVIN', 'CTVID'] as const;
export type DropList = (typeof DROP_LISTS)[number];

/** What a data broker answers: 2 exempt, 3 deleted, 4 opted out, 5 not found. */
export type DropStatus = 2 | 3 | 4 | 5;

/** Which service the lists come from: made up by the product, California's test service, or California. */
export const DROP_MODES = ['simulated', 'sandbox', 'live'] as const;
export type DropMode = (typeof DROP_MODES)[number];

/** What a download is waiting for. */
export const DROP_STATES = ['loading', 'matching', 'answering', 'complete'] as const;
export type DropState = (typeof DROP_STATES)[number];
