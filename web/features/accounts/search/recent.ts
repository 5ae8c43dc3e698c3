import { maySee } from '../../../../contract/routing/routing.ts';
import type { SignedIn } from '../../../../contract/routing/routing-facts.ts';
import { allPages } from '../../../../contract/routing/routing-menu.ts';
import type { Choice } from './targets.ts';

const MOST_RECENT = 5;
const placeOf = (userId: string) => `search.recent.${userId}`;
const isChoice = (one: unknown): one is Choice =>
  typeof one === 'object' &&
  one !== null &&
  (['key', 'title', 'detail', 'to'] as const).every((name) => typeof (one as Choice)[name] === 'string') &&
  /^\/(?!\/)/.test((one as Choice).to);

/** Returns what the user chose last in this browser, as far as they may still see it; newest first. */
export function recentOf(facts: SignedIn, kept: Pick<Storage, 'getItem'> = localStorage): Choice[] {
  try {
    const known: unknown = JSON.parse(kept.getItem(placeOf(facts.user.id)) ?? '[]');
    if (!Array.isArray(known)) return [];
    const pages = new Set(allPages(facts).map(({ to }) => to));
    return known
      .filter(isChoice)
      .filter(({ key, to }) => (key.startsWith('page ') ? pages.has(to) : maySee(to.split('?')[0]!, facts)))
      .map((one) => ({ ...one, group: 'Recent' }));
  } catch {
    return [];
  }
}

/** Stores a choice at the top. */
export function remember(
  choice: Choice,
  userId: string,
  kept: Pick<Storage, 'getItem' | 'setItem'> = localStorage,
): void {
  // What does something instead of leading somewhere is not run again by a slip.
  if (!choice.to) return;
  try {
    const known: unknown = JSON.parse(kept.getItem(placeOf(userId)) ?? '[]');
    const others = Array.isArray(known) ? known.filter(isChoice).filter(({ key }) => key !== choice.key) : [];
    kept.setItem(placeOf(userId), JSON.stringify([choice, ...others].slice(0, MOST_RECENT)));
  } catch {
    // A browser that keeps nothing has no recent choices.
  }
}

/** Removes all of it, so that the next user of this browser does not see it. */
export function forgetRecent(userId: string, kept: Pick<Storage, 'removeItem'> = localStorage): void {
  try {
    kept.removeItem(placeOf(userId));
  } catch {
    // Nothing was kept.
  }
}
