import { Button, Code, Group, Select, Skeleton, Stack, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { notifyFailed } from '../../../ui/notify.ts';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import { Fact, Json, pretty, Status } from './parts.tsx';

type Logged = Awaited<ReturnType<Client['developer']['requests']>>['data'][number];
type Asked = NonNullable<Parameters<Client['developer']['requests']>[0]>;

const STATUSES = [
  { value: 'ok', label: 'Succeeded' },
  { value: 'refused', label: 'Refused (4xx)' },
  { value: 'failed', label: 'Failed (5xx)' },
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The requests with the agency's API keys, with what was sent and why it was refused (BEY-14). */
export function RequestsTab() {
  const state = useListState({ perPage: 25 });
  const [params, set] = useSearchParams();
  const drawer = useDrawer('request');
  const { data: keys } = useQuery({
    queryKey: ['developer', 'keys'],
    queryFn: ({ signal }) => api.developer.keys(undefined, { signal }),
  });
  const filter = {
    key_id: params.key,
    method: METHODS.find((one) => one === params.method),
    status: STATUSES.find((one) => one.value === params.status)?.value,
  } as Pick<Asked, 'key_id' | 'method' | 'status'>;
  const asked = { ...state.input, ...filter };
  const query = useQuery({
    queryKey: ['developer', 'requests', asked],
    queryFn: ({ signal }) => api.developer.requests(asked, { signal }),
    placeholderData: keepPreviousData,
    // Someone who tries out a program waits for its request to appear.
    refetchInterval: 10_000,
  });
  const by = (name: string) => (value: string | null) => set({ [name]: value ?? undefined, page: undefined });
  const keyName = keys?.data.find(({ id }) => id === params.key)?.name;
  const filters = [
    ...(params.key ? [{ label: `Key: ${keyName ?? 'deleted'}`, onRemove: () => by('key')(null) }] : []),
    ...(filter.method ? [{ label: `Method: ${filter.method}`, onRemove: () => by('method')(null) }] : []),
    ...(filter.status
      ? [
          {
            label: `Status: ${STATUSES.find(({ value }) => value === filter.status)!.label}`,
            onRemove: () => by('status')(null),
          },
        ]
      : []),
  ];
  const columns: Column<Logged>[] = [
    { key: 'status', title: 'Status', render: (row) => <Status status={row.status} /> },
    { key: 'method', title: 'Method', render: (row) => <Code>{row.method}</Code> },
    {
      key: 'path',
      title: 'Path',
      fluid: 40,
      least: 180,
      render: (row) => <Clip text={row.path} max="cell" />,
    },
    { key: 'key_name', title: 'API key', render: (row) => <Clip text={row.key_name} max={180} /> },
    { key: 'duration_ms', title: 'Duration', align: 'right', render: (row) => `${row.duration_ms} ms` },
    { key: 'ip', title: 'IP address', hidden: true, render: (row) => row.ip ?? '' },
    { key: 'mode', title: 'Mode', hidden: true, render: (row) => (row.mode === 'test' ? 'Test' : 'Live') },
    { key: 'at', title: 'Time', render: (row) => <When at={row.at} relative /> },
  ];
  return (
    <>
      <DataTable
        label="Requests"
        name="developer-requests"
        download={{ list: 'developer-requests', of: 'developer.requests', query: asked }}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        onRow={(row) => drawer.open(row.id)}
        columns={columns}
        phoneRow={(row) => ({
          title: `${row.method} ${row.route}`,
          state: <Status status={row.status} />,
          line: row.key_name,
          end: <When at={row.at} relative />,
        })}
        filters={filters}
        actions={
          <Group gap="xs">
            <Select
              aria-label="API key"
              placeholder="All keys"
              clearable
              w={170}
              data={(keys?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              value={params.key ?? null}
              onChange={by('key')}
            />
            <Select
              aria-label="Method"
              placeholder="All methods"
              clearable
              w={140}
              data={METHODS}
              value={filter.method ?? null}
              onChange={by('method')}
            />
            <Select
              aria-label="Status"
              placeholder="All statuses"
              clearable
              w={150}
              data={STATUSES}
              value={filter.status ?? null}
              onChange={by('status')}
            />
          </Group>
        }
        empty={
          <EmptyState title="No requests yet" text="Each request with one of your API keys appears here." />
        }
        emptyFiltered={<EmptyState title="No matching requests" text="Remove a filter to see more." />}
      />
      <DetailDrawer
        param="request"
        title="Request"
        size={640}
        ids={query.data?.data.map(({ id }) => id) ?? []}
      >
        {(id) => <RequestDetail key={id} id={id} />}
      </DetailDrawer>
    </>
  );
}

function RequestDetail({ id }: { id: string }) {
  const user = useUser();
  const [isBusy, setBusy] = useState(false);
  const [again, setAgain] = useState<Awaited<ReturnType<Client['developer']['replayRequest']>>>();
  const query = useQuery({
    queryKey: ['developer', 'request', id],
    queryFn: ({ signal }) => api.developer.request({ id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const row = query.data;
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="This request could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!row) return <Skeleton height={320} aria-busy="true" />;
  const replay = async () => {
    setBusy(true);
    try {
      setAgain(await api.developer.replayRequest({ id }));
    } catch (error) {
      notifyFailed(error, 'Resend');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
          {row.method} {row.path}
        </Title>
        <Status status={row.status} />
      </Group>
      <Stack gap={6}>
        <Fact name="Time">
          <When at={row.at} />
        </Fact>
        <Fact name="Duration">{row.duration_ms} ms</Fact>
        <Fact name="API key">
          {row.key_name} ({row.mode === 'test' ? 'test' : 'live'})
        </Fact>
        <Fact name="IP address">{row.ip ?? 'Unknown'}</Fact>
        <Fact name="Program">{row.user_agent || 'Unknown'}</Fact>
        {row.idempotency_key && <Fact name="Idempotency key">{row.idempotency_key}</Fact>}
        <Fact name="Request ID">{row.id}</Fact>
      </Stack>
      {row.problem && <Json title="Problem" text={pretty(row.problem)} />}
      {row.body && (
        <Json
          title="Request body"
          text={pretty(row.body)}
          note="Texts that could name someone are not kept."
        />
      )}
      {row.can_replay && !user.in_view_mode && (
        <Group>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden="true" />}
            loading={isBusy}
            onClick={() => void replay()}
          >
            Resend
          </Button>
        </Group>
      )}
      {again && (
        <Json
          title={`Response now: ${again.status}`}
          text={again.body}
          note={`Responded in ${again.duration_ms} ms.`}
        />
      )}
    </Stack>
  );
}
