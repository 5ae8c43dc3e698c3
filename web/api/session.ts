import { messages } from '../../contract/messages.ts';
import { screenMessages } from '../../contract/screen-messages.ts';
import { ApiError } from './errors.ts';

/** What the session keeps between page loads; browser storage or a test's map. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Runs `task` while no other tab runs one. */
export type Lock = <T>(task: () => Promise<T>) => Promise<T>;

/** 'ended' is shown to the user (Session Ended); 'logout' was the user's own action, here or in another tab. */
export type EndReason = 'ended' | 'logout';

/** Everything a session leaves in storage (spec product 4, Session); table settings and the theme are kept. */
const KEYS = ['session', 'user', 'original_user', 'role', 'client_ip'];

/** Who a token is for and, in view mode, who the real user is; empty if it is not a JWT. */
export function peopleIn(token: string | undefined): { subject?: string; trueActor?: string } {
  try {
    const payload = token?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    const { sub, act } = JSON.parse(atob(payload));
    return { subject: sub, ...(act?.sub ? { trueActor: act.sub } : {}) };
  } catch {
    return {};
  }
}

/** The error for a call that was started in a view that has since ended: it must not be sent as another user. */
const viewOver = () => new ApiError(409, screenMessages.viewOver);

/**
 * Holds the access token, in memory only, and renews it through the HttpOnly cookie. The flag 'session' in storage says
 * that a cookie may exist, so that a first visit makes no request (spec product 4, Session). In view mode the token is
 * the view's and 'original_user' in storage holds the real user (spec product 4, View mode); the server knows about the
 * view, so a reload or another tab continues with it, and with the login once the view is over.
 */
export class Session {
  #token: string | undefined;
  #renewal: Promise<string> | undefined;
  /** Whether the end has already been reported: calls still in flight must not report it again. */
  #over = false;
  #leaving = false;
  /** Incremented on each start and end, so that a renewal that returns late changes nothing. */
  #era = 0;
  readonly #store: Store;
  readonly #renew: () => Promise<string>;
  readonly #lock: Lock;
  readonly #listeners = new Set<(reason: EndReason) => void>();
  readonly #viewListeners = new Set<() => void>();

  /** @param parts `renew` asks the server for a new access token and throws ApiError when refused */
  constructor(parts: { store: Store; renew: () => Promise<string>; lock?: Lock }) {
    this.#store = parts.store;
    this.#renew = parts.renew;
    this.#lock = parts.lock ?? ((task) => task());
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** Whether a user is, or may still be, signed in. */
  get alive(): boolean {
    return this.#token !== undefined || this.#store.getItem('session') === '1';
  }

  /** Takes the token of a fresh login. */
  start(token: string): void {
    this.#era++;
    this.#over = false;
    this.#keep(token);
    this.#store.setItem('session', '1');
  }

  /** Continues with a view's token, or with the user's own again. Calls in flight under the previous one are void. */
  become(token: string): void {
    this.#era++;
    this.#keep(token);
  }

  /** Continues as the user's own self or with the active view, according to the server. */
  async rejoin(): Promise<void> {
    this.become(await this.#lock(() => this.#renew()));
  }

  /** Whether this page acts as the user that is in storage; false if another tab has started or ended a view. */
  get agrees(): boolean {
    if (this.#token === undefined) return true;
    return (peopleIn(this.#token).trueActor ?? null) === this.#store.getItem('original_user');
  }

  #keep(token: string): void {
    this.#token = token;
    const { trueActor } = peopleIn(token);
    if (trueActor) this.#store.setItem('original_user', trueActor);
    else if (this.#store.getItem('original_user') !== null) this.#store.removeItem('original_user');
  }

  /**
   * Returns a token that is not `stale`. All callers share one renewal; one that arrives later with the old token gets
   * the new one.
   * @throws ApiError 401 after the session has ended; the renewal's own error on no response or a 5xx (the session
   * stays, because it has not been refused); 409 if the token is now for another user, as after a view
   */
  async fresh(stale?: string): Promise<string> {
    if (this.#token !== undefined && this.#token !== stale) {
      if (stale !== undefined && peopleIn(stale).subject !== peopleIn(this.#token).subject) throw viewOver();
      return this.#token;
    }
    this.#renewal ??= this.#lock(() => this.#renewOnce()).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<string> {
    const gone = new ApiError(401, messages.unauthenticated);
    // Signed out in the meantime, here or in another tab, or never signed in.
    if (this.#store.getItem('session') !== '1') {
      this.end('ended');
      throw gone;
    }
    const era = this.#era;
    try {
      const token = await this.#renew();
      if (era !== this.#era) throw gone;
      const before = this.#token;
      const wasViewing = this.#store.getItem('original_user') !== null;
      this.#keep(token);
      const isOther = before !== undefined && peopleIn(before).subject !== peopleIn(token).subject;
      // After a reload there is no token to compare with, but storage shows that a view has ended since.
      if (isOther || (before === undefined && wasViewing && !peopleIn(token).trueActor))
        for (const listener of this.#viewListeners) listener();
      if (isOther) throw viewOver();
      return token;
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      const refused = status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 429;
      if (refused && era === this.#era) this.end('ended');
      throw error;
    }
  }

  /**
   * Signs out at the user's own request: tells the server, and deletes everything here even if that fails (AUTH-05).
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

  /**
   * Forgets the signed-in user without notifying anyone: another login follows, or the page itself explains what
   * happened.
   */
  forget(): void {
    this.#era++;
    this.#token = undefined;
    for (const key of KEYS) this.#store.removeItem(key);
  }

  /** Forgets everything and notifies the listeners, once. */
  end(reason: EndReason): void {
    this.forget();
    if (this.#over) return;
    this.#over = true;
    for (const listener of this.#listeners) listener(this.#leaving ? 'logout' : reason);
  }

  /**
   * Calls back when a view turns out to have started or ended outside this page; returns the function to unsubscribe.
   */
  onViewChange(listener: () => void): () => void {
    this.#viewListeners.add(listener);
    return () => this.#viewListeners.delete(listener);
  }

  /** Calls back when the session ends; returns the function to unsubscribe. */
  onEnd(listener: (reason: EndReason) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
