import {
  ActionIcon,
  Button,
  Code,
  Group,
  Modal,
  Stack,
  Text,
  TextInput,
  Title,
  Tooltip,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, When } from '../../../ui/Values.tsx';

type Exchange = Awaited<ReturnType<Client['adExchanges']['list']>>['data'][number];
const KEY = ['ads', 'exchanges'];

/** The exchanges that may ask the bidder for bids, each with a key of its own. */
export default function Exchanges() {
  const client = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.adExchanges.list(undefined, { signal }),
  });
  const remove = async (exchange: Exchange) => {
    const isSure = await confirm({
      title: `Remove “${exchange.name}”?`,
      body: 'Its key stops working, and it gets no more bids. What was bid before can still be billed.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.adExchanges.remove({ id: exchange.id });
      notifyDone(messages.updated);
    } catch (error) {
      notifyFailed(error);
    }
    await client.invalidateQueries({ queryKey: KEY });
  };
  const columns: Column<Exchange>[] = [
    {
      key: 'name',
      title: 'Exchange',
      phone: 'title',
      fluid: 40,
      render: (row) => <Clip text={row.name} max="cell" />,
    },
    { key: 'created', title: 'Since', phone: 'line', render: (row) => <When at={row.created_at} /> },
    {
      key: 'remove',
      title: '',
      phone: 'end',
      render: (row) => (
        <Tooltip label="Remove">
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={`Remove ${row.name}`}
            onClick={() => void remove(row)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ];
  return (
    <section aria-labelledby="ad-exchanges">
      <Title order={2} size="h4" id="ad-exchanges" mb={4}>
        Ad exchanges
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        An exchange posts OpenRTB 2.6 bid requests to its own address, and campaigns on the sandbox exchange
        bid for banners within their budgets. Whoever has the address can have these campaigns billed, so
        treat it like a password.
      </Text>
      <DataTable
        label="Exchanges"
        name="ads.exchanges"
        download={{ list: 'ad-exchanges', of: 'adExchanges.list', query: {} }}
        columns={columns}
        query={query}
        rowKey={(row) => row.id}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setAdding(true)}>
            New exchange
          </Button>
        }
        empty={
          <EmptyState
            title="No exchanges yet"
            text="Create one to have campaigns bid on requests that come over HTTP."
          />
        }
      />
      {isAdding && <NewExchange onClose={() => setAdding(false)} />}
    </section>
  );
}

function NewExchange({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [endpoint, setEndpoint] = useState<string>();
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (value) => (value.trim() ? null : 'Enter a name') },
  });
  const save = async (values: typeof form.values) => {
    setBusy(true);
    try {
      const { data } = await api.adExchanges.create(values);
      await client.invalidateQueries({ queryKey: KEY });
      setEndpoint(data.endpoint);
    } catch (error) {
      showFormError(form, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={endpoint ? 'Copy the address now' : 'New exchange'} centered>
      {endpoint ? (
        <Stack gap="md">
          <Text size="sm">
            The exchange posts its bid requests here. The address contains its key and is not shown again.
          </Text>
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {endpoint}
          </Code>
          <Group justify="end">
            <CopyButton text={endpoint} label="Copy the address" />
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
          <Stack gap="md">
            <TextInput label="Name" required maxLength={255} {...form.getInputProps('name')} />
            <Group justify="end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy}>
                Create exchange
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
