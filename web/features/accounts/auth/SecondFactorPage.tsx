import { Anchor, Button, Text } from '@mantine/core';
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { api, logout } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { hasPasskeys, makePasskey } from '../../../api/passkey.ts';
import { userQuery, useUser } from '../../../api/user.ts';
import { AuthBox } from './AuthBox.tsx';
import { TwoFactorModals } from './modals.tsx';
import { showRecoveryCodes } from './RecoveryCodes.tsx';

/** Where users must set up a required second factor before they can do anything else (BEY-32). */
export default function SecondFactorPage() {
  const user = useUser();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const proceed = async () => {
    await queryClient.fetchQuery({ ...userQuery, staleTime: 0 });
    await router.navigate({ href: '/', replace: true });
  };
  const byPasskey = async () => {
    setProblem(undefined);
    setBusy(true);
    try {
      const { options } = await api.auth.newPasskeyChallenge();
      const credential = await makePasskey(options);
      const { recovery_codes } = await api.auth.addPasskey({ name: 'My first passkey', credential });
      if (recovery_codes) await showRecoveryCodes(recovery_codes);
      await proceed();
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };

  if (user.factor_needed !== 'now') {
    return (
      <AuthBox title="Second factor set up" line="You’re all set.">
        <Button fullWidth renderRoot={(props) => <Link {...props} to="/" />}>
          Continue
        </Button>
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/user/sessions" />}>
          Security settings
        </Anchor>
      </AuthBox>
    );
  }
  return (
    <AuthBox title="Set up a second factor" line={user.email} problem={problem}>
      <Text size="sm">
        Your account requires a second factor, so a stolen password alone isn’t enough to sign in. Choose one
        to continue.
      </Text>
      {hasPasskeys() && (
        <>
          <Button
            fullWidth
            leftSection={<IconFingerprint size={18} stroke={1.6} />}
            loading={isBusy}
            onClick={() => void byPasskey()}
          >
            Create a passkey
          </Button>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            Your fingerprint, face, or a security key. It works only at {location.hostname}.
          </Text>
        </>
      )}
      <Button
        fullWidth
        variant="default"
        disabled={isBusy}
        leftSection={<IconDeviceMobile size={18} stroke={1.6} />}
        onClick={() => setOpen(true)}
      >
        Use codes
      </Button>
      <Text size="sm" c="dimmed">
        From an authenticator app or by email.
      </Text>
      <Anchor component="button" type="button" size="sm" onClick={() => void logout()}>
        Log out
      </Anchor>
      <TwoFactorModals opened={isOpen} onClose={() => setOpen(false)} onSaved={() => void proceed()} />
    </AuthBox>
  );
}
