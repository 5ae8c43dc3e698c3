import { Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import type { MenuModal } from './modal.types.ts';

/** The user's own link for inviting others to sign up (CONF-10). */
export default function ReferralModal({ opened, onClose }: MenuModal) {
  const user = useUser();
  const link = useQuery({
    queryKey: ['referral-link', user.id],
    queryFn: ({ signal }) => api.auth.referralLink(undefined, { signal }),
    enabled: opened,
  });
  const whom = link.data?.url.includes('/agency-register/') ? 'an agency' : 'a client';
  return (
    <Modal opened={opened} onClose={onClose} title="Referral link" centered>
      {link.error ? (
        <ErrorState
          error={link.error}
          what="The link could not be loaded"
          onRetry={() => void link.refetch()}
        />
      ) : (
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {link.data
              ? `Anyone who registers with this link as ${whom} is recorded as your referral.`
              : 'Anyone who registers with this link is recorded as your referral.'}
          </Text>
          {link.data ? (
            <>
              <TextInput
                label="Your link"
                readOnly
                data-autofocus
                value={link.data.url}
                onFocus={(event) => event.currentTarget.select()}
              />
              <CopyButton text={link.data.url} label="Copy link" />
              {link.data.registration_open === 'F' && (
                <Notice tone="warn">
                  Registration is currently closed there. Until it opens, the link leads to the sign-in page.
                </Notice>
              )}
            </>
          ) : (
            <>
              <Skeleton height={61} />
              <Skeleton height={36} />
            </>
          )}
        </Stack>
      )}
    </Modal>
  );
}
