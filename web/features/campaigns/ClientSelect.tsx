import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { wordsOf } from '../../api/errors.ts';

/** What a form gives to one of its inputs. */
interface ClientSelectProps {
  value?: string;
  onChange: (id: string) => void;
  onBlur?: () => void;
  error?: ReactNode;
  'data-path'?: string;
  /** What choosing one means. */
  description?: string;
}

/** One of the agency's clients; the server searches, so that thousands do. */
export function ClientSelect(props: ClientSelectProps) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 250);
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  // The chosen one's own name in the box is no search.
  const wanted = search === chosen?.label ? '' : search.trim();
  const list = useQuery({
    queryKey: ['clients', wanted],
    queryFn: ({ signal }) =>
      api.tenants.clients({ Page: 1, PerPage: 50, ...(wanted ? { searchQuery: wanted } : {}) }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const found = (list.data?.data ?? []).map((one) => ({ value: one.id, label: one.company_name }));
  const data = chosen && !found.some((one) => one.value === chosen.value) ? [chosen, ...found] : found;
  return (
    <Select
      label="Client"
      description={props.description ?? 'Whose campaign it is.'}
      placeholder="Choose a client"
      withAsterisk
      searchable
      data={data}
      value={props.value || null}
      error={list.error ? wordsOf(list.error) : props.error}
      nothingFoundMessage={
        list.isFetching ? 'Searching' : wanted ? 'No client matches' : 'There is no client yet'
      }
      onChange={(value, option) => {
        setChosen(value && option ? { value, label: option.label } : undefined);
        props.onChange(value ?? '');
      }}
      {...(props.onBlur ? { onBlur: props.onBlur } : {})}
      onSearchChange={setText}
      // The server has searched already.
      filter={({ options }) => options}
      data-path={props['data-path']}
    />
  );
}
