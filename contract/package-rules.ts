// Apart from settings.ts, which brings zod along: screens check by these, too.

/** The package that every agency begins with; it is always there. */
export const FIRST_PACKAGE = 'standard';

/** What an id of a package looks like. */
export const PACKAGE_ID = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** A root has no more packages than this. */
export const MOST_PACKAGES = 50;
