import { Button, Code, Group, Menu, Modal, Select, Skeleton, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  ALL_EVENTS,
  HOOK_EVENT_NAMES,
  HOOK_EVENTS,
  HOOK_OVERLAP_HOURS,
  type HookEvent,
} from '../../../../contract/developer/hook-events.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { When } from '../../../ui/Values.tsx';
import { HookForm } from './HookForm.tsx';
import { Fact, Json, pretty, Status } from './parts.tsx';
import type { Hook } from './words.ts';

type Message = Awaited<ReturnType<Client['developer']['hookMessages']>>['data'][number];

const STATES = {
  pending: ['info', 'Pending'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
} as const;
const WHY: Record<NonNullable<Hook['status_reason']>, string> = {
  person: 'Someone disabled it. Nothing is sent until it is enabled again.',
  gone: 'It returned 410 Gone. Fix the address, then enable it again.',
  failing: 'An event could not be sent in ten attempts. Fix it, enable it, and resend what failed.',
};
const DAY_MS = 86_400_000;

/** An endpoint's status. */
export function HookState({ of }: { of: Hook }) {
  return (
    <StatusBadge status={of.status} tone={of.status === 'enabled' ? 'good' : 'bad'}>
      {of.status === 'enabled' ? 'Enabled' : 'Disabled'}
    </StatusBadge>
  );
}

function MessageState({ state }: { state: Message['status'] }) {
  const [tone, word] = STATES[state];
  return (
    <StatusBadge status={state} tone={tone}>
      {word}
    </StatusBadge>
  );
}

/** An endpoint with what can be done with it, and its messages. */
export function HookDetail(props: { of: Hook; onSecret: (secret: string) => void; onRemoved: () => void }) {
  const { of } = props;
  const user = useUser();
  const cache = useQueryClient();
  const state = useListState({ perPage: 10 }, 'm');
  const [status, setStatus] = useState<Message['status'] | null>(null);
  const [open, setOpen] = useState<string>();
  const [isEditing, setEditing] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { page, per_page } = state.input;
  const asked = { id: of.id, page, per_page, status: status ?? undefined };
  const query = useQuery({
    queryKey: ['developer', 'messages', asked],
    queryFn: ({ signal }) => api.developer.hookMessages(asked, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const again = () => cache.invalidateQueries({ queryKey: ['developer'] });
  const does = async (title: string, work: () => Promise<string>) => {
    setBusy(true);
    try {
      notifyDone(await work());
    } catch (error) {
      notifyFailed(error, title);
    } finally {
      setBusy(false);
      void again();
    }
  };
  const setDisabled = (disabled: boolean) =>
    does(disabled ? 'Disable the endpoint' : 'Enable the endpoint', async () => {
      return (await api.developer.changeHook({ id: of.id, disabled })).message;
    });
  const rotate = async () => {
    const isSure = await confirm({
      title: 'Rotate the signing secret?',
      body: `Messages are signed with both secrets for ${HOOK_OVERLAP_HOURS} hours, so that you can update your server.`,
      verb: 'Rotate',
    });
    if (isSure)
      await does('Rotate the secret', async () => {
        const { secret, message } = await api.developer.rotateHook({ id: of.id });
        props.onSecret(secret);
        return message;
      });
  };
  const remove = async () => {
    const isSure = await confirm({
      title: 'Remove this endpoint?',
      body: 'Messages waiting for it are not sent.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    await does('Remove the endpoint', async () => {
      const { message } = await api.developer.removeHook({ id: of.id });
      props.onRemoved();
      return message;
    });
  };
  const recover = (days: number) =>
    does('Resend failed messages', async () => {
      const since = new Date(Date.now() - days * DAY_MS).toISOString();
      return (await api.developer.recoverHook({ id: of.id, since })).message;
    });
  const columns: Column<Message>[] = [
    { key: 'type', title: 'Event', fluid: 20, render: (row) => (row.test ? `${row.type} (test)` : row.type) },
    { key: 'status', title: 'Status', render: (row) => <MessageState state={row.status} /> },
    {
      key: 'last_status',
      title: 'Response',
      render: (row) => (row.last_status === null ? (row.last_error ? 'None' : '') : row.last_status),
    },
    { key: 'attempts', title: 'Attempts', align: 'right', render: (row) => row.attempts },
    { key: 'created_at', title: 'Created', render: (row) => <When at={row.created_at} relative /> },
  ];
  return (
    <Stack gap="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
          {of.url}
        </Title>
        <HookState of={of} />
      </Group>
      {of.status_reason && (
        <Notice tone="warn" title="Disabled">
          {WHY[of.status_reason]}
        </Notice>
      )}
      <Stack gap={6}>
        {of.description && <Fact name="Description">{of.description}</Fact>}
        <Fact name="Events">{of.types.includes(ALL_EVENTS) ? 'All events' : of.types.join(', ')}</Fact>
        {of.client_ids && <Fact name="Clients">{`${of.client_ids.length} chosen with the API`}</Fact>}
        {of.previous_secret_until && (
          <Fact name="Secret">
            The previous secret also signs until <When at={of.previous_secret_until} />
          </Fact>
        )}
        <Fact name="Created">
          <When at={of.created_at} />
        </Fact>
      </Stack>
      {!user.in_view_mode && (
        <Group gap="xs">
          <Button loading={isBusy} onClick={() => setTesting(true)}>
            Send test event
          </Button>
          <Button variant="default" onClick={() => setEditing(true)}>
            Edit
          </Button>
          <Menu position="bottom-start">
            <Menu.Target>
              <Button variant="default">More</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>Resend failed messages</Menu.Label>
              {[1, 7, 30].map((days) => (
                <Menu.Item key={days} disabled={of.status !== 'enabled'} onClick={() => void recover(days)}>
                  {days === 1 ? 'Of the last 24 hours' : `Of the last ${days} days`}
                </Menu.Item>
              ))}
              <Menu.Divider />
              <Menu.Item onClick={() => void rotate()}>Rotate signing secret</Menu.Item>
              <Menu.Item onClick={() => void setDisabled(of.status === 'enabled')}>
                {of.status === 'enabled' ? 'Disable' : 'Enable'}
              </Menu.Item>
              <Menu.Item color="red" onClick={() => void remove()}>
                Remove
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      )}
      <DataTable
        label="Messages"
        name="developer-messages"
        download={{ list: 'developer-messages', of: 'developer.hookMessages', query: asked }}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        onRow={(row) => setOpen(open === row.id ? undefined : row.id)}
        isOpen={(row) => open === row.id}
        below={(row) =>
          open === row.id ? <MessageDetail id={row.id} endpoint={of} onChanged={again} /> : null
        }
        columns={columns}
        phoneRow={(row) => ({
          state: <MessageState state={row.status} />,
          line: `${row.attempts} attempts`,
          end: <When at={row.created_at} relative />,
        })}
        actions={
          <Select
            aria-label="Status"
            placeholder="All statuses"
            clearable
            w={150}
            data={Object.entries(STATES).map(([value, [, label]]) => ({ value, label }))}
            value={status}
            onChange={(value) => setStatus(value as Message['status'] | null)}
          />
        }
        empty={
          status ? (
            <EmptyState title="No matching messages" text="Choose another status to see more." />
          ) : (
            <EmptyState title="No messages yet" text="Send a test event to see how a message arrives." />
          )
        }
      />
      {isEditing && (
        <HookForm
          of={of}
          onClose={() => setEditing(false)}
          onDone={(message) => {
            setEditing(false);
            notifyDone(message);
            void again();
          }}
        />
      )}
      {isTesting && (
        <TestModal
          of={of}
          onClose={() => setTesting(false)}
          onSend={async (type) => {
            setTesting(false);
            await does('Send test event', async () => {
              const { data, message } = await api.developer.testHook({ id: of.id, type });
              setOpen(data.id);
              if (data.status !== 'delivered') throw new Error(data.tries[0]?.error ?? message);
              return message;
            });
          }}
        />
      )}
    </Stack>
  );
}

/** Asks which event's example is sent. */
function TestModal(props: { of: Hook; onClose: () => void; onSend: (type: HookEvent) => Promise<void> }) {
  const types = HOOK_EVENT_NAMES.filter(
    (type) => props.of.types.includes(ALL_EVENTS) || props.of.types.includes(type),
  );
  const [type, setType] = useState<HookEvent>(types[0] ?? HOOK_EVENT_NAMES[0]);
  return (
    <Modal opened onClose={props.onClose} title="Send test event" size="sm" centered>
      <Select
        label="Event"
        description={HOOK_EVENTS[type].title}
        data={types}
        value={type}
        allowDeselect={false}
        onChange={(value) => setType(value as HookEvent)}
        data-autofocus
      />
      <Text size="xs" c="dimmed" mt="xs">
        An example is sent now, once a minute. It is marked as a test.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        <Button onClick={() => void props.onSend(type)}>Send</Button>
      </Group>
    </Modal>
  );
}

/** A message: its attempts, and what it says. */
function MessageDetail(props: { id: string; endpoint: Hook; onChanged: () => void }) {
  const user = useUser();
  const [isBusy, setBusy] = useState(false);
  const query = useQuery({
    queryKey: ['developer', 'message', props.id],
    queryFn: ({ signal }) => api.developer.hookMessage({ id: props.id }, { signal }),
  });
  const row = query.data;
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="This message could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!row) return <Skeleton height={160} aria-busy="true" />;
  const resend = async () => {
    setBusy(true);
    try {
      notifyDone((await api.developer.resendMessage({ id: props.id })).message);
    } catch (error) {
      notifyFailed(error, 'Resend');
    } finally {
      setBusy(false);
      props.onChanged();
    }
  };
  return (
    <Stack gap="sm" p="sm">
      <Fact name="Message ID">
        <Code>{row.message_id}</Code>
      </Fact>
      {row.next_attempt_at && (
        <Fact name="Next attempt">
          <When at={row.next_attempt_at} />
        </Fact>
      )}
      {row.tries.map((one) => (
        <Fact key={one.number} name={`Attempt ${one.number}`}>
          <Group gap="xs">
            {one.status !== null && <Status status={one.status} />}
            <span>
              <When at={one.started_at} />, {one.duration_ms} ms
            </span>
          </Group>
          {one.error && <Text size="sm">{one.error}</Text>}
          {one.answer && (
            <Code block mah={120} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} tabIndex={0}>
              {one.answer}
            </Code>
          )}
        </Fact>
      ))}
      {row.body ? (
        <Json title="Message" text={pretty(row.body)} note="As it would be sent now." />
      ) : (
        <Text size="sm" c="dimmed">
          Its subject no longer exists.
        </Text>
      )}
      {!user.in_view_mode && !row.test && row.status !== 'pending' && props.endpoint.status === 'enabled' && (
        <Group>
          <Button variant="default" size="compact-sm" loading={isBusy} onClick={() => void resend()}>
            Resend
          </Button>
        </Group>
      )}
    </Stack>
  );
}
