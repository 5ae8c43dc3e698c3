import { Button, Checkbox, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { TRANSFER_NEEDS } from '../../../../contract/accounts/permissions.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { money, num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { StepList } from '../offboarding/StepList.tsx';
import { destination, endWords, STATE_TONES, STATE_WORDS, STEP_WORDS, type Transfer } from './model.ts';

/** A transfer: who has agreed, what is left to settle, what moves, and what has moved (BEY-13). */
export default function TransferPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const query = useQuery({
    queryKey: ['transfer', id],
    queryFn: ({ signal }) => api.clientTransfers.one({ id }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.data.state === 'settling' ? 5000 : state.data?.data.state === 'offered' ? 30_000 : false,
  });
  return (
    <PageZone value={useUser().time_zone}>
      {query.data ? (
        <Shown transfer={query.data} />
      ) : (
        <>
          <PageHeader title="Transfer" line="The move of a client to another agency." />
          {query.error ? (
            <ErrorState error={query.error} what="the transfer" onRetry={() => void query.refetch()} />
          ) : (
            <SkeletonRows rows={6} />
          )}
        </>
      )}
      <Group mt="lg">
        <Button
          variant="subtle"
          renderRoot={(props) => <Link {...props} to={'/configuration/transfers' as '/'} />}
        >
          All transfers
        </Button>
      </Group>
    </PageZone>
  );
}

function Shown({ transfer }: { transfer: Transfer }) {
  const { data, steps, problem } = transfer;
  const cache = useQueryClient();
  const [isAgreeing, setAgreeing] = useState(false);
  const isClient = data.side === 'client';
  const mayGive = useMay(...TRANSFER_NEEDS);
  const mayDecide = data.side !== 'giving' || mayGive;
  const refresh = () => {
    for (const key of [['transfer', data.id], ['transfers'], ['companies'], ['home']])
      void cache.invalidateQueries({ queryKey: key });
  };
  const act = useMutation({
    mutationFn: (what: 'end' | 'resume' | 'keep') =>
      what === 'keep'
        ? api.clientTransfers.resume({ id: data.id, keep_balance: true })
        : api.clientTransfers[what]({ id: data.id }),
    onSuccess({ message }) {
      notifyDone(message);
      refresh();
    },
    onError: (error) => notifyFailed(error),
  });
  const end = async () => {
    const verb = endWords(data);
    const goes = await confirm({
      title: `${verb}?`,
      body:
        data.state === 'settling'
          ? 'Nothing moves. What was settled stays settled: campaigns stay paused, and refunds are not taken back.'
          : 'Nothing moves. Everyone concerned is told by email.',
      verb,
      dismiss: 'Go on with it',
      danger: true,
    });
    if (goes) act.mutate('end');
  };
  return (
    <>
      <PageHeader
        title={isClient ? 'Move to another agency' : `Transfer of ${data.client_name}`}
        line={
          <>
            <StatusBadge status={data.state} tone={STATE_TONES[data.state]}>
              {STATE_WORDS[data.state]}
            </StatusBadge>{' '}
            From <bdi>{data.from_name}</bdi> to <bdi>{destination(data)}</bdi>, started{' '}
            <When at={data.started_at} />
          </>
        }
        primary={
          <Group gap="xs">
            {data.may_end && (
              <Button variant="default" loading={act.isPending} onClick={() => void end()}>
                {endWords(data)}
              </Button>
            )}
            {data.state === 'settling' && data.side === 'giving' && mayGive && (
              <Button loading={act.isPending} onClick={() => act.mutate('resume')}>
                Do now what can be done
              </Button>
            )}
            {data.may_agree && mayDecide && <Button onClick={() => setAgreeing(true)}>Agree</Button>}
          </Group>
        }
      />
      {problem && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="warn" title="The last run could not go on" live="status">
            {problem}
          </Notice>
        </div>
      )}
      {data.state === 'offered' && (
        <Text size="sm" mb="md">
          Everyone has to agree by <When at={data.expires_at} />. Until then nothing moves, and anyone can end
          it.
        </Text>
      )}
      {data.state === 'settling' && (
        <Text size="sm" mb="md">
          Everyone has agreed. The client moves as soon as its money is settled with{' '}
          <bdi>{data.from_name}</bdi>. Until then, anyone can cancel.
        </Text>
      )}
      <StepList
        steps={steps}
        named={STEP_WORDS}
        action={({ step, state }) =>
          step === 'balance' &&
          state === 'you' &&
          mayGive &&
          (data.state === 'settling' || !data.may_agree) && (
            <Button
              mt="xs"
              size="xs"
              variant="default"
              loading={act.isPending}
              onClick={() => act.mutate('keep')}
            >
              Keep it as credit
            </Button>
          )
        }
      />
      <Campaigns transfer={transfer} />
      {isAgreeing && (
        <AgreeModal
          transfer={transfer}
          onClose={() => setAgreeing(false)}
          onDone={() => {
            setAgreeing(false);
            refresh();
          }}
        />
      )}
    </>
  );
}

