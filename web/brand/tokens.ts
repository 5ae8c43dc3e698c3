import {
  BLACK,
  contrast,
  hexOf,
  inkOn,
  legible,
  luminance,
  mix,
  parseColor,
  type Rgb,
  WHITE,
} from './color.ts';

/** The colors a tenant may set (spec product 3, Domain info). */
export interface BrandColors {
  box_bgcolor: string | null;
  text_color: string | null;
  link_color: string | null;
  template_bgcolor: string | null;
  sidebar_bgcolor: string | null;
}

/** Colors of one theme as '#rrggbb'. Text on any of them reaches 4.5:1, controls and lines of charts 3:1. */
export interface Tokens {
  accent: string;
  accentHover: string;
  onAccent: string;
  /** Links and accent-colored text on the page, its cards and hovered rows. */
  link: string;
  /** A faint wash of the accent, and text on it. */
  wash: string;
  onWash: string;
  /** Focus rings, lines of charts: 3:1 against page and cards. */
  line: string;
  sidebar: string;
  onSidebar: string;
  onSidebarDim: string;
  sidebarActive: string;
  sidebarBorder: string;
  /** Behind the login page's box. */
  backdrop: string;
}

/** A color changed for readability; shown to the tenant. */
export interface Correction {
  theme: 'light' | 'dark';
  field: keyof BrandColors;
  given: string;
  used: string;
}

/** Page surfaces of the two themes; the neutral grays of the product. */
export const SURFACES = {
  light: { page: '#ffffff', card: '#ffffff', raised: '#f6f7f9', text: '#1b1d22' },
  dark: { page: '#141519', card: '#191a1f', raised: '#25272e', text: '#e4e4e7' },
} as const;

const DEFAULT_ACCENT: Rgb = [63, 81, 181];

/** Whether a color has a hue: with white, black or a gray the page would have no accent. */
function hasColor(color: Rgb): boolean {
  const spread = Math.max(...color) - Math.min(...color);
  return spread >= 24;
}

/**
 * Tokens of both themes from a tenant's colors: box_bgcolor is the accent (else link_color), text_color the text on it,
 * link_color links, sidebar_bgcolor the sidebar, template_bgcolor the login's backdrop. Colors that are not readable
 * are moved toward black or white until they are.
 */
export function brandTokens(brand: BrandColors): { light: Tokens; dark: Tokens; corrections: Correction[] } {
  const corrections: Correction[] = [];
  const build = (theme: 'light' | 'dark'): Tokens => {
    const note = (field: keyof BrandColors, used: Rgb) => {
      const given = parseColor(brand[field]);
      if (given && hexOf(given) !== hexOf(used)) {
        corrections.push({ theme, field, given: hexOf(given), used: hexOf(used) });
      }
      return used;
    };
    const surface = SURFACES[theme];
    const page = parseColor(surface.page)!;
    const grounds = [page, parseColor(surface.card)!, parseColor(surface.raised)!];
    const box = parseColor(brand.box_bgcolor);
    const links = parseColor(brand.link_color);
    const source = (['box_bgcolor', 'link_color'] as const).find((field) => {
      const color = parseColor(brand[field]);
      return color && hasColor(color);
    });
    const wanted = (source && parseColor(brand[source])) ?? box ?? links ?? DEFAULT_ACCENT;

    // The filled button must stand out from the page (3:1) and keep its text readable (4.5:1).
    const accent = legible(wanted, grounds, 3);
    if (source) note(source, accent);
    const text = parseColor(brand.text_color);
    const onAccent = text && contrast(text, accent) >= 4.5 ? text : inkOn(accent);
    if (text) note('text_color', onAccent);
    const hover = mix(accent, luminance(onAccent) > 0.5 ? BLACK : WHITE, 0.12);

    const wash = mix(page, accent, theme === 'light' ? 0.08 : 0.16);
    const link = legible(links && hasColor(links) ? links : wanted, [...grounds, wash], 4.5);
    if (links && hasColor(links)) note('link_color', link);

    const given = parseColor(brand.sidebar_bgcolor);
    const plain: Rgb = theme === 'light' ? [247, 248, 250] : [17, 18, 21];
    let sidebar = given ?? plain;
    // A bright sidebar would glare in the dark theme.
    if (theme === 'dark' && luminance(sidebar) > 0.12) {
      for (let share = 0; luminance(sidebar) > 0.06 && share < 0.95; share += 0.05) {
        sidebar = mix(given ?? plain, [12, 13, 16], share);
      }
    }
    if (given) note('sidebar_bgcolor', sidebar);
    const onSidebar = inkOn(sidebar);
    const sidebarActive = mix(sidebar, onSidebar, 0.1);
    // A mid-tone sidebar leaves no room for a wash under its text.
    const active = contrast(sidebarActive, onSidebar) >= 4.5 ? sidebarActive : sidebar;

    const back = parseColor(brand.template_bgcolor);
    const backdropPlain: Rgb = theme === 'light' ? [246, 247, 249] : [14, 15, 18];
    const backdrop = back ? (theme === 'light' ? back : mix(back, [14, 15, 18], 0.85)) : backdropPlain;
    return {
      accent: hexOf(accent),
      accentHover: hexOf(contrast(hover, onAccent) >= 4.5 ? hover : accent),
      onAccent: hexOf(onAccent),
      link: hexOf(link),
      wash: hexOf(wash),
      onWash: hexOf(link),
      line: hexOf(legible(wanted, grounds, 3)),
      sidebar: hexOf(sidebar),
      onSidebar: hexOf(onSidebar),
      onSidebarDim: hexOf(legible(mix(onSidebar, sidebar, 0.35), [sidebar, active], 4.5)),
      sidebarActive: hexOf(active),
      sidebarBorder: hexOf(mix(sidebar, onSidebar, 0.12)),
      backdrop: hexOf(backdrop),
    };
  };
  return { light: build('light'), dark: build('dark'), corrections };
}
