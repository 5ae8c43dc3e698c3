import { Button, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { userQuery } from '../../../api/user.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import classes from './payments.module.css';

/** The sandbox's form for a connected account, in place of a payment provider's page. */
export default function SandboxAccountPage() {
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [sent, setSent] = useState<'approve' | 'reject'>();
  // A link works only once, so it is requested only once.
  const query = useQuery({
    queryKey: ['payment', 'sandbox-account', token],
    queryFn: () => api.payments.sandboxOpen({ token }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const back = async (to: string) => {
    await queryClient.invalidateQueries({ queryKey: userQuery.queryKey });
    const { pathname, searchParams } = new URL(to, location.origin);
    await navigate({ to: pathname, search: Object.fromEntries(searchParams) as never });
  };
  const send = async (verdict: 'approve' | 'reject') => {
    setSent(verdict);
    try {
      const { message } = await api.payments.sandboxSubmit({ verdict });
      notifyDone(message);
      await back(query.data?.back ?? '/');
    } catch (error) {
      setSent(undefined);
      notifyFailed(error);
    }
  };
  return (
    <>
      <PageHeader title="Payment account" line="What a payment provider would ask the account owner." />
      <div className={classes.column}>
        <section className={`card ${classes.box}`} aria-label="Sandbox form">
          {query.error ? (
            <ErrorState error={query.error} what="This form could not be opened" />
          ) : !query.data ? (
            <Skeleton height={120} />
          ) : query.data.status === 'expired' ? (
            <>
              <Notice tone="warn" title="This link has been used or has expired">
                Go back to where you came from and open a new one.
              </Notice>
              <Group mt="md">
                <Button onClick={() => void back(query.data.again)}>Go back</Button>
              </Group>
            </>
          ) : (
            <>
              <span className={classes.sandbox}>
                <IconFlask size={14} aria-hidden="true" /> Sandbox
              </span>
              <Title order={2} size="h3" mt="xs">
                Submit form
              </Title>
              <Text size="sm" c="dimmed" mt={4} mb="md">
                A provider would ask for business details, a bank account, and acceptance of its terms here.
                The sandbox asks for nothing and returns the result you choose half a minute later.
              </Text>
              <Group gap="xs">
                <Button
                  loading={sent === 'approve'}
                  disabled={Boolean(sent)}
                  onClick={() => void send('approve')}
                >
                  Submit and accept
                </Button>
                <Button
                  variant="default"
                  loading={sent === 'reject'}
                  disabled={Boolean(sent)}
                  onClick={() => void send('reject')}
                >
                  Submit and reject
                </Button>
              </Group>
            </>
          )}
        </section>
      </div>
    </>
  );
}
