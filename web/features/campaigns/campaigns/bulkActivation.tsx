import { Button, Checkbox, Group, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { money, num } from '../../../ui/format.ts';
import { overlaysReady } from '../../../ui/overlays.ts';
import { campaignsWords, forEach } from './bulk.ts';
import classes from './campaigns.module.css';
import { type CampaignRow, valuesOf } from './model.ts';
import { campaignQuery } from './queries.ts';
import { leadPriceOf, resourceQuery } from './resource.ts';
import { countOf, type Expected, estimateOf, isFew, mostOf } from './setup.model.ts';

/** The daily limit of each campaign that gets one, by the campaign's id. */
export type Limits = ReadonlyMap<string, number>;

/**
 * Shows what several campaigns with keywords would bring and cost on their first day, before they are activated.
 * @param campaigns those to activate, including campaigns without keywords, which bring nothing at once
 * @returns the daily limits chosen here; undefined: do not activate
 */
export async function askBulkActivation(campaigns: readonly CampaignRow[]): Promise<Limits | undefined> {
  await overlaysReady();
  return new Promise((resolve) => {
    let answer: Limits | undefined;
    const id = modals.open({
      title: `Activate ${campaignsWords(campaigns.length)}?`,
      size: 'lg',
      centered: true,
      onClose: () => resolve(answer),
      children: (
        <BulkActivation
          campaigns={campaigns}
          onCancel={() => modals.close(id)}
          onActivate={(limits) => {
            answer = limits;
            modals.close(id);
          }}
        />
      ),
    });
  });
}

function BulkActivation(props: {
  campaigns: readonly CampaignRow[];
  onCancel: () => void;
  onActivate: (limits: Limits) => void;
}) {
  const asked = props.campaigns.filter(({ module }) => module !== 'local');
  const others = props.campaigns.length - asked.length;
  const { tried, estimates, failed } = useEstimates(asked);
  const [isSpread, setSpread] = useState(false);
  const spreadable = estimates.flatMap(({ item, expected: { suggested, isLimited } }) =>
    suggested !== null && !isLimited ? [[item.campaign_id, suggested] as const] : [],
  );
  const limits: Limits = new Map(isSpread ? spreadable : []);
  const rows = estimates.map(({ item, isMost, estimate }) => ({
    item,
    upTo: isMost ? 'Up to ' : '',
    ...estimate(limits.get(item.campaign_id)),
  }));
  const sum = (of: (row: Expected) => number) => rows.reduce((total, row) => total + of(row), 0);
  const isCounting = tried < asked.length;
  return (
    <Stack gap="md">
      <div aria-live="polite" aria-busy={isCounting}>
        {isCounting ? (
          <>
            <Text size="sm" mb="xs">
              Counting {num(tried + 1)} of {num(asked.length)}. You can activate without waiting.
            </Text>
            <Progress value={(tried / asked.length) * 100} aria-label="Campaigns counted" />
          </>
        ) : (
          <Text>
            About {num(sum((row) => row.now))} leads on the first day for {money(sum((row) => row.costNow))},
            then about {num(Math.round(sum((row) => row.aDay)))} a day for {money(sum((row) => row.costADay))}
            .
          </Text>
        )}
      </div>
      {rows.length > 0 && (
        <ScrollArea.Autosize
          mah={280}
          type="auto"
          offsetScrollbars="present"
          // What scrolls must be reached by keyboard.
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Estimates' }}
        >
          <Table aria-label="Estimate by campaign" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr className={classes.heads}>
                <Table.Th w="100%">Campaign</Table.Th>
                <Table.Th ta="right">First day</Table.Th>
                <Table.Th ta="right">Cost</Table.Th>
                <Table.Th ta="right">Daily after</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.item.campaign_id}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    {row.item.campaign_name} <span className="dim">#{row.item.campaign_number}</span>
                  </Table.Td>
                  <Table.Td ta="right" className="num">
                    {row.upTo}
                    {num(row.now)}
                  </Table.Td>
                  <Table.Td ta="right" className="num">
                    {row.upTo}
                    {money(row.costNow)}
                  </Table.Td>
                  <Table.Td ta="right" className="num">
                    {row.upTo}
                    {num(Math.round(row.aDay))}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
      {failed.length > 0 && (
        <Text size="sm" c="var(--bad)">
          No estimate for {campaignsWords(failed.length)}: {failed[0]!.words}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        Counted from the last 7 days with each campaign’s rules, before balances and spending limits.
        {others > 0 && ` Campaigns with a pixel (${num(others)}) start with the next visit to their sites.`}
      </Text>
      {spreadable.length > 0 && (
        <Checkbox
          checked={isSpread}
          onChange={({ currentTarget }) => setSpread(currentTarget.checked)}
          label={`Spread the first leads over about a week (sets a daily limit for ${campaignsWords(spreadable.length)})`}
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button data-autofocus onClick={() => props.onActivate(limits)}>
          {limits.size > 0
            ? 'Activate with daily limits'
            : `Activate ${campaignsWords(props.campaigns.length)}`}
        </Button>
      </Group>
    </Stack>
  );
}

interface Estimated {
  item: CampaignRow;
  /** Whether so few people qualify that the figures are the most that there can be. */
  isMost: boolean;
  /** With the campaign's current limit. */
  expected: Expected;
  /** With the campaign's own limit, or with another one, in leads per day. */
  estimate: (limit?: number) => Expected;
}

/** Counts campaigns one after the other; leaving the dialog stops it. */
function useEstimates(campaigns: readonly CampaignRow[]) {
  const cache = useQueryClient();
  const isClient = useUser().company_kind === 'client';
  const [estimates, setEstimates] = useState<Estimated[]>([]);
  const [tried, setTried] = useState(0);
  const run = useQuery({
    queryKey: ['bulk-estimate', campaigns.map(({ campaign_id, version }) => [campaign_id, version])],
    queryFn: ({ signal }) => {
      setEstimates([]);
      return forEach(
        campaigns,
        async (campaign) => {
          const estimated = await estimateCampaign(cache, campaign, isClient, signal);
          setEstimates((known) => [...known, estimated]);
        },
        (count) => setTried(count),
      );
    },
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  return { tried, estimates, failed: run.data?.failed ?? [] };
}

async function estimateCampaign(
  cache: QueryClient,
  item: CampaignRow,
  isClient: boolean,
  signal: AbortSignal,
): Promise<Estimated> {
  signal.throwIfAborted();
  const values = valuesOf(await cache.fetchQuery(campaignQuery(item.campaign_id)));
  const usual = await cache.fetchQuery(resourceQuery(item.company_id, item.module));
  const asked = countOf(values, isClient ? undefined : item.company_id);
  const { data } = await cache.fetchQuery({
    queryKey: ['estimate', asked],
    queryFn: () => api.signals.queueCount(asked),
    // The same count that the campaign's own dialog would request.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const found = await counted(data.id, signal);
  const deliverable = mostOf(found);
  const price = leadPriceOf(values, usual);
  const estimate = (limit?: number) => {
    if (limit !== undefined) return estimateOf({ deliverable, price, limit, every: 'day' });
    return estimateOf({
      deliverable,
      price,
      limit: values.daily_cap === '' ? usual.daily_cap : Number(values.daily_cap),
      every: values.daily_cap === '' ? usual.limit_every : values.limit_every,
    });
  };
  return { item, isMost: isFew(found), expected: estimate(), estimate };
}

/** Waits for a count. @returns how many people would become leads */
async function counted(id: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    const row = await api.signals.getCount({ id }, { signal });
    if (row.status === 'error') throw new Error('The count failed.');
    if (row.waterfall) return row.waterfall.deliverable;
    await new Promise((resolve) => setTimeout(resolve, 700));
    signal.throwIfAborted();
  }
}
