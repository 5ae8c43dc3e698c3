import { Button, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { alertModal, confirm } from '../../ui/confirm.tsx';
import { num } from '../../ui/format.ts';
import { notifyDone } from '../../ui/notify.ts';
import type { Selection } from '../../ui/selection.ts';
import { quoted } from './actions.tsx';
import { campaignsWords, forEach } from './bulk.ts';
import type { Campaign } from './model.ts';
import { useCampaignChanged } from './queries.ts';

const kinds = {
  active: { from: 'paused', verb: 'Activate', doing: 'Activating', done: 'active', icon: IconPlayerPlay },
  paused: { from: 'active', verb: 'Pause', doing: 'Pausing', done: 'paused', icon: IconPlayerPause },
} as const;
type Kind = keyof typeof kinds;

/** Activates or pauses the ticked campaigns, each by its own call, and tells what came of each. */
export function BulkActions(props: { selected: Selection<Campaign>; shown: Campaign[] | undefined }) {
  const { selected, shown } = props;
  const changed = useCampaignChanged();
  const [busy, setBusy] = useState<{ kind: Kind; tried: number; of: number }>();
  const run = async (kind: Kind, campaigns: Campaign[]) => {
    const { verb, done } = kinds[kind];
    const isSure =
      kind === 'active' ||
      (await confirm({
        title: `Pause ${campaignsWords(campaigns.length)}?`,
        body: 'Visits go on being counted, but none becomes a lead until you activate them again.',
        verb: 'Pause',
      }));
    if (!isSure) return;
    setBusy({ kind, tried: 0, of: campaigns.length });
    const summary = await forEach(
      campaigns,
      async ({ leadspeekID }) => {
        const answer = await api.campaigns.activePause({ leadspeekID, status: kind });
        changed(leadspeekID, answer.data);
      },
      (tried) => setBusy({ kind, tried, of: campaigns.length }),
    );
    setBusy(undefined);
    selected.set(
      summary.done.map((campaign) => [campaign.leadspeekID, campaign] as const),
      false,
    );
    if (summary.failed.length === 0) {
      notifyDone(
        `${campaignsWords(summary.done.length)} ${summary.done.length === 1 ? 'is' : 'are'} ${done}`,
      );
      return;
    }
    for (const { item } of summary.failed) changed(item.leadspeekID);
    await alertModal(
      `${verb}: ${num(summary.done.length)} of ${campaignsWords(campaigns.length)} done`,
      <>
        <Text size="sm">Those that could not be changed stay selected:</Text>
        <ul style={{ margin: '8px 0 0', paddingLeft: 20, maxHeight: 280, overflow: 'auto' }}>
          {summary.failed.map(({ item, words }) => (
            <li key={item.leadspeekID}>
              #{item.leadspeek_api_id} {quoted(item)}: {words}
            </li>
          ))}
        </ul>
      </>,
    );
  };
  return (Object.keys(kinds) as Kind[]).map((kind) => {
    const { from, verb, doing, icon: Icon } = kinds[kind];
    // What the list shows is newer than what was ticked.
    const campaigns = selected.list
      .map((ticked) => shown?.find(({ leadspeekID }) => leadspeekID === ticked.leadspeekID) ?? ticked)
      .filter(({ status }) => status === from);
    return (
      <Button
        key={kind}
        size="xs"
        variant="default"
        leftSection={<Icon size={14} aria-hidden="true" />}
        disabled={campaigns.length === 0 || busy !== undefined}
        onClick={() => void run(kind, campaigns)}
      >
        {busy?.kind === kind
          ? `${doing} ${num(busy.tried)} of ${num(busy.of)}`
          : `${verb} ${num(campaigns.length)}`}
      </Button>
    );
  });
}
