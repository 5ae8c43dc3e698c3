// Separate from choices.ts, because the sign-in page shows a tenant's font and needs no other list.

/**
 * The fonts a tenant may choose from: families already installed on devices, so that nothing has to load and nothing
 * jumps.
 */
export const FONT_THEMES = {
  system: {
    label: 'System',
    stack: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif',
  },
  'neo-grotesque': {
    label: 'Neo-grotesque',
    stack: 'Inter, Roboto, "Helvetica Neue", "Arial Nova", "Nimbus Sans", Arial, sans-serif',
  },
  humanist: {
    label: 'Humanist',
    stack: 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", source-sans-pro, sans-serif',
  },
  geometric: {
    label: 'Geometric',
    stack: 'Avenir, Montserrat, Corbel, "URW Gothic", source-sans-pro, sans-serif',
  },
  rounded: {
    label: 'Rounded',
    stack:
      'ui-rounded, "Hiragino Maru Gothic ProN", Quicksand, Comfortaa, Manjari, "Arial Rounded MT Bold", Calibri, source-sans-pro, sans-serif',
  },
  industrial: {
    label: 'Industrial',
    stack:
      'Bahnschrift, "DIN Alternate", "Franklin Gothic Medium", "Nimbus Sans Narrow", sans-serif-condensed, sans-serif',
  },
  transitional: {
    label: 'Transitional serif',
    stack: 'Charter, "Bitstream Charter", "Sitka Text", Cambria, serif',
  },
  'old-style': {
    label: 'Old-style serif',
    stack: '"Iowan Old Style", "Palatino Linotype", "URW Palladio L", P052, serif',
  },
} as const;
export type FontTheme = keyof typeof FONT_THEMES;
