import { Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { money, num } from '../../../ui/format.ts';
import classes from './campaigns.module.css';
import { Estimate } from './Estimate.tsx';
import { type CampaignFormState, type CampaignValues, siteOf } from './model.ts';
import { leadPriceOf, type Resource } from './resource.ts';
import { contentsOf, countOf, type StepKey } from './setup.model.ts';

export interface SetupSummaryProps {
  form: CampaignFormState;
  client: string;
  resource: Resource | undefined;
  /** Whether the audience has passed its check, so that it can be counted. */
  counts: boolean;
  at: StepKey;
}

/** What a campaign that is being built will find and cost, with a sample lead. On a narrow screen it can be folded. */
export function SetupSummary({ form, client, resource, counts, at }: SetupSummaryProps) {
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const { module } = form.values;
  const price = priceWords(form.values, resource);
  const content = (
    <>
      <section className={classes.summaryPart}>
        <Title order={3} size="h5">
          Who it finds
        </Title>
        {module === 'local' ? (
          <Text size="sm" mt={4}>
            {siteOf(form.values.site_url)
              ? `Visitors to ${hostOf(form.values.site_url)}, once the pixel is installed.`
              : 'Visitors to a site with your pixel.'}
          </Text>
        ) : counts && client ? (
          <Counted form={form} client={client} resource={resource} at={at} />
        ) : (
          <Text size="sm" c="dimmed" mt={4}>
            {form.values.keywords.trim()
              ? 'Go to the next step to see how many people qualify.'
              : 'Enter keywords, and you’ll see how many people qualify.'}
          </Text>
        )}
      </section>
      <section className={classes.summaryPart}>
        <Title order={3} size="h5">
          Price per lead
        </Title>
        <Text className={`num ${classes.summaryPrice}`} aria-live="polite">
          {price}
        </Text>
        {resource?.is_priced && (
          <Text size="sm" c="dimmed">
            {limitWords(form.values, resource)}
          </Text>
        )}
      </section>
      <section className={classes.summaryPart}>
        <Title order={3} size="h5">
          Sample lead
        </Title>
        <dl className={classes.sample}>
          {contentsOf(form.values).map(({ field, example, isSure }) => (
            <div key={field}>
              <dt>
                {field}
                {!isSure && <span className={classes.ifKnown}> if known</span>}
              </dt>
              <dd>{example}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
  if (isWide)
    return (
      <aside className="card" aria-label="Summary">
        {content}
      </aside>
    );
  return (
    <details className={`card ${classes.summary}`}>
      <summary>
        <span>Summary</span>
        <span className="num">{price}</span>
      </summary>
      {content}
    </details>
  );
}

const hostOf = (site: string): string => {
  try {
    return new URL(siteOf(site)).host;
  } catch {
    return site.trim();
  }
};

function priceWords(values: CampaignValues, resource: Resource | undefined): string {
  if (!resource) return 'Choose a client';
  if (!resource.is_priced) return 'Set by your agency';
  const price = leadPriceOf(values, resource);
  return price === 0 ? 'Free' : money(price, { unit: true });
}

function limitWords(values: CampaignValues, resource: Resource): string {
  const isOwn = values.daily_cap !== '';
  const limit = isOwn ? Number(values.daily_cap) : resource.daily_cap;
  if (!limit) return 'No lead limit';
  const most = money(leadPriceOf(values, resource) * limit);
  return `Up to ${num(limit)} leads a ${isOwn ? values.limit_every : resource.limit_every}, ${most}`;
}

/**
 * The count of the last seven days. Counting is work for the server, so it is counted again when a step is left, not
 * with every letter.
 */
function Counted({ form, client, resource, at }: Omit<SetupSummaryProps, 'counts'>) {
  const [counted, setCounted] = useState(form.values);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another step or product takes the values over
  useEffect(() => setCounted(form.getValues()), [at, form.values.module]);
  const isOld = JSON.stringify(countOf(counted, client)) !== JSON.stringify(countOf(form.values, client));
  return (
    <>
      <Estimate
        values={form.values}
        counted={counted}
        client={client}
        usual={resource}
        onLimit={(leads) => form.setValues({ daily_cap: String(leads), limit_every: 'day' })}
      />
      {isOld && (
        <Text size="xs" c="dimmed" mt="xs">
          Your changes are counted when you go to the next step.
        </Text>
      )}
    </>
  );
}
