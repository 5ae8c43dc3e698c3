import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { useBrand } from '../../../brand/brand.ts';
import { focusFirstWrong, keepFocus } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { AuthBox, ToLogin } from './AuthBox.tsx';
import { useCaptcha } from './Captcha.tsx';
import { accessOptionsQuery } from './options.ts';

const MailKept = lazy(() => import('../../operations/outbox/MailKept.tsx'));

/**
 * Returns the server's own message, or the spec's text (calls 8, AUTH-09) when there is none, as with a proxy's error
 * page or no response.
 */
function failureWords(error: unknown): string {
  if (!(error instanceof ApiError)) return wordsOf(error);
  return error.requestId && error.message !== messages.errorText ? error.message : messages.forgotFailed;
}

/** Requests a link to set a new password; shows the same message whether or not the address is known (AUTH-09). */
export default function ForgotPanel() {
  const brand = useBrand();
  const options = useQuery(accessOptionsQuery);
  const captcha = useCaptcha(options.data);
  const [problem, setProblem] = useState<string>();
  const [sent, setSent] = useState<string>();
  const form = useForm({
    initialValues: { username: '' },
    validateInputOnBlur: true,
    validate: {
      username: (value) =>
        looksLikeEmail(value.trim()) ? null : 'Enter your email address, such as name@company.com',
    },
  });
  const send = form.onSubmit(
    async ({ username }) => {
      setProblem(undefined);
      setSent(undefined);
      try {
        const answer = await api.auth.forgetPass({
          username: username.trim(),
          captcha_token: await captcha.answer(),
          company_id: brand.company_id,
          root_id: brand.root_id,
        });
        setSent(answer.message);
      } catch (error) {
        const fields = error instanceof ApiError ? error.errors.username : undefined;
        if (fields) form.setFieldError('username', fields.join(' '));
        else setProblem(failureWords(error));
      }
      captcha.renew();
    },
    (errors) => focusFirstWrong(form, errors),
  );
  return (
    <AuthBox title="Forgot password" line="We’ll email you a link to set a new one." problem={problem}>
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          {sent && (
            <Notice tone="good" live="status">
              {sent}
            </Notice>
          )}
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            maxLength={70}
            {...form.getInputProps('username')}
          />
          {captcha.box}
          <Suspense fallback={null}>
            <MailKept />
          </Suspense>
          <Button
            type="submit"
            {...keepFocus}
            fullWidth
            loading={form.submitting}
            disabled={!options.data && options.isPending}
          >
            {sent ? 'Send another link' : 'Send link'}
          </Button>
          <ToLogin words="Back to sign-in" />
        </Stack>
      </form>
    </AuthBox>
  );
}
