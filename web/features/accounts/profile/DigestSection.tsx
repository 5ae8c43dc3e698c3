import { Anchor, Button, Group, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { maySee } from '../../../../contract/routing/routing.ts';
import { api } from '../../../api/client.ts';
import { useFacts } from '../../../api/user.ts';
import { FormSection } from '../../../ui/FormSection.tsx';
import { shortDay } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import MailKept from '../../operations/outbox/MailKept.tsx';

const digestQuery = queryOptions({
  queryKey: ['digest'],
  queryFn: ({ signal }) => api.digest.get(undefined, { signal }),
});
const PREVIEW = 'digest-preview';

/** Whether the user gets the weekly digest, and what the last one said. */
export function DigestSection() {
  const { user } = useFacts();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const query = useQuery(digestQuery);
  const choose = useMutation({
    mutationFn: (is_on: boolean) => api.digest.choose({ is_on }),
    onSuccess: ({ message }) => {
      notifyDone(message);
      return queryClient.invalidateQueries({ queryKey: digestQuery.queryKey });
    },
    onError: (error) => notifyFailed(error),
  });
  const send = useMutation({
    mutationFn: () => api.digest.send(),
    onSuccess: ({ message }) => notifyDone(message),
    onError: (error) => notifyFailed(error),
  });
  const digest = query.data;
  const isClient = user.company_kind === 'client';
  return (
    <FormSection
      title="Weekly digest"
      line={
        isClient
          ? 'An email about your week: leads, who came back, what you spent, and what needs attention.'
          : 'An email about your clients’ week: who is growing, falling behind, silent, or unpaid.'
      }
    >
      {query.error ? (
        <ErrorState
          error={query.error}
          what="Your weekly digest could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !digest ? (
        <Skeleton height={36} aria-busy="true" />
      ) : (
        <Stack gap="md">
          <Switch
            label="Email me the digest every Monday at 8:00 AM"
            description={
              digest.is_on
                ? `The next one is sent on ${shortDay(digest.next_at, new Date(), digest.time_zone)}.`
                : `To ${digest.email}, in the time zone of your company.`
            }
            checked={choose.isPending ? choose.variables : digest.is_on}
            disabled={user.in_view_mode || choose.isPending}
            onChange={(event) => choose.mutate(event.currentTarget.checked)}
          />
          {digest.is_blocked && (
            <Notice tone="warn">
              Your company has turned off emails to you, so the digest is not sent either. Ask its owner to
              turn them on.
            </Notice>
          )}
          {digest.is_on && <MailKept />}
          <Group gap="xs">
            <Button
              variant="default"
              aria-expanded={isOpen}
              aria-controls={isOpen ? PREVIEW : undefined}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'Hide preview' : 'Preview'}
            </Button>
            <Button
              variant="default"
              disabled={user.in_view_mode}
              loading={send.isPending}
              onClick={() => send.mutate()}
            >
              Email it to me now
            </Button>
          </Group>
          {isOpen && <Preview />}
        </Stack>
      )}
    </FormSection>
  );
}

/** The digest of the last week that is over. */
function Preview() {
  const facts = useFacts();
  const query = useQuery({
    queryKey: ['digest', 'preview'],
    queryFn: ({ signal }) => api.digest.preview(undefined, { signal }),
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The preview could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <Skeleton height={120} aria-busy="true" />;
  const { subject, sentences } = query.data;
  return (
    <div id={PREVIEW}>
      {subject === null ? (
        <Text c="dimmed">There is nothing to report for last week, so no email is sent.</Text>
      ) : (
        <Stack gap="xs">
          <Text fw={600}>{subject}</Text>
          {sentences.map(({ text, path }) => (
            <Text key={text} style={{ overflowWrap: 'anywhere' }}>
              {text}{' '}
              {path && maySee(path.split('?')[0]!, facts) && (
                <Anchor
                  component={Link}
                  to={path as '/'}
                  inherit
                  underline="always"
                  aria-label={`View: ${text}`}
                >
                  View
                </Anchor>
              )}
            </Text>
          ))}
        </Stack>
      )}
    </div>
  );
}
