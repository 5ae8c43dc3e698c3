import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { TRANSFER_DAYS } from '../../../../contract/accounts/transfer-rules.ts';
import { api } from '../../../api/client.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';

/** Starts the transfer of a client or, without one, of the user's own company (BEY-13). */
export default function StartTransferModal({
  client,
  onClose,
}: {
  client: { id: string; name: string } | null;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { to_email: '', keep_balance: false },
    validate: { to_email: (text) => (text.trim() ? null : 'Enter an email address') },
  });
  const save = async ({ to_email, keep_balance }: typeof form.values) => {
    try {
      const { message, data } = await api.clientTransfers.start(
        client ? { client_id: client.id, to_email, keep_balance } : { to_email },
      );
      notifyDone(message);
      void cache.invalidateQueries({ queryKey: ['transfers'] });
      await navigate({ to: `/configuration/transfers/${data.id}` as '/' });
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal
      opened
      centered
      onClose={onClose}
      title={client ? `Transfer ${client.name}` : 'Move to another agency'}
    >
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            {client
              ? 'Users, campaigns, lists, and leads move. Invoices, payments, and reports up to then stay with you.'
              : 'Your users, campaigns, lists, and leads move. Invoices and payments up to then stay with your current agency: download what you need.'}{' '}
            Nothing moves unless both agencies and the client agree within {TRANSFER_DAYS} days. Then
            campaigns are paused, the unused balance is refunded to the cards that paid it, and the last
            invoice is paid first.
          </Text>
          <TextInput
            type="email"
            label="Email of the receiving agency’s owner"
            description="Ask the agency for it. You learn whether it is right once they agree."
            autoComplete="off"
            withAsterisk
            {...form.getInputProps('to_email')}
          />
          {client && (
            <Checkbox
              label="Keep as credit what no card paid"
              description="Balance that you recorded or granted, and credit toward the next invoice, cannot be refunded to a card. If off, the transfer waits until you decide."
              {...form.getInputProps('keep_balance', { type: 'checkbox' })}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              Start transfer
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
