import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listsQuery, type SavedView, useLook } from './lists.ts';
import { useSearchParams } from './useSearchParams.ts';

type Params = Record<string, string>;

/** The saved views of one list, and where the address stands among them. */
export interface ListViews {
  list: string;
  all: SavedView[];
  /** The view in the address. */
  current: SavedView | undefined;
  /** The filters and sort of the address, as a view keeps them. */
  params: Params;
  /** The columns that are chosen, or null for the list's own. */
  columns: string[] | null;
  /** Whether filters, sort, or columns differ from the view, or without one, from the plain list. */
  isChanged: boolean;
  /** Shows a view; undefined: the plain list. */
  show(view: SavedView | undefined): void;
  /** For DataTable: the columns of the view that is shown, and how to change them. */
  look: { columns: string[] | null; setColumns: (columns: string[] | null) => void } | undefined;
}

/**
 * Saved views of a list whose filters and sort are in the address.
 * @param list the name of its DataTable
 * @param keys the parameters of the address that make up a view
 */
export function useViews(list: string, keys: readonly string[]): ListViews {
  const [address, set] = useSearchParams();
  const [own] = useLook(list);
  const all = (useQuery(listsQuery).data?.views ?? []).filter((view) => view.list === list);
  const current = all.find(({ id }) => id === address.view);
  // Columns that were changed since the view was opened.
  const [draft, setDraft] = useState<{ of: string; columns: string[] | null }>();
  const params = pick(address, keys);
  const drafted = current && draft?.of === current.id ? draft : undefined;
  const viewed = drafted ?? current;
  const columns = viewed ? viewed.columns : own.columns;
  return {
    list,
    all,
    current,
    params,
    columns,
    isChanged: current
      ? !isSame(params, pick(current.params, keys)) ||
        (drafted ? !isSame(drafted.columns, current.columns) : false)
      : Object.keys(params).length > 0,
    show: (view) => {
      setDraft(undefined);
      const cleared = Object.fromEntries(keys.map((key) => [key, undefined]));
      set({ ...cleared, ...(view && pick(view.params, keys)), view: view?.id, page: undefined });
    },
    look: current && {
      columns,
      setColumns: (next) => setDraft({ of: current.id, columns: next }),
    },
  };
}

/** The parameters with these names that have a value. */
function pick(params: Record<string, string | undefined>, keys: readonly string[]): Params {
  const some = keys
    .map((key) => [key, params[key]] as const)
    .filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(some.map(([key, value]) => [key, String(value)]));
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
