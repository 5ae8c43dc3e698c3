import { MultiSelect } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { US_STATES } from '../../../../contract/choices.ts';
import { api } from '../../../api/client.ts';

/** Cities of the chosen states, such as 'Austin, TX'. If cities are chosen in a state, only those cities count. */
export function CitySelect(props: {
  states: readonly string[];
  value: string[];
  error?: ReactNode;
  onChange: (cities: string[]) => void;
  onBlur?: () => void;
}) {
  const { states } = props;
  const found = useQueries({
    queries: states.map((state) => ({
      queryKey: ['cities', state],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await api.profile.cities({ state }, { signal })).data,
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const data = states.map((state, at) => ({
    group: US_STATES[state] ?? state,
    items: (found[at]?.data ?? []).map((city) => ({
      value: `${city}, ${state}`,
      label: `${city}, ${state}`,
    })),
  }));
  return (
    <MultiSelect
      label="Cities"
      description="Leave blank for entire states. If you choose cities in a state, only those cities count."
      searchable
      clearable
      hidePickedOptions
      limit={100}
      nothingFoundMessage="No matching city"
      data={data}
      value={props.value}
      onChange={props.onChange}
      error={props.error}
      onBlur={() => props.onBlur?.()}
    />
  );
}
