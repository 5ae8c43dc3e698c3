import { Button } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { destination, type Listed, STATE_TONES, STATE_WORDS, waitingWords } from './model.ts';

const StartTransferModal = lazy(() => import('./StartTransferModal.tsx'));

const Badge = ({ row }: { row: Listed }) => (
  <StatusBadge status={row.state} tone={STATE_TONES[row.state]}>
    {STATE_WORDS[row.state]}
  </StatusBadge>
);

/** Transfers of clients from or to an agency or, for a client, of itself (BEY-13). */
export default function TransfersPage() {
  const user = useUser();
  const navigate = useNavigate();
  const isClient = user.company_kind === 'client';
  const [isStarting, setStarting] = useState(false);
  const list = useListState({ perPage: 25 });
  const { page, per_page, search } = list.input;
  const input = { page, per_page, ...(search ? { search } : {}) };
  const query = useQuery({
    queryKey: ['transfers', input],
    queryFn: ({ signal }) => api.clientTransfers.list(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  const columns: Column<Listed>[] = [
    { key: 'name', title: 'Client', fluid: 22, render: (row) => <Clip text={row.client_name} max="cell" /> },
    { key: 'state', title: 'Status', render: (row) => <Badge row={row} /> },
    {
      key: 'from',
      title: 'From',
      fluid: 14,
      from: 820,
      render: (row) => <Clip text={row.from_name} max="cell" />,
    },
    { key: 'to', title: 'To', fluid: 18, render: (row) => <Clip text={destination(row)} max="cell" /> },
    {
      key: 'waits',
      title: 'Waits for',
      fluid: 14,
      from: 980,
      render: (row) => (row.waits_for.length > 0 ? <Clip text={waitingWords(row)} max="cell" /> : <None />),
    },
    { key: 'started', title: 'Started', from: 620, render: (row) => <When at={row.started_at} /> },
  ];
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Transfers"
        line={
          isClient
            ? 'Your account can move to another agency of this platform, if both agencies and you agree.'
            : 'Clients that move to you from other agencies, or from you to them.'
        }
        primary={
          isClient ? <Button onClick={() => setStarting(true)}>Move to another agency</Button> : undefined
        }
      />
      <DataTable
        label="Transfers"
        name="client-transfers"
        download={{ list: 'client-transfers', of: 'clientTransfers.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        search="Search by client"
        rowKey={(row) => row.id}
        onRow={(row) => void navigate({ to: `/configuration/transfers/${row.id}` as '/' })}
        phoneRow={(row) => ({
          title: row.client_name,
          state: <Badge row={row} />,
          line: destination(row),
          end: <When at={row.started_at} />,
        })}
        empty={
          <EmptyState
            icon={<IconArrowsExchange size={32} stroke={1.4} />}
            title="No transfers"
            text={
              isClient
                ? 'If another agency is to look after you, start here.'
                : 'To hand over a client, open its row’s menu in Client Management. Clients that are offered to you appear here.'
            }
            {...(isClient
              ? {}
              : {
                  action: (
                    <Button
                      variant="default"
                      renderRoot={(props) => (
                        <Link {...props} to={'/configuration/client-management' as '/'} />
                      )}
                    >
                      Client Management
                    </Button>
                  ),
                })}
          />
        }
      />
      {isStarting && (
        <Suspense fallback={null}>
          <StartTransferModal client={null} onClose={() => setStarting(false)} />
        </Suspense>
      )}
    </PageZone>
  );
}
