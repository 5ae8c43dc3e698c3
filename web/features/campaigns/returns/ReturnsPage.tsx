import { Anchor, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconReceiptRefund, IconSettings } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  RETURN_REASONS,
  RETURN_STATES,
  type ReturnReason,
  type ReturnState,
} from '../../../../contract/campaigns/return-rules.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { useDrawer } from '../../../ui/DetailDrawer.tsx';
import { dayWords, isDay, num } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useSelection } from '../../../ui/selection.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { matchWord } from '../leads/match.ts';
import { OpenLead } from '../leads/OpenLead.tsx';
import { DecideModal } from './DecideModal.tsx';
import { QualityTable } from './Quality.tsx';
import { ReturnFilters } from './ReturnFilters.tsx';
import { CLIENT_WORDS, leadWords, proofWords, type Return, STATE_TONES, STATE_WORDS } from './words.ts';

/** Returns (BEY-06): what clients returned, what is known, what was decided, and the quality of sources. */
export default function ReturnsPage() {
  const user = useUser();
  const mayCompare = useMay('return.quality');
  const maySet = useMay('setting.write');
  const [params, set] = useSearchParams();
  const isClient = user.company_kind === 'client';
  const isQuality = mayCompare && params.tab === 'quality';
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Returns"
        line={
          isClient
            ? 'Leads that you returned, and what your agency decided. Return a lead from its details, or several from the list of leads.'
            : user.company_kind === 'agency'
              ? 'Leads that your clients returned, with what is known about each.'
              : 'Leads that clients returned to your agencies, and the quality of each supplier.'
        }
        primary={
          maySet && !isClient ? (
            <Button
              component={Link}
              variant="default"
              leftSection={<IconSettings size={16} aria-hidden="true" />}
              {...{ to: '/configuration/general-setting', search: { tab: 'returns' } as never }}
            >
              Rules
            </Button>
          ) : undefined
        }
      />
      {mayCompare && (
        <SegmentedControl
          mb="md"
          display="flex"
          w="fit-content"
          aria-label="View"
          value={isQuality ? 'quality' : 'list'}
          data={[
            { value: 'list', label: 'Returns' },
            { value: 'quality', label: 'Quality' },
          ]}
          onChange={(tab) =>
            set({
              ...Object.fromEntries(
                [...'state reason client campaign match supplier from to days by page return'.split(' ')].map(
                  (key) => [key, undefined],
                ),
              ),
              tab: tab === 'list' ? undefined : tab,
            })
          }
        />
      )}
      {isQuality ? <QualityTable /> : <Desk />}
    </PageZone>
  );
}

const ALL = 'all';

