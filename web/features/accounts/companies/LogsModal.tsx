import { Modal, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { prettyCode } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { type CompanyItem, named } from './companies.ts';

type LogRow = Awaited<ReturnType<Client['companies']['userLogs']>>['data'][number];

const words = (code: string): string => prettyCode(code.replaceAll('.', '_'));

const columns: Column<LogRow>[] = [
  { key: 'name', title: 'Name', render: (row) => (row.name ? <Clip text={row.name} max={160} /> : <None />) },
  {
    key: 'type',
    phone: 'line',
    title: 'User Type',
    render: (row) => (row.user_type ? words(row.user_type) : <None />),
  },
  { key: 'place', phone: 'line', title: 'Location', render: (row) => <Clip text={row.place} max={160} /> },
  { key: 'ip', phone: 'line', title: 'IP Address', render: (row) => row.ip ?? <None /> },
  {
    key: 'action',
    phone: 'state',
    title: 'Action',
    render: (row) =>
      row.suspicious ? <StatusBadge status="failed">{words(row.action)}</StatusBadge> : words(row.action),
  },
  {
    key: 'description',
    phone: 'line',
    title: 'Description',
    render: (row) => <Clip text={row.description} max={170} />,
  },
  {
    key: 'company',
    title: 'Company Name',
    phone: false,
    render: (row) => <Clip text={row.company_name} max={160} />,
  },
  { key: 'created_at', phone: 'end', title: 'Created at', render: (row) => <When at={row.created_at} /> },
];

/** What was done and attempted at a company, by whom, and from where; includes failed sign-ins. */
export function LogsModal({ row, onClose }: { row: CompanyItem; onClose: () => void }) {
  const state = useListState({ perPage: 10 }, 'log_');
  const query = useQuery({
    queryKey: ['user-logs', row.company_id, state.input],
    queryFn: ({ signal }) =>
      api.companies.userLogs({ company_id: row.company_id, ...state.input }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      size={1200}
      title={row.kind === 'agency' ? "Agency User's Logs" : "Client User's Logs"}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm" c="dimmed" mb="sm">
        Activity at {named(row.company_name)}, including failed attempts.
      </Text>
      <DataTable
        label="User logs"
        download={{ list: 'user-logs', of: 'companies.userLogs', query: { company_id: row.company_id } }}
        name="companies.logs"
        columns={columns}
        query={query}
        state={state}
        rowKey={(one) => one.id}
        empty={
          <EmptyState
            icon={<IconHistory size={32} stroke={1.4} />}
            title="No activity yet"
            text="Sign-ins, failed attempts, and all changes are listed here, newest first."
          />
        }
      />
    </Modal>
  );
}
