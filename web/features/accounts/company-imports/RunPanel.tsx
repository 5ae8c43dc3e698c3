import { Button, CloseButton, Group, Progress, Radio, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconSend, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../../api/client.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { bytesWords } from '../../../ui/FileDrop.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { forgetFailed, notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { isUnderWay, type Listed, progressOf, type Run, STEP_WORDS, stateOf } from './model.ts';
import { ResultView } from './ResultView.tsx';

/** The state of an import in words. */
export function RunState({ run }: { run: Pick<Listed, 'phase' | 'state'> }) {
  const { words, tone } = stateOf(run);
  return (
    <StatusBadge status={run.state} tone={tone}>
      {words}
    </StatusBadge>
  );
}

/** One import, at its current step. Polled every second while it runs. */
export function RunPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const cache = useQueryClient();
  const queryKey = ['company-imports', 'one', id];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.companyImports.one({ id }, { signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.data) ? 1000 : false),
  });
  const run = query.data?.data;
  const at = run && `${run.phase} ${run.state}`;
  useEffect(() => {
    if (at) void cache.invalidateQueries({ queryKey: ['company-imports', 'list'] });
  }, [at, cache]);
  const about = `import ${id}`;
  const act = useMutation({
    mutationFn: (work: () => Promise<{ message: string }>) => work(),
    onSuccess: async ({ message }) => {
      forgetFailed(about);
      notifyDone(message);
      await cache.invalidateQueries({ queryKey });
    },
    onError: (error) => notifyFailed(error, undefined, about),
  });
  const remove = async () => {
    const isSure = await confirm({
      title: 'Delete this import from the list?',
      body: 'Its archive is deleted. What was imported stays.',
      verb: 'Delete',
      danger: true,
    });
    if (!isSure) return;
    try {
      notifyDone((await api.companyImports.remove({ id })).message);
      void cache.invalidateQueries({ queryKey: ['company-imports', 'list'] });
      onClose();
    } catch (error) {
      notifyFailed(error, undefined, about);
    }
  };
  return (
    <section className="card" aria-label="Import">
      <div style={{ padding: 16 }}>
        {query.error && !run ? (
          <ErrorState
            error={query.error}
            what="This import could not be loaded"
            onRetry={() => void query.refetch()}
          />
        ) : !run ? (
          <Skeleton height={120} />
        ) : (
          <>
            <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
              <div style={{ minWidth: 0 }}>
                <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
                  {run.name ? `${run.name} (${run.kind})` : run.file_name}
                </Title>
                <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {run.name && `${run.file_name}, `}
                  {bytesWords(run.bytes)}, <When at={run.created_at} relative />
                  {run.receiver_name && `, for ${run.receiver_name}`}
                </Text>
              </div>
              <Group gap="xs" wrap="nowrap">
                <RunState run={run} />
                <CloseButton aria-label="Close this import" onClick={onClose} />
              </Group>
            </Group>
            {isUnderWay(run) && (
              <>
                <Progress value={progressOf(run)} aria-label="Import" mt="sm" />
                <Text size="sm" c="dimmed" mt={4} aria-live="polite">
                  {run.error ??
                    `${run.step ? STEP_WORDS[run.step] : 'Waiting in the queue'}. You can leave this page. It will continue.`}
                </Text>
              </>
            )}
            {!isUnderWay(run) && run.error && (
              <div style={{ marginTop: 12 }}>
                <Notice tone={run.state === 'held' ? 'warn' : 'bad'} live="status">
                  {run.error}
                </Notice>
              </div>
            )}
            <Actions
              key={at}
              run={run}
              isBusy={act.isPending}
              onAct={(work) => act.mutate(work)}
              onRemove={() => void remove()}
            />
            {run.result && !isUnderWay(run) && <ResultView result={run.result} />}
          </>
        )}
      </div>
    </section>
  );
}

function Actions(props: {
  run: Run;
  isBusy: boolean;
  onAct: (work: () => Promise<{ message: string }>) => void;
  onRemove: () => void;
}) {
  const { run, isBusy, onAct } = props;
  const { id } = run;
  const [balances, setBalances] = useState<'open' | 'none'>();
  if (isUnderWay(run)) return null;
  const mayStart = run.phase === 'try' && run.state === 'ready' && run.has_file;
  const hasBalances = Object.keys(run.result?.held ?? {}).length > 0;
  const isMade = run.phase === 'import' && run.state === 'ready';
  return (
    <Stack gap="sm" mt="md">
      {mayStart && hasBalances && (
        <Radio.Group
          label="Balances of the archive"
          value={balances ?? ''}
          onChange={(value) => setBalances(value as 'open')}
        >
          <Stack gap="xs" mt={4}>
            <Radio
              value="open"
              label="Open them here"
              description="The agency, or you for an agency’s wallet, owes them from then on."
            />
            <Radio
              value="none"
              label="Keep them as documents only"
              description="Nothing can be spent from them."
            />
          </Stack>
        </Radio.Group>
      )}
      <Group gap="xs">
        {mayStart && (
          <Button
            loading={isBusy}
            disabled={hasBalances && !balances}
            onClick={() =>
              onAct(() => api.companyImports.start({ id, ...(hasBalances && balances ? { balances } : {}) }))
            }
          >
            Import now
          </Button>
        )}
        {isMade && run.to_invite > 0 && (
          <Button
            leftSection={<IconSend size={16} aria-hidden="true" />}
            loading={isBusy}
            onClick={() => onAct(() => api.companyImports.invite({ id }))}
          >
            Invite {num(run.to_invite)} {run.to_invite === 1 ? 'user' : 'users'}
          </Button>
        )}
        {isMade && run.made_id && (
          <Button
            component={Link}
            variant="default"
            {...{ to: '/configuration/invoices', search: { before: run.made_id } as never }}
          >
            Money before the move
          </Button>
        )}
        {!isMade && run.has_file && (
          <>
            <Button
              variant="default"
              loading={isBusy}
              onClick={() => onAct(() => api.companyImports.again({ id, new_ids: run.new_ids }))}
            >
              Check again
            </Button>
            {!run.new_ids && run.state === 'refused' && (
              <Button
                variant="default"
                loading={isBusy}
                onClick={() => onAct(() => api.companyImports.again({ id, new_ids: true }))}
              >
                Check as another copy
              </Button>
            )}
          </>
        )}
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden="true" />}
          onClick={props.onRemove}
        >
          Delete
        </Button>
      </Group>
    </Stack>
  );
}
