import { Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCreditCard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { microsTyped } from '../../../../contract/dollars.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { money } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { StatTile } from '../../../ui/StatTile.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { BuyLeads } from '../../money/prepaid/BuyLeads.tsx';
import { GiveBack } from '../../money/prepaid/GiveBack.tsx';
import { isPrepaid, leadWords, type Remaining } from '../../money/prepaid/model.ts';
import { Purchases } from '../../money/prepaid/Purchases.tsx';
import { currentQuery, remainingQuery, usePrepaidChanged } from '../../money/prepaid/queries.ts';
import { reasonWords } from '../analytics/reasons.ts';
import classes from './campaigns.module.css';
import { amountFault, amountOf, type Campaign, leadsLeft, quoted } from './model.ts';
import { useCampaignChanged } from './queries.ts';
import { leadPriceOf } from './resource.ts';

/** What a campaign shows when it was stopped because of a payment or a billing change; undefined if it was not. */
const heldWords = (reason: Campaign['state_reason']): string | undefined =>
  ({
    below_cost: 'The price per lead needs an update. The campaign resumes when the agency changes it.',
    payment_failed: 'A payment failed, so the campaign is paused. It resumes when the balance due is paid.',
    agency_unpaid:
      'The agency’s own payment failed, so all its campaigns are paused. They resume when the agency pays its balance due.',
    agency_paused: 'Your agency’s account has paused campaigns. Contact your agency.',
    cancelled: 'The agency’s subscription has ended. You can activate the campaign again with a new one.',
    company_removed: 'The company was removed, so none of its campaigns can run.',
    billing_changed:
      'Billing was changed, which stops all campaigns. Activate this one again when it can continue.',
  })[reason as string];

/**
 * The balance, what a lead costs, and how long the balance lasts. The payer can buy more, and the agency can add
 * payments it received outside the platform.
 */
export function BalanceTab({ campaign }: { campaign: Campaign }) {
  const id = campaign.campaign_id;
  const user = useUser();
  const mayAdd = useMay('campaign.topup');
  const mayBuy = useMay('prepaid.buy');
  const mayGiveBack = useMay('prepaid.refund');
  const [params, set] = useSearchParams();
  const [open, setOpen] = useState<'add' | 'give'>();
  const price = leadPriceOf(campaign, campaign);
  // Without the right to see it the tab is not shown.
  const balance = campaign.balance_micros ?? 0;
  const left = leadsLeft(balance, price);
  const isAdvance = isPrepaid(campaign.term);
  const remaining = useQuery(remainingQuery(id, balance));
  const buys = isAdvance && mayBuy && !user.in_view_mode && price > 0;
  const changed = useCampaignChanged();
  const current = useQuery(currentQuery(id));
  // A pending purchase has finished: the campaign has a new balance and may resume.
  const newest = current.data?.data.find((one) => one.status !== 'charging')?.id;
  const [seen, setSeen] = useState<string>();
  useEffect(() => {
    if (newest && seen && newest !== seen) changed(id);
    setSeen(newest);
  }, [newest, seen, changed, id]);
  return (
    <Stack gap="lg">
      {campaign.state_reason === 'balance_empty' && (
        <Notice tone="warn" title="The campaign is on hold">
          The balance doesn’t cover another lead.{' '}
          {buys
            ? 'Buy leads, and it resumes automatically.'
            : mayAdd
              ? 'Record what the client has paid, and it resumes automatically.'
              : 'It resumes when leads are bought for it.'}
        </Notice>
      )}
      {campaign.state_reason?.startsWith('cap_') && (
        <Notice tone="warn" title="The campaign is on hold">
          {reasonWords(campaign.state_reason).meaning} It resumes automatically when the limit’s day or month
          ends, or immediately if the company that set the limit raises it.
        </Notice>
      )}
      {heldWords(campaign.state_reason) && (
        <Notice tone="warn" title="The campaign is on hold">
          {heldWords(campaign.state_reason)}
        </Notice>
      )}
      <div className={classes.three}>
        <StatTile plain label="Balance" value={money(balance)} />
        <StatTile plain label="Price per lead" value={money(price, { unit: true })} />
        <StatTile plain label="Lasts for about" value={left === null ? 'Leads are free' : leadWords(left)} />
      </div>
      <Group gap="xs">
        {buys && (
          <Button onClick={() => set({ buy: '1' })} leftSection={<IconCreditCard size={16} />}>
            Buy leads
          </Button>
        )}
        {mayAdd && !user.in_view_mode && (
          <Button variant="default" onClick={() => setOpen('add')}>
            Record outside payment
          </Button>
        )}
        {mayGiveBack && !user.in_view_mode && (remaining.data?.refundable_micros ?? 0) > 0 && (
          <Button variant="default" onClick={() => setOpen('give')}>
            Refund
          </Button>
        )}
      </Group>
      {mayGiveBack && (remaining.data?.kept_micros ?? 0) > 0 && (
        <Text size="sm" c="dimmed">
          {money(remaining.data!.kept_micros)} of the balance is kept until the ads of the last days are
          billed. What is left of it then can be refunded.
        </Text>
      )}
      {!isAdvance && (
        <Text size="sm" c="dimmed">
          This campaign’s leads are billed {campaign.term === 'Weekly' ? 'weekly' : 'monthly'} by invoice, so
          none are bought in advance.
        </Text>
      )}
      {remaining.error ? (
        <ErrorState
          error={remaining.error}
          what="The balance details could not be loaded"
          onRetry={() => void remaining.refetch()}
        />
      ) : (
        <Facts remaining={remaining.data} />
      )}
      {isAdvance && <Purchases campaign={campaign} />}
      {params.buy !== undefined && buys && (
        <BuyLeads
          campaign={campaign}
          activates={params.buy === 'activate'}
          onClose={() => set({ buy: undefined })}
        />
      )}
      {open === 'add' && <AddBalance campaign={campaign} onClose={() => setOpen(undefined)} />}
      {open === 'give' && remaining.data && (
        <GiveBack
          campaign={campaign}
          most={remaining.data.refundable_micros}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Stack>
  );
}

/** The payments into the balance, and what became of each. */
function Facts({ remaining }: { remaining: Remaining | undefined }) {
  if (!remaining) return <Skeleton height={136} aria-busy="true" />;
  const facts: [string, number][] = [
    ['Bought by card', remaining.bought_micros],
    ['Outside payments', remaining.outside_micros],
    ['Spent on leads', remaining.spent_micros],
    ['Refunded payments', remaining.refunded_micros],
  ];
  if (remaining.granted_micros !== 0) facts.splice(2, 0, ['Credit', remaining.granted_micros]);
  if (remaining.disputed_micros !== 0) facts.push(['Disputed with the bank', remaining.disputed_micros]);
  return (
    <dl className={classes.facts}>
      {facts.map(([name, micros]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">{money(micros)}</dd>
        </div>
      ))}
    </dl>
  );
}

function AddBalance({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const changed = usePrepaidChanged();
  // One key for the whole life of the modal: pressing the button again after a lost response records nothing twice.
  const [key] = useState(() => crypto.randomUUID());
  /** Set when it is unknown whether the amount was recorded; it must not be changed under the same key. */
  const [unsure, setUnsure] = useState<string>();
  const form = useForm({
    initialValues: { amount: '' },
    validateInputOnBlur: true,
    validate: {
      amount: (value) =>
        amountFault(value, 2) ?? (microsTyped(amountOf(value)) === 0 ? 'Enter more than 0' : null),
    },
  });
  const save = async (values: { amount: string }) => {
    const amount = amountOf(values.amount);
    try {
      const answer = await api.campaigns.topUp({
        campaign_id: campaign.campaign_id,
        amount,
        idempotency_key: key,
      });
      changed(campaign.campaign_id);
      notifyDone(`Added ${money(microsTyped(amount))}. The balance is now ${money(answer.balance_micros)}`);
      onClose();
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      if (status === 0 || status >= 500) setUnsure(wordsOf(error));
      else showFormError(form, error);
    }
  };
  const more = leadsLeft(microsTyped(amountOf(form.values.amount)), leadPriceOf(campaign, campaign));
  return (
    <Modal opened onClose={onClose} title={`Record a payment for ${quoted(campaign)}`} centered>
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            This records what {campaign.company_name} has paid you. The payment itself is made outside this
            system. No one is charged here.
          </Text>
          <TextInput
            label="Amount"
            description={more ? `Covers about ${leadWords(more)} more.` : 'In US dollars and cents.'}
            leftSection="$"
            inputMode="decimal"
            withAsterisk
            data-autofocus
            disabled={unsure !== undefined}
            {...form.getInputProps('amount')}
          />
          {unsure && (
            <Notice tone="warn" live="alert" title="No response">
              {unsure} It’s safe to try again. The amount is recorded only once.
            </Notice>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              {unsure ? 'Try again' : 'Add balance'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
