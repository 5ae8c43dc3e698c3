import { Button, Group, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { Money, When } from '../../../ui/Values.tsx';
import classes from './invoices.module.css';
import { usePay } from './usePay.ts';
import { kindWords } from './words.ts';

/**
 * What the user's own company still has to pay, each with its own button; shown on the card's page when nothing else is
 * accessible.
 */
export default function DueInvoices() {
  const user = useUser();
  const mayPay = useMay('invoice.pay') && !user.in_view_mode;
  const { busy, pay } = usePay();
  const filter = { company_id: user.company_id, status: 'open' as const, page: 1, per_page: 25 };
  const query = useQuery({
    queryKey: ['invoices', 'due', filter],
    queryFn: ({ signal }) => api.invoices.list(filter, { signal }),
  });
  if (query.error)
    return (
      <section className="card" aria-label="Payment due">
        <ErrorState
          error={query.error}
          what="Amounts due could not be loaded"
          onRetry={() => void query.refetch()}
        />
      </section>
    );
  if (!query.data) return <Skeleton height={96} radius="md" />;
  if (query.data.data.length === 0) return null;
  return (
    <section className={`card ${classes.box}`} aria-label="Payment due">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Payment due
        </Title>
        <Text fw={600}>
          <Money micros={query.data.due_micros} />
        </Text>
      </Group>
      <Table>
        <Table.Tbody>
          {query.data.data.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {row.number}
                <Text size="xs" c="dimmed">
                  {kindWords(row)}, <When at={row.finalised_at} />
                </Text>
                {row.is_failing && (
                  <Text size="xs">
                    {row.next_attempt_at ? (
                      <>
                        Next attempt <When at={row.next_attempt_at} />
                      </>
                    ) : (
                      'No more automatic attempts. Campaigns are paused.'
                    )}
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right">
                <Money micros={row.due_micros} />
              </Table.Td>
              {mayPay && (
                <Table.Td ta="right" w={96}>
                  <Button
                    size="compact-sm"
                    loading={busy === row.id}
                    disabled={busy !== undefined && busy !== row.id}
                    aria-label={`Pay now: ${row.number}`}
                    onClick={() => void pay(row)}
                  >
                    Pay now
                  </Button>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
