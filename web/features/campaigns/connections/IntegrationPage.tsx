import { ActionIcon, Anchor, Button, Code, Group, Menu, Skeleton, Stack, Text, Title } from '@mantine/core';
import {
  IconDots,
  IconKey,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnectedX,
  IconPlus,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { useMay } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { When } from '../../../ui/Values.tsx';
import { ConnectForm } from './ConnectForm.tsx';
import classes from './integrations.module.css';
import { integrationsAt, useWhose, Whose } from './whose.tsx';
import { type Connection, connectionWords, type Vendor } from './words.ts';

/** One service: what it does, how to connect it, and the connections that exist (INTG-01, INTG-02). */
export default function IntegrationPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const vendors = useQuery({
    queryKey: ['vendors'],
    queryFn: ({ signal }) => api.connections.vendors(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const vendor = vendors.data?.data.find((one) => one.id === id);
  if (vendors.error && !vendors.data)
    return (
      <ErrorState
        error={vendors.error}
        what="The service could not be loaded"
        onRetry={() => void vendors.refetch()}
      />
    );
  if (!vendors.data) return <Skeleton height={320} />;
  if (!vendor)
    return (
      <EmptyState
        title="Service not found"
        text="It may have been renamed."
        action={
          <Button component={Link} to={'/integrations' as never} variant="default">
            All integrations
          </Button>
        }
      />
    );
  return <One vendor={vendor} />;
}

function One({ vendor }: { vendor: Vendor }) {
  const cache = useQueryClient();
  const mayWrite = useMay('integration.write');
  const [isAdding, setAdding] = useState(false);
  const { client, company } = useWhose();
  const query = useQuery({
    queryKey: ['connections', vendor.id, client],
    queryFn: ({ signal }) => api.connections.list({ vendor: vendor.id, ...company }, { signal }),
    refetchInterval: 15_000,
  });
  const changed = () => {
    void cache.invalidateQueries({ queryKey: ['connections'] });
    void cache.invalidateQueries({ queryKey: ['undelivered'] });
  };
  const rows = query.data?.data;
  const isForm = mayWrite && (isAdding || rows?.length === 0);
  const back = useSignedIn(vendor, changed);
  return (
    <>
      <PageHeader
        title={vendor.name}
        line={
          <>
            <Anchor component={Link} {...integrationsAt(client)} size="sm" underline="always">
              All integrations
            </Anchor>
            {' · '}
            {vendor.summary}
          </>
        }
        primary={
          mayWrite && rows && rows.length > 0 && !isAdding ? (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
              Connect another
            </Button>
          ) : undefined
        }
      />
      <Whose />
      <Stack gap="lg">
        {back && (
          <Notice tone={back.isBad ? 'bad' : 'info'} live={back.isBad ? 'alert' : undefined}>
            {back.text}
          </Notice>
        )}
        {vendor.demo && (
          <Notice tone="info" title={`In this demo, ${vendor.name} is a stand-in`}>
            It accepts the service’s own API calls and shows what it receives on{' '}
            <Anchor href={vendor.demo.page} target="_blank" rel="noreferrer" inherit underline="always">
              the demo CRM
            </Anchor>
            . To connect, {vendor.sign_in && `sign in with ${vendor.sign_in} or `}use{' '}
            {Object.entries(vendor.demo.credentials).map(([key, value], at) => (
              <span key={key}>
                {at > 0 && ', '}
                {vendor.credentials.find((field) => field.key === key)?.label ?? key}{' '}
                {value.length > 60 ? <CopyButton text={value} label="Copy" /> : <Code>{value}</Code>}
              </span>
            ))}
            .
          </Notice>
        )}
        {vendor.unverified && (
          <Notice tone="info" title="Not verified yet">
            This connection was built from the service’s documentation and has not been tested with a real
            account. Send a test lead before you rely on it.
          </Notice>
        )}
        {query.error && !rows ? (
          <ErrorState
            error={query.error}
            what="The connections could not be loaded"
            onRetry={() => void query.refetch()}
          />
        ) : !rows ? (
          <Skeleton height={160} />
        ) : (
          <>
            {rows.length > 0 && (
              <ul className={classes.list}>
                {rows.map((row) => (
                  <ConnectionCard key={row.id} vendor={vendor} row={row} onChanged={changed} />
                ))}
              </ul>
            )}
            {isForm && (
              <section className={`card ${classes.columns}`} style={{ padding: 16 }}>
                <div>
                  <Title order={2} size="h3" mb="sm">
                    Connect {vendor.name}
                  </Title>
                  {vendor.sign_in && (
                    <Stack gap="xs" mb="lg">
                      <SignIn vendor={vendor} />
                      <Text size="sm" c="dimmed">
                        You go to {vendor.sign_in} to allow access, then come back here. Or enter credentials:
                      </Text>
                    </Stack>
                  )}
                  <ConnectForm
                    vendor={vendor}
                    verb="Connect"
                    onCancel={rows.length > 0 ? () => setAdding(false) : undefined}
                    save={async (given) => {
                      const { message } = await api.connections.create({
                        vendor: vendor.id,
                        ...company,
                        ...given,
                      });
                      notifyDone(message);
                      setAdding(false);
                      changed();
                    }}
                  />
                </div>
                <Steps vendor={vendor} />
              </section>
            )}
            {rows.length === 0 && !mayWrite && (
              <EmptyState
                title="Not connected"
                text="An administrator who can edit campaigns can connect it."
              />
            )}
            {rows.some((row) => row.campaigns === 0) && (
              <Notice
                tone="info"
                title="Add it to a campaign"
                action={
                  <Button component={Link} to={'/campaign' as never} size="xs" variant="default">
                    Open campaigns
                  </Button>
                }
              >
                A connection delivers nothing by itself. Open a campaign, choose Delivery, and add it as a
                destination.
              </Notice>
            )}
          </>
        )}
      </Stack>
    </>
  );
}

/** Goes to the service's own page, where the person agrees. */
function SignIn({ vendor, connectionId }: { vendor: Vendor; connectionId?: string }) {
  const [isBusy, setBusy] = useState(false);
  const { company } = useWhose();
  const go = async () => {
    setBusy(true);
    try {
      const { url } = await api.connections.signIn({
        vendor: vendor.id,
        ...company,
        ...(connectionId ? { connection_id: connectionId } : {}),
      });
      location.assign(url);
    } catch (error) {
      notifyFailed(error);
      setBusy(false);
    }
  };
  return (
    <Button variant="default" loading={isBusy} onClick={() => void go()}>
      Sign in with {vendor.sign_in}
    </Button>
  );
}

/** Ends a sign-in that the service sent the browser back from, and takes its code out of the address. */
function useSignedIn(vendor: Vendor, onChanged: () => void): { text: string; isBad: boolean } | undefined {
  const [params, set] = useSearchParams();
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>();
  const { state, code, refused } = params;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what the address holds
  useEffect(() => {
    if (refused)
      setSaid({
        text: `${vendor.name} was not connected because access was denied.`,
        isBad: true,
      });
    else if (state && code) {
      setSaid({ text: `Connecting to ${vendor.name} …`, isBad: false });
      api.connections
        .signedIn({ state, code })
        .then(
          ({ message }) => {
            setSaid(undefined);
            notifyDone(message);
          },
          (error) => setSaid({ text: wordsOf(error), isBad: true }),
        )
        .finally(onChanged);
    } else return;
    set({ state: undefined, code: undefined, refused: undefined });
  }, [state, code, refused]);
  return said;
}

function Steps({ vendor }: { vendor: Vendor }) {
  return (
    <div>
      <Title order={2} size="h4" mb="xs">
        {vendor.sign_in ? 'To connect with credentials' : 'Before you connect'}
      </Title>
      <ol className={classes.steps}>
        {vendor.steps.map((step) => (
          <li key={step}>
            <Text size="sm" span>
              {step}
            </Text>
          </li>
        ))}
      </ol>
      <Text size="xs" c="dimmed" mt="sm">
        Credentials are stored encrypted and are never shown again.
      </Text>
    </div>
  );
}

function ConnectionCard(props: { vendor: Vendor; row: Connection; onChanged: () => void }) {
  const { vendor, row, onChanged } = props;
  const mayWrite = useMay('integration.write');
  const [isReplacing, setReplacing] = useState(row.state === 'broken');
  const state = connectionWords(row);
  const test = useMutation({
    mutationFn: () => api.connections.test({ id: row.id }),
    onSettled: onChanged,
  });
  const change = async (work: () => Promise<{ message: string }>) => {
    try {
      notifyDone((await work()).message);
    } catch (error) {
      notifyFailed(error);
    }
    onChanged();
  };
  const pause = () =>
    change(() =>
      api.connections.update({ id: row.id, state: row.state === 'paused' ? 'connected' : 'paused' }),
    );
  const disconnect = async () => {
    const isSure = await confirm({
      title: `Disconnect ${row.name}?`,
      body: `Its credentials are deleted, and ${row.campaigns === 1 ? '1 campaign stops' : `${num(row.campaigns)} campaigns stop`} delivering leads to it.${row.waiting ? ` ${num(row.waiting)} waiting leads are not delivered.` : ''} Leads that were delivered stay there.`,
      verb: 'Disconnect',
      danger: true,
    });
    if (isSure) await change(() => api.connections.remove({ id: row.id }));
  };
  return (
    <li className="card" style={{ padding: 16 }}>
      <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {row.name}
          </Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {row.account !== row.name && `${row.account} · `}
            {row.campaigns === 1 ? '1 campaign' : `${num(row.campaigns)} campaigns`} ·{' '}
            {row.signed_in ? 'signed in' : 'connected'} <When at={row.created_at} />
          </Text>
        </div>
        <StatusBadge status={row.state} tone={state.tone}>
          {state.word}
        </StatusBadge>
      </Group>
      {state.line && (
        <div style={{ marginTop: 12 }}>
          <Notice tone={state.tone === 'bad' ? 'bad' : 'warn'}>{state.line}</Notice>
        </div>
      )}
      {mayWrite && (
        <Group gap="xs" mt="md">
          <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            Test connection
          </Button>
          <Menu position="bottom-end" width={210}>
            <Menu.Target>
              <ActionIcon variant="default" size={30} ml="auto" aria-label={`Actions for ${row.name}`}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setReplacing(true)}>
                Rename or reconnect
              </Menu.Item>
              {row.state !== 'broken' && (
                <Menu.Item
                  leftSection={
                    row.state === 'paused' ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />
                  }
                  onClick={() => void pause()}
                >
                  {row.state === 'paused' ? 'Resume' : 'Pause'}
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={<IconPlugConnectedX size={16} />}
                style={{ color: 'var(--bad)' }}
                onClick={() => void disconnect()}
              >
                Disconnect
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      )}
      <div role="status">
        {!test.isPending && (test.data || test.error) && (
          <div style={{ marginTop: 12 }}>
            <Notice tone={test.error ? 'warn' : 'good'}>
              {test.error ? wordsOf(test.error) : test.data?.message}
            </Notice>
          </div>
        )}
      </div>
      {mayWrite && vendor.sign_in && (isReplacing || row.state === 'expiring') && (
        <Stack gap="xs" mt="md" align="flex-start">
          <SignIn vendor={vendor} connectionId={row.id} />
          {isReplacing && (
            <Text size="sm" c="dimmed">
              Or enter credentials:
            </Text>
          )}
        </Stack>
      )}
      {mayWrite && isReplacing && (
        <div className={classes.columns} style={{ marginTop: 16 }}>
          <ConnectForm
            vendor={vendor}
            name={row.name}
            verb={row.state === 'broken' ? 'Reconnect' : 'Save'}
            onCancel={() => setReplacing(false)}
            save={async ({ name, credentials }) => {
              const isNew = Object.values(credentials).some(Boolean);
              const { message } = await api.connections.update({
                id: row.id,
                name,
                ...(isNew || row.state === 'broken' ? { credentials } : {}),
              });
              notifyDone(message);
              setReplacing(false);
              onChanged();
            }}
          />
          <Steps vendor={vendor} />
        </div>
      )}
    </li>
  );
}
