import type { ReactNode } from 'react';
import type { Downloadable } from './DownloadData.tsx';
import type { Selection } from './selection.ts';
import type { ListState } from './useListState.ts';

/** One column of a table. */
export interface Column<Row> {
  key: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** The key is also a valid `sort` of the call. */
  sortable?: boolean;
  align?: 'left' | 'right';
  width?: number;
  /** Hidden until selected. */
  hidden?: boolean;
  /**
   * Its part in the row of a phone (`phoneRow` makes one by hand): the title instead of the first column, the state
   * beside it, a piece of the line below, or what stands at the line's end. False: not there.
   */
  phone?: false | 'title' | 'state' | 'line' | 'end';
  /** What the footer shows. */
  foot?: ReactNode;
  /** Shown by itself only where the table is at least this many px wide; who chooses the column has it anywhere. */
  from?: number;
  /** Takes the room that other columns leave, this share of it in percent, and no less than `least`. */
  fluid?: number;
  /** The least width of a fluid column in px; absent: eleven for each percent. */
  least?: number;
}

/** A row on a phone: a title and its state, below them one line and what stands at its end. */
export interface PhoneRow {
  /** Absent: the first column's cell. */
  title?: ReactNode;
  state?: ReactNode;
  line: ReactNode;
  end?: ReactNode;
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

/** Row selection, for bulk actions. */
export interface TableSelection<Row> {
  /** From useSelection. */
  selected: Selection<Row>;
  /** A row's label for screen readers: 'Select <name>'. */
  nameOf: (row: Row) => string;
  /** Rows that can be selected; absent: all. */
  may?: (row: Row) => boolean;
  /** Buttons for the selected rows. */
  actions: ReactNode;
}

export interface DataTableProps<Row> {
  /** What the table contains, for screen readers and error messages: 'Leads'. */
  label: string;
  /** The key under which the chosen columns and density are kept for each person, and its saved views. */
  name: string;
  columns: Column<Row>[];
  /** The columns of the saved view that is shown, instead of the person's own choice (useViews). */
  look?: { columns: string[] | null; setColumns: (columns: string[] | null) => void } | undefined;
  query: ListQuery<Row>;
  rowKey: (row: Row) => string;
  /** On a phone, a row in two lines. Absent: a card with each column that is not left out there. */
  phoneRow?: (row: Row) => PhoneRow;
  /** Absent: no paging, sorting, or search. */
  state?: ListState;
  onRow?: (row: Row) => void;
  /** The row that is open beside the table, by its key. */
  openKey?: string | undefined;
  /** A row that has just appeared without user action, highlighted for a moment. */
  isNew?: (row: Row) => boolean;
  /** True: the table is as high as its place and scrolls inside; header, selection, and pages stay in sight. */
  fills?: boolean;
  /** True: no search, filters, or column picker above the rows; for a nested list. */
  bare?: boolean;
  /** What is expanded below a row; null if nothing is. */
  below?: (row: Row) => ReactNode;
  /** Whether the area below a row is expanded, if `onRow` expands and collapses it. */
  isOpen?: (row: Row) => boolean;
  /** A third click on a header removes the sort; the list then has its own order. */
  mayUnsort?: boolean;
  /** Placeholder of the quick search; absent: no search. */
  search?: string;
  /** The current filters, each of which can be removed. */
  filters?: { label: string; onRemove: () => void }[];
  /** On the right of the toolbar: selects, buttons. */
  actions?: ReactNode;
  /** How the list is downloaded; every list can be. */
  download?: Downloadable;
  /** Rows are counted up to this many, if there can be more. */
  most?: number;
  /** Absent: rows cannot be selected. */
  selection?: TableSelection<Row> | undefined;
  empty: ReactNode;
  /** Shown if a search or filter has no results. */
  emptyFiltered?: ReactNode;
}

/**
 * What the table's body is rendered from: the visible columns, the rows so far, and how many skeletons stand in for
 * them.
 */
export interface BodyProps<Row> extends DataTableProps<Row> {
  rows: Row[] | undefined;
  skeletons: number;
}
