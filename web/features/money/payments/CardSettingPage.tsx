import { Button, Skeleton, Text, Title } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { paymentFailed } from '../../../../contract/accounts/setup-rules.ts';
import { api } from '../../../api/client.ts';
import { useMay, userQuery, useSetup, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { prettyCode } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import classes from './billing.module.css';
import { CardForm } from './CardForm.tsx';
import { useStep } from './useStep.ts';

const DueInvoices = lazy(() => import('../invoices/DueInvoices.tsx'));

/** The card used to pay for purchases (spec product 2, card-setting). */
export default function CardSettingPage() {
  const user = useUser();
  const setup = useSetup();
  const mayWrite = useMay('card.write');
  const mayInvoice = useMay('invoice.read');
  const hasFailed = paymentFailed(setup, user);
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(!setup.card_set);
  const query = useQuery({
    queryKey: ['payment', 'card'],
    queryFn: ({ signal }) => api.payments.card(undefined, { signal }),
    enabled: setup.gateway !== 'none' && user.company_kind !== 'root',
  });
  const card = query.data?.card;
  const reload = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['payment', 'card'], exact: true }),
      queryClient.invalidateQueries({ queryKey: userQuery.queryKey }),
    ]);
  const remove = useStep(() => api.payments.removeCard());
  const askToRemove = async () => {
    const body = 'You can’t buy anything until another card is on file.';
    if (!(await confirm({ title: 'Remove the card?', body, verb: 'Remove card', danger: true }))) return;
    await remove.mutateAsync(undefined).catch(() => {});
    await reload();
    setOpen(true);
  };
  return (
    <>
      <PageHeader
        title="Card Setting"
        line={`The card that ${user.company_name} pays with. The payment provider stores its number. It is never stored here.`}
      />
      <div className={classes.column}>
        {hasFailed && (
          <Notice tone="bad" live="alert" title="A payment failed">
            {user.company_kind === 'agency'
              ? 'Pay what’s due or add another card. Your clients’ campaigns run until the last automatic attempt and then pause. Your dashboards, leads, and invoices stay available.'
              : 'Pay what’s due or add another card. Campaigns billed by invoice run until the last automatic attempt and then pause. Prepaid campaigns run until their balance is used up. Your leads and invoices stay available.'}
          </Notice>
        )}
        {hasFailed && mayInvoice && user.company_kind !== 'root' && (
          <Suspense fallback={<Skeleton height={96} radius="md" />}>
            <DueInvoices />
          </Suspense>
        )}
        <section className={`card ${classes.box}`} aria-label="Card on file">
          <div className={classes.row}>
            <IconCreditCard size={24} stroke={1.4} aria-hidden="true" />
            <div className={classes.grow}>
              <Text fw={600}>
                {card
                  ? `${prettyCode(card.brand)} ending in ${card.last4}`
                  : setup.card_set
                    ? 'A card is on file'
                    : 'No card is on file'}
              </Text>
              <Text size="sm" c="dimmed">
                {card
                  ? `Valid until ${String(card.exp_month).padStart(2, '0')}/${card.exp_year}. Your account’s purchases are charged to this card.`
                  : setup.card_set
                    ? 'Your account’s purchases are charged to this card.'
                    : 'Add a card before you buy anything.'}
              </Text>
            </div>
            <StatusBadge status={setup.card_set ? 'active' : 'none'} tone={setup.card_set ? 'good' : 'plain'}>
              {setup.card_set ? 'On file' : 'None'}
            </StatusBadge>
          </div>
        </section>
        {setup.gateway !== 'none' && mayWrite && !isOpen && (
          <div className={classes.actions}>
            {card && (
              <Button variant="default" loading={remove.isPending} onClick={() => void askToRemove()}>
                Remove card
              </Button>
            )}
            <Button onClick={() => setOpen(true)}>{setup.card_set ? 'Replace card' : 'Add card'}</Button>
          </div>
        )}
        {setup.gateway !== 'none' && mayWrite && isOpen && (
          <section className={`card ${classes.box}`} aria-label="Card form">
            <Title order={2} size="h3" mb="md">
              {setup.card_set ? 'Replace the card' : 'Add a card'}
            </Title>
            <CardForm
              verb="Save card"
              onSaved={async (message) => {
                await reload();
                setOpen(false);
                notifyDone(message);
              }}
            />
          </section>
        )}
        {setup.gateway === 'none' && (
          <div className="card">
            <EmptyState
              title="Cards are not used here"
              text="Amounts due are settled outside this system, as agreed with your platform."
            />
          </div>
        )}
        {!mayWrite && (
          <Text size="sm" c="dimmed">
            Your role doesn’t allow you to change the card.
          </Text>
        )}
      </div>
    </>
  );
}
