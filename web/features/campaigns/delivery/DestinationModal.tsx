import {
  Button,
  Group,
  Modal,
  MultiSelect,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { TEXT_PREFIX } from '../../../../contract/campaigns/destinations.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import classes from '../connections/integrations.module.css';
import type { Vendor } from '../connections/words.ts';
import { NewSpreadsheet } from './Spreadsheet.tsx';
import { FIXED, FIXED_CHOICE, LEAD_SOURCES } from './sources.ts';
import type { Webhook } from './words.ts';

const NOTHING = 'nothing';
const SOURCES = [
  ...LEAD_SOURCES,
  { group: 'Other', items: [FIXED_CHOICE, { value: NOTHING, label: 'Nothing' }] },
];

/** What is delivered through a connection, and how: settings, field mapping, and a preview of one lead (INTG-01). */
export function DestinationModal(props: {
  campaignId: string;
  connection: { id: string; vendor: string };
  /** The destination that is changed; none: it is added. */
  destination?: Webhook;
  onSaved: (id: string) => void;
  onClose: () => void;
}) {
  const { connection, destination } = props;
  const vendors = useQuery({
    queryKey: ['vendors'],
    queryFn: ({ signal }) => api.connections.vendors(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const vendor = vendors.data?.data.find((one) => one.id === connection.vendor);
  return (
    <Modal
      opened
      onClose={props.onClose}
      size={760}
      title={destination ? destination.name : `Deliver leads to ${vendor?.name ?? '…'}`}
    >
      {vendors.error && !vendor ? (
        <ErrorState
          error={vendors.error}
          what="The service could not be loaded"
          onRetry={() => void vendors.refetch()}
        />
      ) : vendor ? (
        <Choice {...props} vendor={vendor} />
      ) : (
        <Skeleton height={320} />
      )}
    </Modal>
  );
}

/** Where the service has documents, a new one can be made in place of choosing one. */
function Choice(props: Parameters<typeof Fields>[0]) {
  const { vendor, destination } = props;
  const [isNew, setNew] = useState(true);
  if (destination || !vendor.document) return <Fields {...props} />;
  return (
    <Stack gap="lg">
      <SegmentedControl
        aria-label="Where leads are written"
        data={[
          { value: 'new', label: `New ${vendor.document}` },
          { value: 'existing', label: `Existing ${vendor.document}` },
        ]}
        value={isNew ? 'new' : 'existing'}
        onChange={(value) => setNew(value === 'new')}
      />
      {isNew ? <NewSpreadsheet {...props} /> : <Fields {...props} />}
    </Stack>
  );
}

function Fields(props: Parameters<typeof DestinationModal>[0] & { vendor: Vendor }) {
  const { vendor, connection, destination, campaignId } = props;
  const [settings, setSettings] = useState<Record<string, string>>(destination?.settings ?? {});
  const [mapping, setMapping] = useState<Record<string, string>>(destination?.mapping ?? {});
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const asks = vendor.own_fields || vendor.settings.some(({ kind }) => kind !== 'text');
  const choices = useQuery({
    queryKey: ['choices', connection.id],
    queryFn: ({ signal }) => api.connections.choices({ id: connection.id }, { signal }),
    enabled: asks,
    staleTime: 60_000,
    retry: false,
  });
  const preview = useQuery({
    queryKey: ['destination-preview', campaignId, connection.id, mapping],
    queryFn: ({ signal }) =>
      api.delivery.preview({ campaign_id: campaignId, connection_id: connection.id, mapping }, { signal }),
    placeholderData: (before) => before,
    retry: false,
  });
  const shown = new Map(preview.data?.fields.map(({ key, value }) => [key, value]));
  const own = choices.data?.fields ?? [];
  const fields = [
    ...vendor.fields,
    ...Object.keys(mapping)
      .filter((key) => !vendor.fields.some((field) => field.key === key))
      .map((key) => ({
        key,
        label: own.find(({ id }) => id === key)?.name ?? key,
        from: '',
        required: false,
      })),
  ];
  const addable = own.filter(({ id }) => !(id in mapping));
  const errors = refusal instanceof ApiError ? refusal.errors : {};
  const save = async () => {
    setBusy(true);
    setRefusal(undefined);
    try {
      const answer = destination
        ? await api.delivery.configure({ id: destination.id, settings, mapping })
        : await api.delivery.attach({
            campaign_id: campaignId,
            connection_id: connection.id,
            settings,
            mapping,
          });
      notifyDone(answer.message);
      props.onSaved(answer.data.id);
      props.onClose();
    } catch (error) {
      setRefusal(error);
      setBusy(false);
    }
  };
  const set = (key: string, value: string) => setMapping({ ...mapping, [key]: value });
  return (
    <Stack gap="lg">
      {vendor.settings.length > 0 && (
        <Stack gap="md">
          {vendor.settings.map((setting) => {
            const common = {
              key: setting.key,
              label: setting.label,
              description: setting.help,
              withAsterisk: setting.required,
              error: errors[`settings.${setting.key}`]?.join(' '),
            };
            const value = settings[setting.key] ?? '';
            const change = (next: string) => setSettings({ ...settings, [setting.key]: next });
            const list = (choices.data?.settings[setting.key] ?? []).map(({ id, name }) => ({
              value: id,
              label: name,
            }));
            // What was chosen before stays visible even while, or if, the service does not list it.
            const known = (id: string) =>
              list.some((one) => one.value === id) ? [] : [{ value: id, label: id }];
            if (setting.kind === 'text')
              return (
                <TextInput
                  {...common}
                  key={setting.key}
                  value={value}
                  maxLength={500}
                  onChange={(event) => change(event.currentTarget.value)}
                />
              );
            if (setting.kind === 'choice')
              return (
                <Select
                  {...common}
                  key={setting.key}
                  searchable
                  clearable={!setting.required}
                  data={[...list, ...(value ? known(value) : [])]}
                  value={value || null}
                  placeholder={choices.isLoading ? 'Loading…' : 'Choose one'}
                  onChange={(next) => change(next ?? '')}
                />
              );
            const many = listOf(value);
            return (
              <MultiSelect
                {...common}
                key={setting.key}
                searchable
                data={[...list, ...many.flatMap(known)]}
                value={many}
                placeholder={choices.isLoading ? 'Loading…' : many.length ? undefined : 'Choose any'}
                onChange={(next) => change(next.length ? JSON.stringify(next) : '')}
              />
            );
          })}
          {choices.error && (
            <Notice
              tone="warn"
              action={
                <Button size="xs" variant="default" onClick={() => void choices.refetch()}>
                  Retry
                </Button>
              }
            >
              {wordsOf(choices.error)}
            </Notice>
          )}
        </Stack>
      )}
      {fields.length > 0 && (
        <div>
          <Title order={3} size="h4">
            Fields
          </Title>
          <Text size="sm" c="dimmed" mb="xs">
            {preview.data?.is_example
              ? 'What fills each field. The values are those of a made-up lead, because the campaign has none yet.'
              : 'What fills each field. The values are those of the newest lead.'}
          </Text>
          <table className={classes.mapping}>
            <tbody>
              {fields.map((field) => {
                const source = mapping[field.key] ?? field.from;
                const isFixed = source.startsWith(TEXT_PREFIX);
                const wrong = errors[`mapping.${field.key}`]?.join(' ');
                return (
                  <tr key={field.key}>
                    <th scope="row">
                      {field.label}
                      {field.required && (
                        <Text span c="var(--bad)" aria-hidden="true">
                          {' '}
                          *
                        </Text>
                      )}
                    </th>
                    <td>
                      <Select
                        aria-label={`Source of ${field.label}`}
                        searchable
                        allowDeselect={false}
                        data={SOURCES}
                        value={isFixed ? FIXED : source || NOTHING}
                        error={wrong}
                        onChange={(next) =>
                          set(field.key, next === NOTHING ? '' : next === FIXED ? TEXT_PREFIX : (next ?? ''))
                        }
                      />
                      {isFixed && (
                        <TextInput
                          mt={6}
                          aria-label={`Text for ${field.label}`}
                          value={source.slice(TEXT_PREFIX.length)}
                          maxLength={400}
                          onChange={(event) => set(field.key, TEXT_PREFIX + event.currentTarget.value)}
                        />
                      )}
                      {!isFixed && <div className={classes.value}>{shown.get(field.key) ?? '—'}</div>}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {addable.length > 0 && (
            <Select
              mt="sm"
              label={`Another field of ${vendor.name}`}
              placeholder="Choose a field"
              searchable
              data={addable.map(({ id, name }) => ({ value: id, label: name }))}
              value={null}
              onChange={(key) => key && set(key, TEXT_PREFIX)}
            />
          )}
        </div>
      )}
      {preview.data && preview.data.missing.length > 0 && !preview.data.is_example && (
        <Notice tone="warn">
          The newest lead has no {preview.data.missing.join(', ')}, which {vendor.name} requires. Such leads
          are not delivered there.
        </Notice>
      )}
      {Boolean(refusal) && (
        <Notice tone="bad" live="alert">
          {wordsOf(refusal)}
        </Notice>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void save()}>
          {destination ? 'Save' : 'Add destination'}
        </Button>
      </Group>
    </Stack>
  );
}

/** The entries of a setting with several choices, which is stored as a JSON list. */
function listOf(value: string): string[] {
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
