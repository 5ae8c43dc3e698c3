import '../../../ui/desk.css';
import { Checkbox, Text } from '@mantine/core';
import type { Client } from '../../../../contract/index.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { When } from '../../../ui/Values.tsx';

import classes from './LoginPage.module.css';

type Checked = Awaited<ReturnType<Client['auth']['verifyResetToken']>>;

/**
 * The passkeys that stay valid after a password reset, with the option to remove them if the user fears one is not
 * theirs.
 */
export default function ResetPasskeys(props: {
  passkeys: NonNullable<Checked['passkeys']>;
  stay: boolean;
  isRemoving: boolean;
  onChange: (isRemoving: boolean) => void;
}) {
  const { passkeys } = props;
  const names = (
    <ul className={classes.passkeys}>
      {passkeys.map((one) => (
        <li key={`${one.created_at} ${one.name}`}>
          {one.name}, for {one.host}, added <When at={one.created_at} />
        </li>
      ))}
    </ul>
  );
  if (props.stay) {
    return (
      <Notice tone="info" title="Your passkeys stay">
        <Text size="sm">
          They are your required second factor. Sign in with one, and remove any you don’t recognize under
          Security.
        </Text>
        {names}
      </Notice>
    );
  }
  return (
    <>
      <Checkbox
        label={passkeys.length === 1 ? 'Remove my passkey too' : `Remove all ${passkeys.length} passkeys too`}
        description="A passkey signs in without the password. Remove them if someone else may have had access to your account."
        checked={props.isRemoving}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {names}
    </>
  );
}
