import { Button, Group, Modal, Select, Skeleton, Stack, Switch } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  MOST_EXPORTED,
  VIEW_EXPORT_EVERY,
  VIEW_EXPORT_FORMS,
} from '../../../../contract/campaigns/view-exports.ts';
import { api } from '../../../api/client.ts';
import { num, shortTime } from '../../../ui/format.ts';
import type { SavedView } from '../../../ui/lists.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import MailKept from '../../operations/outbox/MailKept.tsx';

const exportsQuery = queryOptions({
  queryKey: ['view-exports'],
  queryFn: ({ signal }) => api.viewExports.mine(undefined, { signal }),
});
type Mine = Awaited<ReturnType<typeof api.viewExports.mine>>;
type Every = (typeof VIEW_EXPORT_EVERY)[number];
type Form = (typeof VIEW_EXPORT_FORMS)[number];

const EVERY: Record<Every, string> = {
  day: 'Every day at 8:00 AM',
  week: 'Every Monday at 8:00 AM',
  month: 'On the first of the month at 8:00 AM',
};
const FORMS: Record<Form, string> = { link: 'A link to the view', CSV: 'A CSV file with its leads' };

/** Has a saved view emailed to the user, regularly or once. */
export function ViewExport({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const query = useQuery(exportsQuery);
  return (
    <Modal opened onClose={onClose} title={`Email ${view.name}`} size="md">
      {query.error ? (
        <ErrorState
          error={query.error}
          what="Your schedule could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : query.data ? (
        <Schedule view={view} mine={query.data} onClose={onClose} />
      ) : (
        <Skeleton height={180} aria-busy="true" />
      )}
    </Modal>
  );
}

function Schedule({ view, mine, onClose }: { view: SavedView; mine: Mine; onClose: () => void }) {
  const queryClient = useQueryClient();
  const saved = mine.exports.find(({ view_id }) => view_id === view.id);
  const [isOn, setOn] = useState(saved !== undefined);
  const [every, setEvery] = useState<Every>(saved?.every ?? 'week');
  const [form, setForm] = useState<Form>(saved?.form ?? 'link');
  const isChanged = isOn ? saved?.every !== every || saved.form !== form : saved !== undefined;
  const save = useMutation({
    mutationFn: () =>
      isOn ? api.viewExports.set({ id: view.id, every, form }) : api.viewExports.stop({ id: view.id }),
    onSuccess: async ({ message }) => {
      await queryClient.invalidateQueries({ queryKey: exportsQuery.queryKey });
      notifyDone(message);
      onClose();
    },
    onError: (error) => notifyFailed(error),
  });
  const send = useMutation({
    mutationFn: () => api.viewExports.send({ id: view.id, form }),
    onSuccess: ({ message }) => notifyDone(message),
    onError: (error) => notifyFailed(error),
  });
  return (
    <Stack gap="md">
      {mine.is_blocked && (
        <Notice tone="warn">Your company has turned off emails to you. Ask its owner to turn them on.</Notice>
      )}
      <MailKept />
      <Select
        label="What to send"
        description={`A file has the columns of an export, with up to ${num(MOST_EXPORTED)} leads.`}
        allowDeselect={false}
        data-autofocus
        data={VIEW_EXPORT_FORMS.toReversed().map((value) => ({ value, label: FORMS[value] }))}
        value={form}
        onChange={(value) => value && setForm(value as Form)}
      />
      <Switch
        label="Send it regularly"
        description={
          saved
            ? `The next one is sent ${shortTime(saved.next_at, new Date(), mine.time_zone)}. An empty view is not sent.`
            : `To ${mine.email}. An empty view is not sent.`
        }
        checked={isOn}
        onChange={(event) => setOn(event.currentTarget.checked)}
      />
      {isOn && (
        <Select
          label="When"
          description={`In the time zone of your company, ${mine.time_zone}`}
          allowDeselect={false}
          data={VIEW_EXPORT_EVERY.map((value) => ({ value, label: EVERY[value] }))}
          value={every}
          onChange={(value) => value && setEvery(value as Every)}
        />
      )}
      <Group justify="space-between" gap="xs">
        <Button
          variant="default"
          loading={send.isPending}
          disabled={mine.is_blocked}
          onClick={() => send.mutate()}
        >
          Email it to me now
        </Button>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={save.isPending} disabled={!isChanged} onClick={() => save.mutate()}>
            Save
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}
