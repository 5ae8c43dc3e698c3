import { Anchor, Button, Group, Modal, Skeleton, Stack, TagsInput, Text } from '@mantine/core';
import { IconExternalLink, IconMail, IconTable } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { exactTime } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import type { Webhook } from './words.ts';

type Unshared = readonly { email: string; why: string }[];

/** The addresses that a spreadsheet is shared with. */
function Recipients(props: {
  value: string[];
  isDisabled?: boolean;
  error?: string | undefined;
  onChange: (emails: string[]) => void;
}) {
  return (
    <TagsInput
      label="Shared with"
      description="Email addresses of Google Accounts. The client’s settings decide whether they can edit."
      placeholder={props.value.length === 0 ? 'name@example.com' : undefined}
      acceptValueOnBlur
      splitChars={[',', ';', ' ', '\n']}
      maxTags={20}
      disabled={props.isDisabled}
      error={props.error}
      value={props.value}
      // Also what was pasted as one text.
      onChange={(tags) =>
        props.onChange([...new Set(tags.flatMap((tag) => tag.split(/[\s,;]+/)).filter(Boolean))])
      }
    />
  );
}

/** With whom a spreadsheet could not be shared, and why. */
const UnsharedNotice = ({ unshared }: { unshared: Unshared }) =>
  unshared.length > 0 && (
    <Notice tone="warn" live="status" title="Not shared with everyone">
      {unshared.map(({ email, why }) => (
        <div key={email}>
          {email}: {why}
        </div>
      ))}
    </Notice>
  );

/** What the server said about the addresses, one by one or as a whole. */
const faultOf = (refusal: unknown): string | undefined =>
  refusal instanceof ApiError
    ? Object.entries(refusal.errors)
        .find(([name]) => name.startsWith('emails'))?.[1]
        .join(' ')
    : undefined;

/** Makes a spreadsheet for a campaign, and a destination that writes into it (INTG-03). */
export function NewSpreadsheet(props: {
  campaignId: string;
  connection: { id: string };
  onSaved: (id: string) => void;
  onClose: () => void;
}) {
  const [emails, setEmails] = useState<string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const [made, setMade] = useState<{ url: string; unshared: Unshared }>();
  const create = async () => {
    setBusy(true);
    setRefusal(undefined);
    try {
      const answer = await api.spreadsheets.create({
        campaign_id: props.campaignId,
        connection_id: props.connection.id,
        emails,
      });
      setMade(answer);
      props.onSaved(answer.data.id);
      notifyDone(answer.message);
    } catch (error) {
      setRefusal(error);
    }
    setBusy(false);
  };
  if (made)
    return (
      <Stack gap="md">
        <Notice tone="good" title="The spreadsheet is ready">
          New leads of this campaign are added to it as rows.
        </Notice>
        <UnsharedNotice unshared={made.unshared} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose}>
            Close
          </Button>
          <Open url={made.url} />
        </Group>
      </Stack>
    );
  const fault = faultOf(refusal);
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        A spreadsheet with the name of the campaign is created in the connected account. Each lead becomes a
        row. The header row and the column of lead IDs show a warning to anyone who edits them.
      </Text>
      <Recipients value={emails} error={fault} onChange={setEmails} />
      {Boolean(refusal) && !fault && (
        <Notice tone="bad" live="alert">
          {wordsOf(refusal)}
        </Notice>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void create()}>
          Create spreadsheet
        </Button>
      </Group>
    </Stack>
  );
}

const Open = ({ url, isMain = true }: { url: string; isMain?: boolean }) => (
  <Button
    component="a"
    variant={isMain ? 'filled' : 'default'}
    href={url}
    target="_blank"
    rel="noreferrer"
    rightSection={<IconExternalLink size={16} />}
  >
    Open spreadsheet
  </Button>
);

