import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ModuleName } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';

/** Selects one campaign, or all; the server searches, so that it works with thousands. */
export function CampaignSelect(props: {
  value: string | undefined;
  /** Only those of this product. */
  module?: ModuleName | undefined;
  /** Only those of this client. */
  company?: string | undefined;
  /** Above it, in a form; absent: it stands alone. */
  label?: string;
  /** What a form says is wrong with it, and where the form finds it to focus it. */
  error?: ReactNode;
  'data-path'?: string;
  onChange: (id: string | undefined) => void;
}) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 250);
  const chosen = useQuery({
    queryKey: ['campaign', props.value],
    queryFn: ({ signal }) => api.campaigns.get({ campaign_id: props.value ?? '' }, { signal }),
    enabled: Boolean(props.value),
  });
  const name = chosen.data?.campaign_id === props.value ? chosen.data?.campaign_name : undefined;
  // The selected campaign's own name in the box is not a search.
  const wanted = search === name ? '' : search.trim();
  const list = useQuery({
    queryKey: ['campaigns', 'choice', wanted, props.module, props.company],
    queryFn: ({ signal }) =>
      api.campaigns.list(
        {
          page: 1,
          per_page: 50,
          ...(wanted ? { search: wanted } : {}),
          ...(props.module ? { module: props.module as 'local' } : {}),
          ...(props.company ? { company_id: props.company } : {}),
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const options = new Map(
    (list.data?.data ?? []).map((one) => [one.campaign_id, `${one.campaign_name} #${one.campaign_number}`]),
  );
  if (props.value) options.set(props.value, name ?? options.get(props.value) ?? '…');
  return (
    <Select
      {...(props.label
        ? // If the list opened when an error moves the focus here, it would cover the error.
          { label: props.label, comboboxProps: { withinPortal: false }, openOnFocus: false }
        : { 'aria-label': 'Campaign', w: { base: '100%', xs: 240 } })}
      placeholder="All campaigns"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All campaigns' }}
      nothingFoundMessage={list.isFetching ? 'Searching' : 'No matching campaigns'}
      data={[...options].map(([value, label]) => ({ value, label }))}
      value={props.value ?? null}
      error={props.error}
      data-path={props['data-path']}
      onChange={(value) => props.onChange(value ?? undefined)}
      onSearchChange={setText}
      // The server has already filtered the list.
      filter={({ options: all }) => all}
    />
  );
}
