import { Button, Group, Modal, Select, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import {
  MOST_RETURN_NOTE,
  RETURN_REASONS,
  type ReturnReason,
} from '../../../../contract/campaigns/return-rules.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { api } from '../../../api/client.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyOpen } from '../../../ui/notify.ts';
import { skippedWords } from './words.ts';

/** Asks why leads are returned, and returns them. */
export default function ReturnModal({
  ids,
  onDone,
  onClose,
}: {
  ids: readonly string[];
  onDone?: () => void;
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const isOne = ids.length === 1;
  const form = useForm({
    initialValues: { reason: null as ReturnReason | null, note: '' },
    validate: {
      reason: (reason) => (reason ? null : 'Choose a reason'),
      note: (note, { reason }) => (reason === 'other' && !note.trim() ? 'Say what is wrong' : null),
    },
  });
  const send = async ({ reason, note }: typeof form.values) => {
    try {
      const { message, skipped } = await api.returns.open({ ids: [...ids], reason: reason!, note });
      notifyDone(message);
      if (skipped.length > 0) notifyOpen(skippedWords(skipped), 'Not all were returned');
      onDone?.();
      onClose();
      for (const key of ['lead-return', 'returns', 'journey', 'lead-refunds'])
        void cache.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      title={isOne ? 'Return this lead' : `Return ${ids.length} leads`}
    >
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            Your agency decides. If it agrees, you get back what you paid for {isOne ? 'the lead' : 'them'}. A
            lead can be returned only once.
          </Text>
          <Select
            label="Reason"
            placeholder="Choose a reason"
            withAsterisk
            allowDeselect={false}
            data-autofocus
            data={RETURN_REASONS.map((value) => ({ value, label: REASON_WORDS[value] }))}
            {...form.getInputProps('reason')}
          />
          <Textarea
            label="Note"
            description="Helps your agency decide. Don’t include anyone’s personal details."
            autosize
            minRows={2}
            maxRows={6}
            maxLength={MOST_RETURN_NOTE}
            withAsterisk={form.getValues().reason === 'other'}
            {...form.getInputProps('note')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              {isOne ? 'Return lead' : 'Return leads'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
