import { Button, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { IconArrowMerge, IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num, phoneWords } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import classes from './MergePage.module.css';

type Suggestion = Awaited<ReturnType<typeof api.people.duplicates>>['data'][number];
type Person = Suggestion['people'][number];
type Merge = Awaited<ReturnType<typeof api.people.merges>>['data'][number];

/** People in the data who are the same person: suggestions, merging them, and undoing a merge. */
export default function MergePage() {
  const [params, set] = useSearchParams();
  const isMerged = params.tab === 'merged';
  return (
    <>
      <PageHeader
        title="Merge people"
        line="Once merged, two records of the same person count as one: one lead, one exclusion, one count. Nothing is deleted, and you can undo each merge."
      />
      <SegmentedControl
        aria-label="View"
        mb="md"
        data={[
          { value: 'suggestions', label: 'Suggestions' },
          { value: 'merged', label: 'Merged' },
        ]}
        value={isMerged ? 'merged' : 'suggestions'}
        onChange={(next) => set({ tab: next === 'merged' ? next : undefined, page: undefined })}
      />
      {isMerged ? <Merged /> : <Suggestions />}
    </>
  );
}

function Suggestions() {
  const query = useInfiniteQuery({
    queryKey: ['people', 'duplicates'],
    queryFn: ({ pageParam, signal }) =>
      api.people.duplicates(pageParam ? { after: pageParam } : {}, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
  });
  if (query.error && !query.data)
    return (
      <ErrorState
        error={query.error}
        what="Suggestions could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SkeletonRows rows={6} />;
  const found = query.data.pages.flatMap((page) => page.data);
  const more = query.hasNextPage && (
    <Button
      variant="default"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
      style={{ alignSelf: 'flex-start' }}
    >
      Keep looking
    </Button>
  );
  if (found.length === 0)
    return (
      <div className="card">
        <EmptyState
          icon={<IconUsers size={32} stroke={1.4} />}
          title={query.hasNextPage ? 'No one found yet' : 'No likely duplicates'}
          text={
            query.hasNextPage
              ? 'This part of the people data has no likely duplicates. There is more to check.'
              : 'People who share an email address, or a phone number and a similar name, appear here.'
          }
          action={more || undefined}
        />
      </div>
    );
  return (
    <Stack gap="md">
      <ul className={classes.list} aria-label="Suggestions">
        {found.map((one) => (
          <li key={one.people.map(({ id }) => id).join(' ')} className="card">
            <Pair suggestion={one} />
          </li>
        ))}
      </ul>
      {query.isFetchNextPageError && (
        <ErrorState
          error={query.error}
          what="More suggestions could not be loaded"
          onRetry={() => void query.fetchNextPage()}
        />
      )}
      {more}
    </Stack>
  );
}

/** Shows two people side by side, with differences highlighted. */
function Pair({ suggestion }: { suggestion: Suggestion }) {
  const cache = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [a, b] = suggestion.people;
  const merge = async (kept: Person, absorbed: Person) => {
    const sure = await confirm({
      title: `Merge into ${nameOf(kept)}?`,
      body: `${briefOf(absorbed)} becomes one person with ${briefOf(kept)}. Details missing from the record you keep come from the other one. An exclusion of either one applies to both. You can undo this under Merged.`,
      verb: 'Merge',
    });
    if (!sure) return;
    setBusy(true);
    try {
      await api.people.merge({ kept: kept.id, absorbed: absorbed.id });
      notifyDone('Merged into one person.');
      await cache.invalidateQueries({ queryKey: ['people'] });
    } catch (error) {
      notifyFailed(error, 'These people could not be merged');
      setBusy(false);
    }
  };
  return (
    <section className={classes.pair} aria-label={`${nameOf(a)} and ${nameOf(b)}`}>
      <Title order={2} size="h4">
        {suggestion.key === 'phone' ? 'Same phone number, similar name' : 'Same email address'}
      </Title>
      <div className={classes.sides}>
        {(
          [
            [a, b],
            [b, a],
          ] as const
        ).map(([one, other]) => (
          <div key={one.id} className={classes.side}>
            <dl className={classes.facts}>
              {FACTS.map(([label, of]) => {
                const value = of(one);
                return (
                  <div key={label} data-differs={value !== of(other) || undefined}>
                    <dt>{label}</dt>
                    <dd>{value || <None />}</dd>
                  </div>
                );
              })}
              <div>
                <dt>Known since</dt>
                <dd>
                  <When at={one.created_at} />
                </dd>
              </div>
            </dl>
            <Button
              variant="default"
              loading={isBusy}
              onClick={() => void merge(one, other)}
              aria-label={`Keep this one: ${nameOf(one)}, known from ${one.source}`}
            >
              Keep this one
            </Button>
          </div>
        ))}
      </div>
    </section>
  );
}

const phoneOf = ({ phone }: Pick<Person, 'phone'>) => phone && phoneWords(phone);

const FACTS: [label: string, of: (one: Person) => string | null][] = [
  ['Name', (one) => [one.first_name, one.last_name].filter(Boolean).join(' ')],
  ['Email', (one) => one.email],
  ['Phone', phoneOf],
  [
    'Address',
    (one) =>
      [one.address, one.city, [one.state, one.zip].filter(Boolean).join(' ')].filter(Boolean).join(', '),
  ],
  ['Company', (one) => one.company_name],
  ['Source', (one) => one.source],
  ['Records', (one) => num(one.rows)],
];

type Named = Pick<Person, 'first_name' | 'last_name' | 'email' | 'phone'>;
const nameOf = (one: Named): string =>
  [one.first_name, one.last_name].filter(Boolean).join(' ') || one.email || phoneOf(one) || 'Unnamed person';
const briefOf = (one: Named): string => {
  const name = nameOf(one);
  const more = one.email ?? phoneOf(one);
  return more && more !== name ? `${name} (${more})` : name;
};

function Merged() {
  const cache = useQueryClient();
  const state = useListState({ perPage: 10 });
  const [busy, setBusy] = useState<string>();
  const input = { page: state.page, per_page: state.perPage };
  const query = useQuery({
    queryKey: ['people', 'merges', input],
    queryFn: ({ signal }) => api.people.merges(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const undo = async (row: Merge) => {
    const sure = await confirm({
      title: 'Undo this merge?',
      body: 'They become two people again, each with their original keys. Leads created in the meantime stay.',
      verb: 'Undo merge',
      dismiss: 'Keep merged',
    });
    if (!sure) return;
    setBusy(row.id);
    try {
      await api.people.unmerge({ id: row.id });
      notifyDone('They are two people again.');
      await cache.invalidateQueries({ queryKey: ['people'] });
    } catch (error) {
      notifyFailed(error, 'The merge could not be undone');
    } finally {
      setBusy(undefined);
    }
  };
  const who = (one: Merge['kept']) => <Clip text={one ? briefOf(one) : 'Erased'} max={300} />;
  const columns: Column<Merge>[] = [
    { key: 'kept', title: 'Kept', render: (row) => who(row.kept) },
    { key: 'absorbed', phone: 'line', title: 'Merged person', render: (row) => who(row.absorbed) },
    { key: 'merged', phone: 'line', title: 'Merged', render: (row) => <When at={row.merged_at} /> },
    {
      key: 'state',
      phone: 'state',
      title: 'State',
      render: (row) =>
        row.undone_at ? (
          <Text size="sm" c="dimmed">
            Undone <When at={row.undone_at} />
          </Text>
        ) : (
          <StatusBadge status="active">Merged</StatusBadge>
        ),
    },
    {
      key: 'undo',
      phone: 'end',
      title: 'Action',
      align: 'right',
      render: (row) =>
        row.undone_at ? (
          <None />
        ) : (
          <Button
            variant="default"
            size="xs"
            loading={busy === row.id}
            aria-label={`Undo the merge of ${row.kept ? briefOf(row.kept) : 'an erased person'}`}
            onClick={() => void undo(row)}
          >
            Undo
          </Button>
        ),
    },
  ];
  return (
    <DataTable
      label="Merges"
      name="merges"
      columns={columns}
      query={query}
      state={state}
      rowKey={(row) => row.id}
      download={{ list: 'merges' }}
      empty={
        <EmptyState
          icon={<IconArrowMerge size={32} stroke={1.4} />}
          title="No one has been merged yet"
          text="Merges you make from the suggestions appear here. You can undo them."
        />
      }
    />
  );
}
