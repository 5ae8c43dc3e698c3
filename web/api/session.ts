import { messages } from '../../contract/messages.ts';
import { ApiError } from './errors.ts';

/** What the session keeps between page loads; browser storage or a test's map. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Runs `task` while no other tab runs one. */
export type Lock = <T>(task: () => Promise<T>) => Promise<T>;

/** 'ended' is told to the person (Session Ended); 'logout' is their own doing, here or in another tab. */
export type EndReason = 'ended' | 'logout';

/** Everything a session leaves in storage (spec product 4, Session); tables' looks and the theme stay. */
const KEYS = ['session', 'user', 'original_user', 'role', 'client_ip'];

/**
 * The access token, in memory only, and its renewal through the HttpOnly cookie. The flag 'session' in storage
 * says that a cookie may exist, so that a first visit asks for nothing (spec product 4, Session).
 */
export class Session {
  #token: string | undefined;
  #renewal: Promise<string> | undefined;
  /** Whether the end has been told already: calls still in flight must not tell it again. */
  #over = false;
  #leaving = false;
  /** Raised by each start and end, so that a renewal that comes back late changes nothing. */
  #era = 0;
  readonly #store: Store;
  readonly #renew: () => Promise<string>;
  readonly #lock: Lock;
  readonly #listeners = new Set<(reason: EndReason) => void>();

  /** @param parts `renew` asks the server for a new access token and throws ApiError when refused */
  constructor(parts: { store: Store; renew: () => Promise<string>; lock?: Lock }) {
    this.#store = parts.store;
    this.#renew = parts.renew;
    this.#lock = parts.lock ?? ((task) => task());
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** Whether somebody is, or may still be, signed in. */
  get alive(): boolean {
    return this.#token !== undefined || this.#store.getItem('session') === '1';
  }

  /** Takes the token of a fresh login. */
  start(token: string): void {
    this.#era++;
    this.#over = false;
    this.#token = token;
    this.#store.setItem('session', '1');
  }

  /**
   * A token that is not `stale`. All callers share one renewal; who comes after it with the old token gets the new.
   * @throws ApiError 401 after the session has ended; the renewal's own error when no answer or a 5xx came (the
   *   session stays, because nobody has refused it)
   */
  async fresh(stale?: string): Promise<string> {
    if (this.#token !== undefined && this.#token !== stale) return this.#token;
    this.#renewal ??= this.#lock(() => this.#renewOnce()).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<string> {
    const gone = new ApiError(401, messages.unauthenticated);
    // Signed out meanwhile, here or in another tab, or never signed in.
    if (this.#store.getItem('session') !== '1') {
      this.end('ended');
      throw gone;
    }
    const era = this.#era;
    try {
      const token = await this.#renew();
      if (era !== this.#era) throw gone;
      this.#token = token;
      return token;
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      const refused = status >= 400 && status < 500 && status !== 408 && status !== 429;
      if (refused && era === this.#era) this.end('ended');
      throw error;
    }
  }

  /**
   * Leaves by the person's own wish: tells the server, and forgets everything here even if that fails (AUTH-05).
   * @param tell the call that revokes the session
   */
  async leave(tell: () => Promise<unknown>): Promise<void> {
    this.#leaving = true;
    try {
      if (this.alive) await tell();
    } catch {
      // The person wants to be out, and is.
    } finally {
      this.end('logout');
      this.#leaving = false;
    }
  }

  /** Forgets whoever is signed in and tells nobody: another login follows, or the page itself says what has happened. */
  forget(): void {
    this.#era++;
    this.#token = undefined;
    for (const key of KEYS) this.#store.removeItem(key);
  }

  /** Forgets everything and tells the listeners, once. */
  end(reason: EndReason): void {
    this.forget();
    if (this.#over) return;
    this.#over = true;
    for (const listener of this.#listeners) listener(this.#leaving ? 'logout' : reason);
  }

  /** Calls back when the session ends; returns the way to stop that. */
  onEnd(listener: (reason: EndReason) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
