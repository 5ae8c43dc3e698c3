import { Button, Checkbox, Group, Modal, NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import {
  AUDIENCE_KIND_NAMES,
  AUDIENCE_KINDS,
  AUDIENCE_SOURCE_NAMES,
  AUDIENCE_SOURCES,
  type AudienceKind,
  type AudienceOrigin,
  type AudienceSource,
  MOST_AUDIENCE_BYTES,
  MOST_AUDIENCE_ROWS,
} from '../../../../contract/ads/audience-rules.ts';
import { exclusionMessages } from '../../../../contract/audience/exclusions-messages.ts';
import { api, wire } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { queryOf } from '../../../api/transport.ts';
import { upload } from '../../../api/upload.ts';
import { useUser } from '../../../api/user.ts';
import { FileDrop, type Sending } from '../../../ui/FileDrop.tsx';
import { num } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { SearchSelect, type SearchSelectField } from '../../../ui/SearchSelect.tsx';
import { ClientSelect } from '../../campaigns/campaigns/ClientSelect.tsx';
import type { Audience } from './model.ts';

const HOLDS: Record<AudienceKind, string> = {
  email: 'One email address per row, plain or as its SHA-256 or MD5 hash, or a column named email.',
  address: 'The first line names the columns address, city, state, and zip.',
  device: 'One IDFA or GAID per row, or a column named device_id.',
  ip: 'One IP address per row, or a column named ip.',
};

/** A form for a new audience: a list from a file, the leads of a campaign, or a keyword count. */
export function NewAudience(props: { onClose: () => void; onMade: (made: Audience) => Promise<void> }) {
  const { company_kind } = useUser();
  const needsClient = company_kind !== 'client';
  const [isBusy, setBusy] = useState(false);
  const [sending, setSending] = useState<Sending>();
  const [fault, setFault] = useState<string>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const form = useForm({
    initialValues: {
      source: 'upload' as AudienceSource,
      company_id: '',
      name: '',
      kind: 'email' as AudienceKind,
      origin: '' as AudienceOrigin | '',
      consent: false,
      campaign_id: '',
      days: '' as number | string,
      count_id: '',
    },
    validate: {
      name: (value) => (value.trim() ? null : 'Enter a name'),
      company_id: (value, { source }) =>
        source === 'upload' && needsClient && !value ? 'Choose a client' : null,
      origin: (value, { source }) =>
        source === 'upload' && !value ? 'Choose where the list comes from' : null,
      consent: (value, { source }) =>
        source === 'upload' && !value ? 'Confirm that you may use this list' : null,
      campaign_id: (value, { source }) => (source === 'leads' && !value ? 'Choose a campaign' : null),
      count_id: (value, { source }) => (source === 'keywords' && !value ? 'Choose a keyword count' : null),
    },
  });
  const { values } = form;

  const take = async (file: File) => {
    setFault(undefined);
    const { hasErrors, errors } = form.validate();
    if (hasErrors) {
      setFault('Fill in the fields above, then choose the file again.');
      return focusFirstWrong(form, errors);
    }
    if (!/\.csv$/i.test(file.name)) return setFault(exclusionMessages.csvOnly);
    if (file.size > MOST_AUDIENCE_BYTES) return setFault('The file must not be larger than 32 MB.');
    const stop = new AbortController();
    running.current = stop;
    const { name, size } = file;
    setSending({ name, size: Math.max(1, size), sent: 0, stop });
    try {
      const query = wire.sent('inputs.audienceUpload', {
        ...(needsClient ? { company_id: values.company_id } : {}),
        name: values.name,
        kind: values.kind,
        origin: values.origin as AudienceOrigin,
        consent: 'T' as const,
        file_name: name,
      });
      const { data } = await upload<{ data: Audience }>(
        `/leadspeek/simplifi/audience/upload${queryOf(query)}`,
        file,
        {
          signal: stop.signal,
          onProgress: (sent) => setSending({ name, size: Math.max(1, size), sent, stop }),
        },
      );
      await props.onMade(data);
    } catch (error) {
      if (stop.signal.aborted) return;
      const rules = error instanceof ApiError ? error.errors.file?.join(' ') : undefined;
      if (rules) setFault(rules);
      else if (error instanceof ApiError && Object.keys(error.errors).length > 0) showFormError(form, error);
      else setFault(wordsOf(error));
    } finally {
      running.current = undefined;
      setSending(undefined);
    }
  };
  const create = async () => {
    if (values.source === 'upload') return;
    setBusy(true);
    try {
      const { data } = await api.audiences.create(
        values.source === 'leads'
          ? {
              name: values.name,
              source: 'leads',
              campaign_id: values.campaign_id,
              ...(values.days === '' ? {} : { days: Number(values.days) }),
            }
          : { name: values.name, source: 'keywords', count_id: values.count_id },
      );
      await props.onMade(data);
    } catch (error) {
      showFormError(form, error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Modal opened onClose={props.onClose} title="New audience" size="lg" centered>
      <form noValidate onSubmit={form.onSubmit(create, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Radio.Group label="Made of" {...form.getInputProps('source')}>
            <Group mt="xs" gap="md">
              {AUDIENCE_SOURCES.map((source) => (
                <Radio
                  key={source}
                  value={source}
                  label={AUDIENCE_SOURCE_NAMES[source]}
                  disabled={sending !== undefined}
                />
              ))}
            </Group>
          </Radio.Group>
          <TextInput label="Name" required maxLength={255} {...form.getInputProps('name')} />
          {values.source === 'upload' && (
            <>
              {needsClient && (
                <ClientSelect description="Whose ads it is for." {...form.getInputProps('company_id')} />
              )}
              <Select
                label="The list has"
                allowDeselect={false}
                data={AUDIENCE_KINDS.map((value) => ({ value, label: AUDIENCE_KIND_NAMES[value] }))}
                {...form.getInputProps('kind')}
              />
              <Radio.Group label="Where it comes from" required {...form.getInputProps('origin')}>
                <Stack gap="xs" mt="xs">
                  <Radio
                    value="customers"
                    label="Your own customers"
                    description="They gave you their details themselves. May also be used at Google and Meta."
                  />
                  <Radio
                    value="other"
                    label="Anywhere else"
                    description="Bought, rented, or collected by others. Google and Meta forbid such lists."
                  />
                </Stack>
              </Radio.Group>
              <Checkbox
                label="I may use this list for advertising, and no one on it has objected."
                {...form.getInputProps('consent', { type: 'checkbox' })}
              />
              <FileDrop
                title="Drop a CSV file here"
                text={`${HOLDS[values.kind]} Up to ${num(MOST_AUDIENCE_ROWS)} rows and 32 MB.`}
                accept=".csv,text/csv"
                sending={sending}
                fault={fault}
                onFile={(file) => void take(file)}
                onMany={() => setFault('Choose one file at a time.')}
              />
            </>
          )}
          {values.source === 'leads' && (
            <>
              <CampaignChoice {...form.getInputProps('campaign_id')} />
              <NumberInput
                label="Leads of the last"
                description="Days. Leave blank for all leads"
                min={1}
                max={730}
                allowDecimal={false}
                {...form.getInputProps('days')}
              />
            </>
          )}
          {values.source === 'keywords' && <CountChoice {...form.getInputProps('count_id')} />}
          {values.source !== 'upload' && (
            <Group justify="end">
              <Button variant="default" onClick={props.onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy}>
                Create audience
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Modal>
  );
}

/** Selects one of the campaigns that have leads. */
function CampaignChoice(props: SearchSelectField) {
  return (
    <SearchSelect
      {...props}
      label="Campaign"
      description="The audience follows its leads. Returned leads are left out."
      queryKey={['campaigns', 'choice']}
      find={async (search, signal) => {
        const { data } = await api.campaigns.list(
          { page: 1, per_page: 50, ...(search ? { search } : {}) },
          { signal },
        );
        return data.map((one) => ({
          value: one.campaign_id,
          label: `${one.campaign_name} #${one.campaign_number}`,
        }));
      }}
    />
  );
}

/** Selects one of the keyword counts. */
function CountChoice(props: SearchSelectField) {
  return (
    <SearchSelect
      {...props}
      label="Keyword count"
      description="The audience is everyone who showed this intent in the last 7 days, at any time."
      queryKey={['counts', 'choice']}
      find={async (search, signal) => {
        const { data } = await api.signals.history(
          { page: 1, per_page: 50, ...(search ? { search } : {}) },
          { signal },
        );
        return data.map((one) => {
          const [first = '', ...others] = one.keyword.split('\n');
          const more = one.keyword_count > 1 ? ` and ${num(one.keyword_count - 1)} more` : '';
          return {
            value: one.id,
            label: `${first}${others.length > 0 ? more : ''} · ${one.company_name} · ${one.created_at.slice(0, 10)}`,
          };
        });
      }}
    />
  );
}
