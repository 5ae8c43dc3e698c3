/** For how long, and how often, the page is notified that the sidebar's width is changing (spec calls 9). */
const FOR_MS = 1000;
const EVERY_MS = 180;

/**
 * Notifies everything that measures itself (charts, tables) of the sidebar's moving edge: 'resize' every 180 ms for 1
 * s.
 */
export function announceResize(target: Pick<EventTarget, 'dispatchEvent'> = window): void {
  const timer = setInterval(() => target.dispatchEvent(new Event('resize')), EVERY_MS);
  setTimeout(() => clearInterval(timer), FOR_MS);
}
