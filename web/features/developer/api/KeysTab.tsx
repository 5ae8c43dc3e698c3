import { Button, Code, Group, Menu, Modal, Radio, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { API_SCOPES, OVERLAPS } from '../../../../contract/developer/developer-rules.ts';
import { LEAD_VERSION } from '../../../../contract/developer/versions.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import type { Column } from '../../../ui/DataTable.types.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { noteAction } from '../../accounts/logs/note.ts';
import { Agreement } from './Agreement.tsx';
import { KeyForm } from './KeyForm.tsx';
import { KeySecretModal, type Shown } from './SecretModal.tsx';
import { appWords, type Key, overlapWords, standing } from './words.ts';

/** The agency's API keys: the agreement first, then the keys with everything that can be done with them (DEV-01). */
export function KeysTab() {
  const user = useUser();
  const cache = useQueryClient();
  const [secret, setSecret] = useState<Shown>();
  const [isMaking, setMaking] = useState(false);
  const [rotated, setRotated] = useState<Key>();
  const [busy, setBusy] = useState<string>();
  const query = useQuery({
    queryKey: ['developer', 'keys'],
    queryFn: ({ signal }) => api.developer.keys(undefined, { signal }),
  });
  const mayChange = !user.in_view_mode;
  const again = () => cache.invalidateQueries({ queryKey: ['developer'] });
  /** Performs one action on a key at a time; shows its message, or why it failed. */
  const does = async (what: string, title: string, work: () => Promise<{ message: string }>) => {
    setBusy(what);
    try {
      notifyDone((await work()).message);
    } catch (error) {
      notifyFailed(error, title);
    } finally {
      setBusy(undefined);
      void again();
    }
  };
  const generate = () =>
    does('generate', 'Generate API key', async () => {
      const { user: key, message } = await api.developer.generateAuthenticateOpenApi({
        company_id: user.company_id,
        email: user.email,
      });
      setSecret(key);
      return { message };
    });
  const setVersion = async (key: Key) => {
    const isSure = await confirm({
      title: `Update ${key.name} to version ${LEAD_VERSION}?`,
      body: `It uses version ${key.version} now. Programs with this key get the new field names starting with the next request. Update them first.`,
      verb: 'Update',
    });
    if (isSure)
      await does(key.id, `Update ${key.name}`, () =>
        api.developer.setKeyVersion({ id: key.id, version: LEAD_VERSION }),
      );
  };
  const setDisabled = (key: Key, disabled: boolean) =>
    does(key.id, `${disabled ? 'Disable' : 'Enable'} ${key.name}`, () =>
      api.developer.disableKey({ id: key.id, disabled: disabled ? 'T' : 'F' }),
    );
  const remove = async (key: Key) => {
    const isSure = await confirm({
      title: `Delete ${key.name}?`,
      body: 'Programs that use it are refused within 5 seconds. It cannot be restored.',
      verb: 'Delete',
      danger: true,
    });
    if (isSure) await does(key.id, `Delete ${key.name}`, () => api.developer.deleteKey({ id: key.id }));
  };
  const columns: Column<Key>[] = [
    {
      key: 'name',
      title: 'Name',
      render: (key) => (
        <Group gap="xs" wrap="nowrap">
          <Clip text={key.name} max={170} />
          {key.mode === 'test' && (
            <StatusBadge status="test" tone="info">
              Test
            </StatusBadge>
          )}
        </Group>
      ),
    },
    {
      key: 'client_id',
      title: 'Client ID',
      render: (key) => (
        <Group gap={4} wrap="nowrap">
          <Clip text={key.client_id} max={110} />
          <CopyButton
            text={key.client_id}
            what="Client ID"
            done={messages.clientIdCopied}
            onCopied={() => noteAction('apikey.copied', key.id)}
          />
        </Group>
      ),
    },
    {
      key: 'secret_hint',
      title: 'Secret Key',
      from: 900,
      render: (key) =>
        key.app === null ? <Code>{key.secret_hint}</Code> : <Clip text={appWords(key.app)} max={160} />,
    },
    {
      key: 'state',
      title: 'Status',
      render: (key) => {
        const { word, tone, why } = standing(key.state);
        return (
          <div>
            <StatusBadge status={key.state} tone={tone}>
              {word}
            </StatusBadge>
            {(why || key.previous_until) && (
              <Text size="xs" c="dimmed" mt={2}>
                {why || (
                  <>
                    The old secret works until <When at={key.previous_until!} />
                  </>
                )}
              </Text>
            )}
          </div>
        );
      },
    },
    {
      key: 'scopes',
      title: 'Permissions',
      from: 900,
      render: (key) => (
        <Clip text={key.scopes.map((scope) => API_SCOPES[scope].label).join(', ')} max={120} />
      ),
    },
    {
      key: 'last_used_at',
      title: 'Last used',
      render: (key) =>
        key.last_used_at ? (
          <div>
            <When at={key.last_used_at} relative />
            <Text size="xs" c="dimmed">
              from {key.last_used_ip}
            </Text>
          </div>
        ) : (
          <Text size="sm" c="dimmed">
            Never
          </Text>
        ),
    },
    {
      key: 'expires_at',
      title: 'Expires',
      from: 820,
      render: (key) => (key.expires_at ? <When at={key.expires_at} /> : <None />),
    },
    {
      key: 'version',
      title: 'API version',
      hidden: true,
      render: (key) => key.version,
    },
    { key: 'created_at', title: 'Created', hidden: true, render: (key) => <When at={key.created_at} /> },
    { key: 'made_by', title: 'Created by', hidden: true, render: (key) => <Clip text={key.made_by} /> },
  ];
  if (mayChange)
    columns.push({
      key: 'action',
      title: 'Action',
      align: 'right',
      render: (key) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="default"
              loading={busy === key.id}
              aria-label={`Change ${key.name}`}
            >
              Change
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              disabled={key.state === 'disabled' || key.state === 'expired' || key.app !== null}
              onClick={() => setRotated(key)}
            >
              Rotate secret
            </Menu.Item>
            {key.version !== LEAD_VERSION && (
              <Menu.Item onClick={() => void setVersion(key)}>Update to version {LEAD_VERSION}</Menu.Item>
            )}
            {key.state === 'disabled' ? (
              <Menu.Item onClick={() => void setDisabled(key, false)}>Enable</Menu.Item>
            ) : (
              <Menu.Item onClick={() => void setDisabled(key, true)}>Disable</Menu.Item>
            )}
            <Menu.Item color="red" onClick={() => void remove(key)}>
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ),
    });
  const isReady = query.data?.is_agreed ?? false;
  const hasKeys = (query.data?.data.length ?? 0) > 0;
  return (
    <>
      {query.data && !isReady && <Agreement />}
      {(isReady || hasKeys || !query.data) && (
        <DataTable
          label="API keys"
          name="developer-keys"
          download={{ list: 'developer-keys' }}
          actions={
            isReady &&
            hasKeys &&
            mayChange && (
              <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setMaking(true)}>
                New key
              </Button>
            )
          }
          columns={columns}
          query={query}
          rowKey={(key) => key.id}
          empty={
            <EmptyState
              title="No API key yet"
              text="The first key can do everything you can, except move money. Create others later with fewer permissions."
              action={
                mayChange && (
                  <Group gap="xs" justify="center">
                    <Button loading={busy === 'generate'} onClick={() => void generate()}>
                      Generate API key
                    </Button>
                    <Button variant="default" onClick={() => setMaking(true)}>
                      Choose permissions
                    </Button>
                  </Group>
                )
              }
            />
          }
        />
      )}
      {isReady && query.data && <FirstRequest base={query.data.base_url} token={query.data.token_url} />}
      {isMaking && (
        <KeyForm
          onClose={() => setMaking(false)}
          onMade={(shown) => {
            setMaking(false);
            setSecret(shown);
            notifyDone(messages.keyGenerated);
            void again();
          }}
        />
      )}
      {rotated && (
        <RotateModal
          of={rotated}
          onClose={() => setRotated(undefined)}
          onDone={(shown) => {
            setRotated(undefined);
            setSecret(shown);
            void again();
          }}
        />
      )}
      {secret && <KeySecretModal shown={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

/** Asks what should happen to the previous secret, then gives the key a new one. */
function RotateModal(props: { of: Key; onClose: () => void; onDone: (shown: Shown) => void }) {
  const [minutes, setMinutes] = useState<(typeof OVERLAPS)[number]>(1440);
  const [isBusy, setBusy] = useState(false);
  const rotate = async () => {
    setBusy(true);
    try {
      const { data, secret_key, message } = await api.developer.rotateKey({
        id: props.of.id,
        overlap_minutes: minutes,
      });
      notifyDone(message);
      props.onDone({ client_id: data.client_id, secret_key });
    } catch (error) {
      notifyFailed(error, `Rotate ${props.of.name}`);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={props.onClose} title={`Rotate ${props.of.name}?`} size="sm" centered>
      <Text size="sm" mb="md">
        The key gets a new secret and keeps its client ID.
      </Text>
      <Radio.Group
        label="Current secret"
        value={String(minutes)}
        onChange={(value) => setMinutes(OVERLAPS.find((one) => String(one) === value)!)}
      >
        <Stack gap={8} mt={8}>
          {OVERLAPS.map((one) => (
            <Radio key={one} value={String(one)} label={overlapWords(one)} />
          ))}
        </Stack>
      </Radio.Group>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void rotate()}>
          Rotate
        </Button>
      </Group>
    </Modal>
  );
}

/** The address of the API, with a first request to copy, and of the MCP server. */
function FirstRequest({ base, token }: { base: string; token: string }) {
  const request = `curl ${base}/me -H "Authorization: Bearer YOUR_SECRET_KEY"`;
  const exchange = `curl ${token} -d grant_type=client_credentials -d client_id=YOUR_CLIENT_ID -d client_secret=YOUR_SECRET_KEY`;
  const origin = base.replace(/\/v1$/, '');
  const mcp = JSON.stringify(
    {
      mcpServers: {
        leads: {
          type: 'http',
          url: `${origin}/mcp`,
          headers: { Authorization: 'Bearer YOUR_SECRET_KEY' },
        },
      },
    },
    null,
    2,
  );
  return (
    <>
      <Example
        id="first-request"
        title="First request"
        line="It shows which key you used and what the key can do. Send the secret itself, or a token that lasts an hour."
        codes={[request, exchange]}
        what="command"
      />
      <Example
        id="client"
        title="TypeScript client"
        line="Typed, generated from the API itself, and without dependencies."
        codes={[`npm install ${origin}/api/client.tgz`, snippet(origin)]}
        what="code"
      />
      <Example
        id="mcp"
        title="AI assistants"
        line="Assistants that support the Model Context Protocol (MCP) can read what you allow. Enter this address in the assistant. It then asks you for access here and is listed as an API key. If it can’t ask, create a separate key with only the permissions it needs, and enter these settings. It can make changes only with the permission “Let AI assistants make changes”. What it reads includes people’s personal data."
        codes={[`${origin}/mcp`, mcp]}
        what="address or settings"
      />
    </>
  );
}

/** A first program with the TypeScript client. */
const snippet = (origin: string): string =>
  [
    "import { createApiClient, createConfig, listLeads, pages } from 'lead-api-client';",
    '',
    `const client = createApiClient(createConfig({ baseUrl: '${origin}', auth: process.env.LEAD_API_KEY }));`,
    'for await (const lead of pages((cursor) => listLeads({ client, query: { cursor } })))',
    '  console.log(lead.id, lead.person?.email);',
  ].join('\n');

/** Lines to copy, with a title and what they are for. */
function Example(props: { id: string; title: string; line: string; codes: string[]; what: string }) {
  return (
    <section style={{ marginTop: 32 }} aria-labelledby={props.id}>
      <Title order={2} id={props.id}>
        {props.title}
      </Title>
      <Text size="sm" c="dimmed" mb="md" maw={720}>
        {props.line}
      </Text>
      <Stack gap="xs">
        {props.codes.map((code) => (
          <Group key={code} gap={4} wrap="nowrap" align="flex-start">
            <Code block style={{ flex: 1, minWidth: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {code}
            </Code>
            <CopyButton text={code} what={props.what} />
          </Group>
        ))}
      </Stack>
    </section>
  );
}
