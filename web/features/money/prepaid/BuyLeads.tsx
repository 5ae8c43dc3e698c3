import { Anchor, Button, Group, Modal, NumberInput, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dollarsOf } from '../../../../contract/dollars.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { useUser } from '../../../api/user.ts';
import { money } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import classes from '../../campaigns/campaigns/campaigns.module.css';
import type { Campaign } from '../../campaigns/campaigns/model.ts';
import { quoted } from '../../campaigns/campaigns/model.ts';
import { type Bought, leadWords } from './model.ts';
import { estimateQuery, usePrepaidChanged } from './queries.ts';

const fees = { platform_fee: 'Setup fee', monthly_fee: 'Monthly fee' };

/**
 * Buys leads with the client's card: shows the cost, then charges it. `activates`: the campaign is activated once its
 * balance covers a lead.
 */
export function BuyLeads(props: { campaign: Campaign; activates: boolean; onClose: () => void }) {
  const { campaign, onClose } = props;
  const id = campaign.campaign_id;
  const isClient = useUser().company_kind === 'client';
  const changed = usePrepaidChanged();
  const isFixed = campaign.term === 'One Time' && campaign.leads_buy !== null;
  const [leads, setLeads] = useState<number | string>(campaign.leads_buy ?? 100);
  const [asked] = useDebouncedValue(leads, 300);
  // One key for each amount shown: pressing the button again after a lost response charges nothing twice.
  const [click, setClick] = useState(() => crypto.randomUUID());
  const [busy, setBusy] = useState(false);
  const [stays, setStays] = useState<{ tone: 'bad' | 'warn'; title: string; words: string }>();
  const isNumber = typeof asked === 'number' && asked >= 1;
  const query = useQuery({
    ...estimateQuery(id, isNumber ? asked : 1),
    enabled: isNumber,
    placeholderData: keepPreviousData,
  });
  const estimate = isNumber && asked === leads && !query.isPlaceholderData ? query.data : undefined;
  const fault =
    query.error instanceof ApiError ? (query.error.errors.leads_buy?.[0] ?? undefined) : undefined;
  /** It is unknown whether the card was charged: the same purchase may be requested again, but no other. */
  const isUnsure = stays?.title === 'No response yet';

  /** Where the bank's confirmation form will go; until then, the cardholder is shown what can be done. */
  const onAuthenticate = (answer: Bought) =>
    setStays({
      tone: 'warn',
      title: 'Your bank needs you to confirm this payment',
      words: `${answer.message} Add another card, or ask your bank to allow the payment, then buy the leads again.`,
    });

  const buy = async () => {
    if (!estimate) return;
    setBusy(true);
    setStays(undefined);
    try {
      const answer = await api.prepaid.topUp({
        campaign_id: id,
        leads_buy: estimate.leads_buy,
        amount: dollarsOf(estimate.amount_micros),
        idempotency_key: click,
      });
      if (answer.result === 'success') {
        if (props.activates)
          await api.campaigns
            .activePause({ campaign_id: id, status: 'active' })
            .catch((error) => notifyFailed(error, `Activate ${quoted(campaign)}`));
        notifyDone(`${answer.message} The balance is now ${money(answer.balance_micros)}`);
        onClose();
      } else if (answer.result === 'authenticate') onAuthenticate(answer);
      else if (answer.result === 'unknown')
        setStays({ tone: 'warn', title: 'No response yet', words: answer.message });
      else setStays({ tone: 'bad', title: 'Nothing was charged', words: answer.message });
      // After a response, a new attempt is a new purchase; without one, it is the same.
      if (answer.result !== 'unknown') setClick(crypto.randomUUID());
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      if (status === 0 || status >= 500)
        setStays({
          tone: 'warn',
          title: 'No response yet',
          words: `${wordsOf(error)} It is safe to try again: the card is charged only once.`,
        });
      else {
        setStays({ tone: 'bad', title: 'Nothing was charged', words: wordsOf(error) });
        setClick(crypto.randomUUID());
        void query.refetch();
      }
    } finally {
      setBusy(false);
      changed(id);
    }
  };

  return (
    <Modal opened onClose={onClose} title={`Buy leads for ${quoted(campaign)}`} centered>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void buy();
        }}
      >
        <Stack gap="md">
          <NumberInput
            label="Leads"
            description={isFixed ? 'One-time purchase, as agreed for this campaign.' : undefined}
            min={1}
            max={1_000_000}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            withAsterisk
            data-autofocus
            value={leads}
            disabled={isUnsure || isFixed}
            error={isNumber ? fault : 'Enter the number of leads, such as 100'}
            onChange={(value) => {
              setLeads(value);
              setClick(crypto.randomUUID());
              setStays(undefined);
            }}
          />
          <dl className={classes.facts} aria-live="polite" style={{ minHeight: 132 }}>
            {estimate ? (
              <>
                <Fact name="Price per lead">{money(estimate.price_micros, { unit: true })}</Fact>
                <Fact name="Charged to the card">
                  <strong>{money(estimate.amount_micros)}</strong>
                  {estimate.card && ` (${estimate.card.replace(' ', ' ending in ')})`}
                </Fact>
                <Fact name="Balance afterward">
                  {money(estimate.balance_after_micros)}, {leadWords(estimate.leads_after)}
                </Fact>
                {estimate.fees.map((fee) => (
                  <Fact key={fee.kind} name={fees[fee.kind]}>
                    {money(fee.amount_micros)}, by invoice
                  </Fact>
                ))}
              </>
            ) : (
              isNumber && !fault && !query.error && <Skeleton height={108} mt={6} />
            )}
          </dl>
          {query.error && !fault && (
            <Notice tone="bad" live="alert" title="The cost could not be calculated">
              {wordsOf(query.error)}
            </Notice>
          )}
          {estimate?.blocked && (
            <Notice tone="warn" title="This cannot be bought right now">
              {estimate.blocked}{' '}
              {isClient && !estimate.card && (
                <Anchor href="/user/card-setting" size="sm">
                  Add a card
                </Anchor>
              )}
            </Notice>
          )}
          {stays && (
            <Notice tone={stays.tone} live="alert" title={stays.title}>
              {stays.words}
            </Notice>
          )}
          {!isClient && (
            <Text size="sm" c="dimmed">
              This charges the card that {campaign.company_name} has on file with you.
            </Text>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={estimate?.blocked !== ''}>
              {isUnsure ? 'Try again' : estimate ? `Pay ${money(estimate.amount_micros)}` : 'Pay'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}
