import { Alert, Button, Group, PasswordInput, Radio, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle, IconListCheck } from '@tabler/icons-react';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DropBatch, DropState as State } from '../../../../contract/audience/drop.ts';
import type { DropList, DropMode, DropState } from '../../../../contract/audience/drop-rules.ts';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge, type Tone } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { None, When } from '../../../ui/Values.tsx';
import { leftWords } from './words.ts';

const KEY = ['privacy-drop'];
const stateQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => api.drop.state(undefined, { signal }),
});
const MODE_WORDS: Record<DropMode, [name: string, about: string]> = {
  simulated: [
    'Sandbox',
    'Made-up lists, to see how it works. Nothing is exchanged with anyone. Runs only when you start a check.',
  ],
  sandbox: [
    'California’s test service',
    'Its lists are treated like real ones: whoever is on them is deleted here. Requires a key of the test service.',
  ],
  live: [
    'California (live)',
    'Checked every day. Whoever is on the lists is deleted everywhere and no longer sold. You cannot go back to a test service.',
  ],
};
const BATCH_WORDS: Record<DropState, [name: string, tone: Tone]> = {
  loading: ['Loading', 'warn'],
  matching: ['Matching', 'warn'],
  answering: ['Answering', 'warn'],
  complete: ['Complete', 'good'],
};
const LIST_WORDS: Record<DropList, string> = {
  NDZ: 'Name, birth date, ZIP',
  Email: 'Email',
  Phone: 'Phone',
  MAID: 'Advertising ID',
  NameVIN: 'Name and vehicle',
  CTVID: 'Connected TV',
};

const FACTS = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(130px, 1fr))',
  gap: 'var(--mantine-spacing-md)',
} as const;

/** California's deletion lists (docs/decisions/0485-drop.md): where they come from, what was done, and what is due. */
export function DropTab() {
  const query = useQuery({ ...stateQuery, refetchInterval: 10_000 });
  if (query.error)
    return <ErrorState error={query.error} what="California’s lists" onRetry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows />;
  return <Shown state={query.data} />;
}

