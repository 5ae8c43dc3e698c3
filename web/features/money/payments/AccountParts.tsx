import { Button, Group, Text } from '@mantine/core';
import type { SetupCheck } from '../../../../contract/accounts/setup.ts';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { api } from '../../../api/client.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { prettyCode } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';

// An agency's account at the payment provider, as the profile setup and the general settings show it.

export interface AccountProps {
  check: Pick<SetupCheck, 'account_status' | 'account_requirements'>;
  user: Pick<SessionUser, 'charges_enabled' | 'payouts_enabled'>;
}

const ACCOUNT = {
  '': ['none', 'Not connected', 'Connect the account your clients pay into.'],
  pending: ['pending', 'Form not finished', 'Complete the form to verify the account.'],
  inverification: ['pending', 'Being verified', 'The provider is reviewing what you sent.'],
  completed: ['active', 'Connected', 'Your clients can pay you.'],
  failed: ['failed', 'Not accepted', 'The provider did not accept the account. Start again.'],
} as const;

/** Whether a connected account can both charge and pay out. */
const isHealthy = ({ check, user }: AccountProps): boolean =>
  check.account_status !== 'completed' || (user.charges_enabled && user.payouts_enabled);

/** The account's status, and what the provider still requires. */
export function AccountStatus(props: AccountProps) {
  const { check, user } = props;
  const [tone, words, text] = isHealthy(props)
    ? ACCOUNT[check.account_status]
    : ([
        'failed',
        'Needs an update',
        user.charges_enabled ? 'Payouts are paused.' : 'It can’t take payments.',
      ] as const);
  return (
    <>
      <Group gap="sm">
        <StatusBadge status={tone}>{words}</StatusBadge>
        <Text size="sm">{text}</Text>
      </Group>
      {check.account_requirements.length > 0 && (
        <>
          <Text size="sm" mt="sm">
            The payment provider still needs:
          </Text>
          <ul>
            {check.account_requirements.map((one) => (
              <li key={one}>
                <Text size="sm">{prettyCode(one.replaceAll('.', '_'))}</Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/**
 * The available actions for the account in its current state. `act` performs a step and reloads the user; `from` is
 * where the provider's form returns to. Only the settings can disconnect a working account.
 */
export function AccountButtons(
  props: AccountProps & {
    from: 'setup' | 'settings';
    act: (task: () => Promise<{ message: string }>) => void;
    disabled?: boolean;
  },
) {
  const { check, from, act, disabled = false } = props;
  const state = check.account_status;
  const fill =
    state === ''
      ? 'Connect an account'
      : state === 'pending'
        ? 'Continue the form'
        : isHealthy(props)
          ? undefined
          : 'Update account';
  const open = async () => {
    const { message } = await api.payments.createAccount();
    const { url } = await api.payments.linkAccount({ from });
    window.location.assign(url);
    return { message };
  };
  const recheck = async () => {
    const now = await api.payments.checkAccount();
    return { message: `Payment account: ${ACCOUNT[now.account_status][1].toLowerCase()}.` };
  };
  const disconnect = async () => {
    const isSure = await confirm({
      title: 'Disconnect the payment account?',
      body: 'Your clients can’t pay until you connect another account, and they’ll need to enter their cards again.',
      verb: 'Disconnect',
      danger: true,
    });
    if (isSure) act(() => api.payments.resetAccount());
  };
  return (
    <Group gap="xs" mt="md">
      {fill && (
        <Button
          variant={from === 'settings' ? 'filled' : 'default'}
          disabled={disabled}
          onClick={() => act(open)}
        >
          {fill}
        </Button>
      )}
      {state !== '' && (
        <Button variant="default" disabled={disabled} onClick={() => act(recheck)}>
          Check again
        </Button>
      )}
      {state === 'failed' && (
        <Button variant="default" disabled={disabled} onClick={() => act(() => api.payments.resetAccount())}>
          Start over
        </Button>
      )}
      {from === 'settings' && (state === 'completed' || state === 'pending') && (
        <Button variant="default" color="red" disabled={disabled} onClick={() => void disconnect()}>
          Disconnect
        </Button>
      )}
    </Group>
  );
}
