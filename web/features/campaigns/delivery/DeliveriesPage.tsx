import { Button, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { IconChecks, IconPlugConnected, IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DESK_STATES, type DeskState } from '../../../../contract/campaigns/destinations.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num, percent } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { Attempts, DeliveryState } from './Attempts.tsx';
import classes from './delivery.module.css';
import { Undelivered } from './Undelivered.tsx';
import { aboutWords, type DeskRow, type Destination, durationWords } from './words.ts';

const STATES: Record<DeskState, string> = {
  failed: 'Failed',
  waiting: 'Waiting',
  delivered: 'Delivered',
  skipped: 'Skipped',
};

/** The delivery desk: what has not arrived and why, how each destination does, and every delivery (BEY-04). */
export default function DeliveriesPage() {
  const user = useUser();
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Deliveries"
        line={
          user.company_kind === 'client'
            ? 'Where your leads went, and what has not arrived yet.'
            : 'Where your clients’ leads went, and what has not arrived yet.'
        }
      />
      <Stack gap="xl">
        <Undelivered />
        <Destinations />
        <Ledger />
      </Stack>
    </PageZone>
  );
}

/** The destinations with the figures of seven days; a click narrows the list below to one. */
function Destinations() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const state = useListState({ perPage: 10 }, 'd_');
  const { page, per_page } = state.input;
  const query = useQuery({
    queryKey: ['destinations', page, per_page],
    queryFn: ({ signal }) => api.delivery.destinations({ page, per_page }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  const columns: Column<Destination>[] = [
    {
      key: 'name',
      title: 'Destination',
      fluid: 30,
      render: (row) => <Clip text={row.name} max="cell" />,
    },
    {
      key: 'campaign',
      title: 'Campaign',
      fluid: 20,
      render: (row) => <Clip text={row.campaign_name} max="cell" />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company',
            title: 'Client',
            fluid: 14,
            render: (row: Destination) => <Clip text={row.company_name} max="cell" />,
          },
        ]),
    { key: 'week', title: 'Last 7 days', render: (row) => <Week row={row} /> },
    { key: 'share', title: 'Success', align: 'right', render: (row) => <Share row={row} /> },
    {
      key: 'took',
      title: 'Response time',
      render: (row) =>
        row.half_took_ms === null || row.most_took_ms === null ? (
          <None />
        ) : (
          <span className="num" title="95% of attempts took at most this long">
            up to {durationWords(row.most_took_ms)}
          </span>
        ),
    },
    { key: 'waiting', title: 'Waiting', align: 'right', render: (row) => <Count of={row.waiting} /> },
    { key: 'failed', title: 'Failed', align: 'right', render: (row) => <Count of={row.failed} isBad /> },
    { key: 'state', title: 'Status', render: (row) => <DestinationState row={row} /> },
  ];
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        Destinations
      </Title>
      <DataTable
        label="Destinations"
        name="desk-destinations"
        download={{ list: 'destinations', of: 'delivery.destinations', query: { page, per_page } }}
        columns={columns}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          title: <Clip text={row.name} max="cell" />,
          state: <DestinationState row={row} />,
          line: row.campaign_name,
          end: <Share row={row} />,
        })}
        onRow={(row) =>
          set({
            destination: params.destination === row.id ? undefined : row.id,
            state: row.failed > 0 ? 'failed' : row.waiting > 0 ? 'waiting' : 'delivered',
            cause: undefined,
            page: undefined,
          })
        }
        isOpen={(row) => params.destination === row.id}
        empty={
          <EmptyState
            icon={<IconPlugConnected size={32} stroke={1.4} />}
            title="Leads are not sent anywhere yet"
            text="Connect a service, then add it to a campaign under its Delivery tab."
            action={
              <Button component={Link} to={'/integrations' as never} variant="default">
                Open integrations
              </Button>
            }
          />
        }
      />
    </section>
  );
}

const tried = (row: Destination) =>
  row.days.reduce((sum, day) => ({ good: sum.good + day.delivered, bad: sum.bad + day.failed }), {
    good: 0,
    bad: 0,
  });

