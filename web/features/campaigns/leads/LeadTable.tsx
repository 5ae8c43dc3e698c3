import { Button, Group, Text } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconUserSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { MOST_RETURNED } from '../../../../contract/campaigns/return-rules.ts';
import { MAX_CHOSEN } from '../../../../contract/choices.ts';
import type { Client } from '../../../../contract/index.ts';

import type { ModuleName } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { useMay, useMayDownload, useUser } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { useDrawer, WIDE } from '../../../ui/DetailDrawer.tsx';
import { dayWords } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useSelection } from '../../../ui/selection.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useFill } from '../../../ui/useFill.ts';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, MailLink, Money, None, PhoneLink, When } from '../../../ui/Values.tsx';
import type { ListViews } from '../../../ui/views.ts';
import classes from './LeadTable.module.css';
import { matchWord, matchWords, nameOf } from './match.ts';
import { OpenLead } from './OpenLead.tsx';
import { Score } from './Score.tsx';
import { Scrubbed } from './Scrubbed.tsx';
import { scrubDays } from './scrub.ts';

const ReturnModal = lazy(() => import('../returns/ReturnModal.tsx'));

const EXPORT = '/leadspeek/report/lead/export';

type LeadRow = Awaited<ReturnType<Client['leads']['list']>>['data'][number];

/** The filters for leads: a campaign, a client, a product, a range of days, and the least score. */
export interface LeadSpan {
  campaign_id: string | undefined;
  company_id?: string | undefined;
  starts_on?: string | undefined;
  ends_on?: string | undefined;
  module?: ModuleName | undefined;
  min_score?: number | undefined;
  match?: LeadRow['match_type'] | undefined;
  kind?: 'person' | 'company' | undefined;
  ad_campaign_id?: string | undefined;
  ad_creative_id?: string | undefined;
  ad_place?: string | undefined;
  ad_way?: 'click' | 'view' | undefined;
  ad_from?: string | undefined;
  ad_to?: string | undefined;
}

/** Shows a lead's delivery status. */
export function DeliveryBadge({ state }: { state: LeadRow['delivery'] }) {
  return state === 'none' ? (
    <StatusBadge status="none">No destination</StatusBadge>
  ) : (
    <StatusBadge status={state} />
  );
}

/** What a phone's row says of a lead: that it converted or was a test, or else where its delivery stands. */
function LeadState({ row }: { row: LeadRow }) {
  if (row.is_test) return <StatusBadge status="test" tone="info" />;
  if (row.converted_at) return <StatusBadge status="converted" tone="good" />;
  return <DeliveryBadge state={row.delivery} />;
}

/** Leads that came in since the list was opened are marked until they are looked at. */
const EVERY_MS = 15_000;

/**
 * The leads of a filter; a row opens the lead. As a page of its own (`isPage`), the table fills the window, an open lead
 * stands beside it, rows can be selected, and new leads appear automatically.
 */
