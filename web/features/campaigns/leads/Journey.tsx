import { Anchor, Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { REASON_WORDS } from '../../../../contract/money/credits.ts';
import { api } from '../../../api/client.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { Money, When } from '../../../ui/Values.tsx';
import classes from './Journey.module.css';
import { lowerFirst, matchWord, matchWords } from './match.ts';

type Step = Awaited<ReturnType<Client['leads']['journey']>>['data'][number];

const AT_ONCE = 25;

/** What happened around a lead, the newest first: visits, signals, merges, the lead itself, and its deliveries. */
export function Journey({ id, isLive }: { id: string; isLive: boolean }) {
  const query = useInfiniteQuery({
    queryKey: ['journey', id],
    queryFn: ({ pageParam, signal }) =>
      api.leads.journey({ id, page: pageParam, per_page: AT_ONCE }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ current_page, last_page }) =>
      current_page < last_page ? current_page + 1 : undefined,
    refetchInterval: isLive ? 3000 : false,
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The journey could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SkeletonRows rows={3} />;
  const steps = query.data.pages.flatMap(({ data }) => data);
  const total = query.data.pages[0]?.total ?? 0;
  return (
    <>
      <ol className={classes.steps} aria-label="Journey">
        {steps.map((step) => (
          <li
            key={`${step.kind} ${step.id} ${step.at} ${step.keyword ?? ''}`}
            className={classes.step}
            data-kind={step.kind}
          >
            <StepWords step={step} />
            <Text size="xs" c="dimmed">
              <When at={step.at} />
              {step.seconds !== null && `, ${secondsWords(step.seconds)} on the page`}
              {!step.is_recognized && ', before the person was recognized'}
            </Text>
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button
          variant="default"
          size="compact-sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more ({total - steps.length})
        </Button>
      )}
    </>
  );
}

const secondsWords = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;

function StepWords({ step }: { step: Step }) {
  if (step.kind === 'lead')
    return (
      <>
        <Text size="sm" fw={600}>
          Became a lead
          {step.price_micros !== null && step.price_micros > 0 && (
            <>
              {' '}
              for <Money micros={step.price_micros} unit />
            </>
          )}
        </Text>
        {step.match_type && (
          <Text size="xs" c="dimmed">
            Matched by {lowerFirst(matchWords(step.match_type))}, {step.confidence}% confidence
          </Text>
        )}
      </>
    );
  if (step.kind === 'signal')
    return (
      <Text size="sm" className={classes.long!}>
        Searched for <bdi>{step.keyword}</bdi>
      </Text>
    );
  if (step.kind === 'merge' || step.kind === 'unmerge')
    return (
      <>
        <Text size="sm">
          {step.kind === 'merge'
            ? 'Merged with another record of the same person'
            : 'Merge with another record undone'}
        </Text>
        <Text size="xs" c="dimmed">
          {step.kind === 'merge' ? mergeWords(step.shared) : 'Visits of the two records are separate again.'}
        </Text>
      </>
    );
  if (step.kind === 'ad_click' || step.kind === 'ad_view')
    return (
      <>
        <Text size="sm" className={classes.long!}>
          {step.kind === 'ad_click' ? 'Clicked the ad ' : 'Saw the ad '}
          <bdi>{step.title ?? 'that was shown'}</bdi>
        </Text>
        <Text size="xs" c="dimmed" className={classes.long!}>
          {[step.note, step.destination && `on ${step.destination}`].filter(Boolean).join(' ')}
        </Text>
      </>
    );
  if (step.kind === 'return' || step.kind === 'decision')
    return (
      <>
        <Text size="sm" className={classes.long!}>
          {step.kind === 'return'
            ? `Returned${step.reason ? `: ${REASON_WORDS[step.reason].toLowerCase()}` : ''}`
            : step.decision === 'approved'
              ? 'Return approved'
              : 'Return declined'}
        </Text>
        {step.note && (
          <Text size="xs" c="dimmed" className={classes.long!}>
            <bdi>{step.note}</bdi>
          </Text>
        )}
      </>
    );
  if (step.kind === 'delivery')
    return (
      <>
        <Text size="sm" component="div" className={classes.line!}>
          <span className={classes.long}>Delivery to {step.destination || 'a destination'}</span>
          {step.state && <StatusBadge status={step.state} />}
        </Text>
        {step.error && (
          <Text size="xs" c="dimmed" className={classes.long!}>
            {step.error}
          </Text>
        )}
      </>
    );
  const came = step.came_by;
  const from = came && [came.source, came.medium, came.campaign].filter(Boolean).join(' · ');
  return (
    <>
      <Text size="sm" component="div" className={classes.long!}>
        {{ view: 'Viewed ', identify: 'Signed up on ', thanks: 'Reached the thank-you page ' }[step.kind]}
        {step.page_url ? (
          <Anchor href={step.page_url} target="_blank" rel="noreferrer noopener" inherit>
            {step.title ?? pathOf(step.page_url)}
          </Anchor>
        ) : (
          (step.title ?? 'a page')
        )}
      </Text>
      {(from || came?.click_id) && (
        <Text size="xs" c="dimmed" className={classes.long!}>
          Source: {[from, came?.click_id].filter(Boolean).join(' · ')}
        </Text>
      )}
      {step.referrer && (
        <Text size="xs" c="dimmed" className={classes.long!}>
          From {new URL(step.referrer).host}
        </Text>
      )}
    </>
  );
}

/** Why two records were merged, and what that changed. */
function mergeWords(shared: Step['shared']): string {
  const both = [...new Set(shared.map((key) => lowerFirst(matchWord(key))))];
  const why = both.length > 0 ? `Both have the same ${both.join(' and ')}.` : 'Someone merged them manually.';
  return `${why} From then on, visits of either count as this person’s.`;
}

const pathOf = (address: string): string => {
  const { host, pathname } = new URL(address);
  return pathname === '/' ? host : pathname;
};
