import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Payout, PayoutPart } from '../../../../contract/money/payments.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { shortDay } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { Money, None, When } from '../../../ui/Values.tsx';

type Part = Inside<z.output<typeof PayoutPart>>;

const STATUS: Record<Payout['status'], [tone: 'good' | 'warn' | 'bad' | 'plain', words: string]> = {
  pending: ['warn', 'In transit'],
  paid: ['good', 'Paid'],
  failed: ['bad', 'Failed'],
  canceled: ['plain', 'Canceled'],
};
const KINDS: Record<Part['kind'], string> = { charge: 'Payment', refund: 'Refund', other: 'Other' };

/** The provider names a day, as its beginning in UTC. */
const arrival = (payout: Payout): string => shortDay(payout.arrives_at, new Date(), 'UTC');

/** What the card provider paid out to the bank of the user's own account; each row expands to what makes it up. */
export function Payouts() {
  const user = useUser();
  const mayRead = useMay('payout.read') && !user.in_view_mode;
  const drawer = useDrawer('payout');
  const query = useQuery({
    queryKey: ['payment', 'payouts'],
    queryFn: ({ signal }) => api.payments.payouts(undefined, { signal }),
    enabled: mayRead,
  });
  if (!mayRead) return null;
  const columns: Column<Payout>[] = [
    { key: 'created_at', title: 'Sent', render: (row) => <When at={row.created_at} /> },
    {
      key: 'status',
      phone: 'state',
      title: 'Status',
      render: (row) => {
        const [tone, words] = STATUS[row.status];
        return (
          <StatusBadge status={row.status} tone={tone}>
            {words}
          </StatusBadge>
        );
      },
    },
    {
      key: 'arrives_at',
      phone: 'line',
      title: 'Arrival date',
      render: (row) => <span className="num">{arrival(row)}</span>,
    },
    {
      key: 'amount',
      phone: 'end',
      title: 'Amount',
      align: 'right',
      render: (row) => <Money micros={row.amount_micros} />,
    },
  ];
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Payouts
      </Title>
      <DataTable
        label="Payouts"
        name="payouts"
        download={{ list: 'payouts' }}
        columns={columns}
        query={query}
        rowKey={(row) => row.id}
        onRow={(row) => drawer.open(row.id)}
        empty={
          <EmptyState
            title="No payouts yet"
            text="The payment provider sends payments to your bank, minus fees and refunds. Each payout is shown here for 180 days."
          />
        }
      />
      <DetailDrawer param="payout" title="Payout">
        {(id) => <Parts id={id} payout={query.data?.data.find((one) => one.id === id)} />}
      </DetailDrawer>
    </section>
  );
}

/** The items that make up a payout. */
function Parts({ id, payout }: { id: string; payout: Payout | undefined }) {
  const query = useQuery({
    queryKey: ['payment', 'payout', id],
    queryFn: ({ signal }) => api.payments.payout({ id }, { signal }),
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="This payout could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <Skeleton height={200} aria-busy="true" />;
  const columns: Column<Part & { key: string }>[] = [
    {
      key: 'what',
      title: 'What',
      render: (row) => (
        <span>
          {KINDS[row.kind]}
          {row.company_name && `, ${row.company_name}`}
          {row.description && (
            <Text size="xs" c="dimmed">
              {row.description}
            </Text>
          )}
        </span>
      ),
    },
    { key: 'at', phone: 'line', title: 'When', render: (row) => <When at={row.created_at} /> },
    {
      key: 'amount',
      phone: 'line',
      title: 'Amount',
      align: 'right',
      render: (row) => <Money micros={row.amount_micros} />,
    },
    {
      key: 'fee',
      title: 'Fees',
      align: 'right',
      render: (row) => (row.fee_micros === 0 ? <None /> : <Money micros={row.fee_micros} />),
    },
    {
      key: 'net',
      phone: 'end',
      title: 'Net',
      align: 'right',
      render: (row) => <Money micros={row.net_micros} />,
    },
  ];
  return (
    <Stack gap="md">
      {payout && (
        <div>
          <Title order={2} className="num">
            <Money micros={payout.amount_micros} />
          </Title>
          <Text size="sm" c="dimmed">
            {STATUS[payout.status][1]}, bank arrival date {arrival(payout)}
          </Text>
        </div>
      )}
      <DataTable
        label="Payout details"
        name="payout-parts"
        download={{ list: 'payout-parts', of: 'payments.payout', query: { id } }}
        columns={columns}
        query={{
          ...query,
          data: { data: query.data.data.map((part, at) => ({ ...part, key: String(at) })) },
        }}
        rowKey={(row) => row.key}
        bare
        empty={
          <EmptyState title="No details available" text="The provider lists nothing under this payout." />
        }
      />
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {id}
      </Text>
    </Stack>
  );
}
