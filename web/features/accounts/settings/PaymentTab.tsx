import { Button, Stack, Text, Title } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../../api/client.ts';
import { userQuery, useSetup, useUser } from '../../../api/user.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { When } from '../../../ui/Values.tsx';
import { AccountButtons, AccountStatus } from '../../money/payments/AccountParts.tsx';
import { Payouts } from '../../money/payments/Payouts.tsx';
import { useStep } from '../../money/payments/useStep.ts';
import classes from './settings.module.css';

/** How often to poll the provider while it verifies the account. */
const ASK_MS = 10_000;

/** The account that an agency's clients pay into: connect, view, and disconnect it (spec product 4, Agency setup). */
export default function PaymentTab() {
  const user = useUser();
  const check = useSetup();
  const cache = useQueryClient();
  const known = check.account_status;
  const step = useStep(async (task: () => Promise<{ message: string }>) => {
    const done = await task();
    await cache.invalidateQueries({ queryKey: ['payment', 'account'] });
    return done;
  });
  // Users returning from the provider's form see its current status.
  const { data } = useQuery({
    queryKey: ['payment', 'account', known],
    queryFn: ({ signal }) => api.payments.checkAccount(undefined, { signal }),
    enabled: known !== '' && !user.in_view_mode && check.gateway !== 'none',
    refetchInterval: known === 'inverification' ? ASK_MS : false,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  useEffect(() => {
    if (data && data.account_status !== known) void cache.invalidateQueries({ queryKey: userQuery.queryKey });
  }, [data, known, cache]);
  return (
    <Stack gap="md" className={classes.fields}>
      <div>
        <Title order={2} size="h3">
          Payment account
        </Title>
        <Text size="sm" c="dimmed">
          Your clients pay into this account. Their campaigns run while it is connected.
        </Text>
      </div>
      {check.gateway === 'none' ? (
        <Text size="sm">Payments are settled outside this platform, so there is no account to connect.</Text>
      ) : (
        <>
          <div>
            <AccountStatus check={check} user={user} />
            {known === 'completed' && (
              <Text size="sm" c="dimmed" mt="xs">
                Payments: {user.charges_enabled ? 'on' : 'off'} · Payouts:{' '}
                {user.payouts_enabled ? 'on' : 'off'}
              </Text>
            )}
            {data?.change && (
              <div style={{ marginTop: 16 }}>
                <Notice
                  tone="warn"
                  title={`${data.change.asked_by || 'Someone'} asked to disconnect this account`}
                  action={
                    <Button
                      variant="default"
                      size="xs"
                      disabled={step.isPending}
                      onClick={() => step.mutate(() => api.payments.keepAccount())}
                    >
                      Keep account
                    </Button>
                  }
                >
                  <Text size="sm">
                    It stays connected until <When at={data.change.at} />, unless an owner of the agency
                    disconnects it now.
                  </Text>
                </Notice>
              </div>
            )}
            {user.in_view_mode ? (
              <Text size="sm" c="dimmed" mt="md">
                Only the agency’s own users can change its payment account.
              </Text>
            ) : (
              <AccountButtons
                check={check}
                user={user}
                from="settings"
                act={step.mutate}
                disabled={step.isPending}
              />
            )}
          </div>
          <Payouts />
          {check.gateway === 'sandbox' && (
            <Text size="sm" c="dimmed">
              <IconFlask size={14} aria-hidden="true" /> No payment provider is set up, so the sandbox form is
              used instead. No money moves.
            </Text>
          )}
        </>
      )}
    </Stack>
  );
}