/** The share of the week's attempts that delivered. */
function Share({ row }: { row: Destination }) {
  const { good, bad } = tried(row);
  return good + bad === 0 ? <None /> : <span className="num">{percent(good / (good + bad))}</span>;
}

/** A bar for each day: delivered below, failed attempts above. */
function Week({ row }: { row: Destination }) {
  const most = Math.max(1, ...row.days.map((day) => day.delivered + day.failed));
  const { good, bad } = tried(row);
  return (
    <span
      className={classes.week}
      role="img"
      aria-label={`${num(good)} delivered, ${num(bad)} failed attempts`}
    >
      {row.days.map((day) => (
        <span
          key={day.day}
          className={classes.day}
          title={`${day.day}: ${num(day.delivered)} delivered, ${num(day.failed)} failed`}
        >
          <span className={classes.good} style={{ height: `${(day.delivered / most) * 100}%` }} />
          <span className={classes.bad} style={{ height: `${(day.failed / most) * 100}%` }} />
        </span>
      ))}
    </span>
  );
}

function Count({ of, isBad = false }: { of: number; isBad?: boolean }) {
  if (of === 0) return <None />;
  return (
    <span className="num" style={isBad ? { color: 'var(--bad)' } : undefined}>
      {num(of)}
      {of >= MOST_LISTED && '+'}
    </span>
  );
}

function DestinationState({ row }: { row: Destination }) {
  if (row.state === 'disabled') return <StatusBadge status="disabled" />;
  if (row.connection_state === 'broken')
    return (
      <StatusBadge status="broken" tone="bad">
        Reconnect
      </StatusBadge>
    );
  return <StatusBadge status={row.connection_state === 'paused' ? 'paused' : 'enabled'} />;
}

/** Lists end there. */
const MOST_LISTED = 10_000;

