import { Button, Drawer, Group, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LEAST_USER_SEARCH, LOG_USER_TYPES } from '../../../../contract/accounts/logs.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { DayInput } from '../../../ui/DayInput.tsx';
import { SearchSelect } from '../../../ui/SearchSelect.tsx';
import { dayIn, lastDays } from '../../campaigns/analytics/range.ts';

type Category = Awaited<ReturnType<Client['logs']['categories']>>['data'][number]['id'];

/** What the log is narrowed by; names for what is shown as chosen. */
export interface LogFilter {
  from?: string | undefined;
  to?: string | undefined;
  type?: keyof typeof LOG_USER_TYPES | undefined;
  user?: { id: string; name: string } | undefined;
  category?: Category | undefined;
  campaign?: string | undefined;
}

const SHORTCUTS = [
  { days: 7, label: 'Last week' },
  { days: 30, label: 'Last month' },
  { days: 90, label: 'Last 3 months' },
];
const SEARCH_AFTER_MS = 300;

/** The filters of a company's log, in a drawer. A list that cannot be loaded is empty: the others still work. */
export function LogFilters(props: {
  companyId: string;
  timeZone: string;
  value: LogFilter;
  onApply: (filter: LogFilter) => void;
  onClose: () => void;
}) {
  const [filter, setFilter] = useState(props.value);
  const set = (patch: Partial<LogFilter>) => setFilter((now) => ({ ...now, ...patch }));
  const categories = useQuery({
    queryKey: ['log-categories'],
    queryFn: ({ signal }) => api.logs.categories(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isBackward = Boolean(filter.from && filter.to && filter.from > filter.to);
  return (
    <Drawer
      opened
      onClose={props.onClose}
      position="right"
      size={380}
      title="Filters"
      closeButtonProps={{ 'aria-label': 'Close filters' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBackward) props.onApply(filter);
        }}
      >
        <Stack gap="md">
          <Group gap="xs">
            {SHORTCUTS.map(({ days, label }) => {
              const { start, end } = lastDays(days, dayIn(new Date(), props.timeZone));
              const isOn = filter.from === start && filter.to === end;
              return (
                <Button
                  key={days}
                  size="compact-sm"
                  variant={isOn ? 'light' : 'default'}
                  aria-pressed={isOn}
                  onClick={() => set({ from: start, to: end })}
                >
                  {label}
                </Button>
              );
            })}
          </Group>
          <Group grow gap="sm" align="flex-start">
            <DayInput
              label="From"
              value={filter.from ?? ''}
              onChange={(day) => set({ from: day || undefined })}
            />
            <DayInput
              label="To"
              value={filter.to ?? ''}
              error={isBackward ? 'Must not be before the first day' : undefined}
              onChange={(day) => set({ to: day || undefined })}
            />
          </Group>
          <Select
            label="User type"
            placeholder="All types"
            clearable
            clearButtonProps={{ 'aria-label': 'All types' }}
            data={Object.entries(LOG_USER_TYPES).map(([value, label]) => ({ value, label }))}
            value={filter.type ?? null}
            onChange={(next) => set({ type: (next as LogFilter['type']) ?? undefined, user: undefined })}
          />
          <UserSelect
            companyId={props.companyId}
            type={filter.type}
            value={filter.user}
            onChange={(user) => set({ user })}
          />
          <Select
            label="Action"
            placeholder="All actions"
            clearable
            clearButtonProps={{ 'aria-label': 'All actions' }}
            data={(categories.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={filter.category ?? null}
            onChange={(next) => set({ category: (next as Category | null) ?? undefined })}
          />
          <SearchSelect
            label="Campaign"
            none="All campaigns"
            queryKey={['log-campaigns', props.companyId]}
            find={async (search, signal) => {
              const found = await api.logs
                .campaigns({ company_id: props.companyId, ...(search ? { search } : {}) }, { signal })
                .catch(() => ({ campaigns: [] }));
              return found.campaigns.map(({ id, name, number }) => ({
                value: id,
                label: `${name} #${number}`,
              }));
            }}
            value={filter.campaign ?? ''}
            onChange={(campaign) => set({ campaign: campaign || undefined })}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setFilter({})}>
              Clear
            </Button>
            <Button type="submit">Show results</Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}

/** A user by name or email; searched for from the third character on. */
function UserSelect(props: {
  companyId: string;
  type: LogFilter['type'];
  value: LogFilter['user'];
  onChange: (user: LogFilter['user']) => void;
}) {
  const [text, setText] = useState(props.value?.name ?? '');
  const [search] = useDebouncedValue(text.trim(), SEARCH_AFTER_MS);
  const isSearch = search.length >= LEAST_USER_SEARCH && search !== props.value?.name;
  const found = useQuery({
    queryKey: ['log-users', props.companyId, props.type, search],
    queryFn: ({ signal }) =>
      api.logs
        .users({ company_id: props.companyId, user_type: props.type, search }, { signal })
        .catch(() => ({ data: [] })),
    enabled: isSearch,
    placeholderData: keepPreviousData,
  });
  const users = isSearch ? (found.data?.data ?? []) : [];
  const options = users.map(({ id, name, company_name, type_user }) => ({
    value: id,
    label: name,
    description: `${company_name}, ${type_user}`,
  }));
  const { value } = props;
  return (
    <Select
      label="User"
      placeholder="All users"
      description="Who really acted, even in view mode"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All users' }}
      filter={({ options: all }) => all}
      data={
        value && !options.some((one) => one.value === value.id)
          ? [{ value: value.id, label: value.name }, ...options]
          : options
      }
      renderOption={({ option }) => {
        const words = options.find((one) => one.value === option.value)?.description;
        return (
          <div>
            <div>{option.label}</div>
            {words && <div style={{ fontSize: 12, color: 'var(--mantine-color-dimmed)' }}>{words}</div>}
          </div>
        );
      }}
      value={value?.id ?? null}
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={
        !isSearch
          ? `Type at least ${LEAST_USER_SEARCH} characters`
          : found.isFetching
            ? 'Searching'
            : 'No matching user'
      }
      onChange={(id) => {
        const chosen = users.find((one) => one.id === id);
        props.onChange(chosen && { id: chosen.id, name: chosen.name });
      }}
    />
  );
}
