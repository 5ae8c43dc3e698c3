import { Button, Group, Menu, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { IconDots, IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { useUser } from '../../../api/user.ts';
import { DetailDrawer } from '../../../ui/DetailDrawer.tsx';
import { money } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { Money, When } from '../../../ui/Values.tsx';
import { CorrectModal } from './CorrectModal.tsx';
import classes from './invoices.module.css';
import { Lines } from './Lines.tsx';
import { usePay } from './usePay.ts';
import { attemptWords, cardWords, type Invoice, kindWords, periodWords, standing } from './words.ts';

/** The invoice named by `invoice` in the address. */
export function InvoiceDrawer() {
  return (
    <DetailDrawer param="invoice" title="Invoice" size={640}>
      {(id) => <Detail key={id} id={id} />}
    </DetailDrawer>
  );
}

function Detail({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['invoices', 'one', id],
    queryFn: ({ signal }) => api.invoices.one({ id }, { signal }),
  });
  if (query.error && !query.data) {
    return (
      <ErrorState
        error={query.error}
        what="This invoice could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  }
  const invoice = query.data;
  if (!invoice) {
    return (
      <Stack gap="sm" aria-busy="true">
        <Skeleton height={32} width="45%" />
        <Skeleton height={36} width="70%" />
        {[80, 60, 70, 55].map((width) => (
          <Skeleton key={width} height={16} width={`${width}%`} />
        ))}
        <Skeleton height={160} mt="md" />
      </Stack>
    );
  }
  return <InvoiceDetail invoice={invoice} path={`/billing/invoices/${invoice.id}`} />;
}

/** An invoice in full. `path`: where its files are. `isPast`: from before an import, whose credit notes have no files. */
export function InvoiceDetail({
  invoice,
  path,
  isPast,
}: {
  invoice: Invoice;
  path: string;
  isPast?: boolean;
}) {
  return (
    <Stack gap="lg">
      {isPast && (
        <Notice tone="info">
          A record from before the move, as of the export. Nothing here can be paid.
        </Notice>
      )}
      <Head invoice={invoice} path={path} />
      <Facts invoice={invoice} />
      <div className={classes.parties}>
        <Party title="From" party={invoice.issuer} />
        <Party title="Bill to" party={invoice.payer} />
      </div>
      <section aria-label="Lines">
        <Title order={3} size="h4">
          Lines
        </Title>
        <Lines invoice={invoice} />
        <Sums invoice={invoice} />
      </section>
      <CreditNotes invoice={invoice} path={isPast ? undefined : path} />
      <Attempts invoice={invoice} />
    </Stack>
  );
}

function Head({ invoice, path }: { invoice: Invoice; path: string }) {
  const user = useUser();
  const { busy, pay, authenticate } = usePay();
  const [correct, setCorrect] = useState<'credit' | 'write_off'>();
  const { word, tone } = standing(invoice);
  // No payments are made in view mode.
  const may = (what: Invoice['may'][number]) => !user.in_view_mode && invoice.may.includes(what);
  const asksBank =
    invoice.status === 'open' &&
    invoice.needs_authentication &&
    !user.in_view_mode &&
    invoice.company_id === user.company_id;
  const pdf = () => void download(`${path}/pdf`);
  return (
    <div>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="md">
        <div style={{ minWidth: 0 }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {invoice.number}
          </Title>
          <Text c="dimmed" size="sm">
            {kindWords(invoice)}
          </Text>
        </div>
        <StatusBadge status={invoice.status} tone={tone}>
          {word}
        </StatusBadge>
      </Group>
      <div className={`${classes.amount} num`}>
        {money(invoice.status === 'open' ? invoice.due_micros : invoice.total_micros)}
      </div>
      <Text c="dimmed" size="sm" mb="md">
        {invoice.status === 'open' ? `due of ${money(invoice.total_micros)}` : 'total'}
      </Text>
      <Stack gap="md">
        {asksBank && (
          <Notice
            tone="warn"
            title="The bank requires confirmation"
            action={
              <Button
                size="compact-md"
                loading={busy === invoice.id}
                onClick={() => void authenticate(invoice)}
              >
                Confirm with your bank
              </Button>
            }
          >
            The last charge goes through once the cardholder confirms it.
          </Notice>
        )}
        {invoice.status === 'open' && invoice.is_failing && !asksBank && (
          <Notice tone="bad" title="The last charge was declined">
            {invoice.next_attempt_at ? (
              <>
                The card will be retried on <When at={invoice.next_attempt_at} />.
              </>
            ) : (
              'The card will not be retried automatically.'
            )}
          </Notice>
        )}
        {user.in_view_mode && invoice.may.length > 0 && (
          <Notice tone="info">You are viewing as someone else, so you cannot pay or correct anything.</Notice>
        )}
        <Group gap="xs">
          {may('pay') && (
            <Button loading={busy === invoice.id} onClick={() => void pay(invoice)}>
              Pay now
            </Button>
          )}
          <Button variant="default" leftSection={<IconDownload size={16} />} onClick={pdf}>
            Download PDF
          </Button>
          {(may('credit') || may('write_off')) && (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" leftSection={<IconDots size={16} />}>
                  Correct
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {may('credit') && (
                  <Menu.Item onClick={() => setCorrect('credit')}>Issue credit note</Menu.Item>
                )}
                {may('write_off') && (
                  <Menu.Item c="var(--bad)" onClick={() => setCorrect('write_off')}>
                    Write off
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      </Stack>
      {correct && <CorrectModal invoice={invoice} way={correct} onClose={() => setCorrect(undefined)} />}
    </div>
  );
}

function Facts({ invoice }: { invoice: Invoice }) {
  const period = periodWords(invoice.period_from, invoice.period_to, invoice.time_zone);
  return (
    <dl className={classes.facts}>
      <dt>Issued</dt>
      <dd>
        <When at={invoice.finalised_at} />
      </dd>
      {invoice.kind !== 'receipt' && (
        <>
          <dt>Due by</dt>
          <dd>
            <When at={invoice.due_at} />
          </dd>
        </>
      )}
      {period && (
        <>
          <dt>Period</dt>
          <dd>{period}</dd>
        </>
      )}
      {invoice.paid_at && (
        <>
          <dt>Paid</dt>
          <dd>
            <When at={invoice.paid_at} />
          </dd>
        </>
      )}
      {invoice.status === 'open' && invoice.next_attempt_at && (
        <>
          <dt>Next attempt</dt>
          <dd>
            <When at={invoice.next_attempt_at} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Party({ title, party }: { title: string; party: Invoice['issuer'] }) {
  const lines = [...party.address, party.email, party.phone].filter((one) => one.trim());
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <address className={classes.party}>
        <strong>{party.name}</strong>
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may say the same
          <div key={at}>{line}</div>
        ))}
      </address>
    </div>
  );
}

function Sums({ invoice }: { invoice: Invoice }) {
  const rows: [string, number][] = [
    ['Subtotal', invoice.subtotal_micros],
    ...(invoice.tax_name || invoice.tax_micros
      ? [[invoice.tax_name || 'Tax', invoice.tax_micros] as [string, number]]
      : []),
    ['Total', invoice.total_micros],
    ...(invoice.credited_micros ? [['Credited', -invoice.credited_micros] as [string, number]] : []),
    ...(invoice.paid_micros ? [['Paid', -invoice.paid_micros] as [string, number]] : []),
  ];
  return (
    <dl className={classes.sums}>
      {rows.map(([name, micros]) => (
        <SumRow key={name} name={name} micros={micros} />
      ))}
      <dt className={classes.due}>Due</dt>
      <dd className={classes.due}>
        <Money micros={invoice.due_micros} />
      </dd>
      {invoice.fee_micros !== null && invoice.fee_micros > 0 && (
        <>
          <dt className="dim">Passed on to the platform</dt>
          <dd className="dim">
            <Money micros={invoice.fee_micros} />
          </dd>
        </>
      )}
    </dl>
  );
}

const SumRow = ({ name, micros }: { name: string; micros: number }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <Money micros={micros} />
    </dd>
  </>
);

/** `path`: of the invoice; undefined if its notes have no files. */
function CreditNotes({ invoice, path }: { invoice: Invoice; path: string | undefined }) {
  if (invoice.credit_notes.length === 0) return null;
  return (
    <section aria-label="Credit notes">
      <Title order={3} size="h4" mb="xs">
        Credit notes
      </Title>
      <Table>
        <Table.Tbody>
          {invoice.credit_notes.map((note) => (
            <Table.Tr key={note.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {note.number}, {note.reason}
                <Text size="xs" c="dimmed">
                  <When at={note.created_at} />
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                <Money micros={-note.amount_micros} />
              </Table.Td>
              {path && (
                <Table.Td ta="right" w={48}>
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    px={6}
                    aria-label={`Download PDF of ${note.number}`}
                    onClick={() => void download(`${path}/credit-notes/${note.id}/pdf`)}
                  >
                    <IconDownload size={16} />
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

/** Every try to charge the card. */
function Attempts({ invoice }: { invoice: Invoice }) {
  if (invoice.attempts.length === 0) return null;
  return (
    <section aria-label="Payments">
      <Title order={3} size="h4" mb="xs">
        Payments
      </Title>
      <Table>
        <Table.Tbody>
          {invoice.attempts.map((one) => {
            const { word, tone } = attemptWords(one.state);
            return (
              <Table.Tr key={one.id}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {cardWords(one.card)}
                  <Text size="xs" c="dimmed">
                    <When at={one.at} />
                  </Text>
                  {one.message && <Text size="xs">{one.message}</Text>}
                </Table.Td>
                <Table.Td>
                  <StatusBadge status={one.state} tone={tone}>
                    {word}
                  </StatusBadge>
                </Table.Td>
                <Table.Td ta="right">
                  <Money micros={one.amount_micros} />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </section>
  );
}
