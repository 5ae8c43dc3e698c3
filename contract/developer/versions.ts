// The versions of the developer API, by the date they appeared, oldest first. What each changed is in the server's
// v1.versions.ts. No schema here, so that none is sent to the browser.

export const VERSIONS = ['2026-12-01', '2026-12-08', '2026-12-15'] as const;
export type Version = (typeof VERSIONS)[number];
/** The newest version: the shapes in v1.ts and v1-writes.ts are its own. */
export const LEAD_VERSION: Version = VERSIONS.at(-1)!;
/** How long a version works after a newer one has appeared, in months. */
export const VERSION_MONTHS = 24;

export const isVersion = (text: string): text is Version => (VERSIONS as readonly string[]).includes(text);
