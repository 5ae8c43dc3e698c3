// Separate from choices.ts, because the sign-in page shows a tenant's font and needs no other list.

/**
 * The fonts a tenant may choose from, all served by the product itself: a page looks the same on every device. The
 * first is the product's own. Each is an open font from npm (web/build/fonts.ts).
 */
export const FONT_THEMES = {
  inter: { label: 'Inter', family: 'Inter', generic: 'sans-serif' },
  'neo-grotesque': { label: 'Neo-grotesque', family: 'Public Sans', generic: 'sans-serif' },
  humanist: { label: 'Humanist', family: 'Source Sans 3', generic: 'sans-serif' },
  geometric: { label: 'Geometric', family: 'Figtree', generic: 'sans-serif' },
  rounded: { label: 'Rounded', family: 'Nunito', generic: 'sans-serif' },
  industrial: { label: 'Industrial', family: 'Roboto Condensed', generic: 'sans-serif' },
  transitional: { label: 'Transitional serif', family: 'Source Serif 4', generic: 'serif' },
  'old-style': { label: 'Old-style serif', family: 'Literata', generic: 'serif' },
} as const;
export type FontTheme = keyof typeof FONT_THEMES;

/** The product's own font, for tenants who chose none. */
export const DEFAULT_FONT: FontTheme = 'inter';

/** The offered font of a stored name, which may be none or one that is no longer offered. */
export const fontTheme = (name: string | null): FontTheme =>
  name !== null && Object.hasOwn(FONT_THEMES, name) ? (name as FontTheme) : DEFAULT_FONT;

/** A font's CSS family list: the font, then a local one scaled to its size, so that nothing moves when it arrives. */
export const fontStack = (theme: FontTheme): string => {
  const { family, generic } = FONT_THEMES[theme];
  return `"${family}", "${family} fallback", ${generic}`;
};

/** Where the built web app lists the fonts' style rules, below its root: { [FontTheme]: FontRules }. */
export const FONT_LIST = 'fonts.json';

/** One offered font as built: its @font-face rules, and the path of the file that every page needs. */
export interface FontRules {
  css: string;
  first: string;
}
