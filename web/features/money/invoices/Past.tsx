import { SegmentedControl, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { PastType } from '../../../../contract/accounts/company-imports.ts';
import type { Client } from '../../../../contract/index.ts';
import { INVOICE_KINDS } from '../../../../contract/money/invoices.ts';
import { TRANSFER_KINDS } from '../../../../contract/money/ledger.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { prettyCode } from '../../../ui/format.ts';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None, When } from '../../../ui/Values.tsx';
import { accountWords, kindWords as eventWords } from '../ledger/words.ts';
import { InvoiceDetail } from './InvoiceDrawer.tsx';
import { cardWords, kindWords } from './words.ts';

type Row = Awaited<ReturnType<Client['pastBilling']['list']>>['data'][number];

const TYPES: Record<PastType, string> = { invoice: 'Invoices', charge: 'Charges', entry: 'Ledger' };

/** What a document is for, in words. */
function forWords({ type, kind }: Pick<Row, 'type' | 'kind'>): string {
  const invoice = INVOICE_KINDS.find((one) => one === kind);
  const event = TRANSFER_KINDS.find((one) => one === kind);
  if (type === 'invoice' && invoice) return kindWords({ kind: invoice, term: null });
  return type === 'entry' && event ? eventWords(event) : prettyCode(kind);
}

/** Money of companies that were imported, from before the import; nothing if there is none. `companyId`: only of this one. */
export function Past({ companyId, onAll }: { companyId: string | undefined; onAll: () => void }) {
  const user = useUser();
  const [params, set] = useSearchParams();
  const state = useListState({ perPage: 10 }, 'past-');
  const drawer = useDrawer('past');
  const type = (Object.keys(TYPES) as PastType[]).find((one) => one === params.money) ?? 'invoice';
  const { page, per_page, search } = state.input;
  const filter = {
    ...{ page, per_page, type },
    ...(search ? { search } : {}),
    ...(companyId ? { company_id: companyId } : {}),
  };
  const query = useQuery({
    queryKey: ['past-billing', filter],
    queryFn: async ({ signal }) => ({ ...(await api.pastBilling.list(filter, { signal })), type }),
    placeholderData: keepPreviousData,
  });
  const types = query.data?.types ?? [];
  // Most companies were never imported.
  if (types.length === 0) return null;
  const isClient = user.company_kind === 'client';
  const columns: Column<Row>[] = [
    { key: 'at', title: 'Date', render: (row) => <When at={row.at} /> },
    ...(type === 'invoice'
      ? [{ key: 'number', title: 'Number', render: (row: Row) => <Clip text={row.number} max={160} /> }]
      : []),
    { key: 'for', title: 'For', render: (row) => forWords(row) },
    ...(isClient
      ? []
      : [
          {
            key: 'company',
            title: 'Company',
            render: (row: Row) => <Clip text={row.company_name} max={200} />,
          },
        ]),
    {
      key: 'note',
      title: type === 'invoice' ? 'From' : 'Note',
      from: 900,
      render: (row) => (row.note ? <Clip text={row.note} max={240} /> : <None />),
    },
    ...(type === 'entry'
      ? []
      : [{ key: 'status', title: 'Status', render: (row: Row) => prettyCode(row.status) }]),
    {
      key: 'amount',
      title: 'Amount',
      align: 'right',
      render: (row) => <Money micros={row.amount_micros} />,
    },
  ];
  return (
    <section aria-labelledby="before-the-move">
      <Title order={2} size="h3" mt="xl" id="before-the-move">
        Before the move
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Invoices, charges, and ledger lines that came with an import. They are records: nothing here is due or
        counted in the totals above.
      </Text>
      {types.length > 1 && (
        <SegmentedControl
          mb="md"
          aria-label="Records"
          value={type}
          data={types.map((one) => ({ value: one, label: TYPES[one] }))}
          onChange={(next) => set({ money: next === 'invoice' ? undefined : next, 'past-page': undefined })}
        />
      )}
      <DataTable
        label="Records from before the move"
        name="past-billing"
        download={{ list: 'past-billing', of: 'pastBilling.list', query: filter }}
        columns={columns}
        // The rows of another kind are no preview of this one's.
        query={query.isPlaceholderData && query.data.type !== type ? { ...query, data: undefined } : query}
        state={state}
        rowKey={(row) => row.id}
        onRow={(row) => drawer.open(`${row.type}.${row.id}`)}
        search={type === 'invoice' ? 'Search by number' : 'Search notes'}
        {...(companyId ? { filters: [{ label: 'One company', onRemove: onAll }] } : {})}
        phoneRow={(row) => ({
          title: row.number || forWords(row),
          line: (
            <>
              {!isClient && `${row.company_name} · `}
              <When at={row.at} />
            </>
          ),
          end: <Money micros={row.amount_micros} />,
        })}
        empty={
          <EmptyState
            icon={<IconHistory size={32} stroke={1.4} />}
            title="No records"
            text="The import brought none of this kind."
          />
        }
      />
      <DetailDrawer param="past" title="Before the move" size={640}>
        {(id) => <Detail key={id} id={id} />}
      </DetailDrawer>
    </section>
  );
}

const loading = (
  <Stack gap="sm" aria-busy="true">
    <Skeleton height={32} width="45%" />
    <Skeleton height={160} />
  </Stack>
);

function Detail({ id }: { id: string }) {
  const [type, key] = id.split('.');
  if (!key) return null;
  return type === 'invoice' ? (
    <PastInvoice id={key} />
  ) : type === 'charge' ? (
    <Charge id={key} />
  ) : (
    <Transfer id={key} />
  );
}

function PastInvoice({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['past-billing', 'invoice', id],
    queryFn: ({ signal }) => api.pastBilling.invoice({ id }, { signal }),
  });
  if (query.error && !query.data) return <Failed query={query} />;
  if (!query.data) return loading;
  return <InvoiceDetail invoice={query.data} path={`/billing/past/invoices/${id}`} isPast />;
}

