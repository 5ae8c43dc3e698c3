/** The delay before each progress request (spec calls 4): the first one after an upload, and every one after that. */
export const EVERY_MS = 2000;

/**
 * Polls until nothing is in progress. Only one request runs at a time; a failed one is retried.
 * @param ask resolves to whether something is still in progress
 */
export function createPoll(ask: () => Promise<boolean>, every = EVERY_MS) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let run = 0;
  const next = (mine: number) => {
    timer = setTimeout(async () => {
      const isUnderWay = await ask().catch(() => true);
      if (mine === run && isUnderWay) next(mine);
      else if (mine === run) timer = undefined;
    }, every);
  };
  return {
    /** Polls in 2 s, then every 2 s; cancels any earlier polling. */
    start(): void {
      this.stop();
      next(run);
    },
    /** Whether polling is active. */
    get isOn(): boolean {
      return timer !== undefined;
    },
    stop(): void {
      run++;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
