import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconExternalLink, IconShieldLock } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  CAME_BY_WORDS,
  KIND_WORDS,
  PRIVACY_KINDS,
  PRIVACY_STATES,
  type PrivacyState,
  REFUSAL_WORDS,
} from '../../../../contract/audience/privacy-rules.ts';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { DecideModal, ExtendModal, useRefresh } from './DecideModal.tsx';
import { DropTab } from './DropTab.tsx';
import { EnterModal } from './EnterModal.tsx';
import { ThemesTab } from './ThemesTab.tsx';
import { type PrivacyRequest, RESULT_WORDS, STATE_WORDS, URGENCY_TONES, waitWords } from './words.ts';

/** The privacy desk (BEY-07): requests by deadline, what became of them, and their numbers by month. */
export default function PrivacyRequestsPage() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const isRoot = user.company_kind === 'root';
  const tab =
    params.tab === 'months' || (isRoot && (params.tab === 'drop' || params.tab === 'themes'))
      ? params.tab
      : 'queue';
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Privacy Requests"
        line={
          isRoot
            ? 'What people ask about their own data on your hosts and those of your agencies, the most urgent first.'
            : 'What people ask about their own data on your host. The platform decides and answers.'
        }
        primary={
          <Button
            component={Link}
            variant="default"
            leftSection={<IconExternalLink size={16} aria-hidden="true" />}
            {...{ to: '/privacy', target: '_blank' }}
          >
            Public page
          </Button>
        }
      />
      <SegmentedControl
        mb="md"
        display="flex"
        w="fit-content"
        maw="100%"
        style={{ overflowX: 'auto' }}
        aria-label="View"
        value={tab}
        data={[
          { value: 'queue', label: 'Requests' },
          { value: 'months', label: 'By month' },
          ...(isRoot
            ? [
                { value: 'drop', label: 'California DROP' },
                { value: 'themes', label: 'Keyword themes' },
              ]
            : []),
        ]}
        onChange={(tab) =>
          set({
            tab: tab === 'queue' ? undefined : tab,
            state: undefined,
            page: undefined,
            request: undefined,
          })
        }
      />
      {tab === 'drop' && <DropTab />}
      {tab === 'themes' && <ThemesTab />}
      {tab === 'months' && <Months />}
      {tab === 'queue' && <Queue />}
    </PageZone>
  );
}

const ALL = 'all';

/** What is being done with a request. */
interface Acting {
  row: PrivacyRequest;
  act: 'completed' | 'refused' | 'extend';
}

function Badge({ row }: { row: PrivacyRequest }) {
  return (
    <StatusBadge status={row.state} tone={URGENCY_TONES[row.urgency]}>
      {row.waits_for ? waitWords({ ...row, waits_for: row.waits_for }, Date.now()) : STATE_WORDS[row.state]}
    </StatusBadge>
  );
}

