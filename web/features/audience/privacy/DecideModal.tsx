import { Button, Group, Modal, Select, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import {
  type PrivacyKind,
  type PrivacyRefusal,
  REFUSAL_WORDS,
  REFUSALS,
} from '../../../../contract/audience/privacy-rules.ts';
import { api } from '../../../api/client.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import type { PrivacyRequest } from './words.ts';

const DOES: Record<PrivacyKind, string> = {
  opt_out:
    'The person’s email addresses and the phone numbers known of them go on the standing exclusion list. They no longer become leads of any client.',
  delete:
    'The person is deleted from the people graph, all leads, visits, and vendors that can delete them, and goes on the standing exclusion list. This cannot be undone.',
  access: 'Everything that is known about the person is emailed to the address of the request.',
  correct: 'Correct the data first, then say what was corrected.',
};

/** Reads what shows a request again. */
export function useRefresh() {
  const cache = useQueryClient();
  return (id: string) => {
    for (const key of [['privacy-requests'], ['privacy-request', id], ['privacy-months']])
      void cache.invalidateQueries({ queryKey: key });
  };
}

/** Fulfills or refuses a request, with words for the person. */
export function DecideModal(props: {
  row: PrivacyRequest;
  outcome: 'completed' | 'refused';
  onClose: () => void;
}) {
  const { row, outcome } = props;
  const refresh = useRefresh();
  const isRefusal = outcome === 'refused';
  const needsWords = isRefusal || row.kind === 'correct';
  const form = useForm({
    initialValues: { refusal: null as PrivacyRefusal | null, answer: '' },
    validate: {
      refusal: (refusal) => (isRefusal && !refusal ? 'Choose a reason' : null),
      answer: (answer) => (needsWords && !answer.trim() ? 'Write what the person is told' : null),
    },
  });
  const send = async ({ refusal, answer }: typeof form.values) => {
    try {
      const { message } = await api.privacy.decide({
        ...{ id: row.id, outcome, answer },
        ...(isRefusal && refusal ? { refusal } : {}),
      });
      notifyDone(message);
      props.onClose();
      refresh(row.id);
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal
      opened
      onClose={props.onClose}
      centered
      title={isRefusal ? 'Refuse the request' : 'Fulfill the request'}
    >
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            {isRefusal ? 'Nothing is changed.' : DOES[row.kind]}{' '}
            {row.email
              ? 'The person gets an email.'
              : 'There is no email address, so tell the person yourself.'}
          </Text>
          {isRefusal && (
            <Select
              label="Reason"
              withAsterisk
              data={REFUSALS.map((value) => ({ value, label: REFUSAL_WORDS[value] }))}
              {...form.getInputProps('refusal')}
            />
          )}
          <Textarea
            label="Message to the person"
            autosize
            minRows={2}
            maxRows={6}
            maxLength={500}
            withAsterisk={needsWords}
            {...form.getInputProps('answer')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={form.submitting}
              color={row.kind === 'delete' && !isRefusal ? 'red.9' : undefined}
            >
              {isRefusal ? 'Refuse' : row.kind === 'delete' ? 'Delete the person' : 'Fulfill'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Extends a deadline, once, with the reason that the person is told. */
export function ExtendModal(props: { row: PrivacyRequest; onClose: () => void }) {
  const refresh = useRefresh();
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (reason) => (reason.trim() ? null : 'Say why') },
  });
  const send = async ({ reason }: typeof form.values) => {
    try {
      const { message } = await api.privacy.extend({ id: props.row.id, reason });
      notifyDone(message);
      props.onClose();
      refresh(props.row.id);
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal opened onClose={props.onClose} centered title="Extend by 45 days">
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">A deadline can be extended once. The person gets an email with the reason.</Text>
          <Textarea
            label="Reason"
            autosize
            minRows={2}
            maxRows={6}
            maxLength={500}
            withAsterisk
            data-autofocus
            {...form.getInputProps('reason')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              Extend
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
