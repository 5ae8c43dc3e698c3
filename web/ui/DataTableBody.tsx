import { Skeleton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { Fragment, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import classes from './DataTable.module.css';
import type { BodyProps, Column, PhoneRow } from './DataTable.types.ts';
import { SelectPage, SelectRow } from './DataTableSelection.tsx';

/**
 * Whether the table is wider than its box: only then does the box scroll; otherwise the page scrolls and the header
 * sticks to it.
 */
function useOverflow() {
  const box = useRef<HTMLDivElement>(null);
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const table = box.current?.firstElementChild;
    if (!box.current || !table) return;
    const watch = new ResizeObserver(() => {
      // Uses offsetWidth, so that the box's own scroll bar does not keep it scrollable.
      setWide((box.current?.offsetWidth ?? 0) < table.scrollWidth);
    });
    watch.observe(box.current);
    watch.observe(table);
    return () => watch.disconnect();
  }, []);
  return [box, isWide] as const;
}

/** The actual table. */
export function Rows<Row>(props: BodyProps<Row>) {
  const { columns, rows, skeletons, state, onRow, rowKey, label, query, selection } = props;
  const below = props.below ?? (() => null);
  const [box, isWide] = useOverflow();
  // Stepping through what is open beside the table keeps its row in sight.
  const { openKey } = props;
  useEffect(() => {
    if (openKey !== undefined)
      box.current?.querySelector('[data-current]')?.scrollIntoView({ block: 'nearest' });
  }, [openKey, box]);
  const hasFoot = columns.some((column) => column.foot !== undefined) && rows;
  return (
    // A scrollable box has to be reachable by keyboard.
    <div
      ref={box}
      className={classes.scroll}
      data-wide={isWide || undefined}
      {...(isWide ? { tabIndex: 0, role: 'region', 'aria-label': `${label}, table` } : {})}
    >
      <table className={classes.table} aria-busy={query.isFetching}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={classes.ticks}>
                <SelectPage rows={rows} rowKey={rowKey} label={label} selection={selection} />
              </th>
            )}
            {columns.map((column) => {
              const isSorted = state?.sort === column.key;
              const SortIcon = !isSorted ? IconArrowsSort : state.dir === 'asc' ? IconArrowUp : IconArrowDown;
              return (
                <th
                  key={column.key}
                  scope="col"
                  data-align={column.align}
                  data-fluid={column.fluid && true}
                  style={
                    column.fluid
                      ? { width: `${column.fluid}%`, minWidth: column.least ?? column.fluid * 11 }
                      : { width: column.width }
                  }
                  aria-sort={isSorted ? (state.dir === 'asc' ? 'ascending' : 'descending') : undefined}
                >
                  {column.sortable && state ? (
                    <button
                      type="button"
                      className={classes.sort}
                      data-on={isSorted || undefined}
                      onClick={() => {
                        if (isSorted && state.dir === 'desc' && props.mayUnsort) state.setSort(undefined);
                        else state.setSort(column.key, isSorted && state.dir === 'asc' ? 'desc' : 'asc');
                      }}
                    >
                      {column.title}
                      <SortIcon size={14} aria-hidden="true" />
                    </button>
                  ) : (
                    column.title
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: skeletons }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have nothing else
            <tr key={at}>
              {selection && <td className={classes.ticks} />}
              {columns.map((column) => (
                <td key={column.key}>
                  <Skeleton
                    height={12}
                    width={column.align === 'right' ? '50%' : '70%'}
                    ml={column.align === 'right' ? 'auto' : 0}
                  />
                </td>
              ))}
            </tr>
          ))}
          {rows?.map((row) => (
            // The keyboard has the button in the first cell; the whole row is for the mouse.
            <Fragment key={rowKey(row)}>
              <tr
                data-open={onRow ? true : undefined}
                data-selected={selection?.selected.rows.has(rowKey(row)) || undefined}
                data-current={props.openKey === rowKey(row) || undefined}
                data-new={props.isNew?.(row) || undefined}
                onClick={onRow && ((event) => isOwnClick(event) && onRow(row))}
              >
                {selection && (
                  <td className={classes.ticks}>
                    <SelectRow row={row} rows={rows} rowKey={rowKey} selection={selection} />
                  </td>
                )}
                {columns.map((column, at) => (
                  <td key={column.key} data-align={column.align} data-fluid={column.fluid && true}>
                    {at === 0 && onRow ? (
                      <button
                        type="button"
                        className={classes.open}
                        aria-expanded={props.isOpen?.(row)}
                        aria-current={props.openKey === rowKey(row) || undefined}
                        onClick={() => onRow(row)}
                      >
                        {column.render(row)}
                      </button>
                    ) : (
                      column.render(row)
                    )}
                  </td>
                ))}
              </tr>
              {below(row) && (
                <tr>
                  <td className={classes.below} colSpan={columns.length + (selection ? 1 : 0)}>
                    <div>{below(row)}</div>
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
        {hasFoot && (
          <tfoot>
            <tr>
              {selection && <td className={classes.ticks} />}
              {columns.map((column) => (
                <td key={column.key} data-align={column.align}>
                  {column.foot}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

/** Whether a click belongs to the row itself, not to a link or button in it or the end of a text selection. */
function isOwnClick(event: React.MouseEvent): boolean {
  const target = event.target as HTMLElement;
  if (!event.currentTarget.contains(target)) return false;
  return !target.closest('a,button,input,label') && !getSelection()?.toString();
}

/** The row on a phone that the columns describe by their parts in it; undefined if none has one. */
function rowOf<Row>(columns: Column<Row>[]): ((row: Row) => PhoneRow) | undefined {
  const part = (name: Column<Row>['phone']) => columns.find(({ phone }) => phone === name);
  const lines = columns.filter(({ phone }) => phone === 'line');
  const [title, state, end] = [part('title') ?? columns[0], part('state'), part('end')];
  if (lines.length === 0 && !state && !end) return undefined;
  return (row) => ({
    title: title?.render(row),
    state: state?.render(row),
    line: lines.map((column) => (
      <span key={column.key} className={classes.piece}>
        {/* A number says nothing by itself. */}
        {column.align === 'right' && `${column.title} `}
        {column.render(row)}
      </span>
    )),
    ...(end ? { end: end.render(row) } : {}),
  });
}

/** The rows as cards, for a phone. */
export function Cards<Row>(props: BodyProps<Row>) {
  const { columns, rows, skeletons, onRow, rowKey, label, query, selection } = props;
  const phoneRow = props.phoneRow ?? rowOf(columns);
  const [first, ...others] = columns.filter((column) => column.phone !== false);
  if (!first) return null;
  const parts = (row: Row): { title: ReactNode; state?: ReactNode; body: ReactNode } => {
    if (!phoneRow) {
      const body = (
        <dl>
          {others.map((column) => (
            <div key={column.key}>
              <dt>{column.title}</dt>
              <dd>{column.render(row)}</dd>
            </div>
          ))}
        </dl>
      );
      return { title: first.render(row), body };
    }
    const { title = first.render(row), state, line, end } = phoneRow(row);
    const body = (
      <div className={classes.cardLine} data-whole={!onRow || undefined}>
        <span>{line}</span>
        {end !== undefined && <span className={classes.cardEnd}>{end}</span>}
      </div>
    );
    return { title, state, body };
  };
  return (
    <ul className={classes.cards} aria-label={label} aria-busy={query.isFetching}>
      {Array.from({ length: skeletons }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have nothing else
        <li key={at}>
          <Skeleton height={14} width="50%" my={4} />
          <Skeleton height={12} width="80%" my={6} />
          {!phoneRow && <Skeleton height={12} width="70%" my={6} />}
        </li>
      ))}
      {rows?.map((row) => {
        const { title, state, body } = parts(row);
        return (
          <li
            key={rowKey(row)}
            data-selected={selection?.selected.rows.has(rowKey(row)) || undefined}
            data-ticks={selection ? true : undefined}
            data-new={props.isNew?.(row) || undefined}
          >
            {selection && (
              <div className={classes.cardTick}>
                <SelectRow row={row} rows={rows} rowKey={rowKey} selection={selection} />
              </div>
            )}
            <div className={classes.cardTitle}>
              {onRow ? (
                <button
                  type="button"
                  className={classes.open}
                  aria-expanded={props.isOpen?.(row)}
                  onClick={() => onRow(row)}
                >
                  {title}
                </button>
              ) : (
                title
              )}
              {state}
            </div>
            {body}
            {props.below?.(row)}
          </li>
        );
      })}
    </ul>
  );
}
