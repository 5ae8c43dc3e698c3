/** How long the entrance of a new page or a menu takes, in ms (spec calls 9). */
export const PAGE_MS = 200;
export const MENU_MS = 250;

/** Animates a page in; shows it immediately for users who prefer reduced motion. */
export function comeIn(page: Pick<HTMLElement, 'animate'> | null, wantsLess: boolean): void {
  if (!wantsLess) page?.animate([{ opacity: 0 }, { opacity: 1 }], { duration: PAGE_MS, easing: 'ease-out' });
}
