/**
 * How long a browser test waits for one thing, in milliseconds: what a healthy page shows within a second may take a
 * hundred times as long on a machine that is busy with something else. Only what never comes is a failure.
 */
export const PATIENCE_MS = 180_000;
