import { Button, Group, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { overlaysReady } from '../../../ui/overlays.ts';
import { Estimate } from './Estimate.tsx';
import { type Campaign, quoted, valuesOf } from './model.ts';
import { campaignQuery } from './queries.ts';
import { resourceQuery } from './resource.ts';

/**
 * Shows what a campaign with keywords would bring and cost at once, before it is activated.
 * @returns the daily limit chosen here, null if none was chosen; undefined: do not activate
 */
export async function askActivation(
  cache: QueryClient,
  { campaign_id }: Pick<Campaign, 'campaign_id'>,
): Promise<number | null | undefined> {
  const [campaign] = await Promise.all([cache.fetchQuery(campaignQuery(campaign_id)), overlaysReady()]);
  return new Promise((resolve) => {
    let answer: number | null | undefined;
    const id = modals.open({
      title: `Activate ${quoted(campaign)}?`,
      size: 'md',
      centered: true,
      onClose: () => resolve(answer),
      children: (
        <Activation
          campaign={campaign}
          onCancel={() => modals.close(id)}
          onActivate={(limit) => {
            answer = limit;
            modals.close(id);
          }}
        />
      ),
    });
  });
}

function Activation(props: {
  campaign: Campaign;
  onCancel: () => void;
  onActivate: (limit: number | null) => void;
}) {
  const { campaign } = props;
  const [limit, setLimit] = useState<number | null>(null);
  const usual = useQuery(resourceQuery(campaign.company_id, campaign.module));
  const values = valuesOf(campaign);
  return (
    <Stack gap="lg">
      <Estimate
        values={limit === null ? values : { ...values, daily_cap: String(limit), limit_every: 'day' }}
        counted={values}
        client={campaign.company_id}
        usual={usual.data}
        onLimit={setLimit}
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button data-autofocus onClick={() => props.onActivate(limit)}>
          {limit === null ? 'Activate' : `Activate with ${limit} a day`}
        </Button>
      </Group>
    </Stack>
  );
}
