import { Button, Progress } from '@mantine/core';
import { IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { AudienceDetails } from './AudienceDetails.tsx';
import { type Audience, countWords, isUnderWay, rateWords, readShare, STATES, sourceWords } from './model.ts';
import { NewAudience } from './NewAudience.tsx';

const ASK_MS = 2000;

/** How far an audience is, or what became of it. */
const stateOf = (row: Audience) =>
  row.state === 'loading' && row.rows_read < row.total_rows ? (
    <Progress w={80} value={readShare(row)} aria-label={`Reading ${row.name}`} />
  ) : (
    <StatusBadge
      status={row.state === 'loading' ? 'running' : row.state}
      {...(row.state === 'ready' ? { tone: 'good' as const } : {})}
    >
      {STATES[row.state]}
    </StatusBadge>
  );

/** The audiences that ads are aimed at: the list, each in a drawer, and a form for new ones. */
export default function AudiencesPage() {
  const user = useUser();
  const client = useQueryClient();
  const mayCreate = useMay('campaign.create');
  const [isAdding, setAdding] = useState(false);
  const list = useListState({ perPage: 25 });
  const drawer = useDrawer('audience');
  const { page, per_page, search } = list.input;
  const input = { page, per_page, ...(search ? { search } : {}) };
  const query = useQuery({
    queryKey: ['audiences', 'list', input],
    queryFn: ({ signal }) => api.audiences.list(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? ASK_MS : false),
  });
  const columns: Column<Audience>[] = [
    {
      key: 'name',
      title: 'Audience',
      fluid: 24,
      render: (row) => <Clip text={row.name} max="cell" />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company_name',
            title: 'Client',
            fluid: 16,
            from: 900,
            render: (row: Audience) => <Clip text={row.company_name} max="cell" />,
          },
        ]),
    { key: 'source', title: 'Made of', fluid: 18, from: 620, render: sourceWords },
    {
      key: 'state',
      title: 'State',
      render: stateOf,
    },
    { key: 'size', title: 'Size', align: 'right', render: (row) => num(row.size) },
    { key: 'match_rate', title: 'Matched', align: 'right', render: rateWords },
    {
      key: 'excluded',
      title: 'Excluded',
      align: 'right',
      from: 760,
      render: (row) => countWords(row.excluded),
    },
    {
      key: 'campaigns',
      title: 'Campaigns',
      align: 'right',
      from: 1000,
      render: (row) => num(row.campaigns),
    },
    {
      key: 'refreshed_at',
      title: 'Updated',
      from: 1000,
      render: (row) => (row.refreshed_at ? <When at={row.refreshed_at} /> : <None />),
    },
  ];
  const add = mayCreate && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setAdding(true)}>
      New audience
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Audiences"
        line="The people your ads are shown to, or must not be shown to."
        primary={add}
      />
      <DataTable
        label="Audiences"
        name="audiences"
        download={{ list: 'audiences', of: 'audiences.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        search="Search audiences"
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          title: row.name,
          state: stateOf(row),
          line: `${sourceWords(row)}, ${rateWords(row)} matched`,
          end: num(row.size),
        })}
        onRow={(row) => drawer.open(row.id)}
        openKey={drawer.id}
        empty={
          <EmptyState
            icon={<IconUsersGroup size={28} aria-hidden="true" />}
            title="No audiences yet"
            text="Upload a list of your customers, or use the leads of a campaign or a keyword count. An ad campaign can then be shown only to them, or to everyone else."
          />
        }
      />
      <DetailDrawer
        param="audience"
        title="Audience"
        label="Audience"
        size={640}
        ids={query.data?.data.map((row) => row.id) ?? []}
      >
        {(id) => <AudienceDetails key={id} id={id} onGone={drawer.close} />}
      </DetailDrawer>
      {isAdding && (
        <NewAudience
          onClose={() => setAdding(false)}
          onMade={async ({ id }) => {
            setAdding(false);
            await client.invalidateQueries({ queryKey: ['audiences'] });
            drawer.open(id);
          }}
        />
      )}
    </>
  );
}
