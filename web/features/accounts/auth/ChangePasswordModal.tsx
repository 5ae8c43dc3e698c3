import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { focusFirstWrong, keepFocus } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { Problem } from './AuthBox.tsx';
import type { MenuModal } from './modal.types.ts';
import { refusedBeside } from './refused.ts';

/** Changes the user's own password (spec product 5, AUTH-11, AUTH-20). */
export default function ChangePasswordModal({ opened, onClose }: MenuModal) {
  const user = useUser();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const form = useForm({
    initialValues: { current_password: '', new_password: '', again: '' },
    validateInputOnBlur: true,
    validate: {
      current_password: (value) => (value ? null : 'Enter your current password'),
      new_password: (value, all) => {
        if (!value) return 'Enter a new password';
        if (value.length < 12) return 'Use at least 12 characters';
        return all.again && value !== all.again ? 'The new passwords do not match' : null;
      },
      again: (value, all) => {
        if (!value) return 'Enter the new password again';
        return value === all.new_password ? null : 'The new passwords do not match';
      },
    },
  });
  const close = () => {
    form.reset();
    setProblem(undefined);
    onClose();
  };
  const save = form.onSubmit(
    async ({ current_password, new_password }) => {
      setProblem(undefined);
      try {
        const answer = await api.auth.resetPassword({ user_id: user.id, current_password, new_password });
        void queryClient.invalidateQueries({ queryKey: ['sessions'] });
        close();
        notifyDone(answer.message);
      } catch (error) {
        setProblem(refusedBeside(form, error));
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );
  const eye = (what: string) => ({ 'aria-label': `Show or hide the ${what}`, tabIndex: 0 });
  return (
    <Modal opened={opened} onClose={close} title="Change password" centered>
      <form onSubmit={save} noValidate>
        <Stack gap="md">
          {problem && <Problem>{problem}</Problem>}
          {/* For password managers: whose password it is. */}
          <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            withAsterisk
            data-autofocus
            maxLength={1024}
            visibilityToggleButtonProps={eye('current password')}
            {...form.getInputProps('current_password')}
          />
          <PasswordInput
            label="New password"
            description="At least 12 characters. Your other devices will be signed out."
            autoComplete="new-password"
            withAsterisk
            maxLength={1024}
            visibilityToggleButtonProps={eye('new password')}
            {...form.getInputProps('new_password')}
          />
          <PasswordInput
            label="Confirm new password"
            autoComplete="new-password"
            withAsterisk
            maxLength={1024}
            visibilityToggleButtonProps={eye('password confirmation')}
            {...form.getInputProps('again')}
          />
        </Stack>
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" {...keepFocus} onClick={close}>
            Cancel
          </Button>
          <Button type="submit" {...keepFocus} loading={form.submitting}>
            Change password
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
