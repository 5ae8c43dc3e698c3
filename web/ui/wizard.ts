/** One step of a wizard: whether the server holds all that it asks for. */
export interface StepState {
  key: string;
  isDone: boolean;
  /** May be left undone. */
  isOptional?: boolean;
}

/** How far one may go: to the first step that has to be done and is not, and to each before it. Back is always allowed. */
export function reach(steps: readonly StepState[]): number {
  const open = steps.findIndex((step) => !step.isDone && !step.isOptional);
  return open < 0 ? steps.length - 1 : open;
}

/**
 * The step to show: the wanted one if it is within reach, else as far as one may go. So a reload, and a link to a later
 * step, land where the work goes on.
 */
export function stepAt(steps: readonly StepState[], wanted?: string): number {
  const at = steps.findIndex((step) => step.key === wanted);
  return at < 0 ? reach(steps) : Math.min(at, reach(steps));
}

/** The step after one whose check has passed; undefined after the last. */
export function stepAfter<Step extends StepState>(steps: readonly Step[], key: string): Step | undefined {
  const at = steps.findIndex((step) => step.key === key);
  return at < 0 ? undefined : steps[at + 1];
}
