import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconAlertCircle, IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useRef, useState } from 'react';
import type { CodeStep } from '../../../../contract/accounts/auth-tokens.ts';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { login, passkeyLogin } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { hasPasskeys } from '../../../api/passkey.ts';
import { BrandMark } from '../../../brand/BrandMark.tsx';
import { useBrand } from '../../../brand/brand.ts';
import { usePageTitle } from '../../../ui/usePageTitle.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { useCaptcha } from './Captcha.tsx';
import classes from './LoginPage.module.css';
import { safePath } from './next.ts';
import { accessOptionsQuery } from './options.ts';

const ForgotPanel = lazy(() => import('./ForgotPanel.tsx'));
const CodeForm = lazy(() => import('./CodeForm.tsx'));

/** Loads what encrypts the password while the user types it. */
const loadSealer = () => void import('../../../api/jwe.ts').catch(() => undefined);

const FIELDS = ['username', 'password'] as const;
type Errors = { [field in (typeof FIELDS)[number]]?: string | undefined };

/** Sign in with email and password. Plain inputs: it is the first page that loads, and a form library weighs 7 KB. */
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
  const inputs = { username: useRef<HTMLInputElement>(null), password: useRef<HTMLInputElement>(null) };
  const [errors, setErrors] = useState<Errors>({});
  const [email, setEmail] = useState('');
  const [isSending, setSending] = useState(false);

  /** Shows what is wrong with the fields and focuses the first; returns whether there is such a field. */
  const refuse = (next: Errors): boolean => {
    setErrors(next);
    const first = FIELDS.find((field) => next[field]);
    if (first) inputs[first].current?.focus();
    return first !== undefined;
  };

  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    const [username, password] = FIELDS.map((field) => inputs[field].current!.value) as [string, string];
    const wrong = {
      username: looksLikeEmail(username.trim())
        ? undefined
        : 'Enter your email address, such as name@company.com',
      password: password ? undefined : 'Enter your password',
    };
    if (refuse(wrong)) return;
    setProblem(undefined);
    setEmail(username.trim());
    setSending(true);
    try {
      const captchaToken = captcha.box ? await captcha.answer() : undefined;
      const code = await login(username.trim(), password, captchaToken);
      if (code) setStep({ email: username.trim(), code });
      else await proceed();
    } catch (error) {
      const fields = error instanceof ApiError ? error.errors : {};
      if (fields.captcha_token) setWantsCaptcha(true);
      captcha.renew();
      if (refuse({ username: fields.username?.join(' '), password: fields.password?.join(' ') })) return;
      setProblem(wordsOf(error));
      inputs.password.current?.focus();
    } finally {
      setSending(false);
    }
  };

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
      <form className={classes.box} onSubmit={send} onInput={loadSealer} noValidate>
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
            ref={inputs.username}
            defaultValue={email}
            error={errors.username}
            onChange={() => setErrors((now) => ({ ...now, username: undefined }))}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            maxLength={1024}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
            ref={inputs.password}
            error={errors.password}
            onChange={() => setErrors((now) => ({ ...now, password: undefined }))}
          />
          {captcha.box}
          <Button type="submit" fullWidth loading={isSending}>
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
            {options?.registration_open === 'T' && (
              <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/register" />}>
                Register
              </Anchor>
            )}
          </Group>
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to={'/privacy' as '/'} />}>
            Your privacy choices
          </Anchor>
        </Stack>
      </form>
    </main>
  );
}
