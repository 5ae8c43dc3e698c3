import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorSchemeManager,
  type MantineColorsTuple,
  type MantineThemeOverride,
  type VariantColorsResolver,
} from '@mantine/core';
import { MENU_MS } from '../ui/motion.ts';
import { hexOf, mix, parseColor, WHITE } from './color.ts';
import { SURFACES, type Tokens } from './tokens.ts';

const dark: MantineColorsTuple = [
  '#e4e4e7',
  '#c6c7cd',
  '#a0a1ab',
  '#858691',
  '#41434d',
  '#31333c',
  '#25272e',
  SURFACES.dark.card,
  SURFACES.dark.page,
  '#0e0f12',
];

/** Ten shades around an accent: Mantine requires a scale, although the states come from the variables below. */
function ladder(accent: string): MantineColorsTuple {
  const base = parseColor(accent)!;
  const light = [0.93, 0.84, 0.7, 0.55, 0.38, 0.2].map((share) => hexOf(mix(base, WHITE, share)));
  const deep = [0, 0.12, 0.24, 0.36].map((share) => hexOf(mix(base, [0, 0, 0], share)));
  return [...light, ...deep] as unknown as MantineColorsTuple;
}

/** Filled accent buttons take the brand's own text color. */
const variants: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const isBrand = (input.color ?? input.theme.primaryColor) === 'brand';
  return input.variant === 'filled' && isBrand ? { ...colors, color: 'var(--on-accent)' } : colors;
};

const title = { fontWeight: 600, lineHeight: '20px', minWidth: 0, overflowWrap: 'anywhere' } as const;

/** Settings shared by modals and drawers. Their <header> would count as a second banner next to the page's own. */
const overlay = {
  transitionProps: { duration: 200 },
  closeButtonProps: { 'aria-label': 'Close' },
  attributes: { header: { component: 'div' } },
};

/** Mantine's theme: sizes and type follow look.md, the accent comes from the tenant. */
export function themeOf(tokens: { light: Tokens }, fontFamily: string): MantineThemeOverride {
  return createTheme({
    fontFamily,
    fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
    lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
    spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
    headings: {
      fontFamily,
      fontWeight: '600',
      sizes: {
        h1: { fontSize: '24px', lineHeight: '32px' },
        h2: { fontSize: '20px', lineHeight: '28px' },
        h3: { fontSize: '16px', lineHeight: '24px' },
        h4: { fontSize: '14px', lineHeight: '20px' },
      },
    },
    defaultRadius: 6,
    cursorType: 'pointer',
    respectReducedMotion: true,
    primaryColor: 'brand',
    primaryShade: { light: 6, dark: 6 },
    colors: { brand: ladder(tokens.light.accent), dark },
    variantColorResolver: variants,
    components: {
      Button: { defaultProps: { size: 'sm', fw: 500 } },
      // Label, input, help, error: in this order in every form.
      InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
      // In the page's main part: a screen reader's list of regions leaves nothing out.
      Tooltip: {
        defaultProps: { openDelay: 200, multiline: true, maw: 360, portalProps: { target: 'main' } },
      },
      Modal: {
        defaultProps: overlay,
        styles: { title },
      },
      Drawer: {
        defaultProps: overlay,
        styles: { title },
      },
      Notification: {
        defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
        styles: { description: { color: 'var(--mantine-color-text)', overflowWrap: 'anywhere' } },
      },
      Menu: {
        // Without the placeholder the first item has the focus, and nothing but items is in the menu.
        defaultProps: {
          transitionProps: { duration: MENU_MS },
          shadow: 'md',
          withInitialFocusPlaceholder: false,
        },
      },
    },
  });
}