function Shown({ state }: { state: State }) {
  const cache = useQueryClient();
  const [isSetUp, setIsSetUp] = useState(state.mode === null);
  const [isStarting, setIsStarting] = useState(false);
  const start = async () => {
    setIsStarting(true);
    try {
      notifyDone((await api.drop.start()).message);
      await cache.invalidateQueries({ queryKey: KEY });
    } catch (error) {
      notifyFailed(error);
    } finally {
      setIsStarting(false);
    }
  };
  return (
    <Stack gap="lg">
      <Text size="sm" maw={720}>
        California’s Delete Request and Opt-out Platform (DROP) gives data brokers hashed lists of people who
        want to be deleted. They must be accessed and answered at least every 45 days.
      </Text>
      {state.last_error && (
        <Alert
          color="red"
          variant="light"
          icon={<IconAlertTriangle aria-hidden="true" />}
          title="The last check failed"
        >
          {state.last_error}
        </Alert>
      )}
      {state.mode && (
        <>
          <Group gap="xl" align="flex-start">
            <Fact name="Lists come from">{MODE_WORDS[state.mode][0]}</Fact>
            <Fact name="Last accessed">{state.accessed_at ? <When at={state.accessed_at} /> : <None />}</Fact>
            {state.due_at && state.urgency && (
              <Fact name="Next deadline">
                <StatusBadge
                  status={state.urgency}
                  tone={state.urgency === 'late' ? 'bad' : state.urgency === 'soon' ? 'warn' : 'good'}
                >
                  {leftWords(state.due_at, Date.now())}
                </StatusBadge>
              </Fact>
            )}
            {state.again_at && state.mode !== 'simulated' && (
              <Fact name="Next check">
                <When at={state.again_at} />
              </Fact>
            )}
          </Group>
          <Group gap="xs">
            <Button loading={isStarting} onClick={() => void start()}>
              Check now
            </Button>
            <Button variant="default" aria-expanded={isSetUp} onClick={() => setIsSetUp(!isSetUp)}>
              Change source
            </Button>
          </Group>
        </>
      )}
      {isSetUp && <SetUp state={state} onDone={() => setIsSetUp(false)} />}
      {state.mode && (
        <>
          <section aria-labelledby="drop-standing">
            <Title order={2} size="h4" id="drop-standing" mb="xs">
              Standing suppression
            </Title>
            <Text size="sm" c="dimmed" mb="xs" maw={720}>
              Entries stay in force until they are withdrawn, also if nobody was found: whoever has the same
              email address or phone number later is neither sold nor kept.
            </Text>
            <div style={FACTS}>
              {state.standing.map(({ list, entries }) => (
                <Fact key={list} name={LIST_WORDS[list]}>
                  {num(entries)}
                </Fact>
              ))}
            </div>
          </section>
          <Batches />
          <section aria-labelledby="drop-log">
            <Title order={2} size="h4" id="drop-log" mb="xs">
              Log
            </Title>
            {state.events.length === 0 ? (
              <Text size="sm" c="dimmed">
                Nothing yet.
              </Text>
            ) : (
              <ol aria-labelledby="drop-log" style={{ margin: 0, padding: 0, listStyle: 'none' }}>
                {state.events.map((event) => (
                  <li key={event.id} style={{ overflowWrap: 'anywhere' }}>
                    <Text size="sm" component="span">
                      <span className="dim">
                        <When at={event.at} />
                      </span>{' '}
                      {event.is_fault && <strong>Problem: </strong>}
                      {event.words}
                    </Text>
                  </li>
                ))}
              </ol>
            )}
          </section>
        </>
      )}
    </Stack>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}

function SetUp({ state, onDone }: { state: State; onDone: () => void }) {
  const cache = useQueryClient();
  const form = useForm({ initialValues: { mode: state.mode ?? ('simulated' as DropMode), key: '' } });
  const { mode } = form.values;
  const needsKey = mode !== 'simulated';
  const keeps = state.has_key && state.mode === mode;
  const save = async (values: typeof form.values) => {
    try {
      const { message, data } = await api.drop.setUp({ ...values, key: needsKey ? values.key : '' });
      cache.setQueryData(KEY, data);
      notifyDone(message);
      onDone();
    } catch (error) {
      showFormError(form, error);
    }
  };
  const shown: DropMode[] = state.mode === 'live' ? ['live'] : ['simulated', 'sandbox', 'live'];
  return (
    <form noValidate onSubmit={form.onSubmit(save)}>
      <Stack gap="md" maw={560}>
        <Radio.Group label="Where the lists come from" {...form.getInputProps('mode')}>
          <Stack gap="xs" mt="xs">
            {shown.map((value) => (
              <Radio
                key={value}
                value={value}
                label={MODE_WORDS[value][0]}
                description={MODE_WORDS[value][1]}
              />
            ))}
          </Stack>
        </Radio.Group>
        {needsKey && (
          <PasswordInput
            label="API key"
            description={
              keeps
                ? 'A key is saved. Leave this empty to keep it.'
                : 'From the Data Broker Portal. It is stored encrypted and never shown again.'
            }
            autoComplete="off"
            {...form.getInputProps('key')}
          />
        )}
        {state.mode !== null && state.mode !== mode && (
          <Text size="sm">Everything that came from {MODE_WORDS[state.mode][0]} is deleted.</Text>
        )}
        <Group gap="xs">
          <Button type="submit" loading={form.submitting}>
            Save
          </Button>
          {state.mode !== null && (
            <Button variant="default" onClick={onDone}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function Batches() {
  const query = useQuery({ ...stateQuery, select: ({ batches }) => ({ data: batches }) });
  const count = (
    key: 'entries' | 'deleted' | 'opted_out' | 'not_found' | 'removed',
    title: string,
    from?: number,
  ): Column<DropBatch> => ({
    ...{ key, title, align: 'right', render: (row) => num(row[key]) },
    ...(from ? { from } : {}),
  });
  const badge = (row: DropBatch) => (
    <StatusBadge status={row.state} tone={BATCH_WORDS[row.state][1]}>
      {BATCH_WORDS[row.state][0]}
    </StatusBadge>
  );
  const columns: Column<DropBatch>[] = [
    { key: 'at', title: 'Downloaded', render: (row) => <When at={row.downloaded_at} /> },
    { key: 'state', title: 'Status', render: badge },
    count('entries', 'Entries'),
    count('deleted', 'Deleted', 620),
    count('opted_out', 'Opted out', 620),
    count('not_found', 'Not found', 620),
    count('removed', 'Withdrawn', 900),
    {
      key: 'completed',
      title: 'Completed',
      from: 900,
      render: (row) => (row.completed_at ? <When at={row.completed_at} /> : <None />),
    },
  ];
  return (
    <div>
      <Title order={2} size="h4" mb="xs">
        Downloads
      </Title>
      <DataTable
        label="Downloads"
        name="drop-downloads"
        download={{ list: 'drop-downloads', of: 'drop.batches', query: {} }}
        columns={columns}
        query={query}
        rowKey={(row) => row.id}
        empty={
          <EmptyState
            icon={<IconListCheck size={32} stroke={1.4} aria-hidden="true" />}
            title="No downloads yet"
            text="Each download shows how many entries it had and what became of them."
          />
        }
      />
    </div>
  );
}
