import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { wordsOf } from '../../api/errors.ts';
import { usePageTitle } from '../../ui/usePageTitle.ts';

/**
 * Where the mail to a new e-mail address leads. Only the button takes the address over: programs that follow the links
 * of a mail do not.
 */
export default function ConfirmEmailPage() {
  const { token } = useParams({ strict: false }) as { token: string };
  usePageTitle('Confirm your e-mail address');
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<string>();
  const [fault, setFault] = useState<string>();
  const confirm = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      setDone((await api.profile.confirmEmail({ token })).message);
    } catch (error) {
      setFault(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack align="center" gap="xs" ta="center" maw={420}>
        <Title order={1}>Confirm your e-mail address</Title>
        <Text c="dimmed" role="status">
          {done ?? 'From then on you sign in with it, and mails go to it.'}
        </Text>
        <div role="alert">{fault && <Text style={{ color: 'var(--bad)' }}>{fault}</Text>}</div>
        {done ? (
          <Button mt="sm" renderRoot={(props) => <Link {...props} to="/login" />}>
            Log in
          </Button>
        ) : (
          <Button mt="sm" loading={busy} onClick={() => void confirm()}>
            Confirm address
          </Button>
        )}
      </Stack>
    </Center>
  );
}
