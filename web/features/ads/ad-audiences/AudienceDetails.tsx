import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  AUDIENCE_PLACE_NAMES,
  AUDIENCE_REFRESH_HOURS,
  AUDIENCE_SOURCE_NAMES,
  type AudiencePlace,
  FILE_PLACES,
  type FilePlace,
  LEAST_AIMED,
  LEAST_COUNTED,
} from '../../../../contract/ads/audience-rules.ts';
import { messages } from '../../../../contract/messages.ts';
import { modulePath } from '../../../../contract/routing/routing.ts';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { useFacts, useMay } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatTile } from '../../../ui/StatTile.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { type AudienceReport, countWords, isUnderWay, rateWords, STATES, sourceWords } from './model.ts';

const TILES = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(120px, 1fr))',
  gap: 'var(--mantine-spacing-sm)',
} as const;
const ASK_MS = 2000;

/** One audience: how many people it has, what was refused of its file, where it may be used, and its deletion. */
export function AudienceDetails({ id, onGone }: { id: string; onGone: () => void }) {
  const query = useQuery({
    queryKey: ['audiences', 'one', id],
    queryFn: ({ signal }) => api.audiences.get({ id }, { signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.audience) ? ASK_MS : false),
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The audience could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  return query.data ? <Shown report={query.data} onGone={onGone} /> : <SkeletonRows />;
}

function Shown({ report, onGone }: { report: AudienceReport; onGone: () => void }) {
  const { audience, bad, used_by, places } = report;
  const client = useQueryClient();
  const mayWrite = useMay('campaign.write');
  const mayRemove = useMay('campaign.remove');
  const [isBusy, setBusy] = useState(false);
  const changed = () => client.invalidateQueries({ queryKey: ['audiences'] });

  const run = async (what: () => Promise<void>) => {
    setBusy(true);
    try {
      await what();
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(false);
    }
  };
  const refresh = () =>
    run(async () => {
      await api.audiences.refresh({ id: audience.id });
      notifyDone('The audience is being matched again.');
      await changed();
    });
  const remove = async () => {
    const isSure = await confirm({
      title: `Delete “${audience.name}”?`,
      body: 'Its people are deleted here and at Simpli.fi. This cannot be undone.',
      verb: 'Delete',
      danger: true,
    });
    if (!isSure) return;
    await run(async () => {
      await api.audiences.remove({ id: audience.id });
      notifyDone(messages.updated);
      onGone();
      await changed();
    });
  };

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="start" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Title order={3} style={{ overflowWrap: 'anywhere' }}>
            {audience.name}
          </Title>
          <Text size="sm" c="dimmed">
            {audience.company_name} · {sourceWords(audience)}
          </Text>
        </div>
        <StatusBadge
          status={isUnderWay(audience) ? 'running' : audience.state}
          {...(audience.state === 'ready' ? { tone: 'good' as const } : {})}
        >
          {STATES[audience.state]}
        </StatusBadge>
      </Group>
      {audience.error && (
        <Notice tone={audience.state === 'failed' ? 'bad' : 'warn'}>{audience.error}</Notice>
      )}
      {audience.place_error && (
        <Notice tone="warn" title="Simpli.fi did not take this audience">
          {audience.place_error}
        </Notice>
      )}
      <div style={TILES}>
        <StatTile
          plain
          label="Size"
          value={
            audience.source === 'keywords' && audience.state === 'ready' && audience.size < LEAST_AIMED
              ? `Fewer than ${LEAST_AIMED}`
              : num(audience.size)
          }
        />
        <StatTile plain label="Matched" value={rateWords(audience)} />
        <StatTile plain label="Excluded" value={countWords(audience.excluded)} />
        <StatTile plain label="Reachable" value={countWords(audience.reachable)} />
      </div>
      {audience.state === 'ready' && (
        <Text size="sm" c="dimmed">
          {audience.matched === null
            ? `Audiences of fewer than ${audience.source === 'upload' ? `${LEAST_COUNTED} entries` : `${LEAST_AIMED} people`} are not counted, to protect individuals.`
            : 'Counts are rounded down to tens to protect individuals.'}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {audience.refreshed_at ? (
          <>
            Matched with people and visitors <When at={audience.refreshed_at} relative />, and again every{' '}
            {AUDIENCE_REFRESH_HOURS} hours. Whoever is on an exclusion list of the client, the agency, or the
            platform gets none of its ads.
          </>
        ) : (
          'Its people are being matched. This page updates by itself.'
        )}
      </Text>
      <Origin report={report} />
      <section aria-label="Where it may be used">
        <Title order={4} mb="xs">
          Where it may be used
        </Title>
        <Stack gap="sm">
          {places.map((one) => (
            <Place key={one.place} audience={audience} may={mayWrite} {...one} />
          ))}
        </Stack>
      </section>
      {used_by.length > 0 && <Uses uses={used_by} />}
      {audience.rows_bad > 0 && <Refused audience={audience} bad={bad} />}
      <Group gap="xs">
        {mayWrite && (audience.state === 'ready' || audience.state === 'held') && (
          <Button variant="default" size="compact-sm" loading={isBusy} onClick={() => void refresh()}>
            {audience.state === 'held' ? 'Try again' : 'Match again'}
          </Button>
        )}
        {mayRemove && (
          <Button
            variant="outline"
            color="red"
            size="compact-sm"
            loading={isBusy}
            onClick={() => void remove()}
          >
            Delete audience
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** What an audience was made from. */
function Origin({ report: { audience } }: { report: AudienceReport }) {
  if (audience.source === 'upload')
    return (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {num(audience.rows_read)} rows of {audience.file_name}: {num(audience.rows_added)} used,{' '}
        {num(audience.rows_same)} repeated, {num(audience.rows_bad)} refused.{' '}
        {audience.origin === 'customers'
          ? 'Uploaded as a list of the client’s own customers.'
          : 'Uploaded as a list that others collected.'}
      </Text>
    );
  if (audience.source === 'leads')
    return (
      <Text size="sm">
        {AUDIENCE_SOURCE_NAMES.leads}: {audience.campaign_name}
        {audience.days === null ? ', all of them.' : `, of the last ${num(audience.days)} days.`}
      </Text>
    );
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      People who looked for {audience.keywords.slice(0, 10).join(', ')}
      {audience.keywords.length > 10 ? `, and ${num(audience.keywords.length - 10)} more` : ''} in the last 7
      days.
    </Text>
  );
}

const isFilePlace = (place: AudiencePlace): place is FilePlace => FILE_PLACES.some((one) => one === place);

/** A place, and why the audience may not be used there, or its file for it. */
function Place(props: {
  audience: AudienceReport['audience'];
  place: AudiencePlace;
  allowed: boolean;
  reason: string;
  may: boolean;
}) {
  const { place, allowed, reason, audience } = props;
  return (
    <Group justify="space-between" align="start" wrap="nowrap" gap="md">
      <div>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {AUDIENCE_PLACE_NAMES[place]}
          </Text>
          <StatusBadge status={allowed ? 'allowed' : 'refused'} tone={allowed ? 'good' : 'plain'}>
            {allowed ? 'Allowed' : 'Not allowed'}
          </StatusBadge>
        </Group>
        {reason && (
          <Text size="sm" c="dimmed">
            {reason}
          </Text>
        )}
        {place === 'simplifi' && allowed && (
          <Text size="sm" c="dimmed">
            {audience.addresses === null
              ? 'Entries with a postal address can be handed over.'
              : `${num(audience.addresses)} of ${num(audience.size)} can be handed over: it takes postal addresses.`}
          </Text>
        )}
      </div>
      {isFilePlace(place) && allowed && props.may && audience.state === 'ready' && (
        <Button
          variant="default"
          size="compact-sm"
          style={{ flexShrink: 0 }}
          leftSection={<IconDownload size={14} aria-hidden="true" />}
          aria-label={`Download the file for ${AUDIENCE_PLACE_NAMES[place]}`}
          onClick={() => void download(`/leadspeek/simplifi/audience/${audience.id}/${place}.csv`)}
        >
          File
        </Button>
      )}
    </Group>
  );
}

/** The ad campaigns that use it. */
function Uses({ uses }: { uses: AudienceReport['used_by'] }) {
  const slug = modulesOf(useFacts()).find(({ module }) => module === 'simplifi')?.slug;
  return (
    <section aria-label="Ad campaigns">
      <Title order={4} mb="xs">
        Ad campaigns
      </Title>
      <Stack gap={4}>
        {uses.map((use) => (
          <Text key={use.campaign_id} size="sm">
            {slug ? (
              <Anchor
                component={Link}
                inherit
                to={`${modulePath(slug, 'campaign-management')}?ad=${use.campaign_id}` as '/'}
              >
                {use.campaign_name}
              </Anchor>
            ) : (
              use.campaign_name
            )}{' '}
            {use.is_excluded ? 'is not shown to it' : 'is shown to it'}
          </Text>
        ))}
      </Stack>
    </section>
  );
}

/** The rows that could not be used, by line. */
function Refused({ audience, bad }: Pick<AudienceReport, 'audience' | 'bad'>) {
  return (
    <section aria-label="Refused rows">
      <Title order={4} mb="xs">
        {audience.rows_bad > bad.length
          ? `The first ${num(bad.length)} of ${num(audience.rows_bad)} refused rows`
          : 'Refused rows'}
      </Title>
      <section
        aria-label="Rows"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keyboard
        tabIndex={0}
        style={{ maxHeight: 240, overflowY: 'auto' }}
      >
        {bad.map((fault) => (
          <Text key={fault.line} size="sm" style={{ overflowWrap: 'anywhere' }}>
            <span className="num">Line {num(fault.line)}</span>: {fault.value && <code>{fault.value}</code>}{' '}
            {fault.reason}
          </Text>
        ))}
      </section>
      <Button
        mt="sm"
        variant="default"
        size="compact-sm"
        leftSection={<IconDownload size={14} aria-hidden="true" />}
        onClick={() => void download(`/leadspeek/simplifi/audience/${audience.id}/refused.csv`)}
      >
        Download refused rows
      </Button>
    </section>
  );
}