const plural = (count: number, one: string, more: string) => `${num(count)} ${count === 1 ? one : more}`;

/** The campaigns that would move, with what a lead would cost the receiving agency; once done, how much has moved. */
function Campaigns({ transfer: { data, campaigns, moved } }: { transfer: Transfer }) {
  const isReceiving = data.side === 'receiving';
  if (data.state === 'done') {
    const of = (table: string) => moved.find((one) => one.table === table)?.rows ?? 0;
    return (
      <Text size="sm" mt="md">
        Moved: {plural(of('user_account'), 'user', 'users')}, {plural(of('lead'), 'lead', 'leads')},{' '}
        {plural(of('delivery'), 'delivery', 'deliveries')}, and everything that belongs to them:{' '}
        {plural(
          moved.reduce((all, one) => all + one.rows, 0),
          'row',
          'rows',
        )}{' '}
        in all.
      </Text>
    );
  }
  if (campaigns.length === 0) return null;
  return (
    <div className="card" style={{ marginTop: 16, padding: 16, overflowX: 'auto' }}>
      <Text fw={600} mb="xs" id="moving">
        Campaigns that move
      </Text>
      <Table aria-labelledby="moving">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Campaign</Table.Th>
            <Table.Th ta="right">Client’s price per lead</Table.Th>
            {isReceiving && <Table.Th ta="right">Your cost per lead</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {campaigns.map(({ name, price_micros, cost_micros }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names repeat, and the list is replaced as a whole
            <Table.Tr key={at}>
              <Table.Td style={{ overflowWrap: 'anywhere', minWidth: 120 }}>{name}</Table.Td>
              <Table.Td ta="right">{money(price_micros)}</Table.Td>
              {isReceiving && (
                <Table.Td ta="right">
                  {money(cost_micros ?? 0)}
                  {cost_micros !== null && cost_micros > price_micros && (
                    <>
                      {' '}
                      <StatusBadge status="below" tone="warn">
                        Needs a new price
                      </StatusBadge>
                    </>
                  )}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** What each side agrees to, in its own words. */
const AGREED = {
  giving:
    'You hand over this client. Invoices, payments, and reports up to then stay with you. You no longer see its campaigns and leads.',
  receiving:
    'This becomes your client, at the prices that it has until you change them. Its campaigns arrive paused. From then on you pay what its leads cost.',
  client:
    'Your users, campaigns, lists, and leads move. The unused balance is refunded to the cards that paid it. You sign in at the new agency’s address, accept its agreement, and add a payment method there. Invoices up to then stay with your current agency: download what you need.',
} as const;

function AgreeModal({
  transfer: { data },
  onClose,
  onDone,
}: {
  transfer: Transfer;
  onClose: () => void;
  onDone: () => void;
}) {
  const [keeps, setKeeps] = useState(false);
  const agree = useMutation({
    mutationFn: () =>
      api.clientTransfers.agree({
        id: data.id,
        ...(data.side === 'giving' ? { keep_balance: keeps } : {}),
      }),
    onSuccess({ message }) {
      notifyDone(message);
      onDone();
    },
    onError: (error) => notifyFailed(error),
  });
  return (
    <Modal opened centered onClose={onClose} title="Agree to the transfer">
      <Stack gap="md">
        <Text size="sm">{AGREED[data.side]}</Text>
        {data.side === 'giving' && (
          <Checkbox
            label="Keep as credit what no card paid"
            description="Balance that you recorded or granted, and credit toward the next invoice, cannot be refunded to a card. If off, the transfer waits until you decide."
            checked={keeps}
            onChange={(event) => setKeeps(event.currentTarget.checked)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={agree.isPending} onClick={() => agree.mutate()}>
            Agree
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
