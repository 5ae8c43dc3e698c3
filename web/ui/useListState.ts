import { useMemo } from 'react';
import { useSearchParams } from './useSearchParams.ts';

export interface ListDefaults<Sort extends string> {
  perPage?: number;
  /** What the list can be sorted by; anything else in the address is ignored. Absent: anything. */
  sorts?: readonly Sort[];
  sort?: Sort;
  dir?: 'asc' | 'desc';
}

/** A list's page, sort, and search, as held in the address. */
export interface ListState<Sort extends string = string> {
  page: number;
  perPage: number;
  sort: Sort | undefined;
  dir: 'asc' | 'desc';
  q: string;
  /** The same, as PageQuery parameters; spread it into the call's input. */
  input: {
    page: number;
    per_page: number;
    sort: Sort | undefined;
    order: 'asc' | 'desc' | undefined;
    search: string | undefined;
  };
  setPage(page: number): void;
  setPerPage(perPage: number): void;
  /** Undefined: the list's own order. */
  setSort(sort: Sort | undefined, dir?: 'asc' | 'desc'): void;
  setQ(q: string): void;
}

/**
 * Keeps a list's page, sort, and search in the URL.
 * @param prefix distinguishes two lists on one page
 */
export function useListState<Sort extends string = string>(
  defaults: ListDefaults<Sort> = {},
  prefix = '',
): ListState<Sort> {
  const [params, set] = useSearchParams();
  const key = (name: string) => prefix + name;
  const page = Math.max(1, Number.parseInt(params[key('page')] ?? '1', 10) || 1);
  const perPage = Math.min(
    100,
    Math.max(1, Number.parseInt(params[key('per')] ?? '', 10) || (defaults.perPage ?? 10)),
  );
  const asked = params[key('sort')] as Sort | undefined;
  const isKnown = asked !== undefined && (defaults.sorts?.includes(asked) ?? true);
  const sort = isKnown ? asked : defaults.sort;
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
        page: page,
        per_page: perPage,
        sort: sort,
        order: sort ? dir : undefined,
        search: q || undefined,
      },
      setPage: (next) => set({ [key('page')]: next > 1 ? next : undefined }),
      setPerPage: (next) => set({ [key('per')]: next, [key('page')]: undefined }),
      setSort: (by, next) => set({ [key('sort')]: by, [key('dir')]: by && next, [key('page')]: undefined }),
      setQ: (text) => set({ [key('q')]: text, [key('page')]: undefined }),
    }),
    [page, perPage, sort, dir, q, set, prefix],
  );
}
