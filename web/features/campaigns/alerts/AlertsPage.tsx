import { Button, Text } from '@mantine/core';
import { IconBell, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { alertWords } from '../../../../contract/campaigns/alert-rules.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { ClientSelect } from '../campaigns/ClientSelect.tsx';
import { AlertDrawer } from './AlertDrawer.tsx';
import type { Alert } from './model.ts';

/** In the address, the drawer of an alert that does not exist yet. */
const NEW = 'new';

/** Alerts of a client: who hears at once of which leads (BEY-18). */
export default function AlertsPage() {
  const user = useUser();
  const mayWrite = useMay('integration.write');
  const [params, set] = useSearchParams();
  const drawer = useDrawer('alert');
  const isClient = user.company_kind === 'client';
  const client = isClient ? user.company_id : params.client;
  const query = useQuery({
    queryKey: ['alerts', client],
    queryFn: ({ signal }) => api.alerts.list(isClient ? {} : { company_id: client! }, { signal }),
    enabled: client !== undefined,
  });
  const rows = query.data?.data ?? [];
  const columns: Column<Alert>[] = [
    { key: 'name', title: 'Alert', fluid: 24, render: (row) => <Clip text={row.name} max="cell" /> },
    { key: 'state', title: 'Status', render: (row) => <AlertState row={row} /> },
    {
      key: 'when',
      title: 'When',
      fluid: 40,
      render: (row) => <Clip text={alertWords(row)} max="cell" />,
    },
    {
      key: 'campaign',
      title: 'Campaign',
      fluid: 18,
      from: 900,
      render: (row) => <Clip text={row.campaign_name ?? 'All campaigns'} max="cell" />,
    },
    {
      key: 'told',
      title: 'Last 7 days',
      align: 'right',
      render: (row) => <span className="num">{num(row.told)}</span>,
    },
  ];
  const add = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden="true" />}
      disabled={client === undefined}
      onClick={() => drawer.open(NEW)}
    >
      New alert
    </Button>
  );
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Alerts"
        line={
          isClient
            ? 'Get notified right away about leads and customers that matter to you, by email, Slack, Teams, or webhook.'
            : 'What your clients are notified about right away, by email, Slack, Teams, or webhook.'
        }
        primary={mayWrite ? add : undefined}
      />
      {!isClient && (
        <div style={{ maxWidth: 360, marginBottom: 16 }}>
          <ClientSelect
            description="Shows the alerts of this client."
            value={params.client ?? ''}
            onChange={(id) => set({ client: id || undefined, alert: undefined })}
          />
        </div>
      )}
      {client === undefined ? (
        <Text c="dimmed">Choose a client to see its alerts.</Text>
      ) : (
        <DataTable
          label="Alerts"
          name="alerts"
          download={{ list: 'alerts', of: 'alerts.list', query: isClient ? {} : { company_id: client } }}
          columns={columns}
          query={query}
          rowKey={(row) => row.id}
          onRow={(row) => drawer.open(row.id)}
          phoneRow={(row) => ({
            title: row.name,
            state: <AlertState row={row} />,
            line: alertWords(row),
            end: num(row.told),
          })}
          empty={
            <EmptyState
              icon={<IconBell size={32} stroke={1.4} />}
              title="No alerts yet"
              text="For example, when someone with a score of 60 or more comes in, or when someone looks at your prices again."
              action={mayWrite ? add : undefined}
            />
          }
        />
      )}
      <DetailDrawer param="alert" title="Alert" size={620}>
        {(id) => {
          const alert = rows.find((row) => row.id === id);
          return id !== NEW && !alert ? (
            <Text c="dimmed">{query.isPending ? '' : 'This alert no longer exists.'}</Text>
          ) : (
            <AlertDrawer
              key={id}
              client={client ?? ''}
              alert={alert}
              begin={{
                campaign_id: params.campaign ?? null,
                ...(params.trigger === 'customer' ? { trigger: 'customer', name: 'Known customers' } : {}),
                ...(params.score ? { min_score: Number(params.score) || 0 } : {}),
              }}
              onAdded={(added) => drawer.step(added)}
              onRemoved={drawer.close}
            />
          );
        }}
      </DetailDrawer>
    </PageZone>
  );
}

function AlertState({ row }: { row: Alert }) {
  if (row.failed > 0)
    return (
      <StatusBadge status="failed" tone="bad">
        {num(row.failed)} not delivered
      </StatusBadge>
    );
  return row.state === 'on' ? (
    <StatusBadge status="on" tone="good">
      On
    </StatusBadge>
  ) : (
    <StatusBadge status="off" tone="plain">
      Off
    </StatusBadge>
  );
}
