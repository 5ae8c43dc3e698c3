import { MultiSelect, Stack, TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  COMPANY_SIZES,
  DEPARTMENTS,
  INDUSTRIES,
  SENIORITIES,
} from '../../../../contract/audience/audience.ts';
import { AUDIENCE_NAMES, type AudienceValues } from './audience.ts';

const namesOf = (choices: readonly { name: string }[]): string[] => choices.map(({ name }) => name);
const CHOICES = {
  seniority: namesOf(SENIORITIES),
  department: namesOf(DEPARTMENTS),
  company_size: namesOf(COMPANY_SIZES),
};

/** The target audience by job, for a B2B ID campaign's form or a count's. */
export function AudienceFields(props: {
  values: AudienceValues;
  errors: { [field in keyof AudienceValues]?: ReactNode };
  onChange: (change: Partial<AudienceValues>) => void;
}) {
  const { values, errors, onChange } = props;
  const choice = (field: keyof typeof CHOICES, description?: string) => (
    <MultiSelect
      label={AUDIENCE_NAMES[field]}
      description={description}
      placeholder={values[field].length === 0 ? 'Any' : undefined}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="No matches"
      data={CHOICES[field]}
      value={values[field]}
      onChange={(names) => onChange({ [field]: names })}
      error={errors[field]}
    />
  );
  const tags = (field: 'job_titles' | 'industry', description: string, data: readonly string[] = []) => (
    <TagsInput
      label={AUDIENCE_NAMES[field]}
      description={description}
      placeholder={values[field].length === 0 ? 'Any' : undefined}
      clearable
      acceptValueOnBlur
      splitChars={[',', ';', '\n']}
      maxTags={200}
      data={[...data]}
      value={values[field]}
      onChange={(names) => onChange({ [field]: names })}
      error={errors[field]}
    />
  );
  return (
    <Stack gap="md">
      {tags(
        'job_titles',
        'Press Enter after each. “marketing manager” also finds “Manager of Marketing”. Matching one of the titles is enough.',
      )}
      {choice('seniority')}
      {choice('department')}
      {tags('industry', 'Press Enter after each. “Software” also finds “Computer Software”.', INDUSTRIES)}
      {choice('company_size', 'Number of people who work there.')}
    </Stack>
  );
}
