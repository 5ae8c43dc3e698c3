import { MantineProvider } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useMemo } from 'react';
import { fontOf, showInTab, useBrand } from './brand.ts';
import { schemeManager, themeOf, variablesOf } from './theme.ts';
import { brandTokens } from './tokens.ts';

/** Mantine in the tenant's look; suspends until the brand is there. */
export function BrandProvider({ children }: { children: ReactNode }) {
  const brand = useBrand();
  const look = useMemo(() => {
    const tokens = brandTokens(brand);
    return { theme: themeOf(tokens, fontOf(brand)), variables: variablesOf(tokens) };
  }, [brand]);
  useLayoutEffect(() => {
    showInTab(brand);
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
