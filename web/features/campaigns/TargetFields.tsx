import { MultiSelect, Select, Stack, Textarea } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { US_STATES } from '../../../contract/choices.ts';
import { api } from '../../api/client.ts';
import { num } from '../../ui/format.ts';
import { keywordsOf, type TargetValues, zipText } from './target.ts';

const LOCATIONS = ['National Targeting', 'State', 'Zip Code'] as const;
const STATES = Object.entries(US_STATES).map(([value, label]) => ({ value, label }));

/** Keywords and place of a search: of a campaign's form, and of a count's. */
export function TargetFields(props: {
  values: TargetValues;
  errors: { [field in keyof TargetValues]?: ReactNode };
  onChange: (change: Partial<TargetValues>) => void;
  onLeave?: (field: keyof TargetValues) => void;
}) {
  const { values, errors, onChange, onLeave } = props;
  const many = keywordsOf(values.locatorkeyword).length;
  const zips = values.locatorzip.split('\n').filter(Boolean).length;
  const left = (field: keyof TargetValues) => ({ error: errors[field], onBlur: () => onLeave?.(field) });
  return (
    <Stack gap="md">
      <Textarea
        label="Keywords"
        description="One a line, or parted by commas. Case, punctuation and endings do not matter; a phrase matches within longer ones."
        placeholder={'running shoes\ntrail running'}
        withAsterisk
        autosize
        minRows={4}
        maxRows={12}
        value={values.locatorkeyword}
        onChange={(event) => onChange({ locatorkeyword: event.currentTarget.value })}
        inputWrapperOrder={['label', 'description', 'input', 'error']}
        rightSection={many > 0 ? <span className="num">{num(many)}</span> : undefined}
        {...left('locatorkeyword')}
      />
      <Select
        label="Target location"
        description="Where the people were when they showed the intent."
        allowDeselect={false}
        data={[...LOCATIONS]}
        value={values.locationtarget}
        onChange={(value) => value && onChange({ locationtarget: value as TargetValues['locationtarget'] })}
      />
      {values.locationtarget === 'State' && (
        <>
          <MultiSelect
            label="States"
            withAsterisk
            searchable
            clearable
            hidePickedOptions
            nothingFoundMessage="No such state"
            data={STATES}
            value={values.locatorstate}
            onChange={(states) =>
              onChange({
                locatorstate: states,
                locatorcity: values.locatorcity.filter((city) => states.includes(city.slice(-2))),
              })
            }
            {...left('locatorstate')}
          />
          {values.locatorstate.length > 0 && <Cities {...props} />}
        </>
      )}
      {values.locationtarget === 'Zip Code' && (
        <Textarea
          label="Zip codes"
          description={
            zips > 0 ? `${num(zips)} zip ${zips === 1 ? 'code' : 'codes'}, one a line.` : 'One a line.'
          }
          placeholder={'78701\n78702'}
          withAsterisk
          autosize
          minRows={4}
          maxRows={12}
          inputMode="numeric"
          value={values.locatorzip}
          onChange={(event) => onChange({ locatorzip: zipText(event.currentTarget.value) })}
          {...left('locatorzip')}
        />
      )}
    </Stack>
  );
}

/** Cities of the chosen states; of a state of which some are chosen only these count. */
function Cities({ values, errors, onChange, onLeave }: Parameters<typeof TargetFields>[0]) {
  const found = useQueries({
    queries: values.locatorstate.map((state) => ({
      queryKey: ['cities', state],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await api.profile.cities({ state }, { signal })).data,
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const data = values.locatorstate.map((state, at) => ({
    group: US_STATES[state] ?? state,
    items: (found[at]?.data ?? []).map((city) => ({
      value: `${city}, ${state}`,
      label: `${city}, ${state}`,
    })),
  }));
  return (
    <MultiSelect
      label="Cities"
      description="Empty: the whole states. Of a state of which cities are chosen only these count."
      searchable
      clearable
      hidePickedOptions
      limit={100}
      nothingFoundMessage="No such city"
      data={data}
      value={values.locatorcity}
      onChange={(locatorcity) => onChange({ locatorcity })}
      error={errors.locatorcity}
      onBlur={() => onLeave?.('locatorcity')}
    />
  );
}