function Charge({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['past-billing', 'charge', id],
    queryFn: ({ signal }) => api.pastBilling.charge({ id }, { signal }),
  });
  if (query.error && !query.data) return <Failed query={query} />;
  const charge = query.data?.data;
  if (!charge) return loading;
  return (
    <Parts
      title={forWords(charge)}
      facts={[charge.note, charge.card && cardWords(charge.card), prettyCode(charge.status)]}
      at={charge.at}
      amount={charge.amount_micros}
      parts={charge.parts.map((part) => ({
        ...part,
        label: `Refund, ${prettyCode(part.label).toLowerCase()}`,
      }))}
    />
  );
}

function Transfer({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['past-billing', 'transfer', id],
    queryFn: ({ signal }) => api.pastBilling.transfer({ id }, { signal }),
  });
  if (query.error && !query.data) return <Failed query={query} />;
  const transfer = query.data?.data;
  if (!transfer) return loading;
  return (
    <Parts
      title={transfer.kind ? eventWords(transfer.kind) : 'Ledger lines'}
      facts={[transfer.campaign_name ?? '', transfer.memo]}
      at={transfer.at}
      parts={transfer.parts.map((part) => ({ ...part, label: accountWords(part.label) }))}
    />
  );
}

const Failed = ({ query }: { query: { error: unknown; refetch: () => unknown } }) => (
  <ErrorState
    error={query.error}
    what="This record could not be loaded"
    onRetry={() => void query.refetch()}
  />
);

function Parts(props: {
  title: string;
  facts: string[];
  at: string;
  amount?: number;
  parts: { label: string; note: string; amount_micros: number }[];
}) {
  return (
    <Stack gap="md">
      <div>
        <Title order={2}>{props.title}</Title>
        <Text c="dimmed" size="sm">
          <When at={props.at} />
        </Text>
      </div>
      {props.facts.filter(Boolean).map((fact) => (
        <Text key={fact} style={{ overflowWrap: 'anywhere' }}>
          {fact}
        </Text>
      ))}
      <Table aria-label="Parts">
        <Table.Tbody>
          {props.amount !== undefined && (
            <Table.Tr>
              <Table.Td>Amount</Table.Td>
              <Table.Td ta="right">
                <Money micros={props.amount} />
              </Table.Td>
            </Table.Tr>
          )}
          {props.parts.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two parts may say the same
            <Table.Tr key={at}>
              <Table.Td>
                {part.label}
                {part.note && (
                  <Text size="xs" c="dimmed">
                    {part.note}
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right">
                <Money micros={part.amount_micros} unit />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
