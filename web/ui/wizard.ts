/** One step of a wizard: whether the server has everything it asks for. */
export interface StepState {
  key: string;
  isDone: boolean;
  /** May be skipped. */
  isOptional?: boolean;
}

/**
 * Returns how far the user may go: to the first required step that is not done, and any step before it. Going back is
 * always allowed.
 */
export function reach(steps: readonly StepState[]): number {
  const open = steps.findIndex((step) => !step.isDone && !step.isOptional);
  return open < 0 ? steps.length - 1 : open;
}

/**
 * Returns the step to show: the requested one if it is reachable, otherwise the furthest one allowed. This way, a
 * reload or a link to a later step lands where the work continues.
 */
export function stepAt(steps: readonly StepState[], wanted?: string): number {
  const at = steps.findIndex((step) => step.key === wanted);
  return at < 0 ? reach(steps) : Math.min(at, reach(steps));
}

/** Returns the step after one that passed its check; undefined after the last. */
export function stepAfter<Step extends StepState>(steps: readonly Step[], key: string): Step | undefined {
  const at = steps.findIndex((step) => step.key === key);
  return at < 0 ? undefined : steps[at + 1];
}
