import { Button, Title } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { MinSpendOffer } from '../../../../contract/money/minimum-spend.ts';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import { planWords } from './model.ts';

/** To which agencies the default was announced, who has accepted it, and a reminder for the others. */
export function Announced() {
  const state = useListState({ perPage: 10 });
  const cache = useQueryClient();
  const asked = {
    page: state.input.page,
    per_page: state.input.per_page,
    search: state.input.search,
  };
  const query = useQuery({
    queryKey: ['minspend', 'offers', asked],
    queryFn: ({ signal }) => api.minimumSpend.offers(asked, { signal }),
    placeholderData: keepPreviousData,
  });
  const remind = async (row: MinSpendOffer) => {
    try {
      notifyDone((await api.minimumSpend.remind({ id: row.id })).message);
    } catch (error) {
      notifyFailed(error, `Remind ${row.company_name}`);
    } finally {
      await cache.invalidateQueries({ queryKey: ['minspend', 'offers'] });
    }
  };
  const columns: Column<MinSpendOffer>[] = [
    { key: 'company_name', title: 'Agency', render: (row) => <Clip text={row.company_name} max={240} /> },
    {
      key: 'amounts',
      phone: 'line',
      title: 'Minimum',
      render: (row) => (
        <span className="num">
          <Clip text={planWords(row.months, row.flat)} max={280} />
        </span>
      ),
    },
    {
      key: 'announced_at',
      phone: 'line',
      title: 'Announced',
      render: (row) => <When at={row.announced_at} />,
    },
    {
      key: 'accepted_at',
      phone: 'state',
      title: 'Accepted',
      render: (row) =>
        row.accepted_at ? (
          <When at={row.accepted_at} />
        ) : (
          <StatusBadge status="pending" tone="warn">
            Not yet
          </StatusBadge>
        ),
    },
    { key: 'reminded_at', title: 'Reminded', render: (row) => <When at={row.reminded_at} /> },
    {
      key: 'actions',
      phone: 'end',
      title: 'Actions',
      align: 'right',
      render: (row) =>
        row.accepted_at ? null : (
          <Button variant="default" size="xs" onClick={() => void remind(row)}>
            Remind<span className="sr-only"> {row.company_name}</span>
          </Button>
        ),
    },
  ];
  return (
    <section aria-label="Announced to agencies" style={{ marginTop: 24 }}>
      <Title order={2} size="h4" mb="xs">
        Announced to agencies
      </Title>
      <DataTable
        label="Announced minimum spend"
        name="minspend-offers"
        columns={columns}
        query={query}
        state={state}
        search="Search agencies"
        download={{
          list: 'minimum-spend-offers',
          of: 'minimumSpend.offers',
          query: { search: asked.search },
        }}
        rowKey={(row) => row.id}
        empty={
          <EmptyState
            title="Nothing announced yet"
            text="A default plan is announced to each agency without its own plan. It applies once the agency accepts it."
          />
        }
      />
    </section>
  );
}
