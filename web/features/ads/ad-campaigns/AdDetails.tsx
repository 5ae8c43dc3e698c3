import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AD_PLATFORM_NAMES } from '../../../../contract/ads/ad-rules.ts';
import { dollarsOf } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { money } from '../../../ui/format.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatTile } from '../../../ui/StatTile.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { AdAudienceFields, AdBudgetFields, AdNameFields } from './AdFields.tsx';
import { Creatives } from './Creatives.tsx';
import { AD_RULES, type AdCampaign, type AdValues, adInputOf, adValuesOf } from './model.ts';

const TILES = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(130px, 1fr))',
  gap: 'var(--mantine-spacing-sm)',
} as const;

/** One ad campaign: what it has spent and may still spend, its creatives, and its settings. */
export function AdDetails({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['ads', 'one', id],
    queryFn: ({ signal }) => api.adCampaigns.details({ campaign_id: id }, { signal }),
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The ad campaign could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  return query.data ? <Shown ad={query.data} /> : <SkeletonRows />;
}

function Shown({ ad }: { ad: AdCampaign }) {
  const client = useQueryClient();
  const mayWrite = useMay('campaign.write');
  const mayBuy = useMay('prepaid.buy');
  const [isBusy, setBusy] = useState(false);
  const [click, setClick] = useState(() => crypto.randomUUID() as string);
  const changed = () => client.invalidateQueries({ queryKey: ['ads'] });
  const left = useQuery({
    queryKey: ['ads', 'remaining', ad.campaign_id, ad.version, ad.balance_micros],
    queryFn: ({ signal }) => api.adCampaigns.remainingBudget({ campaign_id: ad.campaign_id }, { signal }),
  }).data;

  const run = async (what: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await what();
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(false);
      await changed();
    }
  };
  const setStatus = (status: 'active' | 'paused') =>
    run(async () => {
      await api.campaigns.activePause({ campaign_id: ad.campaign_id, status });
      notifyDone(messages.updated);
    });
  const buy = async () => {
    if (!left) return;
    const sum = money(left.due_micros);
    const isSure = await confirm({
      title: `Buy a balance of ${sum}?`,
      body: `The client’s card is charged ${sum}, which covers the daily budget on the ${left.remaining_days} remaining days of the month. What is not spent stays in the balance.`,
      verb: `Pay ${sum}`,
    });
    if (!isSure) return;
    await run(async () => {
      const answer = await api.adCampaigns.charge({
        campaign_id: ad.campaign_id,
        amount: dollarsOf(left.due_micros),
        idempotency_key: click,
      });
      if (answer.result !== 'unknown') setClick(crypto.randomUUID());
      if (answer.result !== 'success') throw new Error(answer.message);
      notifyDone(answer.message);
    });
  };

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="start">
        <div>
          <Title order={3}>{ad.campaign_name}</Title>
          <Text size="sm" c="dimmed">
            #{ad.campaign_number} · {ad.company_name} · {AD_PLATFORM_NAMES[ad.platform]}
          </Text>
        </div>
        <Group gap="xs">
          <StatusBadge status={ad.status} />
          {mayWrite && ad.status !== 'archived' && (
            <Button
              size="compact-sm"
              variant="default"
              loading={isBusy}
              onClick={() => void setStatus(ad.status === 'active' ? 'paused' : 'active')}
            >
              {ad.status === 'active' ? 'Pause' : 'Activate'}
            </Button>
          )}
        </Group>
      </Group>
      {ad.platform === 'sandbox' && (
        <Notice tone="info" title="Sandbox">
          This platform has no ad exchange. A sandbox simulates one: it shows these ads to no one, and its
          impressions, clicks, and spend are made up.
        </Notice>
      )}
      {ad.sync_error && (
        <Notice tone="warn" title="The last change did not arrive">
          {ad.sync_error}
        </Notice>
      )}
      <div style={TILES}>
        <StatTile plain label="Spend" value={money(ad.total_spend)} />
        <StatTile plain label="Balance" value={money(ad.balance_micros)} />
        <StatTile plain label="Left today" value={left && money(left.day_micros)} />
        <StatTile plain label="Left this month" value={left && money(left.month_micros)} />
      </div>
      {mayBuy && left && left.due_micros > 0 && (
        <Group justify="space-between">
          <Text size="sm">
            The daily budget on the {left.remaining_days} remaining days needs {money(left.due_micros)} more.
          </Text>
          <Button size="compact-sm" loading={isBusy} onClick={() => void buy()}>
            Buy balance
          </Button>
        </Group>
      )}
      <Creatives ad={ad} />
      {mayWrite && <Settings key={ad.version} ad={ad} onSaved={changed} />}
    </Stack>
  );
}

function Settings({ ad, onSaved }: { ad: AdCampaign; onSaved: () => Promise<unknown> }) {
  const mayPrice = useMay('campaign.price');
  const [isBusy, setBusy] = useState(false);
  const form = useForm<AdValues>({
    initialValues: adValuesOf(ad),
    validateInputOnBlur: true,
    validate: AD_RULES,
  });
  const save = async (values: AdValues) => {
    setBusy(true);
    try {
      await api.adCampaigns.update({
        campaign_id: ad.campaign_id,
        version: ad.version,
        ...adInputOf(values, mayPrice),
      });
      notifyDone(messages.updated);
      await onSaved();
    } catch (error) {
      showFormError(form, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        <Title order={4}>Settings</Title>
        <AdNameFields form={form} isNew={false} />
        <AdBudgetFields form={form} mayPrice={mayPrice} />
        <AdAudienceFields form={form} companyId={ad.company_id} />
        <Group>
          <Button type="submit" loading={isBusy} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
