import { Button, Text } from '@mantine/core';
import { IconArchive, IconArchiveOff, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { alertModal, confirm } from '../../../ui/confirm.tsx';
import { num } from '../../../ui/format.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { notifyAction } from '../../../ui/notifyAction.tsx';
import type { Selection } from '../../../ui/selection.ts';
import { bulkOf, bulkSentence, campaignsWords, forEach } from './bulk.ts';
import type { Campaign, CampaignRow } from './model.ts';
import { asLead, quoted } from './model.ts';
import { saveDailyLimit, useCampaignChanged } from './queries.ts';

const kinds = {
  activate: { verb: 'Activate', doing: 'Activating', icon: IconPlayerPlay },
  pause: { verb: 'Pause', doing: 'Pausing', icon: IconPlayerPause },
  archive: { verb: 'Archive', doing: 'Archiving', icon: IconArchive },
  restore: { verb: 'Restore', doing: 'Restoring', icon: IconArchiveOff },
} as const;
type Kind = keyof typeof kinds;

const act: Record<Kind, (campaignId: string) => Promise<{ data: Campaign }>> = {
  activate: (campaignId) =>
    api.campaigns.activePause({ campaign_id: campaignId, status: 'active' }).then(asLead),
  pause: (campaignId) =>
    api.campaigns.activePause({ campaign_id: campaignId, status: 'paused' }).then(asLead),
  archive: (campaignId) =>
    api.campaigns.archive({ campaign_id: campaignId, status: 'archived' }).then(asLead),
  restore: (campaignId) => api.campaigns.archive({ campaign_id: campaignId, status: 'paused' }).then(asLead),
};

const questions: Partial<Record<Kind, { question: string; body: string }>> = {
  pause: {
    question: 'Pause',
    body: 'Visits are still counted, but none become leads until you activate the campaigns again.',
  },
  archive: {
    question: 'Archive',
    body: 'They stop making leads and are removed from the list. Their leads stay, and you can restore the campaigns as paused.',
  },
};

/**
 * Activates, pauses, archives, or restores the selected campaigns, each with its own call, and reports the result of
 * each.
 */
export function BulkActions(props: { selected: Selection<CampaignRow>; shown: CampaignRow[] | undefined }) {
  const { selected, shown } = props;
  const changed = useCampaignChanged();
  const [busy, setBusy] = useState<{ kind: Kind; tried: number; of: number }>();
  const run = async (kind: Kind, campaigns: CampaignRow[], isUndo = false) => {
    const ask = questions[kind];
    const isSure =
      !ask ||
      (await confirm({
        title: `${ask.question} ${campaignsWords(campaigns.length)}?`,
        body: ask.body,
        verb: kinds[kind].verb,
      }));
    if (!isSure) return;
    // People who have already searched are delivered at once, so that cost is shown before, not after.
    const isAsked = kind === 'activate' && campaigns.some(({ module }) => module !== 'local');
    const limits = isAsked
      ? await (await import('./bulkActivation.tsx')).askBulkActivation(campaigns)
      : new Map<string, number>();
    if (!limits) return;
    setBusy({ kind, tried: 0, of: campaigns.length });
    const summary = await forEach(
      campaigns,
      async (campaign) => {
        const { campaign_id } = campaign;
        const limit = limits.get(campaign_id);
        if (limit !== undefined) await saveDailyLimit(campaign, limit);
        changed(campaign_id, (await act[kind](campaign_id)).data);
      },
      (tried) => setBusy({ kind, tried, of: campaigns.length }),
    );
    setBusy(undefined);
    if (!isUndo)
      selected.set(
        summary.done.map((campaign) => [campaign.campaign_id, campaign] as const),
        false,
      );
    const sentence = bulkSentence(kind, summary.done.length);
    if (kind === 'archive' && summary.done.length > 0)
      notifyAction(sentence, { verb: 'Restore', run: () => void run('restore', summary.done, true) });
    else if (summary.failed.length === 0) notifyDone(sentence);
    if (summary.failed.length === 0) return;
    for (const { item } of summary.failed) changed(item.campaign_id);
    await alertModal(
      `${kinds[kind].verb}: ${num(summary.done.length)} of ${campaignsWords(campaigns.length)} done`,
      <>
        <Text size="sm">
          {isUndo ? 'These could not be changed:' : 'Campaigns that could not be changed stay selected:'}
        </Text>
        <ul style={{ margin: '8px 0 0', paddingLeft: 20, maxHeight: 280, overflow: 'auto' }}>
          {summary.failed.map(({ item, words }) => (
            <li key={item.campaign_id}>
              #{item.campaign_number} {quoted(item)}: {words}
            </li>
          ))}
        </ul>
      </>,
    );
  };
  // The list's rows are newer than the ones saved when they were selected.
  const ticked = selected.list.map(
    (one) => shown?.find(({ campaign_id }) => campaign_id === one.campaign_id) ?? one,
  );
  return (Object.keys(kinds) as Kind[]).map((kind) => {
    const { verb, doing, icon: Icon } = kinds[kind];
    const campaigns = bulkOf(kind, ticked);
    // Only archived campaigns can be restored; if none is selected, the button would be noise.
    if (kind === 'restore' && campaigns.length === 0 && busy?.kind !== 'restore') return null;
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
