import { Group, Skeleton, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { DownloadData } from '../../../ui/DownloadData.tsx';
import { money } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import type { Campaign } from '../../campaigns/campaigns/model.ts';
import { quoted } from '../../campaigns/campaigns/model.ts';
import { type CurrentTopUp, leadWords, purchaseState, standing } from './model.ts';
import classes from './prepaid.module.css';
import { currentQuery, usePrepaidChanged } from './queries.ts';

/** A campaign's continual top-up, and its purchases by card. */
export function Purchases({ campaign }: { campaign: Campaign }) {
  const query = useQuery(currentQuery(campaign.campaign_id));
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The purchases could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data)
    return (
      <Stack gap="sm" aria-busy="true">
        <Skeleton height={20} width="40%" />
        <Skeleton height={64} />
      </Stack>
    );
  return (
    <>
      {campaign.term === 'Prepaid' && <Continual campaign={campaign} current={query.data} />}
      <section aria-labelledby="purchases">
        <Group justify="space-between" mb={6}>
          <Title order={3} id="purchases">
            Card purchases
          </Title>
          {query.data.data.length > 0 && (
            <DownloadData
              list="purchases"
              of="prepaid.current"
              query={{ campaign_id: campaign.campaign_id }}
              compact
            />
          )}
        </Group>
        {query.data.data.length === 0 ? (
          <Text size="sm" c="dimmed">
            No card purchases yet.
          </Text>
        ) : (
          <ul className={classes.purchases} aria-labelledby="purchases">
            {query.data.data.map((one) => {
              const { tone, words } = purchaseState(one);
              return (
                <li key={one.id}>
                  <Group gap="xs" component="span">
                    <StatusBadge status={one.status} tone={tone}>
                      {words}
                    </StatusBadge>
                    <span className="num">
                      {leadWords(one.leads)} for {money(one.amount_micros)}
                    </span>
                  </Group>
                  <Text span size="sm" c="dimmed">
                    {one.automatic ? 'continual' : 'manual'}
                    {one.card && `, ${one.card.replace(' ', ' ending in ')}`}, <When at={one.created_at} />
                  </Text>
                  {one.refunded_micros > 0 && (
                    <Text span size="sm" className={classes.line}>
                      {money(one.refunded_micros)} refunded
                    </Text>
                  )}
                  {one.reason && (
                    <Text span size="sm" c="dimmed" className={classes.line}>
                      {one.reason}
                    </Text>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </section>
    </>
  );
}

function Continual({ campaign, current }: { campaign: Campaign; current: CurrentTopUp }) {
  const may = useMay('prepaid.buy');
  const { in_view_mode } = useUser();
  const changed = usePrepaidChanged();
  const [busy, setBusy] = useState(false);
  const isOn = current.topup === 'continual';
  const lacks = !isOn && current.leads_buy === null;
  const turn = async () => {
    const order = `${leadWords(current.leads_buy ?? 0)} for ${money(current.amount_micros ?? 0)}`;
    const isSure = await confirm(
      isOn
        ? {
            title: `Stop buying leads for ${quoted(campaign)} automatically?`,
            body: 'Leads already bought stay. The campaign stops when its balance runs out.',
            verb: 'Stop',
          }
        : {
            title: `Buy leads for ${quoted(campaign)} automatically?`,
            body: `${order}, at that day’s price, are charged to the card on file each time the balance runs low, until someone stops it here. Nothing is charged now.`,
            verb: 'Start',
          },
    );
    if (!isSure) return;
    setBusy(true);
    try {
      const answer = await api.prepaid.stopContinual({
        campaign_id: campaign.campaign_id,
        stop_continual: isOn ? 'T' : 'F',
      });
      notifyDone(answer.message);
    } catch (error) {
      notifyFailed(error, isOn ? messages.continualStop : messages.continualOn);
    } finally {
      setBusy(false);
      changed(campaign.campaign_id);
    }
  };
  return (
    <section aria-label="Continual top-up">
      <Switch
        label="Buy leads automatically when the balance runs low"
        checked={isOn}
        disabled={!may || in_view_mode || busy || lacks}
        onChange={() => void turn()}
      />
      <Text size="sm" c="dimmed" mt={6} role="status">
        {lacks
          ? 'The agency must first set the number of leads to buy at a time under Setup.'
          : standing(current)}
      </Text>
    </section>
  );
}
