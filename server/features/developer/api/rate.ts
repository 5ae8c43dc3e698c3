/**
 * What a key may do: as many requests at once as `burst`, and `perSecond` on average (600 a minute), which reads 60,000
 * leads a minute. Told to programs as `burst` requests in the time that it takes to refill.
 */
export const RATE = { perSecond: 10, burst: 100 };
/** How many keys are remembered at most. One forgotten too soon starts with a full bucket, so the limit errs kindly. */
const MOST_KEYS = 10_000;

/** The limit as sent with every response (draft-ietf-httpapi-ratelimit-headers). */
export const RATE_POLICY = `"default";q=${RATE.burst};w=${RATE.burst / RATE.perSecond}`;

interface Rate {
  isOver: boolean;
  /** The value of the header RateLimit: what is left, and in how many seconds all of it will be back. */
  header: string;
  /** Seconds until the next request is accepted. */
  retryAfter: number;
}

/**
 * Token buckets, one for each key, in this process: several processes allow a key as many times the rate. Nothing is
 * asked of the database.
 */
export function createRates() {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    size: (): number => buckets.size,

    /** Takes one request of a key. */
    take(key: string, now: Date): Rate {
      const at = now.getTime();
      const { perSecond, burst } = RATE;
      const found = buckets.get(key);
      // A clock that was set back must not empty a bucket.
      const passed = found ? Math.max(0, at - found.at) / 1000 : 0;
      const tokens = found ? Math.min(burst, found.tokens + passed * perSecond) : burst;
      const isOver = tokens < 1;
      const left = isOver ? tokens : tokens - 1;
      // Put back at the end: the first one is then the one that has been unused for longest.
      buckets.delete(key);
      buckets.set(key, { tokens: left, at });
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_KEYS && oldest !== undefined) buckets.delete(oldest);
      return {
        isOver,
        header: `"default";r=${Math.floor(left)};t=${Math.ceil((burst - left) / perSecond)}`,
        retryAfter: Math.max(1, Math.ceil((1 - left) / perSecond)),
      };
    },
  };
}
