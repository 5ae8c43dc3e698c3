import { Checkbox, CloseButton } from '@mantine/core';
import type { KeyboardEvent, ReactNode } from 'react';
import classes from './DataTable.module.css';
import type { BodyProps, TableSelection } from './DataTable.types.ts';
import { num } from './format.ts';
import { coverage, rangeOf } from './selection.ts';

type Parts<Row> = Pick<BodyProps<Row>, 'rows' | 'rowKey'> & { selection: TableSelection<Row> };

function selectable<Row>({ rows = [], rowKey, selection }: Parts<Row>): (readonly [string, Row])[] {
  return rows.filter((row) => selection.may?.(row) ?? true).map((row) => [rowKey(row), row] as const);
}

/** Selects all rows of the page, or none. */
export function SelectPage<Row>(props: Parts<Row> & { label: string }) {
  const { selected } = props.selection;
  const all = selectable(props);
  const covered = coverage(
    all.map(([key]) => key),
    (key) => selected.rows.has(key),
  );
  return (
    <Checkbox
      size="xs"
      className={classes.tick!}
      aria-label={`Select all ${props.label.toLowerCase()} on this page`}
      checked={covered === 'all'}
      indeterminate={covered === 'some'}
      disabled={all.length === 0}
      onChange={() => selected.set(all, covered !== 'all')}
    />
  );
}

/** Selects one row; with Shift, every row since the last one selected. The arrow keys move from row to row. */
export function SelectRow<Row>(props: Parts<Row> & { row: Row }) {
  const { row, rowKey, selection } = props;
  const { selected } = selection;
  const key = rowKey(row);
  const toggle = (withRange: boolean) => {
    const all = new Map(selectable(props));
    const range = withRange ? rangeOf([...all.keys()], selected.anchor.current, key) : [key];
    selected.set(
      range.map((at) => [at, all.get(at)!] as const),
      !selected.rows.has(key),
    );
  };
  return (
    <Checkbox
      size="xs"
      className={classes.tick!}
      aria-label={`Select ${selection.nameOf(row)}`}
      checked={selected.rows.has(key)}
      disabled={selection.may?.(row) === false}
      onChange={(event) => toggle((event.nativeEvent as MouseEvent).shiftKey === true)}
      onKeyDown={moveTick}
      data-tick
    />
  );
}

function moveTick(event: KeyboardEvent<HTMLInputElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (!step) return;
  event.preventDefault();
  const ticks = [
    ...event.currentTarget.closest('section')!.querySelectorAll<HTMLInputElement>('input[data-tick]:enabled'),
  ];
  ticks[ticks.indexOf(event.currentTarget) + step]?.focus();
}

/** Shows how many rows are selected and what can be done with them; stays visible while the table scrolls. */
export function SelectionBar<Row>(props: Parts<Row> & { label: string; children: ReactNode }) {
  const { selected } = props.selection;
  const here = (props.rows ?? []).filter((row) => selected.rows.has(props.rowKey(row))).length;
  const count = selected.rows.size;
  const elsewhere = count - here;
  return (
    <div role="status" aria-label={`Selected ${props.label.toLowerCase()}`}>
      {count > 0 && (
        <div className={classes.selection}>
          <span className="num">
            {num(count)} selected{elsewhere > 0 && `, ${num(elsewhere)} on other pages`}
          </span>
          {props.children}
          <CloseButton size="sm" ml="auto" aria-label="Clear selection" onClick={selected.clear} />
        </div>
      )}
    </div>
  );
}
