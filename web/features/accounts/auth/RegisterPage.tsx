import { Anchor, Button, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { api } from '../../../api/client.ts';
import { useBrand } from '../../../brand/brand.ts';
import { focusFirstWrong, keepFocus } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { PhoneInput } from '../../../ui/PhoneInput.tsx';
import type { PhoneValue } from '../../../ui/phone.types.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { loadPhones, phoneFault } from '../../../ui/usePhone.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import MailKept from '../../operations/outbox/MailKept.tsx';
import { AuthBox, ToLogin } from './AuthBox.tsx';
import { useCaptcha } from './Captcha.tsx';
import LoginPage from './LoginPage.tsx';
import { type AccessOptions, accessOptionsQuery } from './options.ts';
import { refusedBeside } from './refused.ts';

/**
 * /register and /agency-register/{referralCode?}: shows the login if sign-up is not open (spec product 2, AUTH-07,
 * AUTH-08).
 */
export default function RegisterPage() {
  const isForAgencies = useLocation({ select: ({ pathname }) => pathname.startsWith('/agency-register') });
  const options = useQuery(accessOptionsQuery);
  if (options.data) {
    const { registration_open, user_type: userType } = options.data;
    // Agencies sign up at a root's host only.
    const isOpen = registration_open === 'T' && (!isForAgencies || userType === 'userdownline');
    return isOpen ? <RegisterForm options={options.data} asksForCode={isForAgencies} /> : <LoginPage />;
  }
  return (
    <AuthBox title="Register">
      {options.error ? (
        <ErrorState
          error={options.error}
          what="Registration could not be loaded"
          onRetry={() => void options.refetch()}
        />
      ) : (
        <Stack gap="md" aria-busy="true">
          {[0, 1, 2, 3, 4].map((row) => (
            <Skeleton key={row} height={61} />
          ))}
        </Stack>
      )}
    </AuthBox>
  );
}

function RegisterForm({ options, asksForCode }: { options: AccessOptions; asksForCode: boolean }) {
  const brand = useBrand();
  const [params] = useSearchParams();
  const { referralCode } = useParams({ strict: false }) as { referralCode?: string };
  const given = referralCode ?? params.refcode ?? '';
  const [problem, setProblem] = useState<string>();
  const [sent, setSent] = useState<string>();
  const captcha = useCaptcha(options);
  const form = useForm({
    initialValues: {
      company_name: '',
      name: '',
      email: '',
      phone: { country: '', number: '' } as PhoneValue,
      password: '',
      referral_code: given,
    },
    validateInputOnBlur: true,
    validate: {
      company_name: (value) => (value.trim() ? null : 'Enter your company name'),
      name: (value) => (value.trim() ? null : 'Enter your name'),
      email: (value) =>
        looksLikeEmail(value.trim()) ? null : 'Enter your email address, such as name@company.com',
      phone: (value) => phoneFault(value, true),
      password: (value) => (value.length >= 12 ? null : 'Use at least 12 characters'),
    },
  });
  const isForAgency = options.user_type === 'userdownline';

  const send = form.onSubmit(
    async ({ referral_code, phone: typed, ...values }) => {
      setProblem(undefined);
      try {
        const phone = (await loadPhones()).wireOf(typed);
        const answer = await api.auth.register({
          ...values,
          // Includes the country code, so no other field is needed.
          phone: phone ? `${phone.phone_calling}${phone.phone}` : typed.number,
          user_type: options.user_type,
          host: location.hostname,
          company_id: brand.company_id,
          root_id: brand.root_id,
          ...(referral_code.trim() ? { referral_code: referral_code.trim() } : {}),
          captcha_token: await captcha.answer(),
        });
        setSent(answer.message);
      } catch (error) {
        captcha.renew();
        setProblem(refusedBeside(form, error));
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );

  if (sent) {
    return (
      <AuthBox title="Check your email" line={`Sent to ${form.values.email.trim()}`}>
        <Notice tone="good" live="status">
          {sent}
        </Notice>
        <Text size="sm" c="dimmed">
          The link is valid for 24 hours. If you don’t see the email, check your spam folder or register
          again.
        </Text>
        <MailKept />
        <ToLogin words="Back to sign-in" />
      </AuthBox>
    );
  }
  return (
    <AuthBox
      title={isForAgency ? 'Register your agency' : 'Register'}
      line={`Create your ${brand.name} account.`}
      problem={problem}
    >
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          <TextInput
            label="Company name"
            autoComplete="organization"
            withAsterisk
            autoFocus
            maxLength={255}
            {...form.getInputProps('company_name')}
          />
          <TextInput
            label="Your name"
            autoComplete="name"
            withAsterisk
            maxLength={255}
            {...form.getInputProps('name')}
          />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            withAsterisk
            maxLength={70}
            {...form.getInputProps('email')}
          />
          <PhoneInput required {...form.getInputProps('phone')} />
          <PasswordInput
            label="Password"
            description="At least 12 characters."
            autoComplete="new-password"
            withAsterisk
            maxLength={1024}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
            {...form.getInputProps('password')}
          />
          {(asksForCode || given) && (
            <TextInput
              label="Referral code"
              description="If someone invited you."
              autoComplete="off"
              maxLength={64}
              {...form.getInputProps('referral_code')}
            />
          )}
          {captcha.box}
          <MailKept />
          <Text size="sm" c="dimmed">
            By registering, you accept the <LegalLink to="/term-of-use">terms of use</LegalLink> and the{' '}
            <LegalLink to="/privacy-policy">privacy policy</LegalLink>. See also{' '}
            <LegalLink to="/privacy">your privacy choices</LegalLink>.
          </Text>
          <Button type="submit" {...keepFocus} fullWidth loading={form.submitting}>
            Register
          </Button>
          <ToLogin words="I already have an account" />
        </Stack>
      </form>
    </AuthBox>
  );
}

/** A document that opens beside the form, so that nothing entered is lost. */
function LegalLink({
  to,
  children,
}: {
  to: '/term-of-use' | '/privacy-policy' | '/privacy';
  children: string;
}) {
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => <Link {...props} to={to as '/'} target="_blank" />}
    >
      {children}
    </Anchor>
  );
}
