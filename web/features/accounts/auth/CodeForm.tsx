import { Anchor, Button, Group, PinInput, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { CodeStep } from '../../../../contract/accounts/auth-tokens.ts';
import { api, passkeyLogin, verifyLogin } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { hasPasskeys } from '../../../api/passkey.ts';
import { notifyDone } from '../../../ui/notify.ts';
import MailKept from '../../operations/outbox/MailKept.tsx';

interface Props {
  email: string;
  step: CodeStep;
  onStep: (step: CodeStep) => void;
  onDone: () => void;
  onBack: (why?: string) => void;
}

/** The second step of a login: six digits, from an email or an authenticator (AUTH-06), or a recovery code instead. */
export default function CodeForm({ email, step, onStep, onDone, onBack }: Props) {
  const [problem, setProblem] = useState<string>();
  const [code, setCode] = useState('');
  const [isLost, setLost] = useState(false);
  const [busy, setBusy] = useState(false);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const wait = step.resend_at ? Math.ceil((new Date(step.resend_at).getTime() - now) / 1000) : 0;

  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setCode('');
      if (error instanceof ApiError && error.status === 410) onBack(wordsOf(error));
      else setProblem(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  const send = (digits: string) =>
    run(async () => {
      const { recovery_codes_left: left } = await verifyLogin(
        email,
        isLost ? { recovery_code: digits } : { code: digits },
        step,
      );
      if (left !== undefined)
        notifyDone(`That recovery code has been used. ${left} ${left === 1 ? 'is' : 'are'} left.`);
      onDone();
    });
  const isPasskey = step.type === 'passkey' && !isLost;
  const isHere = hasPasskeys() && (step.sent_to ?? '').split(', ').includes(location.hostname);
  const byPasskey = () =>
    run(async () => {
      await passkeyLogin();
      onDone();
    });
  const toggle = () => {
    setLost(!isLost);
    setCode('');
    setProblem(undefined);
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send(code);
      }}
    >
      <Stack gap="md" mt="lg">
        <Text size="sm" id="code-help" style={{ overflowWrap: 'anywhere' }}>
          {isLost
            ? 'Enter one of the recovery codes you saved. Each code works once.'
            : isPasskey
              ? isHere
                ? 'Your account requires your passkey in addition to your password.'
                : `Your account requires your passkey in addition to your password. It works only at ${step.sent_to}, where you created it.`
              : step.sent_to
                ? `Enter the code we sent to ${step.sent_to}.`
                : 'Enter the code from your authenticator app.'}
        </Text>
        {isLost ? (
          <TextInput
            key="recovery"
            label="Recovery code"
            aria-describedby="code-help"
            autoFocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={40}
            placeholder="abcde-12345"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={Boolean(problem)}
            disabled={busy}
          />
        ) : (
          !isPasskey && (
            <PinInput
              length={6}
              type="number"
              oneTimeCode
              autoFocus
              aria-label="Code"
              aria-describedby="code-help"
              value={code}
              onChange={setCode}
              onComplete={(digits) => void send(digits)}
              error={Boolean(problem)}
              disabled={busy}
            />
          )
        )}
        {problem && (
          <Text size="sm" c="var(--bad)" role="alert">
            {problem}
          </Text>
        )}
        {step.sent_to && !isPasskey && !isLost && <MailKept />}
        {isPasskey ? (
          isHere && (
            <Button type="button" loading={busy} onClick={() => void byPasskey()}>
              Use your passkey
            </Button>
          )
        ) : (
          <Button type="submit" loading={busy} disabled={code.length < (isLost ? 10 : 6)}>
            Verify
          </Button>
        )}
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={() => onBack()}>
            Back
          </Anchor>
          {step.resend_at && !isLost && (
            <Anchor
              component="button"
              type="button"
              size="sm"
              disabled={wait > 0 || busy}
              onClick={() =>
                run(async () => onStep(await api.auth.resendCode({ otp_token: step.otp_token })))
              }
            >
              {wait > 0 ? `Send another code in ${wait} s` : 'Send another code'}
            </Anchor>
          )}
        </Group>
        <Anchor component="button" type="button" size="sm" disabled={busy} onClick={toggle}>
          {isLost
            ? step.type === 'passkey'
              ? 'Use your passkey instead'
              : 'Enter the code instead'
            : isPasskey
              ? 'Can’t use your passkey? Use a recovery code'
              : step.sent_to
                ? 'Can’t get the code? Use a recovery code'
                : 'Lost your authenticator? Use a recovery code'}
        </Anchor>
      </Stack>
    </form>
  );
}
