import {
  Button,
  Code,
  Group,
  Modal,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCheck } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { userQuery, useUser } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { focusFirstWrong } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { Problem } from './AuthBox.tsx';
import type { MenuModal } from './modal.types.ts';
import { factorQuery, recoveryQuery } from './options.ts';
import { showRecoveryCodes } from './RecoveryCodes.tsx';
import { refusedBeside } from './refused.ts';
import classes from './TwoFactorModals.module.css';

type Kind = 'email' | 'google';

/**
 * The user's own second factor: choosing one, and setting up an authenticator (spec product 4, Two-factor; AUTH-15,
 * AUTH-16).
 */
export default function TwoFactorModals({ opened, onClose, onSaved }: MenuModal) {
  const user = useUser();
  const queryClient = useQueryClient();
  const setting = useQuery({ ...factorQuery(user.id), enabled: opened });
  const saved: Kind | null = setting.data?.two_factor_auth_type ?? null;
  /** The choice that is not saved yet; undefined if there is none. */
  const [chosen, setChosen] = useState<Kind | null>();
  const [isSettingUp, setSettingUp] = useState(false);
  const kind = chosen === undefined ? saved : chosen;

  const close = () => {
    onClose();
    setChosen(undefined);
    setSettingUp(false);
  };
  const save = async (given: { current_password: string; code?: string; secret_key?: string }) => {
    const answer = await api.auth.saveTwoFactor({
      user_id: user.id,
      two_factor_auth: kind !== null,
      two_factor_auth_type: kind,
      ...given,
    });
    const { two_factor_auth, two_factor_auth_type, recovery_codes } = answer;
    queryClient.setQueryData(['two-factor', user.id], { two_factor_auth, two_factor_auth_type });
    void queryClient.invalidateQueries({ queryKey: recoveryQuery.queryKey });
    void queryClient.invalidateQueries({ queryKey: ['sessions'] });

    close();
    if (recovery_codes) await showRecoveryCodes(recovery_codes);
    notifyDone(answer.message);
    void queryClient.invalidateQueries({ queryKey: userQuery.queryKey });
    onSaved?.();
  };

  return (
    <>
      <Modal opened={opened && !isSettingUp} onClose={close} title="Two Factor Authentication" centered>
        {setting.error ? (
          <ErrorState
            error={setting.error}
            what="The setting could not be loaded"
            onRetry={() => void setting.refetch()}
          />
        ) : (
          <Choice
            key={String(opened)}
            email={user.email}
            isLoading={!setting.data}
            saved={saved}
            kind={kind}
            onChoose={(one) => setChosen(one === kind ? null : one)}
            onSetUp={() => setSettingUp(true)}
            onSave={save}
            onClose={close}
          />
        )}
      </Modal>
      <Modal opened={opened && isSettingUp} onClose={close} title="Set up your authenticator" centered>
        <Authenticator onSave={save} onCancel={() => setSettingUp(false)} />
      </Modal>
    </>
  );
}

const kinds: { kind: Kind; name: string; text: (email: string) => string }[] = [
  { kind: 'email', name: 'Email', text: (email) => `We send a code to ${email} each time you sign in.` },
  {
    kind: 'google',
    name: 'Authenticator app',
    text: () => 'Google Authenticator or any other app that shows six-digit codes.',
  },
];

