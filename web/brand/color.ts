/** Red, green, blue, each 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Reads '#abc', '#aabbcc' (any alpha is dropped) or 'rgb(1, 2, 3)'; undefined for anything else. */
export function parseColor(text: string | null | undefined): Rgb | undefined {
  const value = text?.trim().toLowerCase() ?? '';
  const hex = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1];
  if (hex && [3, 4, 6, 8].includes(hex.length)) {
    const wide = hex.length < 6 ? [...hex].map((c) => c + c).join('') : hex;
    return [0, 2, 4].map((at) => Number.parseInt(wide.slice(at, at + 2), 16)) as unknown as Rgb;
  }
  const parts = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/.exec(value)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) ? (parts as unknown as Rgb) : undefined;
}

/** '#rrggbb'. */
export function hexOf(color: Rgb): string {
  return `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** Relative luminance, 0 (black) to 1 (white), per WCAG 2. */
export function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const s = part / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast of two colors, 1 to 21, per WCAG 2. */
export function contrast(a: Rgb, b: Rgb): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The color at `share` (0 to 1) of the way from one color to another, in whole steps of 8-bit sRGB. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((part, at) => Math.round(part + (to[at]! - part) * share)) as unknown as Rgb;
}

export const WHITE: Rgb = [255, 255, 255];
export const BLACK: Rgb = [0, 0, 0];

/** White or near-black, whichever reads better on the color. */
export function inkOn(background: Rgb): Rgb {
  const ink: Rgb = [20, 21, 25];
  const dark = contrast(background, ink) >= 4.5 ? ink : BLACK;
  return contrast(background, WHITE) >= 4.5 || contrast(background, WHITE) > contrast(background, dark)
    ? WHITE
    : dark;
}

/**
 * The color itself if it reaches `ratio` against every background, otherwise the nearest step toward white or black
 * (whichever is farther from the backgrounds) that does.
 */
export function legible(color: Rgb, backgrounds: readonly Rgb[], ratio: number): Rgb {
  const enough = (one: Rgb) => backgrounds.every((background) => contrast(one, background) >= ratio);
  if (enough(color)) return color;
  const worst = (end: Rgb) => Math.min(...backgrounds.map((background) => contrast(end, background)));
  const end = worst(WHITE) > worst(BLACK) ? WHITE : BLACK;
  for (let share = 0.04; share < 1; share += 0.04) {
    const next = mix(color, end, share);
    if (enough(next)) return next;
  }
  return end;
}
