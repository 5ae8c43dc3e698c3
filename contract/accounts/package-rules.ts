// Separate from settings.ts, which pulls in zod, because screens also validate with these.

/** The package every agency starts with; it always exists. */
export const FIRST_PACKAGE = 'standard';

/** The format of a package id. */
export const PACKAGE_ID = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** The maximum number of packages per root. */
export const MOST_PACKAGES = 50;
