import { Skeleton, Stack, Switch } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useFacts } from '../../../api/user.ts';
import { FormSection } from '../../../ui/FormSection.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';

const silenceQuery = queryOptions({
  queryKey: ['silence'],
  queryFn: ({ signal }) => api.silence.get(undefined, { signal }),
});

/** Whether the user gets an email when a site goes silent. */
export function SilenceSection() {
  const { user } = useFacts();
  const queryClient = useQueryClient();
  const query = useQuery(silenceQuery);
  const choose = useMutation({
    mutationFn: (is_on: boolean) => api.silence.choose({ is_on }),
    onSuccess: ({ message }) => {
      notifyDone(message);
      return queryClient.invalidateQueries({ queryKey: silenceQuery.queryKey });
    },
    onError: (error) => notifyFailed(error),
  });
  const silence = query.data;
  return (
    <FormSection
      title="Silent sites"
      line="A site is silent when its pixel has sent nothing for twice its usual pause."
    >
      {query.error ? (
        <ErrorState
          error={query.error}
          what="This setting could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !silence ? (
        <Skeleton height={36} aria-busy="true" />
      ) : (
        <Stack gap="md">
          <Switch
            label="Email me when a site goes silent"
            description={`To ${silence.email}, once each time a site goes silent.`}
            checked={choose.isPending ? choose.variables : silence.is_on}
            disabled={user.in_view_mode || choose.isPending}
            onChange={(event) => choose.mutate(event.currentTarget.checked)}
          />
          {silence.is_blocked && (
            <Notice tone="warn">
              Your company has turned off emails to you, so this one is not sent either. Ask its owner to turn
              them on.
            </Notice>
          )}
        </Stack>
      )}
    </FormSection>
  );
}
