import { Button, Group, Text, Title } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile, IconDevices, IconDeviceTablet } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import type { Column } from '../../../ui/DataTable.types.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { Activity } from './Activity.tsx';
import { FactorSection } from './FactorSection.tsx';
import { PasskeysSection } from './PasskeysSection.tsx';
import { ViewsByOthers } from './ViewsByOthers.tsx';

type Row = Awaited<ReturnType<Client['auth']['sessions']>>['data'][number];

const icons = {
  computer: IconDeviceDesktop,
  phone: IconDeviceMobile,
  tablet: IconDeviceTablet,
  other: IconDevices,
};

/** Asks for the confirmation that another page sent the user here for, then goes back to that page. */
function useConfirmationAsked(): void {
  const [{ confirm: how }, setParams] = useSearchParams();
  const isAsked = useRef(false);
  useEffect(() => {
    if (!how || isAsked.current) return;
    isAsked.current = true;
    void import('./confirmIdentity.tsx')
      .then(({ confirmIdentity }) => confirmIdentity(how))
      .then((isDone) => {
        if (isDone && window.history.length > 1) window.history.back();
        else setParams({ confirm: undefined });
      });
  }, [how, setParams]);
}

/** Security of the user's own account: second factor, where it is signed in, and the history of its sign-in methods. */
export default function SessionsPage() {
  useConfirmationAsked();
  const queryClient = useQueryClient();
  const mayViews = useMay('view.log');
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => api.auth.sessions(undefined, { signal }),
  });
  const done = ({ message }: { message: string }) => {
    notifyDone(message);
    return queryClient.invalidateQueries({ queryKey: ['sessions'] });
  };
  const failed = (error: unknown) => {
    notifyFailed(error);
    // For example, a session that has ended in the meantime.
    void queryClient.invalidateQueries({ queryKey: ['sessions'] });
  };
  const one = useMutation({
    mutationFn: (id: string) => api.auth.endSession({ id }),
    onSuccess: done,
    onError: failed,
  });
  const others = useMutation({
    mutationFn: () => api.auth.endOtherSessions({}),
    onSuccess: done,
    onError: failed,
  });
  const rows = query.data?.data ?? [];
  const otherCount = rows.filter((row) => !row.current).length;

  const endOne = async (row: Row) => {
    const isSure = await confirm({
      title: `Sign out ${row.device}?`,
      body: `${where(row)} will need the password to sign in again.`,
      verb: 'Sign out',
      danger: true,
    });
    if (isSure) one.mutate(row.id);
  };
  const endOthers = async () => {
    const isSure = await confirm({
      title: 'Sign out all other devices?',
      body: `${otherCount === 1 ? 'One other device' : `${otherCount} other devices`} will need the password to sign in again. This one stays signed in.`,
      verb: 'Sign out others',
      danger: true,
    });
    if (isSure) others.mutate();
  };

  const columns: Column<Row>[] = [
    {
      key: 'device',
      title: 'Device',
      render: (row) => {
        const Icon = icons[row.kind];
        return (
          <Group gap="xs" wrap="nowrap">
            <Icon size={18} stroke={1.6} aria-hidden="true" style={{ flex: 'none' }} />
            <Clip text={row.device} max={220} />
            {row.current && <StatusBadge status="active">This device</StatusBadge>}
          </Group>
        );
      },
    },
    { key: 'place', phone: 'line', title: 'Place', render: (row) => <Clip text={row.place} /> },
    {
      key: 'ip',
      phone: 'line',
      title: 'IP address',
      render: (row) => (row.ip ? <span className="num">{row.ip}</span> : <None />),
    },
    {
      key: 'last_seen',
      phone: 'line',
      title: 'Last seen',
      render: (row) => <When at={row.last_seen} relative />,
    },
    { key: 'created_at', title: 'Signed in', hidden: true, render: (row) => <When at={row.created_at} /> },
    {
      key: 'action',
      phone: 'end',
      title: 'Action',
      align: 'right',
      render: (row) =>
        row.current ? (
          <Text size="sm" c="dimmed">
            In use
          </Text>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            loading={one.isPending && one.variables === row.id}
            aria-label={`Sign out ${row.device}`}
            onClick={() => void endOne(row)}
          >
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Security"
        line="How you sign in, where you’re signed in, and what happened on your account."
      />
      <FactorSection />
      <PasskeysSection />
      <Group justify="space-between" align="flex-start" gap="md" mt={32} mb="md">
        <div style={{ flex: '1 1 240px' }}>
          <Title order={2}>Signed-in devices</Title>
          <Text c="dimmed" size="sm">
            Sign out any device you don’t recognize, then change your password.
          </Text>
        </div>
        <Button
          variant="default"
          disabled={otherCount === 0}
          loading={others.isPending}
          onClick={() => void endOthers()}
        >
          Sign out others
        </Button>
      </Group>
      <DataTable
        label="Devices"
        download={{ list: 'sessions' }}
        name="sessions"
        columns={columns}
        query={query}
        rowKey={(row) => row.id}
        empty={<EmptyState title="No devices" text="You are not signed in on any device." />}
      />
      <Activity />
      {mayViews && <ViewsByOthers />}
    </>
  );
}

const where = (row: Row): string =>
  [row.device, row.place, row.ip && `(${row.ip})`].filter(Boolean).join(', ').replace(', (', ' (');