function Queue() {
  const [params, set] = useSearchParams();
  const list = useListState({ perPage: 25 });
  const [acting, setActing] = useState<Acting>();
  const [isEntering, setEntering] = useState(false);
  const mayDecide = useMay('privacy.decide');
  const shown = PRIVACY_STATES.find((state) => state === (params.state ?? 'open')) ?? ALL;
  const kind = PRIVACY_KINDS.find((one) => one === params.kind);
  const { page, per_page, search } = list.input;
  const input = {
    ...(search ? { search } : {}),
    ...(kind ? { kind } : {}),
    ...(shown === ALL ? {} : { state: shown }),
    page,
    per_page,
  };
  const query = useQuery({
    queryKey: ['privacy-requests', input],
    queryFn: ({ signal }) => api.privacy.list(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  const counts = query.data?.counts;
  const columns: Column<PrivacyRequest>[] = [
    { key: 'name', title: 'Name', fluid: 16, render: (row) => <Clip text={row.name || null} max="cell" /> },
    { key: 'kind', title: 'Request', render: (row) => KIND_WORDS[row.kind] },
    { key: 'due', title: 'Status', render: (row) => <Badge row={row} /> },
    {
      key: 'email',
      title: 'Email',
      fluid: 20,
      from: 900,
      render: (row) => <Clip text={row.email || null} max="cell" />,
    },
    {
      key: 'company',
      title: 'Made at',
      fluid: 14,
      from: 1000,
      render: (row) => <Clip text={row.company_name} max="cell" />,
    },
    {
      key: 'duplicate',
      title: 'Duplicate',
      from: 1100,
      render: (row) => (row.duplicate_of ? 'Yes' : <None />),
    },
    { key: 'received', title: 'Received', from: 620, render: (row) => <When at={row.received_at} /> },
  ];
  return (
    <>
      <Group justify="space-between" gap="xs" mb="sm">
        <SegmentedControl
          maw="100%"
          style={{ overflowX: 'auto' }}
          aria-label="Status"
          value={shown}
          data={[...PRIVACY_STATES, ALL].map((value) => ({
            value,
            label:
              value === ALL
                ? 'All'
                : `${STATE_WORDS[value as PrivacyState]}${counts ? ` (${num(counts[value as PrivacyState] ?? 0)})` : ''}`,
          }))}
          onChange={(state) => set({ state, page: undefined, request: undefined })}
        />
        {mayDecide && (
          <Button variant="default" onClick={() => setEntering(true)}>
            Enter a request
          </Button>
        )}
      </Group>
      <DataTable
        label="Privacy requests"
        name="privacy-requests"
        download={{ list: 'privacy-requests', of: 'privacy.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        search="Search by name, email, or ID"
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          title: row.name || 'Name deleted',
          state: <Badge row={row} />,
          line: KIND_WORDS[row.kind],
          end: <When at={row.received_at} />,
        })}
        onRow={(row) => set({ request: params.request === row.id ? undefined : row.id })}
        isOpen={(row) => params.request === row.id}
        below={(row) => (params.request === row.id ? <Details id={row.id} onAct={setActing} /> : null)}
        filters={
          kind
            ? [
                {
                  label: `Request: ${KIND_WORDS[kind]}`,
                  onRemove: () => set({ kind: undefined, page: undefined }),
                },
              ]
            : []
        }
        empty={
          <EmptyState
            icon={<IconShieldLock size={32} stroke={1.4} />}
            title={shown === 'open' ? 'Nothing waits for an answer' : 'No privacy requests yet'}
            text="People make requests on the public page. They appear here once they have confirmed their email address. Enter those that come by mail or phone."
          />
        }
        emptyFiltered={
          <Text c="dimmed" size="sm" ta="center" py={48}>
            No requests match.
          </Text>
        }
      />
      {isEntering && (
        <EnterModal
          onClose={() => setEntering(false)}
          onEntered={(id) => set({ request: id, state: undefined, page: undefined })}
        />
      )}
      {acting?.act === 'extend' && <ExtendModal row={acting.row} onClose={() => setActing(undefined)} />}
      {acting && acting.act !== 'extend' && (
        <DecideModal row={acting.row} outcome={acting.act} onClose={() => setActing(undefined)} />
      )}
    </>
  );
}

/** One fact of a request; nothing where there is none. */
function Fact({ name, value }: { name: string; value: string | null }) {
  if (!value) return null;
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
        <bdi>{value}</bdi>
      </Text>
    </div>
  );
}

/** Everything about a request: who, what was done, its timeline, and what can be done. */
function Details({ id, onAct }: { id: string; onAct: (acting: Acting) => void }) {
  const isRoot = useUser().company_kind === 'root';
  const query = useQuery({
    queryKey: ['privacy-request', id],
    queryFn: ({ signal }) => api.privacy.one({ id }, { signal }),
  });
  if (query.error)
    return <ErrorState error={query.error} what="the request" onRetry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows />;
  const { data: row, may_decide, timeline } = query.data;
  return (
    <Stack gap="sm" p="md" style={{ overflowWrap: 'anywhere' }}>
      <Group gap="lg" align="flex-start">
        <Fact name="Email" value={row.email} />
        <Fact name="Phone" value={row.phone} />
        <Fact name="Address" value={[row.address, row.state_code].filter(Boolean).join(', ')} />
        <Fact name="Agent" value={row.agent_name} />
        <Fact name="Made at" value={row.company_name} />
        {row.came_by !== 'web' && <Fact name="Came by" value={CAME_BY_WORDS[row.came_by]} />}
        <Fact name="Entered by" value={row.entered_by_name} />
      </Group>
      <Fact name="Proof" value={row.proof} />
      <Fact name="Details" value={row.details} />
      {row.duplicate_of && (
        <Text size="sm">
          There is an earlier request of the same kind. It decides this one as well.{' '}
          <Link to="." search={{ request: row.duplicate_of, state: ALL, q: row.email } as never}>
            Open the earlier request
          </Link>
        </Text>
      )}
      {row.refusal && <Fact name="Reason for refusal" value={REFUSAL_WORDS[row.refusal]} />}
      <Fact name="Answer" value={row.answer} />
      {row.result && (
        <Group gap="lg" align="flex-start">
          {Object.entries(row.result).map(([key, count]) => (
            <Fact key={key} name={RESULT_WORDS[key] ?? key} value={num(count)} />
          ))}
        </Group>
      )}
      <div>
        <Text size="xs" c="dimmed" id={`timeline-${id}`}>
          Timeline
        </Text>
        <ol aria-labelledby={`timeline-${id}`} style={{ margin: 0, paddingInlineStart: 18 }}>
          {timeline.map((event) => (
            <li key={event.id}>
              <Text size="sm" component="span">
                <When at={event.at} /> {event.words}
                {event.by && (
                  <Text component="span" inherit c="dimmed">
                    {' '}
                    <bdi>{event.by}</bdi>
                  </Text>
                )}
              </Text>
            </li>
          ))}
        </ol>
      </div>
      <Group gap="xs">
        {may_decide && (
          <>
            {row.waits_for === 'acknowledge' && <AcknowledgeButton id={row.id} />}
            <Button size="xs" onClick={() => onAct({ row, act: 'completed' })}>
              {row.kind === 'access' ? 'Send the data' : row.kind === 'correct' ? 'Corrected' : 'Fulfill'}
            </Button>
            <Button size="xs" variant="default" onClick={() => onAct({ row, act: 'refused' })}>
              Refuse
            </Button>
            {row.kind !== 'opt_out' && !row.extended_at && row.urgency !== 'late' && (
              <Button size="xs" variant="default" onClick={() => onAct({ row, act: 'extend' })}>
                Extend by 45 days
              </Button>
            )}
          </>
        )}
        {row.state !== 'open' && (
          <Button
            size="xs"
            variant="default"
            onClick={() => void download(`/privacy-requests/${row.id}/certificate`)}
          >
            Download certificate
          </Button>
        )}
        {!may_decide && row.state === 'open' && !isRoot && (
          <Text size="sm" c="dimmed">
            The platform decides this request.
          </Text>
        )}
      </Group>
    </Stack>
  );
}

/** Records that the person was told that their request arrived, where no email could. */
function AcknowledgeButton({ id }: { id: string }) {
  const refresh = useRefresh();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      notifyDone((await api.privacy.acknowledge({ id })).message);
    } catch (error) {
      notifyFailed(error);
    }
    setBusy(false);
    refresh(id);
  };
  return (
    <Button size="xs" variant="default" loading={isBusy} onClick={() => void send()}>
      Receipt confirmed
    </Button>
  );
}

