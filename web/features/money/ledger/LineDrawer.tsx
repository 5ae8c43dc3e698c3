import { Anchor, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { DetailDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { Money, None, When } from '../../../ui/Values.tsx';
import { LeadRefund } from '../credits/LeadRefund.tsx';
import { accountWords, kindWords } from './words.ts';

type Line = Awaited<ReturnType<Client['ledger']['line']>>;

/** The line named by `line` in the address: what each side got, and the events behind it. */
export function LineDrawer() {
  return (
    <DetailDrawer param="line" title="Statement line">
      {(id) => <LineDetail id={id} />}
    </DetailDrawer>
  );
}

/** Kinds of lines that refer to an invoice. */
const OF_INVOICES: readonly Line['kind'][] = ['invoice', 'payment', 'credit_note', 'write_off'];

function LineDetail({ id }: { id: string }) {
  const mayRead = useMay('invoice.read');
  const maySeeLeads = useMay('lead.read');
  const query = useQuery({
    queryKey: ['statement', 'line', id],
    queryFn: ({ signal }) => api.ledger.line({ id }, { signal }),
  });
  if (query.error) {
    return (
      <ErrorState
        error={query.error}
        what="This line could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  }
  const line = query.data;
  if (!line) {
    return (
      <Stack gap="sm" aria-busy="true">
        <Skeleton height={24} width="50%" />
        {[80, 60, 70, 55].map((width) => (
          <Skeleton key={width} height={16} width={`${width}%`} />
        ))}
        <Skeleton height={120} mt="md" />
      </Stack>
    );
  }
  const sides: [string, number | null][] = [
    ['Charged to the client', line.price_micros],
    ['Cost to the agency', line.cost_micros],
    ['Supplier cost', line.supplier_micros],
    ['Margin', line.margin_micros],
  ];
  const known = sides.filter(([, micros]) => micros !== null);
  return (
    <Stack gap="lg">
      <div>
        <Title order={2}>{kindWords(line.kind)}</Title>
        <Text c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {[line.company_name, line.campaign_name && `${line.campaign_name} #${line.campaign_number}`]
            .filter(Boolean)
            .join(' · ')}{' '}
          · <When at={line.created_at} />
        </Text>
        {line.memo && <Text size="sm">{line.memo}</Text>}
        {mayRead && line.reference_id && OF_INVOICES.includes(line.kind) && (
          <Anchor
            component={Link}
            size="sm"
            {...{ to: '/configuration/invoices', search: { invoice: line.reference_id } as never }}
          >
            View invoice
          </Anchor>
        )}
      </div>
      {known.length > 0 && (
        <Amounts
          title="Both sides"
          rows={known.map(([name, micros]) => ({ key: name, name, micros: micros ?? 0 }))}
        />
      )}
      <Amounts
        title="Entries"
        rows={line.entries.map((entry, at) => ({
          key: `${at}`,
          name: `${accountWords(entry.account)}, ${entry.company_name}`,
          micros: entry.amount_micros,
        }))}
      />
      {maySeeLeads && line.kind === 'lead' && line.reference_id && (
        <LeadRefund lead={{ id: line.reference_id, company_name: line.company_name }} />
      )}
      <Events line={line} />
      <div>
        <CopyButton text={line.id} label="Copy ID" />
      </div>
    </Stack>
  );
}

function Amounts(props: { title: string; rows: { key: string; name: string; micros: number }[] }) {
  return (
    <section aria-label={props.title}>
      <Title order={3} size="h4" mb="xs">
        {props.title}
      </Title>
      <Table>
        <Table.Tbody>
          {props.rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Th scope="row" fw={400} style={{ overflowWrap: 'anywhere' }}>
                {row.name}
              </Table.Th>
              <Table.Td ta="right">
                <Money micros={row.micros} unit />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** The leads (or other events) that make up a line. */
function Events({ line }: { line: Line }) {
  if (line.events.length === 0) return null;
  return (
    <section aria-label="Events">
      <Title order={3} size="h4" mb="xs">
        {line.event_count === 1 ? 'Event in this line' : `${num(line.event_count)} events in this line`}
      </Title>
      {line.event_count > line.events.length && (
        <Text size="sm" c="dimmed" mb="xs">
          The newest {num(line.events.length)} are shown.
        </Text>
      )}
      <Table>
        <Table.Tbody>
          {line.events.map((event) => (
            <Table.Tr key={event.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {event.name ?? (event.lead_id ? 'Erased person' : kindWords(event.kind))}
                <Text size="xs" c="dimmed">
                  {event.campaign_name ? `${event.campaign_name} · ` : ''}
                  <When at={event.created_at} />
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                {event.price_micros === null ? <None /> : <Money micros={event.price_micros} unit />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
