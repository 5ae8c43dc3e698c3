import { Button, Group, Menu, Stack, Text, TextInput, Title } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { hasPasskeys, makePasskey } from '../../../api/passkey.ts';
import { userQuery } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import type { Column } from '../../../ui/DataTable.types.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { overlaysReady } from '../../../ui/overlays.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, When } from '../../../ui/Values.tsx';
import { showRecoveryCodes } from './RecoveryCodes.tsx';

type Row = Awaited<ReturnType<Client['auth']['passkeys']>>['data'][number];

/** Asks for a passkey's name and closes once `save` is done; resolves then, or when the user cancels. */
async function askName(title: string, name: string, verb: string, save: (name: string) => Promise<unknown>) {
  await overlaysReady();
  return new Promise<void>((resolve) => {
    const id = modals.open({
      title,
      size: 'sm',
      centered: true,
      onClose: () => resolve(),
      children: (
        <NameForm
          name={name}
          verb={verb}
          onSave={async (given) => {
            await save(given);
            modals.close(id);
          }}
          onCancel={() => modals.close(id)}
        />
      ),
    });
  });
}

function NameForm(props: {
  name: string;
  verb: string;
  onSave: (name: string) => Promise<void>;
  onCancel: () => void;
}) {
  const [name, setName] = useState(props.name);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!name.trim()) return setProblem('Enter a name, such as Work laptop');
    setBusy(true);
    try {
      await props.onSave(name.trim());
    } catch (error) {
      setProblem(wordsOf(error));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      <Stack gap="md">
        <TextInput
          label="Name"
          description={`Helps you recognize it later. It works only at ${location.hostname}.`}
          withAsterisk
          data-autofocus
          maxLength={60}
          value={name}
          error={problem}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button type="submit" loading={isBusy}>
          {props.verb}
        </Button>
      </Group>
    </form>
  );
}

/** The user's own passkeys. Each one signs in at the address where it was created. */
export function PasskeysSection() {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => api.auth.passkeys(undefined, { signal }),
  });
  const done = ({ message }: { message: string }) => {
    notifyDone(message);
    return queryClient.invalidateQueries({ queryKey: ['passkeys'] });
  };
  const remove = useMutation({
    mutationFn: (id: string) => api.auth.removePasskey({ id }),
    onSuccess: done,
    onError: (error) => notifyFailed(error),
  });
  const add = () => {
    let codes: readonly string[] | null = null;
    return askName('Add a passkey', '', 'Continue', async (name) => {
      const { options } = await api.auth.newPasskeyChallenge();
      const added = await api.auth.addPasskey({ name, credential: await makePasskey(options) });
      void queryClient.invalidateQueries({ queryKey: userQuery.queryKey });
      await done(added);
      codes = added.recovery_codes;
    }).then(() => codes && showRecoveryCodes(codes));
  };
  const rename = (row: Row) =>
    askName(`Rename ${row.name}`, row.name, 'Save', async (name) =>
      done(await api.auth.renamePasskey({ id: row.id, name })),
    );
  const askAndRemove = async (row: Row) => {
    const isSure = await confirm({
      title: `Remove ${row.name}?`,
      body: 'You can no longer sign in with it. Delete it on your device too, or your device may still offer it.',
      verb: 'Remove',
      danger: true,
    });
    if (isSure) remove.mutate(row.id);
  };
  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: 'Passkey',
      render: (row) => (
        <Group gap="xs" wrap="nowrap">
          <IconFingerprint size={18} stroke={1.6} aria-hidden="true" style={{ flex: 'none' }} />
          <Clip text={row.name} max={220} />
          {row.synced && (
            <StatusBadge status="synced" tone="info">
              Synced
            </StatusBadge>
          )}
        </Group>
      ),
    },
    {
      key: 'host',
      phone: 'line',
      title: 'Works on',
      render: (row) =>
        row.here ? (
          <Clip text={row.host} />
        ) : (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {row.host}, not here
          </Text>
        ),
    },
    { key: 'created_at', phone: 'line', title: 'Added', render: (row) => <When at={row.created_at} /> },
    {
      key: 'last_used_at',
      phone: 'line',
      title: 'Last used',
      render: (row) => <When at={row.last_used_at} relative />,
    },
    {
      key: 'action',
      phone: 'end',
      title: 'Action',
      align: 'right',
      render: (row) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="default"
              loading={remove.isPending && remove.variables === row.id}
              aria-label={`Change ${row.name}`}
            >
              Change
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => void rename(row)}>Rename</Menu.Item>
            <Menu.Item color="red" onClick={() => void askAndRemove(row)}>
              Remove
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ];
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="md" mt={32} mb="md">
        <div style={{ flex: '1 1 240px' }}>
          <Title order={2}>Passkeys</Title>
          <Text c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
            Sign in with your fingerprint, face, or a security key instead of a password or code. A passkey
            works only at the address where you created it, currently {location.hostname}.
          </Text>
        </div>
        <Button variant="default" disabled={!hasPasskeys()} onClick={() => void add()}>
          Add passkey
        </Button>
      </Group>
      <DataTable
        label="Passkeys"
        name="passkeys"
        download={{ list: 'passkeys' }}
        columns={columns}
        query={query}
        rowKey={(row) => row.id}
        empty={
          <EmptyState
            title="No passkeys"
            text={
              hasPasskeys()
                ? 'Add one on your computer, your phone, or a security key.'
                : 'Passkeys need a secure connection (HTTPS) and a browser that supports them.'
            }
          />
        }
      />
    </>
  );
}
