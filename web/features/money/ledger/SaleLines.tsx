import { Button, Skeleton, Stack, Table, Text } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { useDrawer } from '../../../ui/DetailDrawer.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { Money, None, When } from '../../../ui/Values.tsx';
import { kindWords } from './words.ts';

type Line = Awaited<ReturnType<Client['ledger']['marginLines']>>['data'][number];

/** What came in, what it cost, and what the company kept of a line; on each level the first two make the third. */
function amountsOf(line: Line, isRoot: boolean): (number | null)[] {
  const { price_micros, cost_micros, margin_micros } = line;
  if (!isRoot) return [price_micros, cost_micros, margin_micros];
  const supplier = cost_micros === null || margin_micros === null ? null : cost_micros - margin_micros;
  return [cost_micros, supplier, margin_micros];
}

/** The leads and fees under a row, newest first; each opens as a line of the statement. */
export function SaleLines({ filter }: { filter: Parameters<Client['ledger']['marginLines']>[0] }) {
  const isRoot = useUser().company_kind === 'root';
  const line = useDrawer('line');
  const query = useInfiniteQuery({
    queryKey: ['margins', 'lines', filter],
    queryFn: ({ signal, pageParam }) =>
      api.ledger.marginLines({ ...filter, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor,
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The lines could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  const lines = query.data?.pages.flatMap((page) => page.data);
  if (!lines)
    return (
      <Stack gap="sm" aria-busy="true">
        {[80, 60, 70, 55].map((width) => (
          <Skeleton key={width} height={16} width={`${width}%`} />
        ))}
      </Stack>
    );
  if (lines.length === 0)
    return (
      <EmptyState
        icon={<IconReceipt size={32} stroke={1.4} />}
        title="No lines"
        text="Nothing was sold here in this period."
      />
    );
  return (
    <Stack gap="md">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            <Table.Th ta="right">{isRoot ? 'Paid by agency' : 'Paid by client'}</Table.Th>
            <Table.Th ta="right">{isRoot ? 'Supplier cost' : 'Your cost'}</Table.Th>
            <Table.Th ta="right">Margin</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((one) => (
            <Table.Tr key={one.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Button variant="transparent" size="compact-sm" p={0} onClick={() => line.open(one.id)}>
                  {kindWords(one.kind)}
                </Button>
                <Text size="xs" c="dimmed">
                  {one.campaign_name ? `${one.campaign_name} · ` : ''}
                  <When at={one.created_at} />
                </Text>
              </Table.Td>
              {amountsOf(one, isRoot).map((micros, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the three columns stay where they are
                <Table.Td key={at} ta="right">
                  {micros === null ? <None /> : <Money micros={micros} unit />}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {query.hasNextPage && (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older lines
        </Button>
      )}
    </Stack>
  );
}
