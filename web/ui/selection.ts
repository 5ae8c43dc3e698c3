import { useCallback, useMemo, useRef, useState } from 'react';

/** Returns how much of a page is selected. */
export function coverage(
  keys: readonly string[],
  isSelected: (key: string) => boolean,
): 'all' | 'some' | 'none' {
  const count = keys.filter(isSelected).length;
  return count === 0 ? 'none' : count === keys.length ? 'all' : 'some';
}

/**
 * Returns the keys from one row to another on the same page, both included; only the second if the first is not on the
 * page.
 */
export function rangeOf(keys: readonly string[], from: string | undefined, to: string): string[] {
  const a = from === undefined ? -1 : keys.indexOf(from);
  const b = keys.indexOf(to);
  if (b < 0) return [];
  return a < 0 ? [to] : keys.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** Which rows of a list are selected, including those on pages that are not currently shown. */
export interface Selection<Row> {
  rows: ReadonlyMap<string, Row>;
  /** The same, as an array in selection order. */
  list: Row[];
  /** Selects or deselects rows; the last of them becomes the start of a range. */
  set(rows: readonly (readonly [key: string, row: Row])[], on: boolean): void;
  clear(): void;
  /** The row selected last. */
  anchor: { readonly current: string | undefined };
}

/** Keeps a selection for a DataTable. */
export function useSelection<Row>(): Selection<Row> {
  const [rows, setRows] = useState<ReadonlyMap<string, Row>>(new Map());
  const anchor = useRef<string | undefined>(undefined);
  const set = useCallback<Selection<Row>['set']>((changed, on) => {
    anchor.current = changed.at(-1)?.[0];
    setRows((before) => {
      const next = new Map(before);
      for (const [key, row] of changed) {
        if (on) next.set(key, row);
        else next.delete(key);
      }
      return next;
    });
  }, []);
  const clear = useCallback(() => {
    anchor.current = undefined;
    setRows(new Map());
  }, []);
  return useMemo(() => ({ rows, list: [...rows.values()], set, clear, anchor }), [rows, set, clear]);
}
