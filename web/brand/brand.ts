import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { Client } from '../../contract/index.ts';
import { api } from '../api/client.ts';
import { parseColour } from './colour.ts';
import { brandTokens } from './tokens.ts';

/** The host's tenant and its look (spec product 3, Domain info). */
export type Brand = Awaited<ReturnType<Client['tenants']['frontDoor']>>;

/** How the brand is fetched, once per page load. */
export const brandQuery = queryOptions({
  queryKey: ['brand'],
  queryFn: () => api.tenants.frontDoor(),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The host's brand; below <BrandProvider>, which has loaded it. */
export function useBrand(): Brand {
  return useSuspenseQuery(brandQuery).data;
}

/** Shows the tenant in the browser's tab: its favicon is the logo, or its first letter on its accent. */
export function showInTab(brand: Brand): void {
  document.title = brand.name;
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon) icon.href = brand.logo_svg ?? letterMark(brand);
}

/** A data: address of the tenant's first letter on its accent colour. */
export function letterMark(brand: Pick<Brand, 'name'> & Parameters<typeof brandTokens>[0]): string {
  const { accent, onAccent } = brandTokens(brand).light;
  const letter = (brand.name.trim()[0] ?? '').toUpperCase();
  const safe = /[\p{L}\p{N}]/u.test(letter) ? letter : '';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accent}"/><text x="16" y="22.5" font-family="system-ui,sans-serif" font-size="18" font-weight="600" text-anchor="middle" fill="${onAccent}">${safe}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** The tenant's own font before the system's; only a plain family name is taken. */
export function fontOf(brand: Pick<Brand, 'font_theme'>): string {
  const system =
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';
  const own = brand.font_theme?.trim();
  return own && /^[\w -]{1,60}$/.test(own) && !parseColour(own) ? `"${own}", ${system}` : system;
}
