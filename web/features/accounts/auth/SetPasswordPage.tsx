import { Button, PasswordInput, Skeleton, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { CodeStep } from '../../../../contract/accounts/auth-tokens.ts';
import { screenMessages } from '../../../../contract/screen-messages.ts';
import { api, session } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { userQuery } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import { focusFirstWrong, keepFocus } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { AuthBox } from './AuthBox.tsx';
import { refusedBeside } from './refused.ts';

const CodeForm = lazy(() => import('./CodeForm.tsx'));
const ResetPasskeys = lazy(() => import('./ResetPasskeys.tsx'));

/** /set-new-password/{token}?email=: the link is checked before the form is shown (spec product 2, AUTH-10). */
export default function SetPasswordPage() {
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const [{ email = '' }] = useSearchParams();
  const navigate = useNavigate();
  const [done, setDone] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isRemoving, setRemoving] = useState(false);
  const [step, setStep] = useState<CodeStep>();
  const queryClient = useQueryClient();
  const brand = useBrand();
  const proceed = () => navigate({ to: '/', replace: true });
  const check = useQuery({
    queryKey: ['reset-link', token, email],
    queryFn: () => api.auth.verifyResetToken({ token, email }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const toInvalid = (reason: string) =>
    // The reason is passed in history state, not in the address, where anyone could write it.
    void navigate({ to: '/reset-password-invalid', replace: true, state: { reason } as never });
  const fault = check.error
    ? wordsOf(check.error)
    : check.data && !check.data.valid
      ? (check.data.reason ?? screenMessages.resetInvalid)
      : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each fault
  useEffect(() => {
    if (fault) toInvalid(fault);
  }, [fault]);

  const form = useForm({
    initialValues: { new_password: '', again: '' },
    validateInputOnBlur: true,
    validate: {
      new_password: (value) => (value.length >= 12 ? null : 'Use at least 12 characters'),
      again: (value, all) => (value === all.new_password ? null : 'Enter the same password as above'),
    },
  });
  const send = form.onSubmit(
    async ({ new_password }) => {
      setProblem(undefined);
      try {
        const answer = await api.auth.setNewPassword({
          token,
          email,
          new_password,
          ...(isRemoving ? { remove_passkeys: true } : {}),
        });
        // The reset ended all sessions, including any in this browser; data it has loaded may belong to someone else.
        session.forget();
        queryClient.removeQueries({ queryKey: userQuery.queryKey });
        if ('otp_token' in answer) setStep(answer);
        else if ('access_token' in answer) {
          session.start(answer.access_token);
          notifyDone(answer.message);
          await proceed();
        } else setDone(answer.message);
      } catch (error) {
        if (error instanceof ApiError && error.status === 410) toInvalid(wordsOf(error));
        else setProblem(refusedBeside(form, error));
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );

  if (step) {
    return (
      <AuthBox title="Verification code" line={email}>
        <Suspense fallback={null}>
          <CodeForm
            email={email}
            step={step}
            onStep={setStep}
            onDone={() => void proceed()}
            onBack={() => void navigate({ to: '/login', replace: true })}
          />
        </Suspense>
      </AuthBox>
    );
  }
  if (done) {
    return (
      <AuthBox title="Set a new password" line={email}>
        <Notice tone="good" live="status">
          {done}
        </Notice>
        <Button autoFocus fullWidth renderRoot={(props) => <Link {...props} to="/login" />}>
          Sign in
        </Button>
      </AuthBox>
    );
  }
  if (!check.data?.valid) {
    return (
      <AuthBox title="Set a new password" line={email}>
        <Stack gap="md" aria-busy="true">
          <Skeleton height={79} />
          <Skeleton height={61} />
          <Skeleton height={36} />
        </Stack>
      </AuthBox>
    );
  }
  const isInvited = check.data.is_invitation === true;
  return (
    <AuthBox
      title={isInvited ? `Welcome to ${brand.name}` : 'Set a new password'}
      line={isInvited ? `Choose a password for ${email}. You will be signed in with it.` : email}
      problem={problem}
    >
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          {/* For password managers: whose password it is. */}
          <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
          <PasswordInput
            label={isInvited ? 'Password' : 'New password'}
            description={
              isInvited
                ? 'At least 12 characters.'
                : 'At least 12 characters. Your other devices will be signed out.'
            }
            autoComplete="new-password"
            autoFocus
            maxLength={1024}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the new password', tabIndex: 0 }}
            {...form.getInputProps('new_password')}
          />
          <PasswordInput
            label={isInvited ? 'Confirm password' : 'Confirm new password'}
            autoComplete="new-password"
            maxLength={1024}
            visibilityToggleButtonProps={{
              'aria-label': 'Show or hide the password confirmation',
              tabIndex: 0,
            }}
            {...form.getInputProps('again')}
          />
          {check.data.passkeys && check.data.passkeys.length > 0 && (
            <Suspense fallback={<Skeleton height={61} />}>
              <ResetPasskeys
                passkeys={check.data.passkeys}
                stay={check.data.passkeys_stay === true}
                isRemoving={isRemoving}
                onChange={setRemoving}
              />
            </Suspense>
          )}
          <Button type="submit" {...keepFocus} fullWidth loading={form.submitting}>
            Set password
          </Button>
        </Stack>
      </form>
    </AuthBox>
  );
}
