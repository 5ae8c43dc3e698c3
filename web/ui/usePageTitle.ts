import { useEffect } from 'react';
import { useBrand } from '../brand/brand.ts';

/** Sets the page's name in the browser's tab: 'Dashboard · Tenant'. */
export function usePageTitle(title: string): void {
  const { name } = useBrand();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}
