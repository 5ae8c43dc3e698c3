import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { wordsOf } from '../api/errors.ts';

/** The props that a form passes to one of its inputs. */
export interface SearchSelectField {
  value?: string;
  onChange: (id: string) => void;
  onBlur?: () => void;
  error?: ReactNode;
  'data-path'?: string;
}

/**
 * Selects one of so many items that the server does the searching: `find` returns those that match, or all of them for
 * an empty text.
 */
export function SearchSelect(
  props: SearchSelectField & {
    label: string;
    description?: string;
    /** What choosing none means: 'All clients'; absent: one has to be chosen. */
    none?: string | undefined;
    queryKey: string[];
    find: (wanted: string, signal: AbortSignal) => Promise<{ value: string; label: string }[]>;
  },
) {
  const noun = props.label.toLowerCase();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 250);
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  // The selected item's own name in the box is not a search.
  const wanted = search === chosen?.label ? '' : search.trim();
  const list = useQuery({
    queryKey: [...props.queryKey, wanted],
    queryFn: ({ signal }) => props.find(wanted, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const found = list.data ?? [];
  const data = chosen && !found.some((one) => one.value === chosen.value) ? [chosen, ...found] : found;
  return (
    <Select
      label={props.label}
      description={props.description}
      placeholder={props.none ?? `Choose a ${noun}`}
      withAsterisk={!props.none}
      clearable={Boolean(props.none)}
      clearButtonProps={{ 'aria-label': props.none }}
      {...(props.none ? { comboboxProps: { withinPortal: false } } : {})}
      searchable
      // If the list opened when an error moves the focus to the field, it would cover the error.
      openOnFocus={false}
      data={data}
      value={props.value || null}
      error={list.error ? wordsOf(list.error) : props.error}
      nothingFoundMessage={list.isFetching ? 'Searching' : wanted ? `No matching ${noun}` : `No ${noun} yet`}
      onChange={(value, option) => {
        setChosen(value && option ? { value, label: option.label } : undefined);
        props.onChange(value ?? '');
      }}
      {...(props.onBlur ? { onBlur: props.onBlur } : {})}
      onSearchChange={setText}
      // The server has already filtered the list.
      filter={({ options }) => options}
      data-path={props['data-path']}
    />
  );
}
