import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { wordsOf } from '../../api/errors.ts';
import { Notice } from '../../ui/Notice.tsx';
import { AuthBox, ToLogin } from './AuthBox.tsx';

/**
 * /confirm-email/{token}: takes over a new e-mail address (PROF-02). By a click, not by opening, like ConfirmPage: what
 * looks into mails opens links, too.
 */
export default function ConfirmEmailPage() {
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const confirm = useMutation({ mutationFn: () => api.profile.confirmEmail({ token }) });
  if (confirm.data) {
    return (
      <AuthBox title="Your e-mail address">
        <Notice tone="good" live="status">
          {confirm.data.message}
        </Notice>
        <Button autoFocus fullWidth renderRoot={(props) => <Link {...props} to="/login" />}>
          Log in
        </Button>
      </AuthBox>
    );
  }
  return (
    <AuthBox
      title="Confirm your e-mail address"
      line="From then on you sign in with it, and mails go to it."
      problem={confirm.error ? wordsOf(confirm.error) : undefined}
    >
      <Button autoFocus fullWidth loading={confirm.isPending} onClick={() => confirm.mutate()}>
        Confirm address
      </Button>
      <ToLogin words="Back to login" />
    </AuthBox>
  );
}
