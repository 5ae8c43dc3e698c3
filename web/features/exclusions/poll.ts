/** How long until a question about progress is asked (spec calls 4): the first one after an upload, and each after another. */
export const EVERY_MS = 2000;

/**
 * Asks again and again until nothing is under way any more. One question at a time; a failure is asked again.
 * @param ask answers whether something is still under way
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
    /** Asks in 2 s, then every 2 s; what was asked before is forgotten. */
    start(): void {
      this.stop();
      next(run);
    },
    /** Whether it goes on. */
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
