import { CloseButton, Group, NativeSelect, Pagination, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './DataTable.module.css';
import type { Column, ListQuery } from './DataTable.types.ts';
import { num } from './format.ts';
import type { ListState } from './useListState.ts';

/** Sort controls for phones, which show no headers. */
export function PhoneSort<Row>(props: { columns: Column<Row>[]; state: ListState; mayUnsort?: boolean }) {
  const { columns, state } = props;
  const sortable = columns.filter((column) => column.sortable);
  if (sortable.length === 0) return null;
  const data = sortable.flatMap((column) => [
    { value: `${column.key} asc`, label: `${column.title} ↑` },
    { value: `${column.key} desc`, label: `${column.title} ↓` },
  ]);
  if (!state.sort || props.mayUnsort)
    data.unshift({ value: '', label: state.sort ? 'Default order' : 'Sort by' });
  return (
    <NativeSelect
      aria-label="Sort by"
      w={150}
      data={data}
      value={state.sort ? `${state.sort} ${state.dir}` : ''}
      onChange={(event) => {
        const [key = '', dir] = event.currentTarget.value.split(' ');
        if (!key) state.setSort(undefined);
        else state.setSort(key, dir === 'desc' ? 'desc' : 'asc');
      }}
    />
  );
}

/** The quick search; the address follows 300 ms after the last key. */
export function Search({ placeholder, state }: { placeholder: string; state: ListState }) {
  const [text, setText] = useState(state.q);
  const input = useRef<HTMLInputElement>(null);
  const send = useDebouncedCallback((value: string) => state.setQ(value.trim()), 300);
  // Back and forward change the address; the box follows unless the person is typing in it.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(state.q);
  }, [state.q]);
  return (
    <TextInput
      ref={input}
      type="search"
      className={classes.search}
      placeholder={placeholder}
      aria-label={placeholder}
      data-quick-search
      maxLength={200}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        text && (
          <CloseButton
            size="sm"
            aria-label="Clear search"
            onClick={() => {
              setText('');
              state.setQ('');
              input.current?.focus();
            }}
          />
        )
      }
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
    />
  );
}

/** Shows which rows are displayed out of how many; page size and pages. */
export function Pager({
  state,
  data,
  label,
  tools,
  most,
}: {
  state: ListState;
  data: NonNullable<ListQuery<unknown>['data']>;
  label: string;
  tools?: ReactNode;
  most?: number | undefined;
}) {
  const total = data.total ?? 0;
  const last = data.last_page ?? Math.max(1, Math.ceil(total / state.perPage));
  // A page beyond the end (rows were removed, or the link is stale) goes to the last page.
  const isBeyond = data.data.length === 0 && state.page > last;
  useEffect(() => {
    if (isBeyond) state.setPage(last);
  }, [isBeyond, last, state]);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const sizes = [...new Set([10, 25, 50, 100, state.perPage])].sort((a, b) => a - b);
  return (
    <div className={classes.pager}>
      <Text size="sm" c="dimmed" className="num" aria-live="polite">
        Showing {num(data.from ?? 0)} to {num(data.to ?? 0)} of {num(total)}
        {most && total >= most && '+'} entries
      </Text>
      <Group gap="sm" wrap="nowrap">
        {tools}
        <NativeSelect
          aria-label={`Rows per page for ${label}`}
          size="xs"
          w={72}
          data={sizes.map(String)}
          value={String(state.perPage)}
          onChange={(event) => state.setPerPage(Number(event.currentTarget.value))}
        />
        {last > 1 && (
          <Pagination
            total={last}
            value={Math.min(state.page, last)}
            onChange={state.setPage}
            size="sm"
            {...(isPhone ? { gap: 4 } : {})}
            siblings={isPhone ? 0 : 1}
            boundaries={1}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
          />
        )}
      </Group>
    </div>
  );
}
