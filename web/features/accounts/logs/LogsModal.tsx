import { Button, Group, Modal, Text, Tooltip } from '@mantine/core';
import { IconFilter, IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MOST_LOG_ROWS } from '../../../../contract/accounts/logs.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useFacts } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { prettyCode } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { type LogFilter, LogFilters } from './LogFilters.tsx';

type LogRow = Awaited<ReturnType<Client['logs']['list']>>['data'][number];

const words = (code: string): string => prettyCode(code.replaceAll('.', '_'));

const columns: Column<LogRow>[] = [
  { key: 'name', title: 'Name', render: (row) => (row.name ? <Clip text={row.name} max={160} /> : <None />) },
  {
    key: 'type',
    phone: 'line',
    title: 'User Type',
    render: (row) => (row.type_user ? words(row.type_user) : <None />),
  },
  {
    key: 'location',
    phone: 'line',
    title: 'Location',
    render: (row) => <Clip text={row.location} max={160} />,
  },
  { key: 'ip', phone: 'line', title: 'IP Address', render: (row) => row.user_ip ?? <None /> },
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
    render: (row) => <Cut text={row.description} />,
  },
  {
    key: 'company',
    title: 'Company Name',
    phone: false,
    render: (row) => <Clip text={row.company_name} max={160} />,
  },
  { key: 'created_at', phone: 'end', title: 'Created at', render: (row) => <When at={row.created_at} /> },
  {
    key: 'seal',
    phone: false,
    title: 'Integrity',
    render: ({ seal }) => (
      <Tooltip label={SEALS[seal].help} multiline maw={280}>
        <span>
          <StatusBadge status={SEALS[seal].status}>{SEALS[seal].words}</StatusBadge>
        </span>
      </Tooltip>
    ),
  },
];

/** What the chain over the log says of a row. */
const SEALS = {
  sealed: {
    status: 'active',
    words: 'Sealed',
    help: 'Unchanged since it was written. Its hash is in the log’s chain.',
  },
  waiting: { status: 'none', words: 'New', help: 'It will be sealed within a minute.' },
  changed: {
    status: 'failed',
    words: 'Changed',
    help: 'Changed after it was written. Ask the platform’s operator to verify the log.',
  },
} as const;

const CUT_AT = 30;
/** A description of at most 30 characters; the whole on hover. */
function Cut({ text }: { text: string }) {
  const letters = [...text];
  return <span title={text}>{letters.length > CUT_AT ? `${letters.slice(0, CUT_AT).join('')}…` : text}</span>;
}

/**
 * What was done and attempted at a company, by whom, and from where; includes failed sign-ins. An agency's log includes
 * those of its clients.
 */
export default function LogsModal(props: {
  company: { id: string; name: string; kind: 'root' | 'agency' | 'client' };
  onClose: () => void;
}) {
  const { company } = props;
  const { user } = useFacts();
  const state = useListState({ perPage: 10 }, 'log_');
  const [filter, setFilter] = useState<LogFilter>({});
  const [isFiltering, setFiltering] = useState(false);
  const { from, to } = filter;
  const asked = {
    company_id: company.id,
    action: filter.category,
    user_type: filter.type,
    user_id: filter.user?.id,
    campaign_id: filter.campaign,
    range: from || to ? `${from ?? EARLIEST}_${to ?? LATEST}` : undefined,
  };
  const { page, per_page } = state.input;
  const query = useQuery({
    queryKey: ['user-logs', asked, page, per_page],
    queryFn: ({ signal }) => api.logs.list({ ...asked, page, per_page }, { signal }),
    placeholderData: keepPreviousData,
  });
  const count = [from || to, asked.action, asked.user_type, asked.user_id, asked.campaign_id].filter(
    Boolean,
  ).length;
  const address = [
    asked.company_id,
    asked.user_type ?? 'all',
    asked.user_id ?? '9999',
    asked.action ?? 'all',
    asked.range ?? 'all',
    asked.campaign_id ?? '9999',
  ].join('/');
  return (
    <Modal
      opened
      onClose={props.onClose}
      centered
      size={1320}
      title={TITLES[company.kind]}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm" c="dimmed" mb="sm">
        {company.kind === 'agency'
          ? `Activity at ${company.name} and its clients, including failed attempts.`
          : `Activity at ${company.name}, including failed attempts.`}
      </Text>
      <DataTable
        label="User logs"
        download={{ list: `/configuration/download-log-user/${address}` }}
        name="companies.logs"
        columns={columns}
        query={query}
        state={state}
        rowKey={(one) => one.id}
        most={MOST_LOG_ROWS}
        actions={
          <Group gap="xs">
            {count > 0 && (
              <Button variant="subtle" onClick={() => setFilter({})}>
                Clear filters
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconFilter size={16} aria-hidden="true" />}
              onClick={() => setFiltering(true)}
            >
              {count > 0 ? `Filters (${count})` : 'Filters'}
            </Button>
          </Group>
        }
        empty={
          count > 0 ? (
            <EmptyState title="Nothing found" text="Nothing in the log matches these filters." />
          ) : (
            <EmptyState
              icon={<IconHistory size={32} stroke={1.4} />}
              title="No activity yet"
              text="Sign-ins, failed attempts, and all changes are listed here, newest first."
            />
          )
        }
      />
      {isFiltering && (
        <LogFilters
          companyId={company.id}
          timeZone={user.time_zone}
          value={filter}
          onApply={(next) => {
            setFilter(next);
            state.setPage(1);
            setFiltering(false);
          }}
          onClose={() => setFiltering(false)}
        />
      )}
    </Modal>
  );
}

const TITLES = {
  root: "Enterprise User's Logs",
  agency: "Agency User's Logs",
  client: "Client User's Logs",
};
/** Where a range begins or ends that is open on one side. */
const EARLIEST = '2000-01-01';
const LATEST = '2999-12-31';
