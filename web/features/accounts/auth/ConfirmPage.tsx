import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { AuthBox, ToLogin } from './AuthBox.tsx';

/**
 * /register/confirm/{token}?email=: completes a sign-up (AUTH-07). Requires a click: email scanners open links, too,
 * and would otherwise confirm an address that its owner has not.
 */
export default function ConfirmPage() {
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const [{ email = '' }] = useSearchParams();
  const confirm = useMutation({ mutationFn: () => api.auth.confirmRegister({ token, email }) });
  if (confirm.data) {
    return (
      <AuthBox title="Welcome" line={email}>
        <Notice tone="good" live="status">
          {confirm.data.message}
        </Notice>
        <Button autoFocus fullWidth renderRoot={(props) => <Link {...props} to="/login" />}>
          Sign in
        </Button>
      </AuthBox>
    );
  }
  return (
    <AuthBox
      title="Complete your registration"
      line={email}
      problem={confirm.error ? wordsOf(confirm.error) : undefined}
    >
      <Button autoFocus fullWidth loading={confirm.isPending} onClick={() => confirm.mutate()}>
        Complete registration
      </Button>
      <ToLogin words="Back to sign-in" />
    </AuthBox>
  );
}
