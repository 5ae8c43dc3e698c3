import { Button, Checkbox, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { IconTargetArrow } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useSelection } from '../../../ui/selection.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { Changes } from './Changes.tsx';
import { type Possible, type Previewed, PUSH_WORDS, type Whole } from './model.ts';

/** How many targets a preview shows. */
const PREVIEWED = 25;

type Stages = 'one' | 'share' | 'all';

/** Pushes a version: which, to whom, in which stages, and what it would change. */
export function PushTab({ whole }: { whole: Whole }) {
  const { data: template, versions } = whole;
  const isCampaign = template.kind === 'campaign';
  const [, set] = useSearchParams();
  const cache = useQueryClient();
  const list = useListState({ perPage: 25 });
  const selected = useSelection<Possible>();
  const [version, setVersion] = useState(String(template.versions));
  const [overwrite, setOverwrite] = useState(false);
  const [stages, setStages] = useState<Stages>('one');
  const [share, setShare] = useState<number | string>(10);
  const { page, per_page, search } = list.input;
  const input = { id: template.id, page, per_page, ...(search ? { search } : {}) };
  const query = useQuery({
    queryKey: ['template-targets', input],
    queryFn: ({ signal }) => api.templates.targets(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const ids = selected.list.map(({ id }) => id);
  const given = { id: template.id, version: Number(version), overwrite };
  const preview = useMutation({
    mutationFn: () => api.templates.preview({ ...given, target_ids: ids.slice(0, PREVIEWED) }),
    onError: (error) => notifyFailed(error, 'The preview failed'),
  });
  const push = useMutation({
    mutationFn: () =>
      api.templates.push({
        ...given,
        target_ids: ids,
        ...(stages === 'one' ? { first_clients: 1 } : {}),
        ...(stages === 'share' ? { first_percent: Number(share) } : {}),
      }),
    onError: (error) => notifyFailed(error, 'The push did not start'),
    async onSuccess({ message, id }) {
      notifyDone(message);
      await cache.invalidateQueries({ queryKey: ['template', template.id] });
      set({ tab: 'pushes', push: id, page: undefined, q: undefined }, { push: true });
    },
  });
  // What was shown is no longer what would be pushed.
  const forget = () => preview.reset();
  const open = whole.pushes.find(
    ({ state }) => state === 'running' || state === 'paused' || state === 'undoing',
  );
  const many = `${num(ids.length)} ${isCampaign ? (ids.length === 1 ? 'campaign' : 'campaigns') : ids.length === 1 ? 'company' : 'companies'}`;
  const shareFault =
    stages === 'share' && !(Number.isInteger(share) && Number(share) >= 1 && Number(share) <= 99)
      ? 'Enter a number from 1 to 99'
      : null;

  const start = async () => {
    const goes = await confirm({
      title: `Push version ${version} to ${many}?`,
      body: `${isCampaign ? 'Running campaigns change at once' : 'Pages change at once'}${stages === 'all' ? '' : ', the first ones now and the rest when you continue'}. You can roll the push back.`,
      verb: 'Push',
    });
    if (goes) push.mutate();
  };
  const columns: Column<Possible>[] = [
    ...(isCampaign
      ? [
          {
            key: 'company',
            title: 'Client',
            fluid: 20,
            render: (row: Possible) => <Clip text={row.company_name} max="cell" />,
          },
        ]
      : []),
    {
      key: 'name',
      title: isCampaign ? 'Campaign' : 'Company',
      fluid: 26,
      render: (row) => <Clip text={row.name} max="cell" />,
    },
    ...(isCampaign
      ? [
          {
            key: 'state',
            title: 'Status',
            from: 560,
            render: (row: Possible) => <StatusBadge status={row.state} />,
          },
        ]
      : []),
    {
      key: 'version',
      title: 'Has version',
      align: 'right',
      render: (row) =>
        row.pushed_version === null ? <None /> : <span className="num">{row.pushed_version}</span>,
    },
    { key: 'pushed', title: 'Pushed', from: 760, render: (row) => <When at={row.pushed_at} /> },
  ];
  return (
    <Stack gap="md">
      {open && (
        <Notice
          tone="info"
          title={`A push of version ${open.version} is under way: ${PUSH_WORDS[open.state].toLowerCase()}.`}
          action={
            <Button size="xs" variant="default" onClick={() => set({ tab: 'pushes', push: open.id })}>
              Open the push
            </Button>
          }
        >
          Finish or stop it before you start another.
        </Notice>
      )}
      <Group align="flex-end" gap="md">
        <Select
          label="Version"
          w={150}
          allowDeselect={false}
          data={versions.map((one) => ({ value: String(one.number), label: `Version ${one.number}` }))}
          value={version}
          onChange={(value) => {
            setVersion(value ?? version);
            forget();
          }}
        />
        <Select
          label="Start with"
          w={240}
          allowDeselect={false}
          data={[
            { value: 'one', label: isCampaign ? 'One client, then wait' : 'One company, then wait' },
            {
              value: 'share',
              label: isCampaign ? 'A share of clients, then wait' : 'A share of companies, then wait',
            },
            { value: 'all', label: 'All at once' },
          ]}
          value={stages}
          onChange={(value) => setStages((value as Stages | null) ?? stages)}
        />
        {stages === 'share' && (
          <NumberInput
            label="Share"
            w={110}
            suffix="%"
            min={1}
            max={99}
            allowDecimal={false}
            value={share}
            error={shareFault}
            onChange={setShare}
          />
        )}
      </Group>
      <Checkbox
        label="Also change fields that were changed since the last push"
        description="If off, those fields stay as they are and are listed as conflicts."
        checked={overwrite}
        onChange={(event) => {
          setOverwrite(event.currentTarget.checked);
          forget();
        }}
      />
      <DataTable
        label={isCampaign ? 'Campaigns to push to' : 'Companies to push to'}
        name="template-targets"
        download={{ list: 'template-targets', of: 'templates.targets', query: input }}
        columns={columns}
        query={query}
        state={list}
        search={isCampaign ? 'Search by client or campaign' : 'Search by name'}
        rowKey={(row) => row.id}
        selection={{
          selected,
          nameOf: (row) => row.name,
          actions: (
            <>
              <Button
                size="xs"
                variant="default"
                loading={preview.isPending}
                onClick={() => preview.mutate()}
              >
                Preview
              </Button>
              <Button
                size="xs"
                disabled={Boolean(open) || shareFault !== null}
                loading={push.isPending}
                onClick={() => void start()}
              >
                Push to {many}
              </Button>
            </>
          ),
        }}
        empty={
          <EmptyState
            icon={<IconTargetArrow size={32} stroke={1.4} />}
            title="Nothing to push to"
            text={
              isCampaign
                ? 'Campaigns of this product that run or are paused appear here.'
                : 'Your company and those below it appear here.'
            }
          />
        }
      />
      {ids.length === 0 && (
        <Text size="sm" c="dimmed">
          Select {isCampaign ? 'campaigns' : 'companies'} to preview and push.
        </Text>
      )}
      {preview.data && <Preview rows={preview.data.data} more={Math.max(0, ids.length - PREVIEWED)} />}
    </Stack>
  );
}

function Preview({ rows, more }: { rows: Previewed[]; more: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Preview">
      {rows.map((row) => (
        <section key={row.target_id} className="card" style={{ padding: 16, overflowWrap: 'anywhere' }}>
          <Text fw={600}>
            <bdi>{row.target_name}</bdi>
          </Text>
          {row.refusal && (
            <Text size="sm" c="red.9" mt={4}>
              The push would leave it as it is. {row.refusal}
            </Text>
          )}
          <Changes
            label={`Changes of ${row.target_name}`}
            heads={['Now', 'After the push']}
            rows={row.changes}
          />
          {row.kept.length > 0 && (
            <>
              <Text size="sm" mt="xs">
                Conflicts: changed since the last push, so these stay as they are.
              </Text>
              <Changes
                label={`Conflicts of ${row.target_name}`}
                heads={['Now', 'In the template']}
                rows={row.kept}
              />
            </>
          )}
          {!row.refusal && row.changes.length + row.kept.length === 0 && (
            <Text size="sm" c="dimmed">
              Already as in the template.
            </Text>
          )}
        </section>
      ))}
      {more > 0 && (
        <Text size="sm" c="dimmed">
          The preview shows the first {PREVIEWED}. {num(more)} more are selected.
        </Text>
      )}
    </Stack>
  );
}
