import { MantineProvider } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useMemo } from 'react';
import { fontStack, fontTheme } from '../../contract/accounts/fonts.ts';
import { showInTab, useBrand } from './brand.ts';
import { offerFont } from './font.ts';
import { schemeManager, themeOf, variablesOf } from './theme.ts';
import { brandTokens } from './tokens.ts';

/** Mantine in the tenant's look; suspends until the brand is there. */
export function BrandProvider({ children }: { children: ReactNode }) {
  const brand = useBrand();
  const look = useMemo(() => {
    const tokens = brandTokens(brand);
    return { theme: themeOf(tokens, fontStack(fontTheme(brand.font_theme))), variables: variablesOf(tokens) };
  }, [brand]);
  useLayoutEffect(() => {
    showInTab(brand);
    // It has come with the page, unless the tenant has just changed it. Without it, a local font is shown.
    offerFont(fontTheme(brand.font_theme)).catch(() => undefined);
    document.documentElement.style.backgroundColor = '';
  }, [brand]);
  return (
    <MantineProvider
      theme={look.theme}
      cssVariablesResolver={look.variables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      {children}
    </MantineProvider>
  );
}
