import { Group, Loader, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { ssoLanding } from '../../../../contract/routing/routing-sso.ts';
import { screenMessages } from '../../../../contract/screen-messages.ts';
import { api, session } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { userQuery } from '../../../api/user.ts';
import { alertModal } from '../../../ui/confirm.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { AuthBox } from './AuthBox.tsx';

/** /sso?token=: signs in with a partner's one-time token and redirects (spec product 4, SSO; AUTH-12 to AUTH-14). */
export default function SsoPage() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const [{ token }] = useSearchParams();
  const isStarted = useRef(false);

  useEffect(() => {
    // The token works only once, so an effect that runs twice must not use it twice.
    if (isStarted.current) return;
    isStarted.current = true;

    const forgetAnswers = () =>
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'brand' });

    /** Returns the user whose session this browser holds, if it is still alive. */
    async function currentUser(): Promise<string | null> {
      if (!session.alive) return null;
      try {
        // Bypasses the session, so that an expired one does not show 'Session Ended' now.
        if (!session.token) session.start((await api.auth.refresh({})).access_token);
        return (await queryClient.fetchQuery({ ...userQuery, retry: false })).user.id;
      } catch {
        session.forget();
        return null;
      }
    }

    async function enter(): Promise<string> {
      const currentUserId = await currentUser();
      const answer = await api.auth.ssoValidation({
        token: token ?? '',
        subdomain: location.hostname,
        current_user_id: currentUserId,
      });
      if (answer.action === 'replace_user') session.forget();
      forgetAnswers();
      session.start(answer.access_token);
      return ssoLanding((await queryClient.fetchQuery(userQuery)).user);
    }

    void enter()
      .catch(async (error) => {
        const isUsed = error instanceof ApiError && error.message === screenMessages.ssoUsed;
        await alertModal('Sign-in failed', isUsed ? screenMessages.ssoUsed : messages.ssoInvalid);
        return '/';
      })
      .then((href) => router.navigate({ href, replace: true }));
  }, [queryClient, router, token]);

  return (
    <AuthBox title="Sign in">
      <Group gap="sm" role="status">
        <Loader size="sm" />
        <Text size="sm">Signing you in</Text>
      </Group>
    </AuthBox>
  );
}
