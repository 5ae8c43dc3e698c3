import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import classes from './outbox.module.css';

type Mail = Awaited<ReturnType<Client['outbox']['list']>>['data'][number];

const STATES: Record<Mail['state'], [tone: 'good' | 'info' | 'bad' | 'plain', words: string]> = {
  queued: ['info', 'Queued'],
  sent: ['good', 'Sent'],
  kept: ['plain', 'Not sent'],
  failed: ['bad', 'Failed'],
};

function State({ state }: { state: Mail['state'] }) {
  const [tone, words] = STATES[state];
  return (
    <StatusBadge status={state} tone={tone}>
      {words}
    </StatusBadge>
  );
}

/** The emails of a platform without a mail server: links, codes and notices can be read here instead. */
export default function OutboxPage() {
  const state = useListState({});
  const drawer = useDrawer('mail');
  const query = useQuery({
    queryKey: ['outbox', state.input],
    queryFn: ({ signal }) => api.outbox.list(state.input, { signal }),
    placeholderData: keepPreviousData,
    // Someone who waits for a link has just asked for it in another window.
    refetchInterval: 10_000,
  });
  const columns: Column<Mail>[] = [
    {
      key: 'subject',
      title: 'Subject',
      fluid: 40,
      least: 240,
      render: (row) => <Clip text={row.subject} max="cell" />,
    },
    {
      key: 'to',
      title: 'To',
      render: (row) => (
        <span style={{ overflowWrap: 'anywhere' }}>
          {row.to_name}{' '}
          <Text size="xs" c="dimmed" span>
            {row.to_address}
          </Text>
        </span>
      ),
    },
    { key: 'from', title: 'From', from: 900, render: (row) => row.from_name },
    { key: 'state', title: 'Status', render: (row) => <State state={row.state} /> },
    { key: 'created_at', title: 'Created', from: 800, render: (row) => <When at={row.created_at} /> },
  ];
  return (
    <>
      <PageHeader title="Outbox" line="Emails are kept here because this platform has no mail server." />
      <DataTable
        label="Emails"
        name="outbox"
        download={{ list: 'outbox', of: 'outbox.list', query: state.input }}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          state: <State state={row.state} />,
          line: row.to_address,
          end: <When at={row.created_at} brief />,
        })}
        onRow={(row) => drawer.open(row.id)}
        columns={columns}
        search="Search recipients and subjects"
        empty={
          <EmptyState title="No emails yet" text="Invitations, sign-in codes, and notices appear here." />
        }
      />
      <DetailDrawer param="mail" title="Email" size={720}>
        {(id) => <Message id={id} />}
      </DetailDrawer>
    </>
  );
}

function Message({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['outbox', 'mail', id],
    queryFn: ({ signal }) => api.outbox.get({ id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const mail = query.data;
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="This email could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!mail) return <Skeleton height={320} aria-busy="true" />;
  return (
    <Stack gap="md">
      <div>
        <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
          {mail.subject}
        </Title>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          From {mail.from_name} ({mail.from_address}) to {mail.to_name} ({mail.to_address}),{' '}
          <When at={mail.created_at} />
        </Text>
      </div>
      {mail.error && (
        <Notice tone="warn" title="Could not be sent">
          {mail.error}
        </Notice>
      )}
      {mail.html ? (
        // Nothing in it runs; its links open in their own window.
        <iframe
          className={classes.mail}
          title={`Email: ${mail.subject}`}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          srcDoc={mail.html.replace('<head>', '<head><base target="_blank">')}
        />
      ) : (
        <Text size="sm" c="dimmed">
          A mail server has this email, so its text is no longer stored here.
        </Text>
      )}
      {mail.attachment && (
        <Group>
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={16} />}
            href={URL.createObjectURL(new Blob([bytesOf(mail.attachment)]))}
            download={mail.attachment.name}
          >
            {mail.attachment.name}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const bytesOf = ({ text, is_base64 }: { text: string; is_base64: boolean }) =>
  is_base64 ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0)) : text;
