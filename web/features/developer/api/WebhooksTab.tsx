import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ALL_EVENTS, MOST_HOOKS } from '../../../../contract/developer/hook-events.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, When } from '../../../ui/Values.tsx';
import { HookDetail, HookState } from './HookDetail.tsx';
import { HookForm } from './HookForm.tsx';
import { SecretModal } from './SecretModal.tsx';
import type { Hook } from './words.ts';

/** 'All events', or how many. */
const eventWords = ({ types }: Hook): string =>
  types.includes(ALL_EVENTS) ? 'All events' : types.length === 1 ? types[0]! : `${types.length} events`;

/** The endpoints where the agency's own programs receive events (DEV-04). */
export function WebhooksTab() {
  const user = useUser();
  const cache = useQueryClient();
  const drawer = useDrawer('endpoint');
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const query = useQuery({
    queryKey: ['developer', 'hooks'],
    queryFn: ({ signal }) => api.developer.hooks(undefined, { signal }),
  });
  const mayChange = !user.in_view_mode;
  const hooks = query.data?.data ?? [];
  const add = mayChange && hooks.length < MOST_HOOKS && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setMaking(true)}>
      New endpoint
    </Button>
  );
  const columns: Column<Hook>[] = [
    { key: 'url', title: 'URL', fluid: 40, least: 200, render: (row) => <Clip text={row.url} max="cell" /> },
    { key: 'description', title: 'Description', render: (row) => <Clip text={row.description} max={200} /> },
    { key: 'status', title: 'Status', render: (row) => <HookState of={row} /> },
    { key: 'types', title: 'Events', render: eventWords },
    { key: 'messages_7d', title: 'Messages (7 days)', align: 'right', render: (row) => row.messages_7d },
    { key: 'failed_7d', title: 'Failed', align: 'right', render: (row) => row.failed_7d },
    { key: 'created_at', title: 'Created', hidden: true, render: (row) => <When at={row.created_at} /> },
  ];
  const again = () => cache.invalidateQueries({ queryKey: ['developer'] });
  return (
    <>
      <Text size="sm" c="dimmed" mb="md" maw={720}>
        An endpoint is an address on your server. When something happens, such as a new lead, it gets a signed
        message right away. Messages are retried for three days.
      </Text>
      <DataTable
        label="Webhook endpoints"
        name="developer-hooks"
        download={{ list: 'developer-hooks' }}
        query={query}
        rowKey={(row) => row.id}
        onRow={(row) => drawer.open(row.id)}
        columns={columns}
        phoneRow={(row) => ({
          state: <HookState of={row} />,
          line: eventWords(row),
          end:
            row.failed_7d > 0
              ? `${row.failed_7d} failed`
              : `${row.messages_7d} ${row.messages_7d === 1 ? 'message' : 'messages'}`,
        })}
        actions={hooks.length > 0 && add}
        empty={
          <EmptyState
            title="No endpoints yet"
            text="Add one to get leads and changes the moment they happen, without polling."
            action={add || undefined}
          />
        }
      />
      <DetailDrawer param="endpoint" title="Webhook endpoint" size={720}>
        {(id) => {
          const of = hooks.find((hook) => hook.id === id);
          return of ? <HookDetail of={of} onSecret={setSecret} onRemoved={drawer.close} /> : null;
        }}
      </DetailDrawer>
      {isMaking && (
        <HookForm
          onClose={() => setMaking(false)}
          onDone={(message, made) => {
            setMaking(false);
            setSecret(made);
            notifyDone(message);
            void again();
          }}
        />
      )}
      {secret && (
        <SecretModal
          title="Save the signing secret"
          about="Your server uses it to verify that messages come from us. If you lose it, rotate it."
          values={[
            { label: 'Signing secret', value: secret, done: 'Signing secret copied to the clipboard!' },
          ]}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
