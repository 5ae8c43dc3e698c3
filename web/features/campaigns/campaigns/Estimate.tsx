import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { money, num } from '../../../ui/format.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import classes from './campaigns.module.css';
import type { CampaignValues } from './model.ts';
import { leadPriceOf, type Resource } from './resource.ts';
import { countOf, type Expected, estimateOf, isFew, mostOf, peopleWords } from './setup.model.ts';

const some = (leads: number): string => (leads > 0 && leads < 10 ? leads.toFixed(1) : num(Math.round(leads)));

interface EstimateProps {
  /** The campaign's planned setup, whose price and limit apply. */
  values: CampaignValues;
  /** The setup whose people are counted. */
  counted: CampaignValues;
  /** The campaign's client. */
  client: string;
  usual: Resource | undefined;
  /** Applies the suggested daily limit. */
  onLimit: (leads: number) => void;
}

/**
 * Estimates what a campaign with keywords may bring, from a count of the last seven days that is run now with its
 * rules.
 */
export function Estimate({ values, counted: of, client, usual, onLimit }: EstimateProps) {
  const user = useUser();
  const asked = countOf(of, user.company_kind === 'client' ? undefined : client);
  const queued = useQuery({
    queryKey: ['estimate', asked],
    queryFn: () => api.signals.queueCount(asked),
    // One count per set of fields, no matter how often the step is opened.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const id = queued.data?.data.id ?? '';
  const counted = useQuery({
    queryKey: ['count', id],
    queryFn: ({ signal }) => api.signals.getCount({ id }, { signal }),
    enabled: id !== '',
    refetchInterval: ({ state }) => (!state.data || state.data.status === 'pending' ? 1500 : false),
  });
  const again = () => void queued.refetch();
  if (queued.error ?? counted.error)
    return (
      <ErrorState
        error={queued.error ?? counted.error}
        what="The estimate could not be created"
        onRetry={again}
      />
    );
  const row = counted.data;
  if (row?.status === 'error')
    return (
      <ErrorState
        error={new Error('The count failed.')}
        what="The estimate could not be created"
        onRetry={again}
      />
    );
  return (
    <section aria-label="Estimate" aria-live="polite" aria-busy={!row?.waterfall}>
      {row?.waterfall && usual ? (
        <Figures
          found={row.count ?? 0}
          deliverable={row.waterfall.deliverable}
          values={values}
          usual={usual}
          onLimit={onLimit}
        />
      ) : (
        <>
          <SkeletonRows rows={4} />
          <Text size="sm" c="dimmed">
            Counting. This can take a while. You can continue in the meantime.
          </Text>
        </>
      )}
    </section>
  );
}

function Figures(
  props: Pick<EstimateProps, 'values' | 'onLimit'> & { found: number; deliverable: number; usual: Resource },
) {
  const { found, deliverable, values, usual } = props;
  const { daily_cap, limit_every } = values;
  const isMost = isFew(deliverable);
  const expected = estimateOf({
    deliverable: mostOf(deliverable),
    price: leadPriceOf(values, usual),
    limit: daily_cap === '' ? usual.daily_cap : Number(daily_cap),
    every: daily_cap === '' ? usual.limit_every : limit_every,
  });
  const { now, aDay, backlogDays, isLimited, costNow, costADay, suggested } = expected;
  const facts = [
    ['People found, 7 days', peopleWords(found)],
    ['Qualify now', peopleWords(deliverable)],
    [
      'Immediately',
      `${isMost ? 'Up to ' : ''}${num(now)} ${now === 1 ? 'lead' : 'leads'}, ${money(costNow)}`,
    ],
    ['Then per day', `${isMost ? 'Up to' : 'About'} ${some(aDay)}, ${money(costADay)}`],
  ];
  return (
    <>
      <Text mb="sm">
        {expectedWords(expected, isMost)}
        {isLimited && ' Your limit spreads them out.'}
      </Text>
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed" mt="xs">
        Counted from the last 7 days with this campaign’s rules, before balance and spending limits.
      </Text>
      {backlogDays > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {Number.isFinite(backlogDays)
            ? `Everyone who qualifies now is delivered after about ${num(backlogDays)} more ${backlogDays === 1 ? 'day' : 'days'}.`
            : 'More people qualify than your limit allows.'}
        </Text>
      )}
      {suggested !== null && !isLimited && (
        <Group gap="sm" mt="sm">
          <Text size="sm">
            To spread the first {num(now)} over about a week, set a limit of {num(suggested)} leads a day.
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => props.onLimit(suggested)}>
            Use {num(suggested)} a day
          </Button>
        </Group>
      )}
    </>
  );
}

/** '161 now, then about 23 a day. $400.00 up front.' `isMost`: the figures are the most that there can be. */
function expectedWords({ now, aDay, costNow }: Expected, isMost: boolean): string {
  if (isMost)
    return `Up to ${num(now)} now, then up to ${some(aDay)} a day. Up to ${money(costNow)} up front.`;
  return `${num(now)} now, then about ${some(aDay)} a day. ${money(costNow)} up front.`;
}
