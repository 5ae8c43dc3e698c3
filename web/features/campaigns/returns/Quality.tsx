import { Anchor, Group, SegmentedControl, Text } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import {
  AGENCY_GROUPS,
  type QualityGroup,
  ROOT_GROUPS,
} from '../../../../contract/campaigns/return-rules.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num, percent } from '../../../ui/format.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None } from '../../../ui/Values.tsx';
import { AddressRange } from '../analytics/AddressRange.tsx';
import { dayIn, rangeOf } from '../analytics/range.ts';
import { matchWords } from '../leads/match.ts';
import { GROUP_WORDS, type Quality } from './words.ts';

type Row = Quality['data'][number];

/** What a list calls a group: the parameter of the returns' address that narrows to it. */
const PARAMS: Record<QualityGroup, string> = {
  campaign: 'campaign',
  client: 'client',
  match: 'match',
  agency: 'client',
  supplier: 'supplier',
};

/** Leads that came in over some days and what became of them, by group; each number leads to its list. */
export function QualityTable() {
  const user = useUser();
  const isRoot = user.company_kind === 'root';
  const groups = isRoot ? ROOT_GROUPS : AGENCY_GROUPS;
  const [params, set] = useSearchParams();
  const by = groups.find((one) => one === params.by) ?? groups[0]!;
  const today = dayIn(new Date(), user.time_zone);
  const { from, to, days } = params;
  const range = useMemo(() => rangeOf({ from, to, days } as never, today), [from, to, days, today]);
  const filter = { by, starts_on: range.start, ends_on: range.end };
  const query = useQuery({
    queryKey: ['return-quality', filter],
    queryFn: ({ signal }) => api.returns.quality(filter, { signal }),
    placeholderData: keepPreviousData,
  });
  const report = query.data;
  const total = report?.total;
  const returnsOf = (row: Row, state: string) => ({
    to: '/returns',
    search: { [PARAMS[by]]: row.key, from: range.start, to: range.end, state },
  });
  /** A column of a number of returns, which leads to them. */
  const counted = (
    key: 'returned' | 'open' | 'approved' | 'declined',
    title: string,
    state: string,
  ): Column<Row> => ({
    key,
    title,
    align: 'right',
    ...(key === 'returned' ? {} : { from: 760 }),
    render: (row) => (
      <Count of={row[key]} link={returnsOf(row, state)} what={`${title.toLowerCase()}, ${row.name}`} />
    ),
    foot: total && <span className="num">{num(total[key])}</span>,
  });
  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: GROUP_WORDS[by],
      fluid: 30,
      render: (row) => <Clip text={nameOf(by, row)} max="cell" />,
      foot: 'Total',
    },
    ...(by === 'campaign'
      ? [
          {
            key: 'company',
            title: 'Client',
            fluid: 16,
            from: 900,
            render: (row: Row) => <Clip text={row.company_name} max="cell" />,
          },
        ]
      : []),
    {
      key: 'leads',
      title: 'Leads',
      align: 'right',
      render: (row) => (
        <Count
          of={row.leads}
          what={`leads, ${row.name}`}
          // A root has no list of leads.
          link={
            isRoot
              ? undefined
              : { to: '/leads', search: { [PARAMS[by]]: row.key, from: range.start, to: range.end } }
          }
        />
      ),
      foot: total && <span className="num">{num(total.leads)}</span>,
    },
    counted('returned', 'Returned', 'all'),
    {
      key: 'share',
      title: 'Share',
      align: 'right',
      render: (row) => <Share of={row} />,
      foot: total && <Share of={total} />,
    },
    counted('open', 'Open', 'open'),
    counted('approved', 'Approved', 'approved'),
    counted('declined', 'Declined', 'declined'),
    {
      key: 'credited',
      title: 'Credited',
      align: 'right',
      render: (row) => (row.credited_micros === 0 ? <None /> : <Money micros={row.credited_micros} />),
      foot: total && <Money micros={total.credited_micros} />,
    },
  ];
  return (
    <>
      <Group mb="md" gap="sm" justify="space-between">
        <SegmentedControl
          aria-label="Group by"
          value={by}
          data={groups.map((one) => ({ value: one, label: GROUP_WORDS[one] }))}
          onChange={(next) => set({ by: next === groups[0] ? undefined : next })}
          style={{ maxWidth: '100%', overflowX: 'auto' }}
        />
        <AddressRange range={range} today={today} />
      </Group>
      <DataTable
        label="Quality"
        name={`return-quality-${by}`}
        download={{ list: 'return-quality', of: 'returns.quality', query: filter }}
        columns={columns}
        query={{ ...query, data: report && { data: report.data } }}
        rowKey={(row) => row.key}
        phoneRow={(row) => ({
          title: nameOf(by, row),
          state: <Share of={row} />,
          line: `${num(row.leads)} leads, ${num(row.returned)} returned`,
          end: <Money micros={row.credited_micros} />,
        })}
        empty={
          <EmptyState
            icon={<IconChartBar size={32} stroke={1.4} />}
            title="No leads in this period"
            text="Leads and their returns are counted here by the day the leads came in."
          />
        }
      />
      <Text size="xs" c="dimmed" mt="sm">
        Leads count on the day they came in. Credited includes refunds without a return.
      </Text>
    </>
  );
}

const nameOf = (by: QualityGroup, row: Row): string =>
  by === 'match' ? matchWords(row.key) : row.name || 'Not known';

/** A number that leads to what it counts. */
function Count(props: {
  of: number;
  what: string;
  link: { to: string; search: Record<string, string> } | undefined;
}) {
  if (props.of === 0) return <None />;
  if (!props.link) return <span className="num">{num(props.of)}</span>;
  return (
    <Anchor
      component={Link}
      inherit
      className="num"
      aria-label={`${num(props.of)} ${props.what}`}
      {...{ to: props.link.to as never, search: props.link.search as never }}
    >
      {num(props.of)}
    </Anchor>
  );
}

function Share({ of }: { of: { leads: number; returned: number } }) {
  return of.leads === 0 ? <None /> : <span className="num">{percent(of.returned / of.leads)}</span>;
}
