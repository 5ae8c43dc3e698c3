import { Button, Progress, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { wordsOf } from '../../../api/errors.ts';
import { useFacts, userMay } from '../../../api/user.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { MinSpendOffer } from './MinSpendOffer.tsx';
import classes from './minimum-spend.module.css';
import { standOf } from './model.ts';
import { progressQuery } from './queries.ts';

/** An agency's progress toward its minimum spend this month; renders nothing if no minimum applies (PAY-07). */
export function MinSpendProgress() {
  const { user, setup } = useFacts();
  const isAsked =
    user.company_kind === 'agency' && setup?.minimum_spend.status === true && userMay(user, 'cost.read');
  const query = useQuery({
    ...progressQuery(user.company_id),
    enabled: isAsked,
    // Shows the response loaded at startup at once; spending since then is fetched afterward.
    staleTime: 60_000,
  });
  if (!isAsked) return null;
  if (query.error && !query.data)
    return (
      <div className={classes.progress}>
        <Notice
          tone="bad"
          title="The minimum spend could not be loaded"
          live="alert"
          action={
            <Button variant="default" size="xs" onClick={() => void query.refetch()}>
              Retry<span className="sr-only"> loading the minimum spend</span>
            </Button>
          }
        >
          {wordsOf(query.error)}
        </Notice>
      </div>
    );
  if (!query.data) return <Skeleton height={92} radius="md" mb="md" aria-busy="true" />;
  const { offer } = query.data;
  const stand = standOf(query.data);
  return (
    <>
      {offer && <MinSpendOffer offer={offer} />}
      {stand && <Stand stand={stand} />}
    </>
  );
}

function Stand({ stand }: { stand: NonNullable<ReturnType<typeof standOf>> }) {
  const id = useId();
  return (
    <section className={`card ${classes.progress} ${classes.progressCard}`} aria-labelledby={id}>
      <Text fw={600} id={id} className="num">
        Minimum spend this month: {stand.spent} of {stand.asked}
      </Text>
      <Progress.Root size="md" my={8} className={classes.track!}>
        <Progress.Section
          value={stand.percent}
          color={stand.isMet ? 'var(--good)' : 'var(--accent-line)'}
          aria-label={`${stand.spent} of ${stand.asked} spent`}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {stand.text}
      </Text>
    </section>
  );
}
