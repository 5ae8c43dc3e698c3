import {
  Button,
  Group,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  BY_HAND,
  CAME_BY_WORDS,
  KIND_WORDS,
  PRIVACY_KINDS,
} from '../../../../contract/audience/privacy-rules.ts';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { api } from '../../../api/client.ts';
import { DayInput } from '../../../ui/DayInput.tsx';
import { Fields } from '../../../ui/Fields.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { ASKED, ASKED_RULES } from './asked.ts';
import { useRefresh } from './DecideModal.tsx';

/** Enters a request that came by mail, phone, email, or in person: the same deadlines, from the day of receipt. */
export function EnterModal(props: { onClose: () => void; onEntered: (id: string) => void }) {
  const refresh = useRefresh();
  const form = useForm({
    initialValues: {
      came_by: 'mail' as (typeof BY_HAND)[number],
      received_on: '',
      ...ASKED,
      proof: '',
    },
    validateInputOnBlur: true,
    validate: {
      ...ASKED_RULES,
      received_on: (day) => (day ? null : 'Choose the day'),
      email: (email, { phone, kind }) => {
        if (email.trim())
          return looksLikeEmail(email.trim()) ? null : 'Enter an email address, such as name@company.com';
        if (kind === 'access') return 'Enter the email address that the data goes to';
        return phone.trim() ? null : 'Enter an email address or a phone number';
      },
      agent_name: (name, { asked_by }) =>
        asked_by === 'self' || name.trim() ? null : 'Enter the name or company of the agent',
      proof: (proof) => (proof.trim() ? null : 'Say what proves who asked'),
    },
  });
  const { kind, asked_by } = form.values;
  const send = async (values: typeof form.values) => {
    try {
      const { id, message } = await api.privacy.enter(values);
      notifyDone(message);
      refresh(id);
      props.onEntered(id);
      props.onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal opened onClose={props.onClose} centered size="lg" title="Enter a request">
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            For requests that came some other way than the public page. Deadlines run from the day of receipt.
          </Text>
          <Fields>
            <Select
              label="Came by"
              withAsterisk
              allowDeselect={false}
              data={BY_HAND.map((value) => ({ value, label: CAME_BY_WORDS[value] }))}
              {...form.getInputProps('came_by')}
            />
            <DayInput label="Received on" withAsterisk {...form.getInputProps('received_on')} />
          </Fields>
          <Select
            label="Request"
            withAsterisk
            allowDeselect={false}
            data={PRIVACY_KINDS.map((value) => ({ value, label: KIND_WORDS[value] }))}
            {...form.getInputProps('kind')}
          />
          <SegmentedControl
            aria-label="Made by"
            data={[
              { value: 'self', label: 'The person' },
              { value: 'agent', label: 'An agent' },
            ]}
            {...form.getInputProps('asked_by')}
          />
          {asked_by === 'agent' && (
            <TextInput
              label="Agent’s name or company"
              withAsterisk
              maxLength={255}
              {...form.getInputProps('agent_name')}
            />
          )}
          <TextInput
            label="Name of the person"
            withAsterisk
            maxLength={255}
            {...form.getInputProps('name')}
          />
          <Fields>
            <TextInput
              label="Email"
              description="Gets a confirmation of receipt."
              type="email"
              maxLength={70}
              {...form.getInputProps('email')}
            />
            <TextInput
              label="Phone"
              description="Used to find the person if there is no email."
              type="tel"
              maxLength={40}
              {...form.getInputProps('phone')}
            />
          </Fields>
          <Fields>
            <TextInput label="Address" maxLength={255} {...form.getInputProps('address')} />
            <TextInput label="State" placeholder="CA" maxLength={2} {...form.getInputProps('state_code')} />
          </Fields>
          <Textarea
            label={kind === 'correct' ? 'What is wrong, and what is right' : 'Details'}
            withAsterisk={kind === 'correct'}
            autosize
            minRows={2}
            maxRows={6}
            maxLength={1000}
            {...form.getInputProps('details')}
          />
          <Textarea
            label="Proof"
            description="What proves who asked, such as a signed letter or a call back to a known number. Do not copy documents here."
            withAsterisk
            autosize
            minRows={2}
            maxRows={6}
            maxLength={500}
            {...form.getInputProps('proof')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              Enter
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
