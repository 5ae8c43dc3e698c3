import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { microsOrNull, microsTyped } from '../../../../contract/dollars.ts';
import { api } from '../../../api/client.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { money } from '../../../ui/format.ts';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { splitCredit } from './correct.ts';
import { useRefresh } from './usePay.ts';
import type { Invoice } from './words.ts';

/** Corrects an invoice with a credit note, or writes off what is due. */
export function CorrectModal(props: { invoice: Invoice; way: 'credit' | 'write_off'; onClose: () => void }) {
  const { invoice, way } = props;
  const refresh = useRefresh();
  const isCredit = way === 'credit';
  // One attempt, however often the button is pressed.
  const [key] = useState(() => crypto.randomUUID());
  const [isBusy, setBusy] = useState(false);
  const { most } = splitCredit(invoice, 0);
  const form = useForm({
    initialValues: { amount: '', reason: '' },
    validateInputOnBlur: true,
    validate: {
      amount: (amount) => {
        if (!isCredit) return null;
        const micros = microsOrNull(amount, 2);
        if (!micros || micros < 0n) return 'Enter an amount in US dollars such as 2.50';
        return micros > most ? `You can credit up to ${money(most)}` : null;
      },
      reason: (reason) => (reason.trim() ? null : 'Enter a reason for the record'),
    },
  });
  const micros = Math.min(microsTyped(form.values.amount), most);
  const { off, back } = splitCredit(invoice, micros);
  const title = isCredit
    ? invoice.due_micros > 0
      ? `Reduce what ${invoice.payer.name} owes on ${invoice.number}`
      : `Refund ${invoice.payer.name} for ${invoice.number}`
    : `Write off ${money(invoice.due_micros)} of ${invoice.number}?`;
  const send = async ({ amount, reason }: typeof form.values) => {
    setBusy(true);
    try {
      const { message } = isCredit
        ? await api.invoices.credit({ id: invoice.id, amount, reason, idempotency_key: key })
        : await api.invoices.writeOff({ id: invoice.id, reason });
      notifyDone(message);
      props.onClose();
      await refresh();
    } catch (error) {
      showFormError(form, error);
      setBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={props.onClose}
      centered
      title={<span style={{ overflowWrap: 'anywhere' }}>{title}</span>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          {isCredit ? (
            <>
              <CurrencyInput
                label="Amount"
                description={`Up to ${money(most)}`}
                required
                mayBeEmpty
                data-autofocus
                {...form.getInputProps('amount')}
              />
              <Text size="sm" c="dimmed" role="status">
                {micros === 0
                  ? 'A credit note cannot be undone.'
                  : [
                      off > 0 &&
                        `The amount due drops by ${money(off)} to ${money(invoice.due_micros - off)}.`,
                      back > 0 && `${money(back)} is refunded to the card that paid.`,
                      'This cannot be undone.',
                    ]
                      .filter(Boolean)
                      .join(' ')}
              </Text>
            </>
          ) : (
            <Text size="sm">
              No one is charged for it anymore, and it is recorded as a loss. This cannot be undone.
            </Text>
          )}
          <Textarea
            label="Reason"
            description={isCredit ? 'Shown on the credit note' : 'Recorded in the user log'}
            required
            maxLength={255}
            autosize
            minRows={2}
            data-autofocus={!isCredit || undefined}
            {...form.getInputProps('reason')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose} {...keepFocus}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} color={isCredit ? undefined : 'red.9'} {...keepFocus}>
              {isCredit ? 'Issue credit note' : `Write off ${money(invoice.due_micros)}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
