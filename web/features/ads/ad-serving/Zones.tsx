import {
  ActionIcon,
  Button,
  Code,
  Group,
  Modal,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AD_SIZES, type AdSize } from '../../../../contract/ads/ad-rules.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import type { Client } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, Money } from '../../../ui/Values.tsx';

type Zone = Awaited<ReturnType<Client['adZones']['list']>>['data'][number];

/** The zones of house ads: where sites show them, and what each site pastes. */
export function Zones() {
  const client = useQueryClient();
  const user = useUser();
  const mayCreate = useMay('campaign.create');
  const mayRemove = useMay('campaign.remove');
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['ads', 'zones'],
    queryFn: ({ signal }) => api.adZones.list(undefined, { signal }),
  });
  const remove = async (zone: Zone) => {
    const isSure = await confirm({
      title: `Remove “${zone.name}”?`,
      body: 'Sites that still carry its tag show nothing there.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.adZones.remove({ id: zone.id });
      notifyDone(messages.updated);
    } catch (error) {
      notifyFailed(error);
    }
    await client.invalidateQueries({ queryKey: ['ads', 'zones'] });
  };
  const columns: Column<Zone>[] = [
    {
      key: 'name',
      title: 'Zone',
      phone: 'title',
      fluid: 20,
      render: (row) => <Clip text={row.name} max="cell" />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company',
            title: 'Company',
            fluid: 16,
            from: 900,
            render: (row: Zone) => <Clip text={row.company_name} max="cell" />,
          },
        ]),
    {
      key: 'hosts',
      title: 'Site',
      fluid: 22,
      phone: 'line',
      render: (row) => <Clip text={row.hosts.join(', ')} max="cell" />,
    },
    { key: 'size', title: 'Size', phone: 'line', render: (row) => row.size },
    {
      key: 'cpm',
      title: 'Per 1,000',
      align: 'right',
      from: 620,
      render: (row) => <Money micros={microsTyped(row.cpm)} />,
    },
    {
      key: 'impressions',
      title: '30 days',
      align: 'right',
      phone: 'line',
      render: (row) => num(row.impressions_30d),
    },
    {
      key: 'tag',
      title: 'Tag',
      render: (row) => <CopyButton text={row.tag} what={`the tag of ${row.name}`} />,
    },
    ...(mayRemove
      ? [
          {
            key: 'remove',
            title: '',
            phone: 'end' as const,
            render: (row: Zone) => (
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
        ]
      : []),
  ];
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        A site shows house ads where it has the tag of a zone. The tag loads by itself, sets no cookie, and
        shows nothing where there is no ad.
      </Text>
      <DataTable
        label="Ad zones"
        name="ads.zones"
        download={{ list: 'ad-zones', of: 'adZones.list', query: {} }}
        columns={columns}
        query={query}
        rowKey={(row) => row.id}
        actions={
          mayCreate && (
            <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setAdding(true)}>
              New zone
            </Button>
          )
        }
        empty={
          <EmptyState
            title="No ad zones yet"
            text="Create one to show house ads on your own or a partner’s site."
          />
        }
      />
      {isAdding && <NewZone onClose={() => setAdding(false)} />}
    </>
  );
}

function NewZone({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const mayPrice = useMay('campaign.price');
  const [isBusy, setBusy] = useState(false);
  const [made, setMade] = useState<Zone>();
  const form = useForm<{ name: string; hosts: string; size: AdSize; cpm: string }>({
    initialValues: { name: '', hosts: '', size: '300x250', cpm: mayPrice ? '2.00' : '' },
    validate: {
      name: (value) => (value.trim() ? null : 'Enter a name'),
      hosts: (value) => (value.trim() ? null : 'Enter the host of the site'),
    },
  });
  const save = async ({ hosts, cpm, ...values }: typeof form.values) => {
    setBusy(true);
    try {
      const { data } = await api.adZones.create({
        ...values,
        hosts: hosts.split(/[\s,]+/).filter(Boolean),
        ...(mayPrice && cpm ? { cpm } : {}),
      });
      await client.invalidateQueries({ queryKey: ['ads', 'zones'] });
      setMade(data);
    } catch (error) {
      showFormError(form, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={made ? 'Paste this tag' : 'New ad zone'} centered>
      {made ? (
        <Stack gap="md">
          <Text size="sm">Where the ad is to appear on {made.hosts.join(', ')}:</Text>
          <Code block>{made.tag}</Code>
          <Group justify="end">
            <CopyButton text={made.tag} label="Copy the tag" />
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
          <Stack gap="md">
            <TextInput label="Name" required maxLength={255} {...form.getInputProps('name')} />
            <Textarea
              label="Hosts of the site"
              description="news.example.com, or *.example.com for all subdomains. One per line."
              required
              autosize
              minRows={1}
              {...form.getInputProps('hosts')}
            />
            <Select label="Size" allowDeselect={false} data={[...AD_SIZES]} {...form.getInputProps('size')} />
            {mayPrice && (
              <CurrencyInput
                label="Price"
                description="For 1,000 viewable impressions, before markup"
                {...form.getInputProps('cpm')}
              />
            )}
            <Group justify="end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={isBusy}>
                Create zone
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
