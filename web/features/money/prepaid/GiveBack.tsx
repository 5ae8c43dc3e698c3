import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { dollarsOf, microsTyped } from '../../../../contract/dollars.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { money } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { amountFault, amountOf, type Campaign, quoted } from '../../campaigns/campaigns/model.ts';
import { usePrepaidChanged } from './queries.ts';

/** Refunds unused balance to the card that bought it, for agencies. `most` is the maximum refund, in micro-dollars. */
export function GiveBack(props: { campaign: Campaign; most: number; onClose: () => void }) {
  const { campaign, most, onClose } = props;
  const changed = usePrepaidChanged();
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [stays, setStays] = useState<{ title: string; words: string; isUnsure: boolean }>();
  const form = useForm({
    initialValues: { amount: dollarsOf(most) },
    validateInputOnBlur: true,
    validate: {
      amount: (value) => {
        const micros = microsTyped(amountOf(value));
        if (amountFault(value, 2)) return amountFault(value, 2);
        if (micros === 0) return 'Enter more than 0';
        return micros > most ? `You can refund up to ${money(most)}` : null;
      },
    },
  });
  const save = async ({ amount }: { amount: string }) => {
    setStays(undefined);
    try {
      const answer = await api.prepaid.refund({
        campaign_id: campaign.campaign_id,
        amount: amountOf(amount),
        idempotency_key: key,
      });
      if (answer.result === 'failed') {
        setStays({ title: 'Not refunded', words: answer.message, isUnsure: false });
        setKey(crypto.randomUUID());
      } else {
        notifyDone(`${answer.message} The balance is now ${money(answer.balance_micros)}`);
        onClose();
      }
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      if (status === 0 || status >= 500)
        setStays({
          title: 'No response',
          words: `${wordsOf(error)} It is safe to try again: the refund is made only once.`,
          isUnsure: true,
        });
      else {
        setKey(crypto.randomUUID());
        showFormError(form, error);
      }
    } finally {
      changed(campaign.campaign_id);
    }
  };
  return (
    <Modal opened onClose={onClose} title={`Refund balance of ${quoted(campaign)}`} centered>
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            Unused balance is refunded to the card of {campaign.company_name} that paid for it, newest
            purchases first. Payments made to you outside this system cannot be refunded here.
          </Text>
          <TextInput
            label="Amount"
            description={`Up to ${money(most)}, in US dollars and cents.`}
            leftSection="$"
            inputMode="decimal"
            withAsterisk
            data-autofocus
            disabled={stays?.isUnsure}
            {...form.getInputProps('amount')}
          />
          {stays && (
            <Notice tone="warn" live="alert" title={stays.title}>
              {stays.words}
            </Notice>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              {stays?.isUnsure ? 'Try again' : 'Refund'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
