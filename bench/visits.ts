import { randomUUID } from 'node:crypto';
import { systemClock } from '../server/platform/clock.ts';
import { newId } from '../server/platform/ids.ts';

const pages = [
  '/',
  '/boots/hiking-boots-high-waterproof',
  '/sale?utm_source=newsletter&utm_campaign=spring',
  '/checkout/delivery',
];

/** The site of the visits below. */
export const SITE = 'https://www.outdoor-shop.example.com';
/** The header line with which a browser on the site names it. */
export const ORIGIN = `Origin: ${SITE}\r\n`;

/** A body as the pixel sends it, 300 to 400 bytes, with an unused event id. */
export function visitBody(siteKey: string, hash?: string): string {
  const page = pages[Math.floor(Math.random() * pages.length)]!;
  return JSON.stringify({
    k: siteKey,
    e: [
      {
        i: newId(systemClock.now()),
        v: randomUUID(),
        ...(hash ? { h: hash } : {}),
        u: `${SITE}${page}`,
        r: 'https://www.google.com/search?q=waterproof+hiking+boots',
        t: 'Hiking boots, waterproof - Outdoor Shop Example',
        n: 'view',
      },
    ],
  });
}

/** A made-up public address. */
export function anyAddress(): string {
  const n = Math.floor(Math.random() * 2 ** 24);
  return `73.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
}
