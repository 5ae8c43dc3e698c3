import type { ReactNode } from 'react';
import type { Downloadable } from './DownloadData.tsx';
import type { Selection } from './selection.ts';
import type { ListState } from './useListState.ts';

/** One column of a table. */
export interface Column<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** The key is also a `sortby` of the call. */
  sortable?: boolean;
  align?: 'left' | 'right';
  width?: number;
  /** Not shown until chosen. */
  hidden?: boolean;
  /** False: not on the card that a row becomes on a phone (the drawer has it). */
  phone?: boolean;
  /** What stands in the footer. */
  foot?: ReactNode;
}

/** As much of a query of TanStack Query as a table needs. */
export interface ListQuery<Row> {
  data:
    | { data: Row[]; total?: number; from?: number | null; to?: number | null; last_page?: number }
    | undefined;
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => unknown;
}

/** Ticking rows, for doing one thing with many. */
export interface TableSelection<Row> {
  /** From useSelection. */
  selected: Selection<Row>;
  /** What a row is called by a screen reader: 'Select <name>'. */
  nameOf: (row: Row) => string;
  /** Rows that can be ticked; absent: all. */
  may?: (row: Row) => boolean;
  /** Buttons for what is ticked. */
  actions: ReactNode;
}

export interface DataTableProps<Row> {
  /** What the table holds, for screen readers and error words: 'Leads'. */
  label: string;
  /** Under which the chosen columns and density are kept. */
  name: string;
  columns: Column<Row>[];
  query: ListQuery<Row>;
  rowKey: (row: Row) => string;
  /** Absent: neither paging, sort nor search. */
  state?: ListState;
  onRow?: (row: Row) => void;
  /** True: neither search, filters nor columns above the rows; for a list within a list. */
  bare?: boolean;
  /** What lies open beneath a row; null: nothing. */
  below?: (row: Row) => ReactNode;
  /** Whether what is below a row stands open, where `onRow` opens and closes it. */
  isOpen?: (row: Row) => boolean;
  /** A third click on a header takes the sort away; the list then has its own order. */
  mayUnsort?: boolean;
  /** Placeholder of the quick search; absent: none. */
  search?: string;
  /** What narrows the list at present, each removable. */
  filters?: { label: string; onRemove: () => void }[];
  /** At the right of the bar: selects, buttons. */
  actions?: ReactNode;
  /** What the list is downloaded by: every list can be. */
  download?: Downloadable;
  /** Absent: rows cannot be ticked. */
  selection?: TableSelection<Row> | undefined;
  empty: ReactNode;
  /** Shown for an empty answer to a search or filter. */
  emptyFiltered?: ReactNode;
}

/** What the table's body is drawn from: the columns to show, the rows so far, and how many skeletons stand in for them. */
export interface BodyProps<Row> extends DataTableProps<Row> {
  rows: Row[] | undefined;
  skeletons: number;
}
