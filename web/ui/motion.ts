/** How long a new page and a menu take to come in, in ms (spec calls 9). */
export const PAGE_MS = 200;
export const MENU_MS = 250;

/** Lets a page come in; at once for who wants less motion. */
export function comeIn(page: Pick<HTMLElement, 'animate'> | null, wantsLess: boolean): void {
  if (!wantsLess) page?.animate([{ opacity: 0 }, { opacity: 1 }], { duration: PAGE_MS, easing: 'ease-out' });
}
