import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertCircle, IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { CodeStep } from '../../../../contract/accounts/auth-tokens.ts';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { login, passkeyLogin } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { hasPasskeys } from '../../../api/passkey.ts';
import { BrandMark } from '../../../brand/BrandMark.tsx';
import { useBrand } from '../../../brand/brand.ts';
import { focusFirstWrong } from '../../../ui/forms.ts';
import { usePageTitle } from '../../../ui/usePageTitle.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { useCaptcha } from './Captcha.tsx';
import classes from './LoginPage.module.css';
import { safePath } from './next.ts';
import { accessOptionsQuery } from './options.ts';
import { refusedBeside } from './refused.ts';

const ForgotPanel = lazy(() => import('./ForgotPanel.tsx'));
const CodeForm = lazy(() => import('./CodeForm.tsx'));

/** Sign in with email and password. */
export default function LoginPage() {
  const brand = useBrand();
  usePageTitle('Sign in');
  const router = useRouter();
  const [params] = useSearchParams();
  const [problem, setProblem] = useState<string>();
  const [step, setStep] = useState<{ email: string; code: CodeStep }>();
  const options = useQuery(accessOptionsQuery).data;
  const [isAsking, setAsking] = useState(false);
  // After failed attempts, the server requires a captcha. The browser's own is solved automatically; reCAPTCHA's box
  // has to be shown.
  const [wantsCaptcha, setWantsCaptcha] = useState(false);
  const captcha = useCaptcha(wantsCaptcha ? options : undefined);
  const proceed = () => router.navigate({ href: safePath(params.next, location.origin), replace: true });
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { username: '', password: '' },
    validate: {
      username: (value) =>
        looksLikeEmail(value.trim()) ? null : 'Enter your email address, such as name@company.com',
      password: (value) => (value ? null : 'Enter your password'),
    },
  });

  // Loads what is needed to encrypt the password and show the first page while the user types.
  useEffect(() => {
    void import('../../../api/jwe.ts');
  }, []);

  const send = form.onSubmit(
    async ({ username, password }) => {
      setProblem(undefined);
      try {
        const gtoken = captcha.box ? await captcha.answer() : undefined;
        const code = await login(username.trim(), password, gtoken);
        if (code) setStep({ email: username.trim(), code });
        else await proceed();
      } catch (error) {
        if (error instanceof ApiError && error.errors.gtoken) setWantsCaptcha(true);
        captcha.renew();
        const words = refusedBeside(form, error);
        setProblem(words);
        if (words) form.getInputNode('password')?.focus();
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );

  const byPasskey = async () => {
    setProblem(undefined);
    setAsking(true);
    try {
      await passkeyLogin();
      await proceed();
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setAsking(false);
    }
  };

  if (params.forgot) {
    return (
      <Suspense fallback={null}>
        <ForgotPanel />
      </Suspense>
    );
  }
  if (step) {
    return (
      <main className={classes.page}>
        <div className={classes.box}>
          <BrandMark brand={brand} />
          <Title order={1} mt="lg">
            Verification code
          </Title>
          <Suspense fallback={null}>
            <CodeForm
              email={step.email}
              step={step.code}
              onStep={(code) => setStep({ ...step, code })}
              onDone={() => void proceed()}
              onBack={(why) => {
                setStep(undefined);
                setProblem(why);
              }}
            />
          </Suspense>
        </div>
      </main>
    );
  }

  return (
    <main className={classes.page}>
      <form className={classes.box} onSubmit={send} noValidate>
        <BrandMark brand={brand} />
        <div>
          <Title order={1} mt="lg">
            Sign in
          </Title>
          {brand.tagline && (
            <Text c="dimmed" size="sm">
              {brand.tagline}
            </Text>
          )}
        </div>
        <Stack gap="md" mt="lg">
          {problem && (
            <Alert icon={<IconAlertCircle size={18} />} role="alert" className={classes.problem}>
              {problem}
            </Alert>
          )}
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            maxLength={70}
            key={form.key('username')}
            {...form.getInputProps('username')}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            maxLength={1024}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
            key={form.key('password')}
            {...form.getInputProps('password')}
          />
          {captcha.box}
          <Button type="submit" fullWidth loading={form.submitting}>
            Sign in
          </Button>
          {hasPasskeys() && (
            <Button
              variant="default"
              fullWidth
              leftSection={<IconFingerprint size={18} stroke={1.6} />}
              loading={isAsking}
              onClick={() => void byPasskey()}
            >
              Sign in with a passkey
            </Button>
          )}
          <Group justify="space-between" mih={22}>
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link {...props} to="/login" search={{ ...params, forgot: '1' } as never} />
              )}
            >
              Forgot password?
            </Anchor>
            {options?.isRegisterAccount === 'T' && (
              <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/register" />}>
                Register
              </Anchor>
            )}
          </Group>
        </Stack>
      </form>
    </main>
  );
}
