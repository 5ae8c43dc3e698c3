import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { switchUser } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { reasonFault } from './view.ts';

/** The user to view as. */
export interface Viewed {
  user_id: string;
  name: string;
  company_name: string;
}

/** Asks for a reason and starts viewing as another user; the page is reloaded as that user. */
export function ViewAsModal({ viewed, onClose }: { viewed: Viewed; onClose: () => void }) {
  const isLook = useUser().user_type === 'sales';
  const form = useForm({ initialValues: { reason: '' }, validate: { reason: reasonFault } });
  const send = async ({ reason }: { reason: string }) => {
    try {
      location.assign(await switchUser(viewed.user_id, reason.trim()));
      // Keeps the button spinning until the new page loads.
      await new Promise(() => undefined);
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal opened onClose={onClose} centered title={`View as ${viewed.name}`}>
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {isLook
              ? `For 30 minutes, you see the campaigns, leads, and results that ${viewed.name} of ${viewed.company_name} sees. You cannot change or download anything.`
              : `For 30 minutes, you can see and do everything ${viewed.name} of ${viewed.company_name} can, except for passwords, second factors, cards, and charges.`}{' '}
            {viewed.company_name} can see in its log that it was you, and why.
          </Text>
          <TextInput
            label="Reason"
            placeholder="Support call about the pixel"
            withAsterisk
            data-autofocus
            maxLength={255}
            {...form.getInputProps('reason')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              View as {viewed.name.length > 24 ? 'this person' : viewed.name}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
