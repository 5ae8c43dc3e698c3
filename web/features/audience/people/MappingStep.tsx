import { Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { canIdentify } from '../../../../contract/audience/import-rules.ts';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { CountrySelect } from '../../../ui/CountrySelect.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { None } from '../../../ui/Values.tsx';
import { fieldWords, groupsOf, type ImportJob, type PersonField, signalFault } from './fields.ts';
import classes from './people.module.css';

const PHONES = new Set<PersonField>(['phone', 'phone2', 'company_phone']);

/** What each column of an uploaded file means, recognized by its name and corrected by hand; then the start. */
export function MappingStep(props: {
  job: ImportJob;
  onStarted: (job: ImportJob) => void;
  onCancel: () => void;
}) {
  const { id } = props.job;
  const query = useQuery({
    queryKey: ['import', id, 'preview'],
    queryFn: ({ signal }) => api.people.preview({ id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [country, setCountry] = useState('US');
  const [changed, setChanged] = useState<Record<string, PersonField>>({});
  const [isStarting, setStarting] = useState(false);
  const [fault, setFault] = useState<string>();
  const columns = query.data?.columns;
  if (query.error) {
    return (
      <ErrorState
        error={query.error}
        what="The columns could not be read"
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!columns) {
    return (
      <Stack gap="xs" mt="md" aria-busy="true">
        {[0, 1, 2, 3, 4, 5].map((at) => (
          <Skeleton key={at} height={36} />
        ))}
      </Stack>
    );
  }
  const fields = columns.map((column) => changed[column.name] ?? column.field);
  const used = fields.filter((field) => field !== 'ignore').length;
  const isSignals = props.job.kind === 'signals';
  const hasPhones = fields.some((field) => PHONES.has(field));
  const lacking = isSignals ? signalFault(fields) : null;
  const isEnough = isSignals ? lacking === null : canIdentify(fields);
  const choices = groupsOf(props.job.kind);
  const start = async () => {
    setStarting(true);
    setFault(undefined);
    try {
      const mapping = Object.fromEntries(columns.map((column, at) => [column.name, fields[at]!]));
      props.onStarted((await api.people.start({ id, mapping, country })).data);
    } catch (error) {
      setFault(wordsOf(error));
    } finally {
      setStarting(false);
    }
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        {used} of {columns.length} columns are used. Check what each one means, then start.
      </Text>
      {hasPhones && (
        <CountrySelect
          description={
            fields.includes('country')
              ? 'For rows with a blank country column. Numbers with a country code keep theirs.'
              : 'Used for phone numbers without a country code.'
          }
          value={country}
          mt="md"
          onChange={setCountry}
        />
      )}
      <div className={classes.heads} aria-hidden="true">
        <span>Column</span>
        <span>Sample values</span>
        <span>Meaning</span>
      </div>
      <ul className={classes.columns} aria-label="File columns">
        {columns.map((column, at) => {
          const samples = column.samples
            .filter((text) => text.trim() !== '')
            .slice(0, 3)
            .join(', ');
          return (
            <li key={column.name}>
              <span className={classes.name}>
                {column.name}
                {fields[at] === 'ignore' && (
                  <span className={classes.why}>
                    {changed[column.name] === 'ignore' && !column.ignored ? 'Ignored by you' : column.ignored}
                  </span>
                )}
              </span>
              <span className={`${classes.samples} clip`} title={samples}>
                {samples || <None />}
              </span>
              <Select
                aria-label={`Meaning of ${column.name}`}
                data={choices}
                value={fields[at]!}
                allowDeselect={false}
                searchable
                nothingFoundMessage="No matching field"
                styles={fields[at] === 'ignore' ? { input: { color: 'var(--mantine-color-dimmed)' } } : {}}
                onChange={(value) => value && setChanged({ ...changed, [column.name]: value as PersonField })}
              />
            </li>
          );
        })}
      </ul>
      <Stack gap="sm" mt="md">
        {lacking && (
          <Notice tone="warn" live="status" title="Missing column">
            Map a column to {lacking}.
          </Notice>
        )}
        {!isEnough && !isSignals && (
          <Notice tone="warn" live="status" title="No column identifies a person">
            Map a column to one of these: {fieldWords('email')}, an email hash, {fieldWords('phone')} or{' '}
            {fieldWords('external_id')}; or a name together with a street address.
          </Notice>
        )}
        {fault && (
          <Notice tone="bad" live="alert" title="Not started">
            {fault}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onCancel}>
            Discard file
          </Button>
          <Button disabled={!isEnough} loading={isStarting} onClick={() => void start()}>
            Start import
          </Button>
        </Group>
      </Stack>
    </>
  );
}
