import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { userQuery } from '../../../api/user.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { accessOptionsQuery } from '../../accounts/auth/options.ts';

/** Beside whatever sends an email: says where it is while there is no mail server, which is the case in a new installation. */
export default function MailKept() {
  const { data: options } = useQuery(accessOptionsQuery);
  // Also shown before anyone has signed in, so the user is not asked for.
  const { data: own } = useQuery({ ...userQuery, enabled: false });
  if (options?.emails !== 'kept') return null;
  return (
    <Notice tone="warn">
      No mail server is set, so emails are not sent. They stay in the{' '}
      {own?.setup?.outbox ? (
        <Anchor
          inherit
          c="inherit"
          underline="always"
          renderRoot={(props) => <Link {...props} to={'/configuration/outbox' as '/'} />}
        >
          outbox
        </Anchor>
      ) : (
        'outbox, where the owner of this platform can read them'
      )}
      .
    </Notice>
  );
}
