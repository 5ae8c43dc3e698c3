import { Anchor, Button, Group, Progress, Select, Text, Title } from '@mantine/core';
import { IconBell, IconUserCheck } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { exclusionMessages, MOST_RECORDS } from '../../../../contract/audience/exclusions-messages.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { CountrySelect } from '../../../ui/CountrySelect.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { FileDrop } from '../../../ui/FileDrop.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import { integrationsAt } from '../../campaigns/connections/whose.tsx';
import { ListHistory } from './ListHistory.tsx';
import type { Place } from './model.ts';
import { useSuppression } from './useSuppression.ts';

type Visit = Awaited<ReturnType<Client['customers']['visits']>>['data'][number];

/** The known customers of a client or campaign: files, connected CRMs, and when they were seen (BEY-20). */
export function CustomersPanel({ place }: { place: Place }) {
  const mayWrite = useMay('exclusion.write');
  const mayTell = useMay('integration.write');
  const [country, setCountry] = useState('US');
  const suppression = useSuppression(place);
  const { state, progress } = suppression;
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <Text size="sm" c="dimmed" style={{ flex: '1 1 320px' }}>
          Customers on these lists are not charged for and do not become leads. An alert can notify you when
          one is back on your site, using the name on your list.
        </Text>
        {mayTell && (
          <Button
            component={Link}
            to={'/alerts' as never}
            search={{ client: place.clientId ?? place.id, alert: 'new', trigger: 'customer' } as never}
            variant="default"
            size="sm"
            leftSection={<IconBell size={16} aria-hidden="true" />}
          >
            New alert
          </Button>
        )}
      </Group>
      <SeenLately place={place} />
      {mayWrite && (
        <section aria-label="Add customers" style={{ marginBottom: 24 }}>
          <Title order={2} size="h3" mb="xs">
            Add customers
          </Title>
          <CountrySelect
            mb="sm"
            description="Used for phone numbers without a country code."
            value={country}
            disabled={state === 'saving'}
            onChange={setCountry}
          />
          <FileDrop
            title="Drop a CSV file here"
            text={`Include email addresses (plain, MD5, or SHA-256) or phone numbers: one per row, or in columns named email or phone, with a name column if you like. Up to ${num(MOST_RECORDS)} records.`}
            accept=".csv,text/csv"
            sending={suppression.sending}
            fault={suppression.fault}
            onFile={(file) => void suppression.send(file, 'all', { ignoreAliases: true, country })}
            onMany={() => suppression.refuse('Choose one file at a time.')}
          />
          <Sources place={place} country={country} onAdded={suppression.changed} />
        </section>
      )}
      {state === 'success' && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="good" live="status">
            {exclusionMessages.submitted}
          </Notice>
        </div>
      )}
      {progress.map((job) => (
        <div key={job.id} style={{ marginBottom: 12 }}>
          <Text size="sm" fw={500} truncate>
            {job.file_name}
          </Text>
          <Progress mt={4} value={job.percentage} aria-label={`Loading ${job.file_name}`} />
        </div>
      ))}
      <ListHistory place={place} mayWrite={mayWrite} onChanged={suppression.changed} action={null} />
    </>
  );
}

/** Adds a list from a connected CRM, which is read again every day. */
function Sources(props: { place: Place; country: string; onAdded: () => void }) {
  const { place } = props;
  const which = { owner_id: place.id, level: place.level as 'client' };
  const [chosen, setChosen] = useState<string | null>(null);
  const { data } = useQuery({
    queryKey: ['customer-sources', place.level, place.id],
    queryFn: ({ signal }) => api.customers.sources(which, { signal }),
  });
  const add = useMutation({
    mutationFn: () => api.customers.connect({ ...which, connection_id: chosen!, country: props.country }),
    onSuccess: ({ message }) => {
      notifyDone(message);
      setChosen(null);
      props.onAdded();
    },
    onError: (error) => notifyFailed(error, 'The list could not be added'),
  });
  if (!data) return null;
  if (data.data.length === 0)
    return (
      <Text size="sm" c="dimmed" mt="sm">
        Connect HubSpot or GoHighLevel under{' '}
        <Anchor
          component={Link}
          {...integrationsAt(place.level === 'client' ? place.id : undefined)}
          inherit
          underline="always"
        >
          Integrations
        </Anchor>{' '}
        to list its customers here, refreshed every day.
      </Text>
    );
  return (
    <Group mt="sm" align="flex-end" gap="sm">
      <Select
        label="From a CRM"
        description={`${data.data.find(({ id }) => id === chosen)?.who ?? 'Contacts it marks as customers'}. They are loaded now and refreshed every day.`}
        placeholder="Choose a connection"
        style={{ flex: '1 1 260px', maxWidth: 400 }}
        data={data.data.map(({ id, name, vendor }) => ({ value: id, label: `${vendor}: ${name}` }))}
        value={chosen}
        onChange={setChosen}
      />
      <Button variant="default" disabled={!chosen} loading={add.isPending} onClick={() => add.mutate()}>
        Add list
      </Button>
    </Group>
  );
}

const COLUMNS: Column<Visit>[] = [
  { key: 'customer', title: 'Customer', fluid: 24, render: (row) => <Clip text={row.customer} max="cell" /> },
  {
    key: 'page_url',
    title: 'Last page',
    fluid: 24,
    render: (row) => <Clip text={row.page_url ?? ''} max="cell" />,
  },
  {
    key: 'campaign_name',
    title: 'Campaign',
    fluid: 20,
    from: 900,
    render: (row) => <Clip text={row.campaign_name} max="cell" />,
  },
  { key: 'at', title: 'Last seen', render: (row) => <When at={row.at} /> },
];

/** The visits of known customers. */
function SeenLately({ place }: { place: Place }) {
  const list = useListState({ perPage: 10 }, 'v_');
  const { page, per_page } = list.input;
  const which = { owner_id: place.id, level: place.level as 'client' };
  const query = useQuery({
    queryKey: ['customer-visits', place.level, place.id, page, per_page],
    queryFn: ({ signal }) => api.customers.visits({ ...which, page, per_page }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  return (
    <section aria-label="Seen recently" style={{ marginBottom: 24 }}>
      <Title order={2} size="h3" mb="xs">
        Seen recently
      </Title>
      <DataTable
        label="Customer visits"
        name="customer-visits"
        download={{ list: 'customer-visits', of: 'customers.visits', query: { ...which, page, per_page } }}
        bare
        columns={COLUMNS}
        query={query}
        state={list}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          title: row.customer,
          line: row.page_url ?? row.campaign_name,
          end: <When at={row.at} brief />,
        })}
        empty={
          <EmptyState
            icon={<IconUserCheck size={32} stroke={1.4} />}
            title="No customer was seen lately"
            text="Visits of the people on your lists appear here, with the last page they viewed."
          />
        }
      />
    </section>
  );
}
