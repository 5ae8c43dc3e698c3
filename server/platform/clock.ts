/** The source of the time for all rules, so that a test can freeze or move it. */
export interface Clock {
  now(): Date;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock for tests and the demo seed: stands still until moved. */
export class ManualClock implements Clock {
  #at: number;
  constructor(at: Date | string) {
    this.#at = new Date(at).getTime();
  }
  now(): Date {
    return new Date(this.#at);
  }
  /** Moves the clock by this many milliseconds (negative: back). */
  advance(milliseconds: number): void {
    this.#at += milliseconds;
  }
}
