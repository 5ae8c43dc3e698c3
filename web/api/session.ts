import { messages } from '../../contract/messages.ts';
import { screenMessages } from '../../contract/screen-messages.ts';
import { ApiError } from './errors.ts';

/** What the session keeps between page loads; browser storage or a test's map. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Runs `task` while no other tab runs one. */
export type Lock = <T>(task: () => Promise<T>) => Promise<T>;

/** 'ended' is told to the person (Session Ended); 'logout' is their own doing, here or in another tab. */
export type EndReason = 'ended' | 'logout';

/** Everything a session leaves in storage (spec product 4, Session); tables' looks and the theme stay. */
const KEYS = ['session', 'user', 'original_user', 'role', 'client_ip'];

/** Whom a token is for and, in view mode, who is behind it; nothing of what is not a JWT. */
export function peopleIn(token: string | undefined): { subject?: string; trueActor?: string } {
  try {
    const payload = token?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    const { sub, act } = JSON.parse(atob(payload));
    return { subject: sub, ...(act?.sub ? { trueActor: act.sub } : {}) };
  } catch {
    return {};
  }
}

/** The answer for a call that was begun as somebody whom one does not view as any more: it must not be sent as another. */
const viewOver = () => new ApiError(409, screenMessages.viewOver);

/**
 * The access token, in memory only, and its renewal through the HttpOnly cookie. The flag 'session' in storage
 * says that a cookie may exist, so that a first visit asks for nothing (spec product 4, Session). In view mode the token is
 * the view's and 'original_user' in storage holds who is behind it (spec product 4, View mode); the server knows, so
 * that a reload and another tab go on with the view, and with the login once the view is over.
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

  /** Whether somebody is, or may still be, signed in. */
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

  /** Goes on with the token of a view, or of one's own again. What is in flight under the former one is void. */
  become(token: string): void {
    this.#era++;
    this.#keep(token);
  }

  /** Goes on as oneself, or with the view that lives, as the server has it. */
  async rejoin(): Promise<void> {
    this.become(await this.#lock(() => this.#renew()));
  }

  /** Whether what this page acts as is what is stored; not so when another tab has begun or ended a view. */
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
   * A token that is not `stale`. All callers share one renewal; who comes after it with the old token gets the new.
   * @throws ApiError 401 after the session has ended; the renewal's own error when no answer or a 5xx came (the
   *   session stays, because nobody has refused it); 409 when the token now is for somebody else, as after a view
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
    // Signed out meanwhile, here or in another tab, or never signed in.
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
      // After a reload there is no token to compare with, but what is stored tells that a view has ended since.
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

  /** Calls back when a view is found to have begun or ended without this page's doing; returns the way to stop that. */
  onViewChange(listener: () => void): () => void {
    this.#viewListeners.add(listener);
    return () => this.#viewListeners.delete(listener);
  }

  /** Calls back when the session ends; returns the way to stop that. */
  onEnd(listener: (reason: EndReason) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
