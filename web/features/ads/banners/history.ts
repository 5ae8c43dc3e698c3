/** What can be undone and redone. */
export interface History<T> {
  past: readonly T[];
  now: T;
  future: readonly T[];
  /** What the last change was part of; further ones of the same are one step. */
  step?: string | undefined;
}

const MOST_STEPS = 100;

export const historyOf = <T>(now: T): History<T> => ({ past: [], now, future: [] });

/** A change; changes with the same `step` one after another, as of letters typed, are undone together. */
export function changed<T>(history: History<T>, now: T, step?: string): History<T> {
  if (now === history.now) return history;
  if (step !== undefined && step === history.step) return { ...history, now, future: [] };
  return { past: [...history.past, history.now].slice(-MOST_STEPS), now, future: [], step };
}

export function undone<T>(history: History<T>): History<T> {
  const now = history.past.at(-1);
  if (now === undefined) return history;
  return { past: history.past.slice(0, -1), now, future: [history.now, ...history.future] };
}

export function redone<T>(history: History<T>): History<T> {
  const [now, ...future] = history.future;
  if (now === undefined) return history;
  return { past: [...history.past, history.now], now, future };
}
