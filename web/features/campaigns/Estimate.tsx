import { Input, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useUser } from '../../api/user.ts';
import { money, num } from '../../ui/format.ts';
import { SkeletonRows } from '../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../ui/states.tsx';
import classes from './campaigns.module.css';
import type { CampaignFormState } from './model.ts';
import { leadPriceOf, type Resource } from './resource.ts';
import { countOf, estimateOf } from './setup.model.ts';

const some = (leads: number): string => (leads > 0 && leads < 10 ? leads.toFixed(1) : num(Math.round(leads)));

/** What a campaign with keywords may bring, by a count of the last seven days that is made now, by its rules. */
export function Estimate(props: { form: CampaignFormState; client: string; usual: Resource | undefined }) {
  const { form, client, usual } = props;
  const user = useUser();
  const asked = countOf(form.values, user.company_kind === 'client' ? undefined : client);
  const queued = useQuery({
    queryKey: ['estimate', asked],
    queryFn: () => api.intent.queueCount(asked),
    // One count for one set of fields, however often the step is opened.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const id = queued.data?.data.id ?? '';
  const counted = useQuery({
    queryKey: ['count', id],
    queryFn: ({ signal }) => api.intent.getCount({ id }, { signal }),
    enabled: id !== '',
    refetchInterval: ({ state }) => (!state.data || state.data.status === 'pending' ? 1500 : false),
  });
  const again = () => void queued.refetch();
  if (queued.error ?? counted.error)
    return (
      <ErrorState
        error={queued.error ?? counted.error}
        what="The estimate could not be made"
        onRetry={again}
      />
    );
  const row = counted.data;
  if (row?.status === 'error')
    return (
      <ErrorState
        error={new Error('The count failed.')}
        what="The estimate could not be made"
        onRetry={again}
      />
    );
  return (
    <Input.Wrapper
      label="Estimate"
      labelElement="div"
      description="Counted now, by the signals of the last 7 days and the rules of this campaign. Balance and other limits apart."
    >
      <section aria-label="Estimate" aria-live="polite" aria-busy={!row?.waterfall}>
        {row?.waterfall && usual ? (
          <Figures found={row.count ?? 0} deliverable={row.waterfall.deliverable} form={form} usual={usual} />
        ) : (
          <>
            <SkeletonRows rows={4} />
            <Text size="sm" c="dimmed">
              Counting. It is queued behind others, and may take a while; you can save the campaign meanwhile.
            </Text>
          </>
        )}
      </section>
    </Input.Wrapper>
  );
}

function Figures(props: { found: number; deliverable: number; form: CampaignFormState; usual: Resource }) {
  const { found, deliverable, form, usual } = props;
  const { LimitLead, LimitLeadFreq } = form.values;
  const { leadsADay, isLimited, costADay, costAWeek } = estimateOf({
    deliverable,
    price: leadPriceOf(form.values, usual),
    limit: LimitLead === '' ? usual.LimitLead : Number(LimitLead),
    every: LimitLead === '' ? usual.LimitLeadFreq : LimitLeadFreq,
  });
  const facts = [
    ['People found, 7 days', num(found)],
    ['Would be leads now', num(deliverable)],
    ['Leads a day', `About ${some(leadsADay)}${isLimited ? ', by your limit' : ''}`],
    ['Cost a day', `About ${money(costADay)}`],
    ['Cost a week', `About ${money(costAWeek)}`],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
