import { Anchor, Button, Drawer, Group, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useMay, useUser } from '../../../api/user.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { DeliveryTab } from '../delivery/DeliveryTab.tsx';
import { InstallTab } from '../pixel/InstallTab.tsx';
import { CampaignMenu, useCampaignAction } from './actions.tsx';
import { BalanceTab } from './BalanceTab.tsx';
import { KeywordsTab } from './KeywordsTab.tsx';
import { type Campaign, isSearch, pixelState, statusWords } from './model.ts';
import { NewCampaign } from './NewCampaign.tsx';
import { campaignQuery } from './queries.ts';
import { RefusalsTab } from './RefusalsTab.tsx';
import { SetUpTab } from './SetUpTab.tsx';
import { TestLead } from './TestLead.tsx';

const tabs = {
  setup: 'Set-up',
  install: 'Install',
  keywords: 'Keywords',
  delivery: 'Delivery',
  why: 'Why not',
  balance: 'Balance',
};

/** What the drawer keeps in the address in addition to the campaign. */
const INNER = [
  'tab',
  'count_page',
  'count_per',
  'count_sort',
  'count_dir',
  'count_q',
  'buy',
  'webhook',
  'log_page',
  'log_per',
  'log_q',
  'log_state',
];

/**
 * A campaign, or the form for a new one, to the right of the list. The address holds which campaign and which part of
 * it.
 */
export function CampaignDrawer({ module }: { module: Campaign['module'] }) {
  const [params, set] = useSearchParams();
  const id = params.campaign;
  const isNew = id === undefined && params.new === '1';
  const close = () => {
    // Escape closes a modal on top of the drawer first, but the drawer receives the key, too.
    if (document.querySelectorAll('[role=dialog][aria-modal=true]').length > 1) return;
    set({ campaign: undefined, new: undefined, ...Object.fromEntries(INNER.map((key) => [key, undefined])) });
  };
  return (
    <Drawer
      opened={id !== undefined || isNew}
      onClose={close}
      position="right"
      size={isSearch(module) || (id !== undefined && params.tab === 'keywords') ? 1040 : 760}
      padding="lg"
      title={isNew ? 'New campaign' : 'Campaign'}
    >
      {isNew ? (
        <NewCampaign
          module={module}
          onCancel={close}
          onDone={(made) =>
            set({ new: undefined, campaign: made, tab: module === 'local' ? 'install' : 'keywords' })
          }
        />
      ) : (
        id !== undefined && <Detail key={id} id={id} onGone={close} />
      )}
    </Drawer>
  );
}

function Detail({ id, onGone }: { id: string; onGone: () => void }) {
  const [params, set] = useSearchParams();
  const mayBalance = useMay('prepaid.read');
  const query = useQuery(campaignQuery(id));
  const campaign = query.data;
  const isThere = campaign !== undefined;
  // The form for a new campaign was scrolled to its end; what follows starts at the top.
  useEffect(() => {
    if (isThere) document.querySelector('.mantine-Drawer-content')?.scrollTo(0, 0);
  }, [isThere]);
  if (!campaign) {
    return query.error ? (
      <ErrorState
        error={query.error}
        what="This campaign could not be loaded"
        onRetry={() => void query.refetch()}
      />
    ) : (
      <Stack gap="sm" aria-busy="true">
        <Skeleton height={28} width="50%" />
        <Skeleton height={16} width="70%" />
        <Skeleton height={36} mt="md" />
        <Skeleton height={320} />
      </Stack>
    );
  }
  const without = [campaign.module === 'local' ? 'keywords' : 'install', ...(mayBalance ? [] : ['balance'])];
  const tab = (params.tab ?? '') in tabs && !without.includes(params.tab!) ? params.tab! : 'setup';
  return (
    <>
      <Head campaign={campaign} onGone={onGone} />
      <Tabs
        value={tab}
        onChange={(next) => set({ tab: next === 'setup' ? undefined : (next ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label="Campaign sections">
          {Object.entries(tabs)
            .filter(([value]) => !without.includes(value))
            .map(([value, label]) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
        </Tabs.List>
        <Tabs.Panel value="setup">
          <SetUpTab campaign={campaign} />
        </Tabs.Panel>
        <Tabs.Panel value="install">
          <InstallTab campaign={campaign} />
        </Tabs.Panel>
        <Tabs.Panel value="keywords">
          <KeywordsTab campaign={campaign} />
        </Tabs.Panel>
        <Tabs.Panel value="delivery">
          <TestLead campaignId={id} />
          <DeliveryTab campaignId={id} clientId={campaign.company_id} />
        </Tabs.Panel>
        <Tabs.Panel value="why">
          <RefusalsTab id={id} isSearch={campaign.module !== 'local'} />
        </Tabs.Panel>
        <Tabs.Panel value="balance">
          <BalanceTab campaign={campaign} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Head({ campaign, onGone }: { campaign: Campaign; onGone: () => void }) {
  const user = useUser();
  const { run, busy } = useCampaignAction();
  const mayWrite = useMay('campaign.write');
  const main = campaign.status === 'active' ? 'pause' : campaign.status === 'paused' ? 'activate' : 'restore';
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="md">
      <div style={{ flex: '1 1 280px', minWidth: 0 }}>
        <Title order={2} style={{ overflowWrap: 'anywhere' }}>
          {campaign.campaign_name}
        </Title>
        <Group gap="xs" mt={4}>
          <StatusBadge status={campaign.status}>{statusWords(campaign)}</StatusBadge>
          {campaign.silent_since && (
            <StatusBadge status="pixel" tone="warn">
              {pixelState(campaign, new Date()).words}
            </StatusBadge>
          )}
          <Text size="sm" c="dimmed" className="num">
            #{campaign.campaign_number}
          </Text>
          {user.company_kind !== 'client' && (
            <Text size="sm" c="dimmed">
              {campaign.company_name}
            </Text>
          )}
          {campaign.site_url && (
            <Anchor
              size="sm"
              href={campaign.site_url}
              target="_blank"
              rel="noreferrer noopener"
              truncate
              maw={320}
            >
              {campaign.site_url}
            </Anchor>
          )}
        </Group>
      </div>
      <Group gap="xs" wrap="nowrap">
        {mayWrite && (
          <Button
            variant="default"
            loading={busy}
            leftSection={main === 'pause' ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
            onClick={() => void run(main, campaign)}
          >
            {{ pause: 'Pause', activate: 'Activate', restore: 'Restore' }[main]}
          </Button>
        )}
        <CampaignMenu campaign={campaign} without={main} onRemoved={onGone} />
      </Group>
    </Group>
  );
}