type Month = Awaited<ReturnType<typeof api.privacy.months>>['data'][number];

function Months() {
  const query = useQuery({
    queryKey: ['privacy-months'],
    queryFn: ({ signal }) => api.privacy.months(undefined, { signal }),
  });
  const count = (
    key: 'received' | 'completed' | 'refused' | 'open',
    title: string,
    from?: number,
  ): Column<Month> => ({
    ...{ key, title, align: 'right', render: (row) => num(row[key]) },
    ...(from ? { from } : {}),
  });
  const columns: Column<Month>[] = [
    { key: 'month', title: 'Month', render: (row) => row.month },
    { key: 'kind', title: 'Request', render: (row) => KIND_WORDS[row.kind] },
    count('received', 'Received'),
    count('completed', 'Completed'),
    count('refused', 'Refused', 620),
    count('open', 'Open', 620),
    {
      key: 'median',
      title: 'Median days',
      align: 'right',
      from: 620,
      render: (row) => (row.median_days === null ? <None /> : row.median_days.toFixed(1)),
    },
  ];
  return (
    <DataTable
      label="Privacy requests by month"
      name="privacy-months"
      download={{ list: 'privacy-months', of: 'privacy.months', query: {} }}
      columns={columns}
      query={query}
      rowKey={(row) => row.month + row.kind}
      empty={
        <EmptyState
          icon={<IconShieldLock size={32} stroke={1.4} />}
          title="No privacy requests yet"
          text="Each month shows how many requests came in, what became of them, and how long they took."
        />
      }
    />
  );
}