function Choice(props: {
  email: string;
  isLoading: boolean;
  saved: Kind | null;
  kind: Kind | null;
  onChoose: (kind: Kind) => void;
  onSetUp: () => void;
  onSave: (given: { current_password: string }) => Promise<void>;
  onClose: () => void;
}) {
  const { kind, saved } = props;
  const [problem, setProblem] = useState<string>();
  const isChanged = kind !== saved;
  const needsPassword = isChanged && kind !== 'google';
  const form = useForm({
    initialValues: { current_password: '' },
    validate: {
      current_password: (value) => (value || !needsPassword ? null : 'Enter your current password'),
    },
  });
  const send = form.onSubmit(
    async (values) => {
      setProblem(undefined);
      if (kind === 'google') {
        props.onSetUp();
        return;
      }
      try {
        await props.onSave(values);
      } catch (error) {
        setProblem(refusedBeside(form, error));
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Signing in requires a code in addition to your password. Select the active option again to turn it
          off.
        </Text>
        {problem && <Problem>{problem}</Problem>}
        <Stack gap="xs" role="group" aria-label="How you get codes">
          {kinds.map((one) =>
            props.isLoading ? (
              <Skeleton key={one.kind} height={62} />
            ) : (
              <UnstyledButton
                key={one.kind}
                className={classes.choice!}
                aria-pressed={kind === one.kind}
                onClick={() => props.onChoose(one.kind)}
              >
                <span className={classes.words}>
                  <span className={classes.name}>
                    {one.name}
                    {saved === one.kind && <span className={classes.active}>In use</span>}
                  </span>
                  <span className={classes.text}>{one.text(props.email)}</span>
                </span>
                {kind === one.kind && <IconCheck size={18} aria-hidden="true" />}
              </UnstyledButton>
            ),
          )}
        </Stack>
        {needsPassword && (
          <PasswordInput
            label="Current password"
            description={
              kind
                ? 'Your other devices are signed out.'
                : 'You will need only your password to sign in. Your other devices are signed out.'
            }
            autoComplete="current-password"
            withAsterisk
            maxLength={1024}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
            {...form.getInputProps('current_password')}
          />
        )}
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        {/* An authenticator can be set up anew: on another phone. */}
        <Button type="submit" loading={form.submitting} disabled={!isChanged && kind !== 'google'}>
          Save
        </Button>
      </Group>
    </form>
  );
}

function Authenticator(props: {
  onSave: (given: { current_password: string; code: string; secret_key: string }) => Promise<void>;
  onCancel: () => void;
}) {
  const user = useUser();
  const [problem, setProblem] = useState<string>();
  const secret = useQuery({
    queryKey: ['authenticator', user.id],
    queryFn: ({ signal }) =>
      api.auth.googleTfa({ user_id: user.id, company_id: user.company_id }, { signal }),
    // A secret is not kept once the modal is closed.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const form = useForm({
    initialValues: { current_password: '', code: '' },
    validate: {
      code: (value) =>
        /^\d{6}$/.test(value.replace(/\s/g, '')) ? null : 'Enter the 6 digits shown in the app',
      current_password: (value) => (value ? null : 'Enter your current password'),
    },
  });
  const send = form.onSubmit(
    async (values) => {
      setProblem(undefined);
      try {
        await props.onSave({ ...values, secret_key: secret.data?.secret_key ?? '' });
      } catch (error) {
        setProblem(refusedBeside(form, error));
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );
  if (secret.error) {
    return (
      <ErrorState
        error={secret.error}
        what="The secret could not be loaded"
        onRetry={() => void secret.refetch()}
      />
    );
  }
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text size="sm">Scan this with your authenticator app, or enter the key manually.</Text>
        {problem && <Problem>{problem}</Problem>}
        <div className={classes.code}>
          {secret.data ? (
            <img
              src={secret.data.qr_code_url}
              alt="QR code for your authenticator app"
              width={200}
              height={200}
            />
          ) : (
            <Skeleton height={200} width={200} />
          )}
        </div>
        <Group gap="xs" wrap="nowrap" justify="center" mih={28}>
          {secret.data ? (
            <>
              <Code style={{ overflowWrap: 'anywhere', fontSize: 13 }}>{secret.data.secret_key}</Code>
              <CopyButton text={secret.data.secret_key} what="key" />
            </>
          ) : (
            <Skeleton height={22} width={280} />
          )}
        </Group>
        <TextInput
          label="Code"
          description="The 6 digits currently shown in the app."
          inputMode="numeric"
          autoComplete="one-time-code"
          withAsterisk
          data-autofocus
          maxLength={12}
          {...form.getInputProps('code')}
        />
        <PasswordInput
          label="Current password"
          description="Your other devices are signed out."
          autoComplete="current-password"
          withAsterisk
          maxLength={1024}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
          {...form.getInputProps('current_password')}
        />
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={form.submitting} disabled={!secret.data}>
          Save
        </Button>
      </Group>
    </form>
  );
}