/** Every delivery in a state; each row opens to its attempts. */
function Ledger() {
  const user = useUser();
  const cache = useQueryClient();
  const mayWrite = useMay('integration.write');
  const [params, set] = useSearchParams();
  const [isBusy, setBusy] = useState(false);
  const list = useListState({ perPage: 25 });
  const shown = DESK_STATES.find((state) => state === params.state) ?? 'failed';
  const filter = {
    ...(params.destination ? { destination_id: params.destination } : {}),
    ...(params.cause ? { cause: params.cause } : {}),
  };
  const { page, per_page } = list.input;
  const query = useQuery({
    queryKey: ['deliveries', 'desk', shown, filter, page, per_page],
    queryFn: ({ signal }) => api.delivery.desk({ ...filter, state: shown, page, per_page }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  const total = query.data?.total ?? 0;
  const changed = () => {
    for (const key of ['deliveries', 'destinations', 'undelivered'])
      void cache.invalidateQueries({ queryKey: [key] });
  };
  const done = async (work: () => Promise<{ message: string }>) => {
    try {
      notifyDone((await work()).message);
    } catch (error) {
      notifyFailed(error);
    }
    changed();
  };
  const resend = async () => {
    const isSure = await confirm({
      title: `Resend ${total === 1 ? 'the failed lead' : `all ${num(total)} failed leads`}?`,
      body: 'They go to the same destinations with the same IDs and new signatures. Disabled destinations are left out.',
      verb: 'Resend',
    });
    if (!isSure) return;
    setBusy(true);
    await done(() => api.delivery.resend(filter));
    setBusy(false);
  };
  const erase = async (row: DeskRow) => {
    const isSure = await confirm({
      title: 'Delete this lead at the service?',
      body: `The record created through ${row.destination} is deleted there, including anything added to it since. The lead stays here.`,
      verb: 'Delete there',
    });
    if (isSure) await done(() => api.delivery.erase({ id: row.id }));
  };
  const columns: Column<DeskRow>[] = [
    {
      key: 'lead',
      title: 'Lead',
      fluid: 14,
      least: 120,
      render: (row) => <Clip text={aboutWords(row)} max="cell" />,
    },
    {
      key: 'destination',
      title: 'Destination',
      fluid: 18,
      least: 120,
      render: (row) => <Clip text={row.destination} max="cell" />,
    },
    {
      key: 'campaign',
      title: 'Campaign',
      fluid: 14,
      from: 900,
      render: (row) => <Clip text={row.campaign_name} max="cell" />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company',
            title: 'Client',
            fluid: 12,
            from: 800,
            render: (row: DeskRow) => <Clip text={row.company_name} max="cell" />,
          },
        ]),
    ...(shown === 'failed' || shown === 'waiting'
      ? [
          {
            key: 'cause',
            title: 'Cause',
            fluid: 24,
            least: 220,
            render: (row: DeskRow) => <Clip text={row.cause} max="cell" />,
          },
        ]
      : []),
    ...(shown === 'waiting'
      ? [{ key: 'state', title: 'Status', render: (row: DeskRow) => <DeliveryState row={row} /> }]
      : []),
    { key: 'attempts', title: 'Attempts', align: 'right', render: (row) => num(row.attempts) },
    ...(shown === 'waiting'
      ? [{ key: 'next', title: 'Next attempt', render: (row: DeskRow) => <When at={row.next_at} relative /> }]
      : []),
    { key: 'created_at', title: 'Time', render: (row) => <When at={row.created_at} /> },
  ];
  const name = query.data?.data[0]?.destination;
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        All deliveries
      </Title>
      <SegmentedControl
        mb="sm"
        maw="100%"
        aria-label="Status"
        value={shown}
        data={DESK_STATES.map((state) => ({ value: state, label: STATES[state] }))}
        onChange={(next) => set({ state: next, cause: undefined, page: undefined, delivery: undefined })}
      />
      <DataTable
        label="Deliveries"
        name="desk"
        columns={columns}
        query={query}
        state={list}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          title: aboutWords(row),
          state: <DeliveryState row={row} />,
          line: <Clip text={row.destination} max="cell" />,
          end: <When at={row.created_at} />,
        })}
        onRow={(row) => set({ delivery: params.delivery === row.id ? undefined : row.id })}
        isOpen={(row) => params.delivery === row.id}
        below={(row) =>
          params.delivery === row.id ? (
            <Attempts
              row={{ ...row, is_test: false }}
              onReplay={
                row.may_resend
                  ? () => done(() => api.delivery.replay({ id: row.destination_id, delivery_id: row.id }))
                  : undefined
              }
              onErase={() => void erase(row)}
            />
          ) : null
        }
        filters={[
          ...(params.destination
            ? [
                {
                  label: `Destination: ${name ?? 'chosen'}`,
                  onRemove: () => set({ destination: undefined, page: undefined }),
                },
              ]
            : []),
          ...(params.cause
            ? [
                {
                  label: `Cause: ${params.cause.slice(0, 60)}`,
                  onRemove: () => set({ cause: undefined, page: undefined }),
                },
              ]
            : []),
        ]}
        actions={
          mayWrite && shown === 'failed' && total > 0 ? (
            <Button
              variant="default"
              loading={isBusy}
              leftSection={<IconRefresh size={16} />}
              onClick={() => void resend()}
            >
              Resend {num(total)}
            </Button>
          ) : undefined
        }
        download={{ list: 'desk', of: 'delivery.desk', query: { ...filter, state: shown, page, per_page } }}
        empty={
          <EmptyState
            icon={<IconChecks size={32} stroke={1.4} />}
            title={EMPTY[shown].title}
            text={EMPTY[shown].text}
          />
        }
        emptyFiltered={
          <Text c="dimmed" size="sm" ta="center" py={48}>
            No deliveries match.
          </Text>
        }
      />
    </section>
  );
}

const EMPTY: Record<DeskState, { title: string; text: string }> = {
  failed: {
    title: 'Nothing has failed',
    text: 'A lead that does not arrive after all attempts is listed here.',
  },
  waiting: {
    title: 'Nothing is waiting',
    text: 'Leads wait here for their next attempt, for their hours, or for their connection.',
  },
  delivered: { title: 'Nothing has been delivered yet', text: 'Leads that have arrived are listed here.' },
  skipped: {
    title: 'Nothing was left out',
    text: 'Leads that the rules of a destination leave out are listed here.',
  },
};
