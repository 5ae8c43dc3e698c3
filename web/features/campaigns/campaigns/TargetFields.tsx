import { MultiSelect, Pill, Select, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { US_STATES } from '../../../../contract/choices.ts';
import { api } from '../../../api/client.ts';
import { num } from '../../../ui/format.ts';
import { CitySelect } from './CitySelect.tsx';
import type { Campaign } from './model.ts';
import { keywordsOf, type TargetValues, zipText } from './target.ts';

const LOCATIONS = ['National Targeting', 'State', 'Zip Code'] as const;
const STATES = Object.entries(US_STATES).map(([value, label]) => ({ value, label }));

/** Keywords and place of a search: of a campaign's form, and of a count's. */
export function TargetFields(props: {
  /** How keywords match: as phrases (locator), else their words in any order. */
  module: Campaign['module'];
  values: TargetValues;
  errors: { [field in keyof TargetValues]?: ReactNode };
  onChange: (change: Partial<TargetValues>) => void;
  onLeave?: (field: keyof TargetValues) => void;
}) {
  const { module, values, errors, onChange, onLeave } = props;
  const zips = values.zips.split('\n').filter(Boolean).length;
  const left = (field: keyof TargetValues) => ({ error: errors[field], onBlur: () => onLeave?.(field) });
  return (
    <Stack gap="md">
      <Textarea
        label="Keywords"
        description={`One per line, or separated by commas. Case, punctuation, and endings don’t matter, and ${
          module === 'locator'
            ? 'a phrase matches within longer ones.'
            : 'the words of a phrase can appear in any order, with others in between.'
        }`}
        placeholder={'running shoes\ntrail running'}
        withAsterisk
        autosize
        minRows={4}
        maxRows={12}
        value={values.keywords}
        onChange={(event) => onChange({ keywords: event.currentTarget.value })}
        {...left('keywords')}
      />
      <KeywordTags text={values.keywords} onText={(keywords) => onChange({ keywords })} />
      <Select
        label="Target location"
        description="Where people were when they showed intent."
        allowDeselect={false}
        data={[...LOCATIONS]}
        value={values.location}
        onChange={(value) => value && onChange({ location: value as TargetValues['location'] })}
      />
      {values.location === 'State' && (
        <>
          <MultiSelect
            label="States"
            withAsterisk
            searchable
            clearable
            hidePickedOptions
            nothingFoundMessage="No matching state"
            data={STATES}
            value={values.states}
            onChange={(states) =>
              onChange({
                states: states,
                cities: values.cities.filter((city) => states.includes(city.slice(-2))),
              })
            }
            {...left('states')}
          />
          {values.states.length > 0 && (
            <CitySelect
              states={values.states}
              value={values.cities}
              onChange={(cities) => onChange({ cities })}
              error={errors.cities}
              onBlur={() => onLeave?.('cities')}
            />
          )}
        </>
      )}
      {values.location === 'Zip Code' && (
        <Textarea
          label="Zip codes"
          description={
            zips > 0 ? `${num(zips)} zip ${zips === 1 ? 'code' : 'codes'}, one per line.` : 'One per line.'
          }
          placeholder={'78701\n78702'}
          withAsterisk
          autosize
          minRows={4}
          maxRows={12}
          inputMode="numeric"
          value={values.zips}
          onChange={(event) => onChange({ zips: zipText(event.currentTarget.value) })}
          {...left('zips')}
        />
      )}
    </Stack>
  );
}

/** The maximum number of tags shown; the rest of a thousand appear only as a number. */
const SHOWN_TAGS = 30;

/** The keywords as the server reads them: each form once, no matter what was pasted. */
function KeywordTags({ text, onText }: { text: string; onText: (text: string) => void }) {
  const [asked] = useDebouncedValue(text, 400);
  const query = useQuery({
    queryKey: ['keyword-tags', asked],
    queryFn: ({ signal }) => api.campaigns.keywordTags({ keyword: asked }, { signal }),
    enabled: keywordsOf(asked).length > 0,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (keywordsOf(text).length === 0 || !query.data) return null;
  const { tags, repeated, empty } = query.data;
  return (
    <div>
      <Pill.Group aria-label="Keywords as searched">
        {tags.slice(0, SHOWN_TAGS).map((tag) => (
          <Pill
            key={tag}
            withRemoveButton
            removeButtonProps={{ 'aria-label': `Remove ${tag}`, tabIndex: 0, 'aria-hidden': false }}
            onRemove={() => onText(tags.filter((one) => one !== tag).join('\n'))}
          >
            {tag}
          </Pill>
        ))}
      </Pill.Group>
      <Text size="xs" c="dimmed" mt={4} aria-live="polite" className="num">
        {tags.length === 1 ? '1 keyword' : `${num(tags.length)} keywords`}
        {tags.length > SHOWN_TAGS && `, ${num(tags.length - SHOWN_TAGS)} not shown`}
        {repeated > 0 && `; ${num(repeated)} left out because another keyword has the same form`}
        {empty > 0 && `; ${num(empty)} without a letter or digit, which must be removed`}.
      </Text>
    </div>
  );
}
