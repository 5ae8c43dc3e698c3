import { Autocomplete, Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useMemo } from 'react';
import { Fields } from '../../../ui/Fields.tsx';
import { usePhones } from '../../../ui/usePhone.ts';
import type { Address } from './model.ts';
import { useCities, useStates } from './queries.ts';

/** Street, city, zip, country, and state; the state is requested if the country has a list of states. */
export function AddressFields<Values extends Address>(props: {
  form: UseFormReturnType<Values>;
  required: boolean;
}) {
  // The fields are those of Address, no matter what else the form has.
  const form = props.form as unknown as UseFormReturnType<Address>;
  const { required } = props;
  const { country, state } = form.values;
  const phones = usePhones();
  const countries = useMemo(
    () => (phones?.countries() ?? []).map(({ code, name }) => ({ value: code, label: name })),
    [phones],
  );
  const states = useStates(country);
  const cities = useCities(country, state);
  return (
    <>
      <TextInput
        label="Address"
        autoComplete="street-address"
        maxLength={255}
        withAsterisk={required}
        {...form.getInputProps('address')}
      />
      <Fields>
        <Select
          label="Country"
          placeholder="Choose country"
          data={countries}
          searchable
          clearable={!required}
          withAsterisk={required}
          nothingFoundMessage="No matching country"
          autoComplete="off"
          maxDropdownHeight={260}
          clearButtonProps={{ 'aria-label': 'Clear country' }}
          {...form.getInputProps('country')}
          value={countries.length > 0 ? country || null : null}
          onChange={(next) => {
            form.setFieldValue('country', next ?? '');
            form.setFieldValue('state', '');
          }}
        />
        <Select
          label="State"
          placeholder={
            !country
              ? 'Choose a country first'
              : !states
                ? 'Loading states'
                : states.length > 0
                  ? 'Choose state'
                  : 'Not used in this country'
          }
          data={states ?? []}
          searchable
          clearable
          withAsterisk={country === 'US' && (required || form.values.address.trim() !== '')}
          disabled={!states?.length}
          nothingFoundMessage="No matching state"
          autoComplete="off"
          maxDropdownHeight={260}
          clearButtonProps={{ 'aria-label': 'Clear state' }}
          {...form.getInputProps('state')}
          value={states?.length && state ? state : null}
          onChange={(next) => form.setFieldValue('state', next ?? '')}
        />
        <Autocomplete
          label="City"
          autoComplete="off"
          data={cities}
          limit={50}
          maxLength={120}
          withAsterisk={required}
          maxDropdownHeight={200}
          {...form.getInputProps('city')}
        />
        <TextInput
          label="ZIP code"
          autoComplete="postal-code"
          maxLength={20}
          withAsterisk={required}
          {...form.getInputProps('zip')}
        />
      </Fields>
    </>
  );
}
