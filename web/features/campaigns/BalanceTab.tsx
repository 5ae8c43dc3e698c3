import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ApiError, wordsOf } from '../../api/errors.ts';
import { useMay, useUser } from '../../api/user.ts';
import { money, num } from '../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../ui/forms.ts';
import { Notice } from '../../ui/Notice.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { StatTile } from '../../ui/StatTile.tsx';
import { reasonWords } from '../insight/reasons.ts';
import { quoted } from './actions.tsx';
import classes from './campaigns.module.css';
import { amountFault, amountOf, type Campaign, leadsLeft, microsOf } from './model.ts';
import { useCampaignChanged } from './queries.ts';

/** What a campaign says that was stopped over a payment or a change of billing; undefined: it was not. */
const heldWords = (reason: Campaign['statusReason']): string | undefined =>
  ({
    payment_failed:
      'A payment has failed. The campaign goes on by itself when everything that is due has been paid.',
    cancelled:
      'The subscription of the agency has ended. The campaign can be activated again with a new one.',
    billing_changed: 'Billing was changed, which stops all campaigns. Activate it again when it may go on.',
  })[reason as string];

const leadWords = (count: number) => (count === 1 ? '1 lead' : `${num(count)} leads`);

/** What is left, what a lead costs and how far it goes; the agency adds to it. */
export function BalanceTab({ campaign }: { campaign: Campaign }) {
  const mayAdd = useMay('campaign.topup');
  const agency = useUser().company_kind === 'client' ? 'your agency' : campaign.agency_name;
  const [isAdding, setAdding] = useState(false);
  const price = microsOf(campaign.CostSet);
  const left = leadsLeft(campaign.balance_micros, price);
  return (
    <Stack gap="lg">
      {campaign.statusReason === 'balance_empty' && (
        <Notice tone="warn" title="The campaign stands still">
          The balance does not cover another lead.{' '}
          {mayAdd ? 'Add balance, and it goes on by itself.' : `It goes on when ${agency} adds balance.`}
        </Notice>
      )}
      {campaign.statusReason?.startsWith('cap_') && (
        <Notice tone="warn" title="The campaign stands still">
          {reasonWords(campaign.statusReason).meaning} It goes on by itself when the day or month of the limit
          is over, or at once when whoever set the limit raises it.
        </Notice>
      )}
      {heldWords(campaign.statusReason) && (
        <Notice tone="warn" title="The campaign stands still">
          {heldWords(campaign.statusReason)}
        </Notice>
      )}
      <div className={classes.three}>
        <StatTile plain label="Balance" value={money(campaign.balance_micros)} />
        <StatTile plain label="Price per lead" value={money(price, { unit: true })} />
        <StatTile plain label="Lasts for about" value={left === null ? 'Leads are free' : leadWords(left)} />
      </div>
      {mayAdd ? (
        <Group>
          <Button onClick={() => setAdding(true)}>Add balance</Button>
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          Balance is added by {agency} once it has been paid for.
        </Text>
      )}
      {isAdding && <AddBalance campaign={campaign} onClose={() => setAdding(false)} />}
    </Stack>
  );
}

function AddBalance({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const changed = useCampaignChanged();
  // One key for the whole life of the modal: pressing the button again after a lost answer records nothing twice.
  const [key] = useState(() => crypto.randomUUID());
  /** Set when nobody knows whether the amount was recorded: it must not be changed under the same key. */
  const [unsure, setUnsure] = useState<string>();
  const form = useForm({
    initialValues: { amount: '' },
    validateInputOnBlur: true,
    validate: {
      amount: (value) =>
        amountFault(value, 2) ?? (microsOf(amountOf(value)) === 0 ? 'Enter more than 0' : null),
    },
  });
  const save = async (values: { amount: string }) => {
    const amount = amountOf(values.amount);
    try {
      const answer = await api.campaigns.topUp({
        leadspeekID: campaign.leadspeekID,
        amount,
        idempotencyKey: key,
      });
      changed(campaign.leadspeekID);
      notifyDone(`Added ${money(microsOf(amount))}. The balance is ${money(answer.balance_micros)} now`);
      onClose();
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      if (status === 0 || status >= 500) setUnsure(wordsOf(error));
      else showFormError(form, error);
    }
  };
  const more = leadsLeft(microsOf(amountOf(form.values.amount)), microsOf(campaign.CostSet));
  return (
    <Modal opened onClose={onClose} title={`Add balance to ${quoted(campaign)}`} centered>
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            This records what {campaign.company_name} has paid you. The payment itself is made outside of this
            system; nobody is charged here.
          </Text>
          <TextInput
            label="Amount"
            description={more ? `Pays for about ${leadWords(more)} more.` : 'In US dollars and cents.'}
            leftSection="$"
            inputMode="decimal"
            withAsterisk
            data-autofocus
            disabled={unsure !== undefined}
            {...form.getInputProps('amount')}
          />
          {unsure && (
            <Notice tone="warn" live="alert" title="No answer">
              {unsure} Trying again is safe: the amount is recorded once.
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
