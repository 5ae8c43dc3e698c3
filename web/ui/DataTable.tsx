import { ActionIcon, Menu, Pill, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import classes from './DataTable.module.css';
import type { Column, DataTableProps } from './DataTable.types.ts';
import { Cards, Rows } from './DataTableBody.tsx';
import { Pager, PhoneSort, Search } from './DataTableControls.tsx';
import { SelectionBar } from './DataTableSelection.tsx';
import { DownloadData } from './DownloadData.tsx';
import { useLook } from './lists.ts';
import { ErrorState } from './states.tsx';

export type { Column, ListQuery } from './DataTable.types.ts';

const densities = { comfortable: 40, compact: 32 } as const;

/** The width of an element in px, known before the first paint. */
function useWidth() {
  const ref = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    setWidth(box.offsetWidth);
    const watch = new ResizeObserver(() => setWidth(box.offsetWidth));
    watch.observe(box);
    return () => watch.disconnect();
  }, []);
  return [ref, width] as const;
}

/** The product's table: see web/ui/README.md. On a phone each row becomes a card. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, query, state } = props;
  const [look, setLook] = useLook(props.name);
  const { columns: chosen, setColumns } = props.look ?? {
    columns: look.columns,
    setColumns: (next: string[] | null) => setLook({ ...look, columns: next }),
  };
  const [section, width] = useWidth();
  const isPhone = useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false });
  // Beside an open row only what there is room for is shown, whatever was chosen.
  const isRoomy = ({ from = 0 }: Column<Row>) => width >= from;
  const shown = columns.filter(
    (column, at) =>
      at === 0 ||
      (chosen
        ? chosen.includes(column.key) && (props.openKey === undefined || isRoomy(column))
        : !column.hidden && isRoomy(column)),
  );
  const rows = query.data?.data;
  const isNarrowed = Boolean(state?.q) || (props.filters?.length ?? 0) > 0;
  const skeletons = query.data ? 0 : (state?.perPage ?? 5);
  const parts = { ...props, columns: shown, rows, skeletons, isNarrowed };
  const hasBar = !props.bare && (props.search || props.actions || props.download || state);

  return (
    <section
      ref={section}
      aria-label={props.label}
      className={`card ${props.fills ? classes.fills : ''}`}
      style={{ ['--row' as string]: `${densities[look.density]}px` }}
      onKeyDown={(event) => {
        const isTick = (event.target as HTMLElement).matches('[data-tick]');
        if (event.key === 'Escape' && isTick) props.selection?.selected.clear();
      }}
    >
      {hasBar && (
        <div className={classes.bar}>
          {props.search && state && <Search placeholder={props.search} state={state} />}
          {props.filters?.map((filter) => (
            <Pill
              key={filter.label}
              withRemoveButton
              onRemove={filter.onRemove}
              removeButtonProps={{
                'aria-label': `Remove filter ${filter.label}`,
                'aria-hidden': false,
                tabIndex: 0,
              }}
            >
              {filter.label}
            </Pill>
          ))}
          <div className={classes.tools}>
            {isPhone && state && (
              <PhoneSort columns={columns} state={state} mayUnsort={props.mayUnsort ?? false} />
            )}
            {props.actions}
            {props.download && <DownloadData {...props.download} compact={isPhone} />}
            {!(isPhone && props.phoneRow) && (
              <Menu closeOnItemClick={false} position="bottom-end">
                <Menu.Target>
                  <ActionIcon
                    variant="default"
                    size={36}
                    aria-label={`Columns and density for ${props.label}`}
                  >
                    <IconAdjustmentsHorizontal size={18} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Label role="none">Columns</Menu.Label>
                  <Menu.CheckboxGroup
                    value={shown.map((column) => column.key)}
                    onChange={(keys) => setColumns(keys)}
                  >
                    {columns.slice(1).map((column) => (
                      <Menu.CheckboxItem key={column.key} value={column.key}>
                        {column.title}
                      </Menu.CheckboxItem>
                    ))}
                  </Menu.CheckboxGroup>
                  <Menu.Item disabled={!chosen} onClick={() => setColumns(null)}>
                    Default columns
                  </Menu.Item>
                  <Menu.Divider />
                  <Menu.Label role="none">Density</Menu.Label>
                  <Menu.RadioGroup
                    value={look.density}
                    onChange={(density) =>
                      setLook({ ...look, density: density === 'compact' ? 'compact' : 'comfortable' })
                    }
                  >
                    <Menu.RadioItem value="comfortable">Comfortable</Menu.RadioItem>
                    <Menu.RadioItem value="compact">Compact</Menu.RadioItem>
                  </Menu.RadioGroup>
                </Menu.Dropdown>
              </Menu>
            )}
          </div>
        </div>
      )}
      <div
        className={classes.progress}
        data-on={(query.isFetching && !query.isPending) || undefined}
        aria-hidden="true"
      />
      {query.error && !rows ? (
        <ErrorState
          error={query.error}
          what={`${props.label} could not be loaded`}
          onRetry={() => query.refetch()}
        />
      ) : rows?.length === 0 ? (
        isNarrowed ? (
          (props.emptyFiltered ?? (
            <Text c="dimmed" size="sm" ta="center" py={48}>
              Nothing matches this search or filter.
            </Text>
          ))
        ) : (
          props.empty
        )
      ) : isPhone ? (
        <Cards {...parts} />
      ) : (
        <Rows {...parts} />
      )}
      {props.selection && (
        <SelectionBar rows={rows} rowKey={props.rowKey} label={props.label} selection={props.selection}>
          {props.selection.actions}
        </SelectionBar>
      )}
      {state && query.data && (query.data.total ?? 0) > 0 && (
        <Pager
          state={state}
          data={query.data}
          label={props.label}
          most={props.most}
          // A nested list has no toolbar for it.
          tools={props.bare && props.download && <DownloadData {...props.download} compact />}
        />
      )}
    </section>
  );
}
