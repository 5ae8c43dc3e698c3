import { Button, Group, Text } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { reasonWords } from '../analytics/reasons.ts';
import { HeldNotice } from './Held.tsx';
import TrustedModal from './TrustedModal.tsx';

type Refused = Awaited<ReturnType<Client['campaigns']['refusals']>>['data'][number];

const columns: Column<Refused>[] = [
  {
    key: 'reason',
    title: 'Why',
    render: (row) => {
      const { title, meaning } = reasonWords(row.reason);
      return (
        <span style={{ display: 'block', padding: '8px 0', whiteSpace: 'normal' }}>
          <span style={{ display: 'block', fontWeight: 500 }}>{title}</span>
          {meaning && (
            <Text size="xs" c="dimmed" component="span" display="block">
              {meaning}
            </Text>
          )}
        </span>
      );
    },
  },
  {
    key: 'count',
    phone: 'state',
    title: 'Count',
    align: 'right',
    width: 100,
    render: (row) => num(row.count),
  },
  {
    key: 'last',
    phone: 'line',
    title: 'Last seen',
    width: 160,
    render: (row) => <When at={row.last_at} relative />,
  },
];

/** Why visits of the last 30 days, or people that keywords found (`isSearch`), did not become leads. */
export function RefusalsTab({ id, isSearch }: { id: string; isSearch: boolean }) {
  const query = useQuery({
    queryKey: ['refusals', id],
    queryFn: ({ signal }) => api.campaigns.refusals({ campaign_id: id }, { signal }),
  });
  const [isTrusting, setTrusting] = useState(false);
  return (
    <>
      {!isSearch && <HeldNotice campaignId={id} />}
      <Group justify="space-between" gap="xs" mb="sm">
        <Text size="sm" c="dimmed">
          {isSearch
            ? 'Why people found in the last 30 days did not become leads.'
            : 'Why visits in the last 30 days did not become leads.'}
        </Text>
        {!isSearch && (
          <Button variant="default" size="xs" onClick={() => setTrusting(true)}>
            Trusted addresses
          </Button>
        )}
      </Group>
      {isTrusting && <TrustedModal campaignId={id} onClose={() => setTrusting(false)} />}
      <DataTable
        label="Reasons"
        download={{ list: 'refusals', of: 'campaigns.refusals', query: { campaign_id: id } }}
        name="campaign.refusals"
        columns={columns}
        query={query}
        rowKey={(row) => row.reason}
        empty={
          <EmptyState
            icon={<IconFilter size={32} stroke={1.4} />}
            title="No refusals"
            text={
              isSearch
                ? 'Everyone found in the last 30 days became a lead or is waiting, or no one has been found yet. The Keywords tab shows the counts.'
                : 'Every visit in the last 30 days became a lead, or there have been no visits yet. The Install tab shows whether visits arrive.'
            }
          />
        }
      />
    </>
  );
}
