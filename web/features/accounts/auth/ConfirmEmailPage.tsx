import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { AuthBox, ToLogin } from './AuthBox.tsx';

/**
 * /confirm-email/{token}: confirms a new email address (PROF-02). Requires a click, like ConfirmPage, because email
 * scanners open links, too. With ?stop=1 it stops a change that another person requested.
 */
export default function ConfirmEmailPage() {
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const { stop } = useSearch({ strict: false }) as { stop?: string };
  const call = stop ? api.profile.stopEmail : api.profile.confirmEmail;
  const confirm = useMutation({ mutationFn: () => call({ token }) });
  if (confirm.data) {
    return (
      <AuthBox title="Your email address">
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
      title={stop ? 'Keep your email address' : 'Confirm your email address'}
      line={
        stop
          ? 'This stops the change and keeps your current address.'
          : 'From then on, you sign in with this address and receive emails there.'
      }
      problem={confirm.error ? wordsOf(confirm.error) : undefined}
    >
      <Button autoFocus fullWidth loading={confirm.isPending} onClick={() => confirm.mutate()}>
        {stop ? 'Stop this change' : 'Confirm address'}
      </Button>
      <ToLogin words="Back to sign-in" />
    </AuthBox>
  );
}