export function LeadTable(props: {
  filter: LeadSpan;
  campaignName: string | undefined;
  onClearCampaign: () => void;
  /** Shows the client as a filter that can be removed. */
  onClearClient?: () => void;
  /** Shows the days as a filter that can be removed. */
  onClearDays?: (() => void) | undefined;
  /** In words, if they are not shown as days: 'Last 7 days'. */
  daysLabel?: string | undefined;
  /** Further filters that can be removed. */
  filters?: { label: string; onRemove: () => void }[];
  actions?: ReactNode;
  look?: ListViews['look'];
  isPage?: boolean;
}) {
  const user = useUser();
  const mayDownload = useMayDownload();
  const mayReturn = useMay('return.open') && !user.in_view_mode;
  const [isReturning, setReturning] = useState(false);
  const drawer = useDrawer('lead');
  const { isPage = false } = props;
  const isDesk = useMediaQuery('(min-width: 48em)', undefined, { getInitialValueInEffect: false }) && isPage;
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const isBeside = isPage && isWide && drawer.id !== undefined;
  const fill = useFill(isDesk);
  const selected = useSelection<LeadRow>();
  const state = useListState({ sort: 'created_at', dir: 'desc', perPage: isDesk ? 50 : 25 });
  const set = Object.fromEntries(
    Object.entries({ ...state.input, ...props.filter }).filter(([, value]) => value !== undefined),
  );
  const isNewestFirst = state.page === 1 && state.sort === 'created_at' && state.dir === 'desc';
  const query = useQuery({
    queryKey: ['leads', set],
    queryFn: ({ signal }) => api.leads.list(set, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: isPage && isNewestFirst ? EVERY_MS : false,
  });
  const arrived = useArrived(
    isPage && isNewestFirst,
    JSON.stringify(set),
    query.isPlaceholderData ? undefined : query.data?.data,
    drawer.id,
  );
  const columns: Column<LeadRow>[] = [
    {
      key: 'last_name',
      title: 'Person',
      sortable: true,
      render: (row) => (
        <Group gap={8} wrap="nowrap" miw={0}>
          <Clip text={nameOf(row)} max={180} />
          {arrived.has(row.id) && <StatusBadge status="new" tone="good" />}
          {row.company && (
            <StatusBadge status="company" tone="plain">
              Company
            </StatusBadge>
          )}
          {row.is_test && <StatusBadge status="test" tone="info" />}
          {row.converted_at && <StatusBadge status="converted" tone="good" />}
        </Group>
      ),
    },
    {
      key: 'email',
      title: 'Email',
      sortable: true,
      render: (row) => <MailLink address={row.email} max={340} />,
    },
    {
      key: 'score',
      title: 'Score',
      sortable: true,
      from: 600,
      render: (row) => <Score score={row.score} />,
    },
    {
      key: 'phone',
      title: 'Phone',
      from: 790,
      render: (row) =>
        row.phone && !row.phone_dnc ? (
          <>
            <PhoneLink phone={row.phone} isMarked={false} />
            {scrubDays(row.phone_scrubbed_at, Date.now()).isStale && (
              <Scrubbed at={row.phone_scrubbed_at} size="xs" />
            )}
          </>
        ) : row.phone || row.phones_withheld > 0 ? (
          <>
            {row.phone && <PhoneLink phone={row.phone} isMarked={row.phone_dnc} />}
            <Text component="span" size="xs" c="dimmed" display="block">
              {row.phone_dnc_at ? (
                <>
                  Marked do not call on <When at={row.phone_dnc_at} />
                </>
              ) : (
                'On a do-not-call list'
              )}
            </Text>
          </>
        ) : (
          <None />
        ),
    },
    {
      key: 'place',
      title: 'Place',
      from: 980,
      render: (row) => <Clip text={[row.city, row.state].filter(Boolean).join(', ')} max={160} />,
    },
    {
      key: 'campaign',
      title: 'Campaign',
      from: 850,
      fluid: 12,
      render: (row) => <Clip text={row.campaign_name} max="cell" />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company',
            title: 'Client',
            from: 1420,
            render: (row: LeadRow) => <Clip text={row.company_name} max={160} />,
          },
        ]),
    { key: 'page', title: 'Page', hidden: true, render: (row) => <Clip text={row.page_url} max={240} /> },
    {
      key: 'match',
      title: 'Matched by',
      from: 1285,
      render: (row) => (
        <span title={matchWords(row.match_type)}>
          {matchWord(row.match_type)} <span className="dim num">{row.confidence}%</span>
        </span>
      ),
    },
    {
      key: 'delivery',
      title: 'Delivery',
      from: 1105,
      render: (row) => <DeliveryBadge state={row.delivery} />,
    },
    {
      key: 'price',
      title: 'Price',
      from: 1175,
      align: 'right',
      render: (row) => <Money micros={row.price_micros} unit />,
    },
    {
      key: 'created_at',
      title: 'Received',
      sortable: true,
      from: 460,
      render: (row) => <When at={row.created_at} />,
    },
  ];
  const chosen = selected.list;
  const downloadChosen = () => void download(EXPORT, { ids: chosen.map((row) => row.id).join(',') });
  const rows = query.data?.data ?? [];
  useHotkeys([
    [
      'd',
      () => isPage && mayDownload && chosen.length > 0 && chosen.length <= MAX_CHOSEN && downloadChosen(),
    ],
    // From here on J and K belong to the open lead.
    ['j', () => isPage && drawer.id === undefined && rows[0] && drawer.open(rows[0].id)],
    [
      'x',
      () => {
        const row = rows.find(({ id }) => isPage && id === drawer.id);
        if (row) selected.set([[row.id, row]], !selected.rows.has(row.id));
      },
    ],
  ]);
  return (
    <div ref={fill} className={isPage ? classes.desk : undefined}>
      <DataTable
        label="Leads"
        download={{ list: EXPORT, of: 'leads.list', query: set }}
        name="leads"
        columns={columns}
        look={props.look}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        openKey={isBeside ? drawer.id : undefined}
        fills={isDesk}
        isNew={(row) => arrived.has(row.id)}
        phoneRow={(row) => ({
          title: nameOf(row),
          state: arrived.has(row.id) ? <StatusBadge status="new" tone="good" /> : <LeadState row={row} />,
          line: row.email,
          end: <When at={row.created_at} brief />,
        })}
        onRow={(row) => (isBeside ? drawer.step(row.id) : drawer.open(row.id))}
        selection={
          isPage
            ? {
                selected,
                nameOf,
                actions: (
                  <>
                    <CopyButton
                      text={chosen.flatMap((row) => row.email ?? []).join('\n')}
                      label={chosen.length === 1 ? 'Copy email' : 'Copy emails'}
                    />
                    {mayDownload && (
                      <Button
                        variant="default"
                        disabled={chosen.length > MAX_CHOSEN}
                        title={
                          chosen.length > MAX_CHOSEN ? `Up to ${MAX_CHOSEN} leads at once` : 'Download (D)'
                        }
                        aria-keyshortcuts="D"
                        onClick={downloadChosen}
                      >
                        Download
                      </Button>
                    )}
                    {mayReturn && (
                      <Button
                        variant="default"
                        disabled={chosen.length > MOST_RETURNED}
                        title={
                          chosen.length > MOST_RETURNED ? `Up to ${MOST_RETURNED} leads at once` : undefined
                        }
                        onClick={() => setReturning(true)}
                      >
                        Return
                      </Button>
                    )}
                  </>
                ),
              }
            : undefined
        }
        search="Search leads"
        actions={props.actions}
        filters={[
          ...(props.filter.campaign_id
            ? [{ label: `Campaign: ${props.campaignName ?? 'chosen'}`, onRemove: props.onClearCampaign }]
            : []),
          ...(props.onClearDays && props.filter.starts_on && props.filter.ends_on
            ? [
                {
                  label:
                    props.daysLabel ??
                    `Received: ${dayWords(props.filter.starts_on)} – ${dayWords(props.filter.ends_on)}`,
                  onRemove: props.onClearDays,
                },
              ]
            : []),
          ...(props.onClearClient && props.filter.company_id
            ? [
                {
                  label: `Client: ${query.data?.data[0]?.company_name ?? 'chosen'}`,
                  onRemove: props.onClearClient,
                },
              ]
            : []),
          ...(props.filters ?? []),
        ]}
        empty={
          <EmptyState
            icon={<IconUserSearch size={32} stroke={1.4} />}
            title="No leads in this period"
            text="A visitor who is recognized and meets a campaign’s rules becomes a lead. Choose a longer period, or check that the pixel is on the site."
          />
        }
      />
      {isReturning && (
        <Suspense>
          <ReturnModal
            ids={chosen.map(({ id }) => id)}
            onDone={selected.clear}
            onClose={() => setReturning(false)}
          />
        </Suspense>
      )}
      <OpenLead ids={rows.map(({ id }) => id)} beside={isPage} />
    </div>
  );
}

/** The leads among the rows that came in while this list was shown and have not been opened since. */
function useArrived(
  isOn: boolean,
  list: string,
  rows: LeadRow[] | undefined,
  openId: string | undefined,
): ReadonlySet<string> {
  const known = useRef<{ list: string; ids: Set<string>; arrived: Set<string> }>(undefined);
  if (!isOn || !rows) return NONE;
  if (known.current?.list !== list)
    known.current = { list, ids: new Set(rows.map(({ id }) => id)), arrived: new Set() };
  const { ids, arrived } = known.current;
  for (const { id } of rows) {
    if (!ids.has(id)) arrived.add(id);
    ids.add(id);
  }
  if (openId) arrived.delete(openId);
  return arrived;
}
const NONE: ReadonlySet<string> = new Set();
