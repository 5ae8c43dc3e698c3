import { Button, Group, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import { TargetDetails } from './Changes.tsx';
import {
  countWords,
  isBusy,
  PUSH_TONES,
  PUSH_WORDS,
  type Push,
  type Pushed,
  TARGET_TONES,
  TARGET_WORDS,
  type Whole,
} from './model.ts';

/** Every push of a template: one of them with its targets, continued, stopped, or rolled back. */
export function PushesTab({ whole, mayWrite }: { whole: Whole; mayWrite: boolean }) {
  const [params, set] = useSearchParams();
  const { pushes } = whole;
  if (pushes.length === 0)
    return (
      <div className="card">
        <EmptyState
          icon={<IconHistory size={32} stroke={1.4} />}
          title="No pushes yet"
          text="Each push is recorded here with every field that it changed, and can be rolled back."
        />
      </div>
    );
  const shown = pushes.find((one) => one.id === params.push) ?? pushes[0]!;
  const columns: Column<Push>[] = [
    { key: 'version', title: 'Push', render: (row) => `Version ${row.version}` },
    {
      key: 'state',
      title: 'Status',
      render: (row) => (
        <StatusBadge status={row.state} tone={PUSH_TONES[row.state]}>
          {PUSH_WORDS[row.state]}
        </StatusBadge>
      ),
    },
    {
      key: 'counts',
      title: 'Targets',
      fluid: 40,
      render: (row) => <Clip text={countWords(row.counts)} max="cell" />,
    },
    {
      key: 'author',
      title: 'By',
      fluid: 16,
      from: 800,
      render: (row) => <Clip text={row.author_name} max="cell" />,
    },
    { key: 'at', title: 'Started', from: 560, render: (row) => <When at={row.created_at} /> },
  ];
  return (
    <Stack gap="lg">
      {pushes.length > 1 && (
        <DataTable
          label="Pushes"
          name="template-pushes"
          bare
          download={{ list: 'template-pushes', of: 'templates.one', query: { id: whole.data.id } }}
          columns={columns}
          query={{
            data: { data: pushes },
            error: null,
            isPending: false,
            isFetching: false,
            refetch: () => undefined,
          }}
          rowKey={(row) => row.id}
          openKey={shown.id}
          onRow={(row) => set({ push: row.id, page: undefined })}
          phoneRow={(row) => ({
            title: `Version ${row.version}`,
            state: (
              <StatusBadge status={row.state} tone={PUSH_TONES[row.state]}>
                {PUSH_WORDS[row.state]}
              </StatusBadge>
            ),
            line: countWords(row.counts),
            end: <When at={row.created_at} />,
          })}
          empty={null}
        />
      )}
      <OnePush key={shown.id} id={shown.id} templateId={whole.data.id} mayWrite={mayWrite} />
    </Stack>
  );
}

function OnePush({ id, templateId, mayWrite }: { id: string; templateId: string; mayWrite: boolean }) {
  const cache = useQueryClient();
  const [params, set] = useSearchParams();
  const list = useListState({ perPage: 25 });
  const input = { id, page: list.input.page, per_page: list.input.per_page };
  const query = useQuery({
    queryKey: ['template-push', input],
    queryFn: async ({ signal }) => {
      const answer = await api.templates.pushed(input, { signal });
      // The list of pushes and the page's header say the same.
      if (!isBusy(answer.push)) void cache.invalidateQueries({ queryKey: ['template', templateId] });
      return answer;
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data && isBusy(state.data.push) ? 1500 : false),
  });
  const act = useMutation({
    mutationFn: (what: 'continue' | 'stop' | 'rollBack') => api.templates[what]({ id }),
    onSuccess({ message }) {
      notifyDone(message);
      for (const key of [['template-push'], ['template', templateId], ['templates']])
        void cache.invalidateQueries({ queryKey: key });
    },
    onError: (error) => notifyFailed(error),
  });
  const push = query.data?.push;
  const rollBack = async () => {
    const goes = await confirm({
      title: `Roll back the push of version ${push?.version}?`,
      body: 'Every field that it changed is restored, unless someone has changed it since. Those are left as they are and listed.',
      verb: 'Roll back',
      danger: true,
    });
    if (goes) act.mutate('rollBack');
  };
  const badge = (row: Pushed) => (
    <StatusBadge status={row.state} tone={TARGET_TONES[row.state]}>
      {TARGET_WORDS[row.state]}
    </StatusBadge>
  );
  const columns: Column<Pushed>[] = [
    { key: 'name', title: 'Target', fluid: 40, render: (row) => <Clip text={row.target_name} max="cell" /> },
    { key: 'state', title: 'Status', render: badge },
    {
      key: 'changes',
      title: 'Fields',
      fluid: 30,
      from: 700,
      render: (row) => (
        <Clip text={row.reason || row.changes.map(({ label }) => label).join(', ') || null} max="cell" />
      ),
    },
    { key: 'at', title: 'Time', from: 560, render: (row) => <When at={row.done_at} /> },
  ];
  return (
    <section aria-label="Push">
      {push && (
        <Group justify="space-between" mb="md" gap="sm">
          <div>
            <Group gap="xs">
              <Text fw={600}>Version {push.version}</Text>
              <span role="status">
                <StatusBadge status={push.state} tone={PUSH_TONES[push.state]}>
                  {PUSH_WORDS[push.state]}
                </StatusBadge>
              </span>
            </Group>
            <Text size="sm" c="dimmed">
              <bdi>{push.author_name}</bdi>, <When at={push.created_at} />. {countWords(push.counts)}.
            </Text>
            {push.state === 'paused' && (
              <Text size="sm">The first stage is done. Check it, then continue with the rest.</Text>
            )}
          </div>
          {mayWrite && (
            <Group gap="xs">
              {(push.state === 'paused' || push.state === 'stopped') && (
                <Button loading={act.isPending} onClick={() => act.mutate('continue')}>
                  Continue
                </Button>
              )}
              {(push.state === 'running' || push.state === 'paused') && (
                <Button variant="default" loading={act.isPending} onClick={() => act.mutate('stop')}>
                  Stop
                </Button>
              )}
              {(push.state === 'paused' || push.state === 'stopped' || push.state === 'done') && (
                <Button variant="default" loading={act.isPending} onClick={() => void rollBack()}>
                  Roll back
                </Button>
              )}
            </Group>
          )}
        </Group>
      )}
      <DataTable
        label="Targets of the push"
        name="template-pushed"
        download={{ list: 'template-pushed', of: 'templates.pushed', query: input }}
        columns={columns}
        query={query}
        state={list}
        rowKey={(row) => row.target_id}
        onRow={(row) => set({ target: params.target === row.target_id ? undefined : row.target_id })}
        isOpen={(row) => params.target === row.target_id}
        below={(row) => (params.target === row.target_id ? <TargetDetails row={row} /> : null)}
        phoneRow={(row) => ({
          title: row.target_name,
          state: badge(row),
          line: row.reason || row.changes.map(({ label }) => label).join(', ') || '–',
          end: <When at={row.done_at} brief />,
        })}
        empty={<Text size="sm">This push has no targets.</Text>}
      />
    </section>
  );
}