/** The brand's tokens and the product's grays as CSS variables of both themes. */
export function variablesOf(tokens: { light: Tokens; dark: Tokens }): CSSVariablesResolver {
  const of = (scheme: 'light' | 'dark'): Record<string, string> => {
    const own = tokens[scheme];
    const isLight = scheme === 'light';
    return {
      '--on-accent': own.onAccent,
      '--accent-line': own.line,
      '--accent-wash': own.wash,
      '--on-wash': own.onWash,
      '--sidebar': own.sidebar,
      '--on-sidebar': own.onSidebar,
      '--on-sidebar-dim': own.onSidebarDim,
      '--sidebar-active': own.sidebarActive,
      '--sidebar-border': own.sidebarBorder,
      '--backdrop': own.backdrop,
      '--card': SURFACES[scheme].card,
      '--raised': SURFACES[scheme].raised,
      '--hairline': isLight ? '#e5e7eb' : '#2b2d35',
      '--ghost': isLight ? '#8b929e' : '#7c7e8a',
      '--good': isLight ? '#15713a' : '#6fd08c',
      '--good-wash': isLight ? '#e6f4ea' : '#16301f',
      '--warn': isLight ? '#8a4b00' : '#f2b34c',
      '--warn-wash': isLight ? '#fdf1dc' : '#33260f',
      '--bad': isLight ? '#b42318' : '#ff8f85',
      '--bad-wash': isLight ? '#fdeceb' : '#3a1a18',
      '--info': isLight ? '#1f5fa8' : '#7db8f5',
      '--info-wash': isLight ? '#e8f1fb' : '#14283d',
      '--mantine-color-body': SURFACES[scheme].page,
      '--mantine-color-text': SURFACES[scheme].text,
      '--mantine-color-dimmed': isLight ? '#5c6370' : '#a0a1ab',
      '--mantine-color-placeholder': isLight ? '#6b7280' : '#8e909b',
      '--mantine-color-red-text': isLight ? '#b42318' : '#ff8f85',
      '--mantine-color-red-outline': isLight ? '#b42318' : '#ff8f85',
      '--mantine-color-red-light-color': isLight ? '#b42318' : '#ff8f85',
      '--mantine-color-error': isLight ? '#b42318' : '#ff8f85',
      '--mantine-color-default-border': isLight ? '#d3d7de' : '#3a3c46',
      '--mantine-color-anchor': own.link,
      '--mantine-primary-color-filled': own.accent,
      '--mantine-primary-color-filled-hover': own.accentHover,
      '--mantine-primary-color-contrast': own.onAccent,
      '--mantine-primary-color-light': own.wash,
      '--mantine-primary-color-light-hover': own.wash,
      '--mantine-primary-color-light-color': own.onWash,
      '--mantine-color-brand-filled': own.accent,
      '--mantine-color-brand-filled-hover': own.accentHover,
      '--mantine-color-brand-light': own.wash,
      '--mantine-color-brand-light-hover': own.wash,
      '--mantine-color-brand-light-color': own.onWash,
      '--mantine-color-brand-text': own.link,
      '--mantine-color-brand-outline': own.link,
      '--mantine-color-brand-outline-hover': own.wash,
    };
  };
  return () => ({ variables: {}, light: of('light'), dark: of('dark') });
}

/**
 * Stores the theme under 'theme' as 'light-theme' or 'dark-theme' (spec product 2, NAV-04); if none is stored, the
 * system's is used.
 */
export const schemeManager: MantineColorSchemeManager = (() => {
  let heard: ((event: StorageEvent) => void) | undefined;
  const read = (value: string | null) =>
    value === 'dark-theme' ? 'dark' : value === 'light-theme' ? 'light' : undefined;
  return {
    get: (fallback) => {
      try {
        return read(localStorage.getItem('theme')) ?? fallback;
      } catch {
        return fallback;
      }
    },
    set: (value) => {
      try {
        if (value === 'auto') localStorage.removeItem('theme');
        else localStorage.setItem('theme', `${value}-theme`);
        // The early script set the root's color directly; from here on the stylesheet does.
        document.documentElement.style.backgroundColor = '';
      } catch {
        // Not kept, then.
      }
    },
    subscribe: (onUpdate) => {
      heard = (event) => {
        const next = event.key === 'theme' ? read(event.newValue) : undefined;
        if (next) onUpdate(next);
      };
      addEventListener('storage', heard);
    },
    unsubscribe: () => {
      if (heard) removeEventListener('storage', heard);
    },
    clear: () => {
      try {
        localStorage.removeItem('theme');
      } catch {
        // Nothing was kept.
      }
    },
  };
})();
