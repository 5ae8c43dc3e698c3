import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { Client } from '../../contract/index.ts';
import { api } from '../api/client.ts';
import { brandTokens } from './tokens.ts';

/** The host's tenant and its look (spec product 3, Domain info). */
export type Brand = Awaited<ReturnType<Client['tenants']['frontDoor']>>;

/** The brand embedded in the page itself, so that the first paint already uses it. */
function fromPage(): Brand | undefined {
  try {
    return JSON.parse(document.getElementById('brand')?.textContent ?? '') as Brand;
  } catch {
    return undefined; // The development server serves the page unmodified, so the brand is requested.
  }
}

/** The brand: embedded in the page, otherwise requested once per page load. */
export const brandQuery = queryOptions({
  queryKey: ['brand'],
  queryFn: () => api.tenants.frontDoor(),
  initialData: fromPage,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The host's brand; below <BrandProvider>, which has loaded it. */
export function useBrand(): Brand {
  return useSuspenseQuery(brandQuery).data;
}

/** Shows the tenant in the browser's tab: its favicon, or its first letter on its accent. */
export function showInTab(brand: Brand): void {
  document.title = brand.name;
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon) icon.href = brand.favicon ?? letterMark(brand);
}

/** The letter or digit that a name starts with, in capitals; '' if it starts with something else. */
export function letterOf(name: string): string {
  const letter = (name.trim()[0] ?? '').toUpperCase();
  return /[\p{L}\p{N}]/u.test(letter) ? letter : '';
}

/** A data: address of the tenant's first letter on its accent color. */
function letterMark(brand: Pick<Brand, 'name'> & Parameters<typeof brandTokens>[0]): string {
  const { accent, onAccent } = brandTokens(brand).light;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accent}"/><text x="16" y="22.5" font-family="system-ui,sans-serif" font-size="18" font-weight="600" text-anchor="middle" fill="${onAccent}">${letterOf(brand.name)}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
