import { ActionIcon, Menu } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconCopy,
  IconDots,
  IconPlayerPause,
  IconPlayerPlay,
  IconShieldOff,
  IconTrash,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useMay } from '../../../api/user.ts';
import { confirm, type Question } from '../../../ui/confirm.tsx';
import { money } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { isPrepaid } from '../../money/prepaid/model.ts';
import { actionsOf, asLead, type Campaign, type CampaignAction, type CampaignRow, quoted } from './model.ts';
import { saveDailyLimit, useCampaignChanged, useMayAdd } from './queries.ts';

const ExclusionModal = lazy(() => import('../../audience/exclusions/ExclusionModal.tsx'));

const looks = {
  activate: { label: 'Activate', icon: IconPlayerPlay, done: 'is active' },
  pause: { label: 'Pause', icon: IconPlayerPause, done: 'is paused' },
  archive: { label: 'Archive', icon: IconArchive, done: 'is archived' },
  restore: { label: 'Restore', icon: IconArchiveOff, done: 'is restored and paused' },
  remove: { label: 'Remove', icon: IconTrash, done: 'has been removed' },
} as const;

/** Returns what to ask before an action; undefined for actions that can be undone without loss. */
function questionOf(
  action: CampaignAction,
  campaign: CampaignRow,
  mayGiveBack: boolean,
): Question | undefined {
  const name = quoted(campaign);
  const balance = campaign.balance_micros ?? 0;
  const left =
    balance > 0
      ? ` Its prepaid balance of ${money(balance)} stays with it.${
          mayGiveBack ? ' You can refund the part bought by card first, under Balance.' : ''
        }`
      : '';
  if (action === 'pause') {
    return {
      title: `Pause ${name}?`,
      body: 'Visits are still counted, but none become leads until you activate it again.',
      verb: 'Pause',
    };
  }
  if (action === 'archive') {
    return {
      title: `Archive ${name}?`,
      body: `It stops making leads and is removed from the list. Use the “Archived” filter to find it. You can restore it.${left}`,
      verb: 'Archive',
    };
  }
  if (action === 'remove') {
    return {
      title: `Remove ${name} permanently?`,
      body: `Campaign #${campaign.campaign_number} stops making leads and cannot be restored. The leads it made stay.${left}`,
      verb: 'Remove',
      danger: true,
    };
  }
  return undefined;
}

const needsBalance = (error: unknown): boolean =>
  error instanceof ApiError && error.errors.status?.[0] === 'needs a balance';

async function call(action: CampaignAction, campaignId: string): Promise<{ data?: Campaign }> {
  if (action === 'activate')
    return api.campaigns.activePause({ campaign_id: campaignId, status: 'active' }).then(asLead);
  if (action === 'pause')
    return api.campaigns.activePause({ campaign_id: campaignId, status: 'paused' }).then(asLead);
  if (action === 'archive')
    return api.campaigns.archive({ campaign_id: campaignId, status: 'archived' }).then(asLead);
  if (action === 'restore')
    return api.campaigns.archive({ campaign_id: campaignId, status: 'paused' }).then(asLead);
  await api.campaigns.remove({ campaign_id: campaignId });
  return {};
}

/** Performs an action after confirmation and reports the result. True when it is done. */
export function useCampaignAction() {
  const cache = useQueryClient();
  const changed = useCampaignChanged();
  const mayBuy = useMay('prepaid.buy');
  const mayGiveBack = useMay('prepaid.refund');
  const [, set] = useSearchParams();
  const [busy, setBusy] = useState(false);
  const run = async (action: CampaignAction, campaign: CampaignRow): Promise<boolean> => {
    const question = questionOf(action, campaign, mayGiveBack);
    if (question && !(await confirm(question))) return false;
    // People who have already searched are delivered at once, so that cost is shown before, not after.
    const isAsked = action === 'activate' && campaign.module !== 'local';
    setBusy(true);
    try {
      const limit = isAsked ? await (await import('./activation.tsx')).askActivation(cache, campaign) : null;
      if (limit === undefined) return false;
      if (limit !== null) await saveDailyLimit(campaign, limit);
      const answer = await call(action, campaign.campaign_id);
      changed(campaign.campaign_id, answer.data);
      notifyDone(`${quoted(campaign)} ${looks[action].done}`);
      return true;
    } catch (error) {
      changed(campaign.campaign_id);
      // It cannot start without a balance: the payer is asked to make the purchase, and is charged only if they agree.
      if (mayBuy && action === 'activate' && needsBalance(error) && isPrepaid(campaign.term)) {
        set({ campaign: campaign.campaign_id, tab: 'balance', buy: 'activate' });
        return false;
      }
      notifyFailed(error, `${looks[action].label}: ${quoted(campaign)}`);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { run, busy };
}

/** Makes a paused copy of a campaign and opens it. */
function useDuplicate() {
  const changed = useCampaignChanged();
  const [, set] = useSearchParams();
  return async (campaign: CampaignRow) => {
    try {
      const { data } = await api.campaignMore.duplicate({ campaign_id: campaign.campaign_id });
      changed(data.campaign_id, data);
      notifyDone(`${quoted(data)} has been created and paused`);
      set({ campaign: data.campaign_id, tab: undefined }, { push: true });
    } catch (error) {
      notifyFailed(error, `Duplicate: ${quoted(campaign)}`);
    }
  };
}

/** The menu of actions for a campaign. `without` is the action already shown as a button next to it. */
export function CampaignMenu(props: {
  campaign: CampaignRow;
  without?: CampaignAction;
  onRemoved?: () => void;
}) {
  const { campaign } = props;
  const { run, busy } = useCampaignAction();
  const mayWrite = useMay('campaign.write');
  const mayRemove = useMay('campaign.remove');
  const mayExclude = useMay('exclusion.read');
  const mayCreate = useMayAdd();
  const duplicate = useDuplicate();
  const [isExcluding, setExcluding] = useState(false);
  const actions = actionsOf(campaign.status).filter(
    (action) => action !== props.without && (action === 'remove' ? mayRemove : mayWrite),
  );
  if (actions.length === 0 && !mayExclude && !mayCreate) return null;
  return (
    <>
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <ActionIcon
            variant={props.without ? 'default' : 'subtle'}
            color="gray"
            size={props.without ? 36 : 28}
            loading={busy}
            aria-label={`Actions for ${campaign.campaign_name}`}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayCreate && (
            <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => void duplicate(campaign)}>
              Duplicate
            </Menu.Item>
          )}
          {mayExclude && (
            <Menu.Item leftSection={<IconShieldOff size={16} />} onClick={() => setExcluding(true)}>
              Exclusion list
            </Menu.Item>
          )}
          {actions.map((action) => {
            const { label, icon: Icon } = looks[action];
            const isDanger = action === 'remove';
            return (
              <Menu.Item
                key={action}
                leftSection={<Icon size={16} />}
                style={isDanger ? { color: 'var(--bad)' } : undefined}
                onClick={async () => {
                  if ((await run(action, campaign)) && isDanger) props.onRemoved?.();
                }}
              >
                {label}
              </Menu.Item>
            );
          })}
        </Menu.Dropdown>
      </Menu>
      {isExcluding && (
        <Suspense fallback={null}>
          <ExclusionModal
            places={[
              {
                level: 'campaign',
                id: campaign.campaign_id,
                clientId: campaign.company_id,
                label: 'This campaign',
              },
              {
                level: 'client',
                id: campaign.company_id,
                label: `All campaigns of ${campaign.company_name}`,
              },
            ]}
            onClose={() => setExcluding(false)}
          />
        </Suspense>
      )}
    </>
  );
}
