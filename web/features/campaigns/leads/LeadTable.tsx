import { Group, Text } from '@mantine/core';
import { IconUserSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import type { ModuleName } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { useDrawer } from '../../../ui/DetailDrawer.tsx';
import { dayWords } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, MailLink, Money, None, PhoneLink, When } from '../../../ui/Values.tsx';
import { matchWord, matchWords, nameOf } from './match.ts';
import { OpenLead } from './OpenLead.tsx';

type LeadRow = Awaited<ReturnType<Client['leads']['list']>>['data'][number];

/** The filters for leads: a campaign and a range of days. */
export interface LeadSpan {
  leadspeekID: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
  moduleType?: ModuleName | undefined;
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

/** The leads of a date range; clicking a row opens the drawer. */
export function LeadTable(props: {
  filter: LeadSpan;
  campaignName: string | undefined;
  onClearCampaign: () => void;
  /** Shows the days as a filter that can be removed. */
  onClearDays?: () => void;
}) {
  const user = useUser();
  const drawer = useDrawer('lead');
  const state = useListState({ sort: 'created_at', dir: 'desc', perPage: 25 });
  const set = Object.fromEntries(
    Object.entries({ ...state.input, ...props.filter }).filter(([, value]) => value !== undefined),
  );
  const query = useQuery({
    queryKey: ['leads', set],
    queryFn: ({ signal }) => api.leads.list(set, { signal }),
    placeholderData: keepPreviousData,
  });
  const columns: Column<LeadRow>[] = [
    {
      key: 'last_name',
      title: 'Person',
      sortable: true,
      fluid: 11,
      render: (row) => (
        <Group gap={8} wrap="nowrap" miw={0}>
          <Clip text={nameOf(row)} max="cell" />
          {row.is_test && <StatusBadge status="test" tone="info" />}
          {row.converted_at && <StatusBadge status="converted" tone="good" />}
        </Group>
      ),
    },
    {
      key: 'email',
      title: 'Email',
      sortable: true,
      fluid: 22,
      render: (row) => <MailLink address={row.email} max="cell" />,
    },
    {
      key: 'phone',
      title: 'Phone',
      render: (row) =>
        row.phone && !row.phone_dnc ? (
          <PhoneLink phone={row.phone} isMarked={false} />
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
      fluid: 11,
      render: (row) => <Clip text={[row.city, row.state].filter(Boolean).join(', ')} max="cell" />,
    },
    {
      key: 'campaign',
      title: 'Campaign',
      fluid: 11,
      render: (row) => <Clip text={row.campaignName} max="cell" />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company',
            title: 'Client',
            hidden: true,
            render: (row: LeadRow) => <Clip text={row.company_name} max={160} />,
          },
        ]),
    { key: 'page', title: 'Page', hidden: true, render: (row) => <Clip text={row.page_url} max={240} /> },
    {
      key: 'match',
      title: 'Matched by',
      render: (row) => (
        <span title={matchWords(row.match_type)}>
          {matchWord(row.match_type)} <span className="dim num">{row.confidence}%</span>
        </span>
      ),
    },
    { key: 'delivery', title: 'Delivery', render: (row) => <DeliveryBadge state={row.delivery} /> },
    {
      key: 'price',
      title: 'Price',
      align: 'right',
      render: (row) => <Money micros={row.price_micros} unit />,
    },
    { key: 'created_at', title: 'Received', sortable: true, render: (row) => <When at={row.created_at} /> },
  ];
  return (
    <>
      <DataTable
        label="Leads"
        download={{ list: '/leadspeek/report/lead/export', query: set }}
        name="leads"
        columns={columns}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          title: nameOf(row),
          state: <LeadState row={row} />,
          line: row.email,
          end: <When at={row.created_at} />,
        })}
        onRow={(row) => drawer.open(row.id)}
        search="Search leads"
        filters={[
          ...(props.filter.leadspeekID
            ? [{ label: `Campaign: ${props.campaignName ?? 'chosen'}`, onRemove: props.onClearCampaign }]
            : []),
          ...(props.onClearDays && props.filter.startDate && props.filter.endDate
            ? [
                {
                  label: `Received: ${dayWords(props.filter.startDate)} – ${dayWords(props.filter.endDate)}`,
                  onRemove: props.onClearDays,
                },
              ]
            : []),
        ]}
        empty={
          <EmptyState
            icon={<IconUserSearch size={32} stroke={1.4} />}
            title="No leads in this period"
            text="A visitor who is recognized and meets a campaign’s rules becomes a lead. Choose a longer period, or check that the pixel is on the site."
          />
        }
      />
      <OpenLead ids={query.data?.data.map(({ id }) => id) ?? []} />
    </>
  );
}
