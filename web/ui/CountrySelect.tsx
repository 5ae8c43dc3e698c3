import { Select, type SelectProps } from '@mantine/core';
import { useMemo } from 'react';
import { usePhones } from './usePhone.ts';

const HOME = [{ value: 'US', label: 'United States' }];

/** Selects the country of a phone number by its two-letter code; one is always selected. */
export function CountrySelect({
  value,
  onChange,
  ...props
}: Omit<SelectProps<string>, 'data' | 'value' | 'onChange'> & {
  value: string;
  onChange: (country: string) => void;
}) {
  const phones = usePhones();
  const countries = useMemo(
    () => phones?.countries().map(({ code, name }) => ({ value: code, label: name })) ?? HOME,
    [phones],
  );
  return (
    <Select
      label="Phone number country"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No matching country"
      maw={400}
      {...props}
      data={countries}
      value={value}
      onChange={(next) => next && onChange(next)}
    />
  );
}