/** The list of returns in a state; a row opens to what is known about its lead. */
function Desk() {
  const user = useUser();
  const mayDecide = useMay('return.decide') && !user.in_view_mode;
  const isClient = user.company_kind === 'client';
  const [params, set] = useSearchParams();
  const list = useListState({ perPage: 25 });
  const selected = useSelection<Return>();
  const lead = useDrawer('lead');
  const [deciding, setDeciding] = useState<{ rows: Return[]; decision: 'approved' | 'declined' }>();
  const words = isClient ? CLIENT_WORDS : STATE_WORDS;
  const tabWords = isClient ? { ...CLIENT_WORDS, open: 'Waiting' } : STATE_WORDS;
  const asked = params.state ?? (isClient ? ALL : 'open');
  const shown: ReturnState | typeof ALL = RETURN_STATES.find((state) => state === asked) ?? ALL;
  const reason = RETURN_REASONS.find((one) => one === params.reason) as ReturnReason | undefined;
  const isSpan = isDay(params.from) && isDay(params.to) && params.from <= params.to;
  const filter = Object.fromEntries(
    Object.entries({
      reason,
      company_id: params.client,
      campaign_id: params.campaign,
      match: params.match as 'ip' | undefined,
      supplier: user.company_kind === 'root' ? params.supplier : undefined,
      starts_on: isSpan ? params.from : undefined,
      ends_on: isSpan ? params.to : undefined,
    }).filter(([, value]) => value !== undefined),
  );
  const { page, per_page } = list.input;
  const input = { ...filter, ...(shown === ALL ? {} : { state: shown }), page, per_page };
  const query = useQuery({
    queryKey: ['returns', input],
    queryFn: ({ signal }) => api.returns.list(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  const rows = query.data?.data ?? [];
  const counts = query.data?.counts;
  const clear = (...keys: string[]) =>
    set({ ...Object.fromEntries(keys.map((key) => [key, undefined])), page: undefined });
  const first = rows[0];
  const columns: Column<Return>[] = [
    { key: 'lead', title: 'Lead', fluid: 24, render: (row) => <Clip text={leadWords(row)} max="cell" /> },
    { key: 'reason', title: 'Reason', render: (row) => REASON_WORDS[row.reason] },
    ...(isClient
      ? []
      : [
          {
            key: 'proof',
            title: 'Known',
            render: (row: Return) =>
              row.is_proven ? (
                <StatusBadge status="proven" tone="good">
                  Proven
                </StatusBadge>
              ) : (
                <Clip text={proofWords(row)} max={220} />
              ),
          },
        ]),
    {
      key: 'note',
      title: 'Note',
      fluid: 22,
      from: 1300,
      render: (row) => <Clip text={row.note || null} max="cell" />,
    },
    {
      key: 'campaign',
      title: 'Campaign',
      fluid: 16,
      from: 900,
      render: (row) => <Clip text={row.campaign_name} max="cell" />,
    },
    ...(isClient
      ? []
      : [
          {
            key: 'company',
            title: 'Client',
            fluid: 14,
            from: 1000,
            render: (row: Return) => <Clip text={row.company_name} max="cell" />,
          },
        ]),
    ...(user.company_kind === 'root'
      ? [
          {
            key: 'source',
            title: 'Supplier',
            fluid: 14,
            from: 1200,
            render: (row: Return) => <Clip text={row.source || null} max="cell" />,
          },
        ]
      : []),
    { key: 'state', title: 'Status', render: (row) => <State row={row} words={words} /> },
    {
      key: 'amount',
      title: shown === 'approved' ? 'Credited' : 'Price',
      align: 'right',
      render: (row) => <Money micros={row.credited_micros ?? row.price_micros} unit />,
    },
    { key: 'created_at', title: 'Returned', from: 620, render: (row) => <When at={row.created_at} /> },
  ];
  const chosen = selected.list;
  return (
    <>
      <SegmentedControl
        mb="sm"
        maw="100%"
        style={{ overflowX: 'auto' }}
        aria-label="Status"
        value={shown}
        data={[...RETURN_STATES, ALL].map((value) => ({
          value,
          label:
            value === ALL
              ? 'All'
              : `${tabWords[value as ReturnState]}${counts ? ` (${num(counts[value as ReturnState] ?? 0)})` : ''}`,
        }))}
        onChange={(state) => {
          selected.clear();
          set({ state, page: undefined, return: undefined });
        }}
      />
      <DataTable
        label="Returns"
        name="returns"
        download={{ list: 'returns', of: 'returns.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          title: leadWords(row),
          state: <State row={row} words={words} />,
          line: REASON_WORDS[row.reason],
          end: <Money micros={row.credited_micros ?? row.price_micros} unit />,
        })}
        onRow={(row) => set({ return: params.return === row.id ? undefined : row.id })}
        isOpen={(row) => params.return === row.id}
        below={(row) =>
          params.return === row.id ? (
            <Details
              row={row}
              onLead={(id) => lead.open(id)}
              onDecide={
                mayDecide && row.state === 'open'
                  ? (decision) => setDeciding({ rows: [row], decision })
                  : undefined
              }
            />
          ) : null
        }
        selection={
          mayDecide
            ? {
                selected,
                nameOf: leadWords,
                may: (row) => row.state === 'open',
                actions: (
                  <>
                    <Button onClick={() => setDeciding({ rows: chosen, decision: 'approved' })}>
                      Approve
                    </Button>
                    <Button
                      variant="default"
                      onClick={() => setDeciding({ rows: chosen, decision: 'declined' })}
                    >
                      Decline
                    </Button>
                  </>
                ),
              }
            : undefined
        }
        actions={<ReturnFilters />}
        filters={[
          ...(reason ? [{ label: `Reason: ${REASON_WORDS[reason]}`, onRemove: () => clear('reason') }] : []),
          ...(params.client
            ? [
                {
                  label:
                    user.company_kind === 'root'
                      ? 'One agency'
                      : `Client: ${first?.company_name ?? 'chosen'}`,
                  onRemove: () => clear('client'),
                },
              ]
            : []),
          ...(params.campaign
            ? [
                {
                  label: `Campaign: ${first?.campaign_name ?? 'chosen'}`,
                  onRemove: () => clear('campaign'),
                },
              ]
            : []),
          ...(params.match
            ? [{ label: `Matched by: ${matchWord(params.match)}`, onRemove: () => clear('match') }]
            : []),
          ...(params.supplier
            ? [{ label: `Supplier: ${params.supplier.slice(0, 60)}`, onRemove: () => clear('supplier') }]
            : []),
          ...(isSpan
            ? [
                {
                  label: `Lead received: ${dayWords(params.from!)} – ${dayWords(params.to!)}`,
                  onRemove: () => clear('from', 'to'),
                },
              ]
            : []),
        ]}
        empty={
          <EmptyState
            icon={<IconReceiptRefund size={32} stroke={1.4} />}
            title={shown === 'open' ? 'Nothing waits for a decision' : 'No returns yet'}
            text={
              isClient
                ? 'If a lead is not what you paid for, open it and choose Return lead.'
                : 'Clients return leads from their lists of leads. What is known about each lead is shown here.'
            }
          />
        }
        emptyFiltered={
          <Text c="dimmed" size="sm" ta="center" py={48}>
            No returns match.
          </Text>
        }
      />
      {deciding && (
        <DecideModal {...deciding} onDone={() => selected.clear()} onClose={() => setDeciding(undefined)} />
      )}
      <OpenLead ids={rows.map((row) => row.lead_id)} />
    </>
  );
}

function State({ row, words }: { row: Return; words: Record<ReturnState, string> }) {
  return (
    <StatusBadge status={row.state} tone={STATE_TONES[row.state]}>
      {words[row.state]}
      {row.is_automatic && ' automatically'}
    </StatusBadge>
  );
}

/** Everything about a return: the note, what is known, the decision, and ways on. */
function Details(props: {
  row: Return;
  onLead: (id: string) => void;
  onDecide: ((decision: 'approved' | 'declined') => void) | undefined;
}) {
  const { row, onLead, onDecide } = props;
  const isClient = useUser().company_kind === 'client';
  return (
    <Stack gap="sm" p="md" style={{ overflowWrap: 'anywhere' }}>
      {row.note && (
        <div>
          <Text size="xs" c="dimmed">
            {isClient ? 'Your note' : 'Note of the client'}
          </Text>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            <bdi>{row.note}</bdi>
          </Text>
        </div>
      )}
      {!isClient && (
        <div>
          <Text size="xs" c="dimmed">
            Known when it was returned
          </Text>
          {row.proofs.length === 0 ? (
            <Text size="sm">Nothing that supports a decision.</Text>
          ) : (
            <ul style={{ margin: 0, paddingInlineStart: 18 }}>
              {row.proofs.map((proof) => (
                <li key={proof.kind + proof.words}>
                  <Text size="sm" component="span">
                    {proof.words}{' '}
                    {proof.lead_id && (
                      <Anchor component="button" inherit onClick={() => onLead(proof.lead_id!)}>
                        Open that lead
                      </Anchor>
                    )}
                    {proof.proves && (
                      <Text component="span" inherit c="dimmed">
                        {' '}
                        Proves: {REASON_WORDS[proof.proves].toLowerCase()}.
                      </Text>
                    )}
                  </Text>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {row.decided_at && (
        <div>
          <Text size="xs" c="dimmed">
            Decision of <When at={row.decided_at} />
          </Text>
          <Text size="sm" component="div">
            {row.credited_micros === null ? (
              'Declined'
            ) : (
              <>
                <Money micros={row.credited_micros} unit /> credited
                {row.is_automatic && ' automatically because it was proven'}
              </>
            )}
            {row.answer && (
              <>
                : <bdi>{row.answer}</bdi>
              </>
            )}
          </Text>
        </div>
      )}
      <Text size="xs" c="dimmed">
        Lead received <When at={row.received_at} />
        {row.source && (
          <>
            {' '}
            from <bdi>{row.source}</bdi>
          </>
        )}
      </Text>
      <Group gap="xs">
        {onDecide && (
          <>
            <Button size="xs" onClick={() => onDecide('approved')}>
              Approve
            </Button>
            <Button size="xs" variant="default" onClick={() => onDecide('declined')}>
              Decline
            </Button>
          </>
        )}
        <Button size="xs" variant="default" onClick={() => onLead(row.lead_id)}>
          Open lead
        </Button>
      </Group>
    </Stack>
  );
}
