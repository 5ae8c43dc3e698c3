import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { FormSection } from '../../../ui/FormSection.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { TwoFactorModals } from './modals.tsx';
import { factorQuery, recoveryQuery } from './options.ts';
import { showRecoveryCodes } from './RecoveryCodes.tsx';

const WORDS = { email: 'Email codes', google: 'Authenticator app' } as const;

/** The user's own second factor, and how many recovery codes are left as a fallback. */
export function FactorSection() {
  const user = useUser();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const factor = useQuery(factorQuery(user.id));
  const recovery = useQuery(recoveryQuery);
  const renew = useMutation({
    mutationFn: () => api.auth.renewRecoveryCodes({}),
    onSuccess: async ({ message, recovery_codes }) => {
      void queryClient.invalidateQueries({ queryKey: recoveryQuery.queryKey });
      await showRecoveryCodes(recovery_codes);
      notifyDone(message);
    },
    onError: (error) => notifyFailed(error),
  });
  const kind = factor.data?.two_factor_auth_type ?? null;
  const failed = factor.error ?? recovery.error;
  const askAndRenew = async () => {
    const isSure = await confirm({
      title: 'Create new recovery codes?',
      body: 'Your current codes will stop working.',
      verb: 'Create new codes',
    });
    if (isSure) renew.mutate();
  };
  return (
    <>
      <FormSection
        title="Two-factor authentication"
        line="A code in addition to your password, so a stolen password alone isn’t enough to sign in."
      >
        {failed ? (
          <ErrorState
            error={failed}
            what="Your two-factor authentication settings could not be loaded"
            onRetry={() => {
              void factor.refetch();
              void recovery.refetch();
            }}
          />
        ) : !factor.data || !recovery.data ? (
          <Skeleton height={36} aria-busy="true" />
        ) : (
          <>
            <Group justify="space-between" gap="md">
              <Group gap="xs">
                <StatusBadge status={kind ? 'active' : 'off'} tone={kind ? 'good' : 'warn'}>
                  {kind ? 'On' : 'Off'}
                </StatusBadge>
                {kind && <Text size="sm">{WORDS[kind]}</Text>}
              </Group>
              <Button variant="default" onClick={() => setOpen(true)}>
                {kind ? 'Change' : 'Turn on'}
              </Button>
            </Group>
            {kind && (
              <Group justify="space-between" gap="md" mt="md">
                <Text size="sm">
                  {recovery.data.left} of {recovery.data.total || 10} recovery codes left
                  {recovery.data.made_at && (
                    <>
                      , created <When at={recovery.data.made_at} />
                    </>
                  )}
                </Text>
                <Button variant="default" loading={renew.isPending} onClick={() => void askAndRenew()}>
                  Create new codes
                </Button>
              </Group>
            )}
            {kind && recovery.data.left < 3 && (
              <div style={{ marginTop: 16 }}>
                <Notice tone="warn">
                  {recovery.data.left === 0
                    ? 'You have no recovery codes left. If you lose your second factor, you can’t sign in. Create new codes.'
                    : 'You are running low on recovery codes. Create new ones before you need them.'}
                </Notice>
              </div>
            )}
          </>
        )}
      </FormSection>
      <TwoFactorModals opened={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