/** The spreadsheet of a destination: who sees it, its link, and the ones before it. */
export function SpreadsheetModal({ hook, onClose }: { hook: Webhook; onClose: () => void }) {
  const asked = { campaign_id: hook.campaign_id };
  const check = useQuery({
    queryKey: ['spreadsheet', hook.campaign_id],
    queryFn: ({ signal }) => api.spreadsheets.check(asked, { signal }),
    retry: false,
  });
  const isOther =
    (check.error instanceof ApiError && check.error.status === 404) ||
    (check.data && check.data.destination_id !== hook.id);
  return (
    <Modal opened onClose={onClose} centered size={560} title="Spreadsheet">
      {isOther ? (
        <EmptyState
          icon={<IconTable size={32} stroke={1.4} />}
          title="A spreadsheet of your own"
          text="You chose it when you added this destination, so it is shared and opened in Google Sheets."
        />
      ) : check.error ? (
        <ErrorState
          error={check.error}
          what="The spreadsheet could not be checked"
          onRetry={() => void check.refetch()}
        />
      ) : check.data ? (
        <Spreadsheet campaignId={hook.campaign_id} sheet={check.data} />
      ) : (
        <Skeleton height={240} />
      )}
    </Modal>
  );
}

function Spreadsheet(props: {
  campaignId: string;
  sheet: { exists: boolean; url: string; account: string; recipients: string[] };
}) {
  const { campaignId, sheet } = props;
  const cache = useQueryClient();
  const asked = { campaign_id: campaignId };
  const [emails, setEmails] = useState(sheet.recipients);
  const [busy, setBusy] = useState<'share' | 'send' | 'reset'>();
  const [refusal, setRefusal] = useState<unknown>();
  const [unshared, setUnshared] = useState<Unshared>([]);
  const history = useQuery({
    queryKey: ['spreadsheet', campaignId, 'history'],
    queryFn: ({ signal }) => api.spreadsheets.history(asked, { signal }),
  });
  const former = history.data?.data.filter((one) => one.ended_at !== null) ?? [];
  const act = async (
    what: 'share' | 'send' | 'reset',
    work: () => Promise<{ message: string; unshared?: Unshared; recipients?: string[] }>,
  ) => {
    setBusy(what);
    setRefusal(undefined);
    try {
      const answer = await work();
      setUnshared(answer.unshared ?? []);
      if (answer.recipients) setEmails(answer.recipients);
      notifyDone(answer.message);
      await cache.invalidateQueries({ queryKey: ['spreadsheet', campaignId] });
    } catch (error) {
      setRefusal(error);
    }
    setBusy(undefined);
  };
  const reset = async () => {
    const isSure = await confirm({
      title: 'Start a new spreadsheet?',
      body: 'New leads go into the new one, which is shared with the same people. The current one stays as it is.',
      verb: 'Start a new one',
    });
    if (isSure) await act('reset', () => api.spreadsheets.reset(asked));
  };
  const fault = faultOf(refusal);
  return (
    <Stack gap="md">
      {sheet.exists ? (
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed" style={{ flex: '1 1 200px', overflowWrap: 'anywhere' }}>
            In the account {sheet.account}
          </Text>
          <Open url={sheet.url} isMain={false} />
        </Group>
      ) : (
        <Notice tone="bad" title="The spreadsheet is gone">
          Someone moved it to the trash or deleted it. Leads fail until you start a new one, and can be resent
          then.
        </Notice>
      )}
      <Recipients value={emails} error={fault} isDisabled={!sheet.exists} onChange={setEmails} />
      <UnsharedNotice unshared={unshared} />
      {Boolean(refusal) && !fault && (
        <Notice tone="bad" live="alert">
          {wordsOf(refusal)}
        </Notice>
      )}
      <Group gap="xs">
        <Button
          disabled={!sheet.exists}
          loading={busy === 'share'}
          onClick={() => void act('share', () => api.spreadsheets.share({ ...asked, emails }))}
        >
          Save
        </Button>
        <Button
          variant="default"
          leftSection={<IconMail size={16} />}
          disabled={!sheet.exists}
          loading={busy === 'send'}
          onClick={() => void act('send', () => api.spreadsheets.resendLink(asked))}
        >
          Email the link to the client
        </Button>
        <Button variant="default" loading={busy === 'reset'} onClick={() => void reset()}>
          Start a new one
        </Button>
      </Group>
      {former.length > 0 && (
        <div>
          <Text size="sm" fw={600} mb={4}>
            Former spreadsheets
          </Text>
          <Stack gap={4}>
            {former.map((one) => (
              <Anchor
                key={one.url + one.created_at}
                href={one.url}
                target="_blank"
                rel="noreferrer"
                size="sm"
              >
                {exactTime(one.created_at)} to {exactTime(one.ended_at!)}
              </Anchor>
            ))}
          </Stack>
        </div>
      )}
    </Stack>
  );
}
