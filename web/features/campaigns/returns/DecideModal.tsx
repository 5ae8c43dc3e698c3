import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyOpen } from '../../../ui/notify.ts';
import { Money } from '../../../ui/Values.tsx';
import { type Return, skippedWords } from './words.ts';

/** Approves or declines returns, with words for the client. */
export function DecideModal(props: {
  rows: readonly Return[];
  decision: 'approved' | 'declined';
  onDone: () => void;
  onClose: () => void;
}) {
  const { rows, decision } = props;
  const cache = useQueryClient();
  const isApproval = decision === 'approved';
  const what = rows.length === 1 ? 'return' : `${rows.length} returns`;
  const form = useForm({
    initialValues: { answer: '' },
    validate: { answer: (answer) => (isApproval || answer.trim() ? null : 'Say why') },
  });
  const send = async ({ answer }: typeof form.values) => {
    try {
      const { message, skipped } = await api.returns.decide({
        ids: rows.map(({ id }) => id),
        decision,
        answer,
      });
      notifyDone(message);
      if (skipped.length > 0) notifyOpen(skippedWords(skipped), 'Not all were decided');
      props.onDone();
      props.onClose();
      for (const key of ['returns', 'return-quality', 'lead-return', 'journey', 'lead-refunds', 'statement'])
        void cache.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal opened onClose={props.onClose} centered title={`${isApproval ? 'Approve' : 'Decline'} ${what}`}>
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            {isApproval ? (
              <>
                <Money micros={rows.reduce((sum, row) => sum + row.price_micros, 0)} unit /> goes back to{' '}
                {new Set(rows.map(({ company_id }) => company_id)).size === 1 ? (
                  <bdi>{rows[0]!.company_name}</bdi>
                ) : (
                  'your clients'
                )}
                : to the campaign balance if it paid for the lead, otherwise off the next invoice. What the
                leads cost you is not included.
              </>
            ) : (
              'Nothing is credited, and the leads cannot be returned again.'
            )}{' '}
            The client gets an email.
          </Text>
          <Textarea
            label="Message to the client"
            autosize
            minRows={2}
            maxRows={6}
            maxLength={255}
            withAsterisk={!isApproval}
            data-autofocus
            {...form.getInputProps('answer')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              {isApproval ? 'Approve' : 'Decline'} {what}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
