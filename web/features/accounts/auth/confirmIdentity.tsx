import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { askPasskey, hasPasskeys } from '../../../api/passkey.ts';
import { needsOwnDocument } from '../../../brand/embed.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { overlaysReady } from '../../../ui/overlays.ts';

/** A page where none of the agency's code runs. */
const ALONE = '/user/sessions';

/**
 * Asks users to confirm their identity; true if they did. `how` names the methods they have: 'password', or 'code' from
 * their authenticator app, and ',passkey'. Passwords are typed only where none of the agency's code runs; elsewhere
 * this redirects there and returns false.
 */
export async function confirmIdentity(how: string): Promise<boolean> {
  await overlaysReady();
  if (needsOwnDocument(ALONE)) {
    const goes = await confirm({
      title: 'Confirm it’s you',
      body: 'You need to confirm your password or code on a separate page. Then come back here and try again.',
      verb: 'Continue',
    });
    if (goes) window.location.assign(`${ALONE}?confirm=${how}`);
    return false;
  }
  return new Promise((resolve) => {
    let isConfirmed = false;
    const id = modals.open({
      title: 'Confirm it’s you',
      size: 'sm',
      centered: true,
      onClose: () => resolve(isConfirmed),
      children: (
        <ConfirmForm
          isCode={how.includes('code')}
          withPasskey={how.includes('passkey') && hasPasskeys()}
          onCancel={() => modals.close(id)}
          onDone={() => {
            isConfirmed = true;
            modals.close(id);
          }}
        />
      ),
    });
  });
}

function ConfirmForm(props: {
  isCode: boolean;
  withPasskey: boolean;
  onCancel: () => void;
  onDone: () => void;
}) {
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const confirmBy = async (work: () => Promise<unknown>) => {
    setSending(true);
    try {
      await work();
      props.onDone();
    } catch (error) {
      setProblem(wordsOf(error));
      setSending(false);
    }
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (!value) return setProblem(props.isCode ? 'Enter the code' : 'Enter your password');
    await confirmBy(() => api.auth.confirm(props.isCode ? { code: value } : { password: value }));
  };
  const byPasskey = () =>
    confirmBy(async () => {
      const { options } = await api.auth.confirmChallenge();
      await api.auth.confirm({ credential: await askPasskey(options) });
    });
  const field = {
    withAsterisk: true,
    'data-autofocus': true,
    value,
    error: problem,
    onChange: (event: { currentTarget: { value: string } }) => {
      setValue(event.currentTarget.value);
      setProblem(undefined);
    },
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      <Stack gap="md">
        <Text size="sm">You signed in a while ago. Confirming keeps your money and data safe.</Text>
        {props.isCode ? (
          <TextInput
            label="Code from your authenticator app"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            {...field}
          />
        ) : (
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            maxLength={1024}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
            {...field}
          />
        )}
        {props.withPasskey && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            disabled={isSending}
            onClick={() => void byPasskey()}
          >
            Use a passkey instead
          </Anchor>
        )}
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isSending}>
          Confirm
        </Button>
      </Group>
    </form>
  );
}
