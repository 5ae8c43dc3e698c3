/**
 * How long a browser test waits for one thing, in milliseconds: what a healthy page shows within a second may take a
 * hundred times as long on a busy machine. Only something that never appears is a failure.
 */
export const PATIENCE_MS = 180_000;
