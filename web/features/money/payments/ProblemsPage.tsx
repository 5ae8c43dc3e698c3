import { Button, Menu, Modal, Radio, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { PROBLEM_KINDS } from '../../../../contract/money/payments.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None, When } from '../../../ui/Values.tsx';
import { Payouts } from './Payouts.tsx';

type Problem = Awaited<ReturnType<Client['payments']['problems']>>['data'][number];
type Way = Problem['may'][number];

const KINDS: Record<Problem['kind'], { word: string; tone: 'warn' | 'bad' | 'plain' }> = {
  unknown: { word: 'Unknown', tone: 'warn' },
  mismatch: { word: 'Differs', tone: 'bad' },
  refund: { word: 'Refund', tone: 'warn' },
  dispute: { word: 'Disputed', tone: 'bad' },
  declined: { word: 'Declined', tone: 'plain' },
};
const WAYS: Record<Way, string> = {
  ask: 'Check with the provider again',
  settle: 'Settle manually',
  refund: 'Refund',
  resolve: 'Mark as resolved',
};
const PURPOSES: Record<string, string> = {
  wallet_top_up: 'Data Wallet',
  prepaid_top_up: 'Prepaid balance',
  invoice: 'Invoice',
  onboarding: 'Onboarding',
  minimum_spend: 'Minimum spend',
  wholesale: 'Wholesale',
};

/** Payments that are unknown, failed, or different at the provider, with a way to fix them. */
export default function ProblemsPage() {
  const mayMend = useMay('payment.mend');
  const queryClient = useQueryClient();
  const [params, setParams] = useSearchParams();
  const state = useListState({ sort: 'created_at', dir: 'desc' });
  const kind = PROBLEM_KINDS.find((one) => one === params.kind);
  const [open, setOpen] = useState<{ row: Problem; way: Exclude<Way, 'ask'> }>();
  const [isComparing, setComparing] = useState(false);
  const user = useUser();
  const query = useQuery({
    queryKey: ['payment', 'problems', state.input, kind],
    queryFn: ({ signal }) => api.payments.problems({ ...state.input, kind }, { signal }),
    placeholderData: keepPreviousData,
  });
  const counts = query.data?.counts;
  const again = () => queryClient.invalidateQueries({ queryKey: ['payment', 'problems'] });
  const ask = async (row: Problem) => {
    try {
      notifyDone((await api.payments.askCharge({ id: row.id })).message);
      await again();
    } catch (error) {
      notifyFailed(error);
    }
  };
  const compare = async () => {
    setComparing(true);
    try {
      const { compared, differences } = await api.payments.compare();
      notifyDone(`${compared} charges compared, ${differences} differ.`);
      await again();
    } catch (error) {
      notifyFailed(error);
    } finally {
      setComparing(false);
    }
  };
  return (
    <>
      <PageHeader
        title="Payments to check"
        line="Charges with an unknown outcome, failed charges, and charges where the card provider and the ledger differ."
        primary={
          mayMend ? (
            <Button variant="default" loading={isComparing} onClick={() => void compare()}>
              Compare now
            </Button>
          ) : undefined
        }
      />
      <DataTable
        label="Payments to check"
        download={{ list: 'payments', of: 'payments.problems', query: { ...state.input, kind } }}
        name="payments"
        query={query}
        state={state}
        rowKey={(row: Problem) => `${row.kind} ${row.row}`}
        actions={
          <Select
            aria-label="Kind"
            value={kind ?? 'all'}
            onChange={(value) =>
              setParams({ kind: value === 'all' ? undefined : (value ?? undefined), page: undefined })
            }
            allowDeselect={false}
            data={[
              { value: 'all', label: 'All kinds' },
              ...PROBLEM_KINDS.map((one) => ({
                value: one,
                label: counts ? `${KINDS[one].word} (${counts[one] ?? 0})` : KINDS[one].word,
              })),
            ]}
          />
        }
        columns={[
          {
            key: 'company_name',
            title: 'Company',
            render: (row) => <Clip text={row.company_name} />,
          },
          {
            key: 'kind',
            phone: 'state',
            title: 'Kind',
            render: (row) => (
              <StatusBadge status={row.kind} tone={KINDS[row.kind].tone}>
                {KINDS[row.kind].word}
              </StatusBadge>
            ),
          },
          {
            key: 'what',
            phone: 'line',
            title: 'What',
            render: (row) => (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {row.what}
              </Text>
            ),
          },
          {
            key: 'amount',
            phone: 'line',
            title: 'Amount',
            align: 'right',
            render: (row) => (row.amount_micros ? <Money micros={row.amount_micros} /> : <None />),
          },
          {
            key: 'purpose',
            title: 'For',
            phone: false,
            render: (row) => (row.purpose ? (PURPOSES[row.purpose] ?? row.purpose) : <None />),
          },
          { key: 'card', title: 'Card', phone: false, render: (row) => row.card || <None /> },
          { key: 'created_at', phone: 'line', title: 'Since', render: (row) => <When at={row.created_at} /> },
          {
            key: 'next_ask_at',
            title: 'Next check',
            phone: false,
            render: (row) => (row.next_ask_at ? <When at={row.next_ask_at} /> : <None />),
          },
          ...(mayMend
            ? [
                {
                  key: 'mend',
                  phone: 'end' as const,
                  title: 'Resolve',
                  render: (row: Problem) => (
                    <Menu position="bottom-end" withinPortal>
                      <Menu.Target>
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-label={`Resolve: ${row.company_name}`}
                        >
                          Resolve
                        </Button>
                      </Menu.Target>
                      <Menu.Dropdown>
                        {row.may.map((way) => (
                          <Menu.Item
                            key={way}
                            onClick={() => (way === 'ask' ? void ask(row) : setOpen({ row, way }))}
                          >
                            {WAYS[way]}
                          </Menu.Item>
                        ))}
                      </Menu.Dropdown>
                    </Menu>
                  ),
                },
              ]
            : []),
        ]}
        empty={
          <EmptyState
            title="Nothing to check"
            text="Every charge is known, and the card provider and the ledger agree."
          />
        }
      />
      {user.is_master && (
        <div style={{ marginTop: 24 }}>
          <Payouts />
        </div>
      )}
      {open && (
        <MendModal
          key={open.row.row}
          {...open}
          onClose={() => setOpen(undefined)}
          onDone={async (message) => {
            setOpen(undefined);
            notifyDone(message);
            await again();
          }}
        />
      )}
    </>
  );
}

/** A fix that requires a reason. */
function MendModal(props: {
  row: Problem;
  way: Exclude<Way, 'ask'>;
  onClose: () => void;
  onDone: (message: string) => Promise<void>;
}) {
  const { row, way } = props;
  const [reason, setReason] = useState('');
  const [amount, setAmount] = useState('');
  const [settled, setSettled] = useState<'succeeded' | 'declined'>(
    row.kind === 'declined' ? 'succeeded' : 'declined',
  );
  // One attempt, however often the button is pressed.
  const [key] = useState(() => crypto.randomUUID());
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const go = async () => {
    if (!reason.trim()) return setFault('is required');
    setFault(undefined);
    setBusy(true);
    try {
      const { message } =
        way === 'settle'
          ? await api.payments.settleCharge({ id: row.id, state: settled, reason })
          : way === 'refund'
            ? await api.payments.refundCharge({
                id: row.id,
                reason,
                idempotency_key: key,
                ...(amount.trim() ? { amount: amount.trim() } : {}),
              })
            : await api.payments.resolve({ id: row.row, reason });
      await props.onDone(message);
    } catch (error) {
      notifyFailed(error);
      setBusy(false);
    }
    return undefined;
  };
  return (
    <Modal opened onClose={props.onClose} title={WAYS[way]} centered>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <Stack gap="md">
          <Text size="sm">
            {row.company_name}
            {row.amount_micros > 0 && (
              <>
                , <Money micros={row.amount_micros} />
              </>
            )}
            {row.provider_reference && (
              <Text component="span" size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {' '}
                {row.provider_reference}
              </Text>
            )}
          </Text>
          {way === 'settle' && (
            <Radio.Group
              label="What happened, according to the card provider"
              value={settled}
              onChange={(value) => setSettled(value as 'succeeded' | 'declined')}
            >
              <Stack gap="xs" mt="xs">
                <Radio value="succeeded" label="It was charged, so record it" />
                {row.kind !== 'declined' && <Radio value="declined" label="It was not charged" />}
              </Stack>
            </Radio.Group>
          )}
          {way === 'refund' && (
            <TextInput
              label="Amount in US dollars"
              description="Leave blank to refund the rest of the charge"
              inputMode="decimal"
              value={amount}
              onChange={(event) => setAmount(event.currentTarget.value)}
            />
          )}
          <Textarea
            label="Reason"
            description="Recorded in the user log"
            required
            maxLength={255}
            value={reason}
            error={fault}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Button type="submit" loading={isBusy}>
            {WAYS[way]}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
