import { Button } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { screenMessages } from '../../../../contract/screen-messages.ts';
import { AuthBox, ToLogin } from './AuthBox.tsx';

/** /reset-password-invalid: why a link to set a new password cannot be used (spec product 2, AUTH-10). */
export default function ResetInvalidPage() {
  const { reason } = useRouterState({ select: ({ location }) => location.state }) as { reason?: string };
  return (
    <AuthBox title="This link does not work" problem={reason ?? screenMessages.resetInvalid}>
      <Button
        fullWidth
        renderRoot={(props) => <Link {...props} to="/login" search={{ forgot: '1' } as never} />}
      >
        Request a new link
      </Button>
      <ToLogin words="Back to sign-in" />
    </AuthBox>
  );
}
