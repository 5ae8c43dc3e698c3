import { useMemo } from 'react';
import { useSearchParams } from './useSearchParams.ts';

export interface ListDefaults {
  perPage?: number;
  sort?: string;
  dir?: 'asc' | 'desc';
}

/** A list's page, sort, and search, as held in the address. */
export interface ListState {
  page: number;
  perPage: number;
  sort: string | undefined;
  dir: 'asc' | 'desc';
  q: string;
  /** The same, as PageQuery parameters; spread it into the call's input. */
  input: {
    Page: number;
    PerPage: number;
    sortby: string | undefined;
    order: 'asc' | 'desc' | undefined;
    searchQuery: string | undefined;
  };
  setPage(page: number): void;
  setPerPage(perPage: number): void;
  /** Undefined: the list's own order. */
  setSort(sort: string | undefined, dir?: 'asc' | 'desc'): void;
  setQ(q: string): void;
}

/**
 * Keeps a list's page, sort, and search in the URL.
 * @param prefix distinguishes two lists on one page
 */
export function useListState(defaults: ListDefaults = {}, prefix = ''): ListState {
  const [params, set] = useSearchParams();
  const key = (name: string) => prefix + name;
  const page = Math.max(1, Number.parseInt(params[key('page')] ?? '1', 10) || 1);
  const perPage = Math.min(
    100,
    Math.max(1, Number.parseInt(params[key('per')] ?? '', 10) || (defaults.perPage ?? 10)),
  );
  const sort = params[key('sort')] ?? defaults.sort;
  const given = params[key('dir')];
  const dir = given === 'asc' || given === 'desc' ? given : (defaults.dir ?? 'asc');
  const q = params[key('q')] ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` is a function of the prefix alone
  return useMemo(
    () => ({
      page,
      perPage,
      sort,
      dir,
      q,
      input: {
        Page: page,
        PerPage: perPage,
        sortby: sort,
        order: sort ? dir : undefined,
        searchQuery: q || undefined,
      },
      setPage: (next) => set({ [key('page')]: next > 1 ? next : undefined }),
      setPerPage: (next) => set({ [key('per')]: next, [key('page')]: undefined }),
      setSort: (by, next) => set({ [key('sort')]: by, [key('dir')]: by && next, [key('page')]: undefined }),
      setQ: (text) => set({ [key('q')]: text, [key('page')]: undefined }),
    }),
    [page, perPage, sort, dir, q, set, prefix],
  );
}
