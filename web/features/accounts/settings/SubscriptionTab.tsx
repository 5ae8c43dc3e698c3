import { Button, Skeleton, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { usd } from '../../../../contract/dollars.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { dayWords, shortDay } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { feeWords } from './packages.ts';
import classes from './settings.module.css';

type Offer = Awaited<ReturnType<Client['dunning']['packages']>>;
type Package = Offer['data'][number];

const dateWords = (day: string): string => dayWords(day, { year: 'numeric', month: 'long', day: 'numeric' });
const lines = (texts: string[]): ReactNode =>
  texts.map((text) => (
    <span key={text} style={{ display: 'block', marginTop: 8 }}>
      {text}
    </span>
  ));

/** An agency's package, choosing another one, and the end of its subscription (spec product 7, CONF-06). */
export default function SubscriptionTab() {
  const user = useUser();
  const query = useQuery({
    queryKey: ['packages', user.company_id],
    queryFn: ({ signal }) => api.dunning.packages(undefined, { signal }),
  });
  if (query.error && !query.data)
    return (
      <ErrorState
        error={query.error}
        what="The subscription could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data)
    return (
      <div className={classes.fields} aria-busy="true">
        <Skeleton height={104} radius="md" mb="lg" />
        <Skeleton height={20} width={180} mb="md" />
        <Skeleton height={140} radius="md" />
      </div>
    );
  return <Subscription offer={query.data} />;
}

function Subscription({ offer }: { offer: Offer }) {
  const { company_id, company_name, time_zone } = useUser();
  const cache = useQueryClient();
  const top = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState('');
  const chosen = offer.data.find((one) => one.package_id === offer.package_id);
  const others = offer.data.filter((one) => one !== chosen);

  /** The subscription determines what runs, what is due, and which menus there are. */
  async function run(what: string, name: string, work: () => Promise<{ message: string }>) {
    setBusy(what);
    try {
      notifyDone((await work()).message);
      await cache.invalidateQueries();
      // The button that was pressed is gone, so move the focus.
      top.current?.focus();
    } catch (error) {
      notifyFailed(error, name);
      void cache.invalidateQueries({ queryKey: ['packages'] });
    } finally {
      setBusy('');
    }
  }
  const choose = async (one: Package) => {
    const isSure = await confirm({
      title: `Choose the package “${one.name}”?`,
      body: lines([
        one.monthly_micros === 0
          ? `Your package is free starting ${dateWords(offer.fee_from)}.`
          : `The fee is ${feeWords(one.monthly_micros)}, starting ${dateWords(offer.fee_from)}. It is added to your monthly invoice.`,
        one.fee_now_micros === 0
          ? 'The cost for the current month stays the same.'
          : `${usd(one.fee_now_micros)} is added for the current month because you had this package or a similar one last month.`,
        ...(offer.cancelled_at
          ? [
              'Your campaigns stay stopped until you activate them. Automatic top-ups must be turned on again.',
            ]
          : []),
      ]),
      verb: 'Choose package',
    });
    if (isSure)
      await run(one.package_id, `Choose “${one.name}”`, () =>
        api.dunning.setPackage({ company_id: company_id, package_id: one.package_id }),
      );
  };
  const cancel = async () => {
    const isSure = await confirm({
      title: `Cancel the subscription of ${company_name}?`,
      body: lines([
        'All campaigns of your agency and its clients stop right away, and so do automatic top-ups.',
        'What you and your clients owe so far is invoiced now and charged to the cards on file.',
        'Leads, invoices, statements, and balances stay. You can choose a package again at any time, then activate your campaigns.',
      ]),
      verb: 'Cancel subscription',
      dismiss: 'Keep subscription',
      danger: true,
    });
    if (isSure)
      await run('cancel', 'Cancel subscription', () => api.dunning.cancel({ company_id: company_id }));
  };

  return (
    <div className={classes.fields}>
      <div ref={top} tabIndex={-1} style={{ outline: 'none' }}>
        {chosen ? (
          <section className={`card ${classes.package}`} aria-label="Your package">
            <Text size="sm" c="dimmed">
              Your package
            </Text>
            <div className={classes.packageHead}>
              <Title order={2} size="h3" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
                {chosen.name}
              </Title>
              <Text fw={600} className="num" style={{ flex: 'none' }}>
                {feeWords(chosen.monthly_micros)}
              </Text>
            </div>
            {chosen.description && (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {chosen.description}
              </Text>
            )}
            {offer.package_since && (
              <Text size="sm" c="dimmed">
                Since {shortDay(offer.package_since, new Date(), time_zone)}
              </Text>
            )}
          </section>
        ) : offer.cancelled_at ? (
          <Notice tone="warn" title="The subscription was canceled">
            It ended on <When at={offer.cancelled_at} />. No campaign can run. To start again, choose a
            package below, then activate your campaigns and turn on automatic top-ups.
          </Notice>
        ) : (
          <Notice tone="info" title="No package chosen yet">
            Your agency gets the first one when it connects a payment account, or you can choose one below.
          </Notice>
        )}
      </div>
      <section className={classes.section} aria-label="Packages">
        <Title order={2} size="h4" mb="sm">
          {chosen ? 'Other packages' : 'Packages'}
        </Title>
        {others.length === 0 ? (
          <div className="card">
            <EmptyState title="No other packages" text="You have the only package available." />
          </div>
        ) : (
          <ul className={classes.offers}>
            {others.map((one) => (
              <li key={one.package_id} className={`card ${classes.package}`}>
                <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {one.name}
                </Text>
                <Text size="sm" className="num">
                  {feeWords(one.monthly_micros)}
                </Text>
                {one.description && (
                  <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {one.description}
                  </Text>
                )}
                <div className={classes.offerFoot}>
                  <Button
                    variant="default"
                    size="sm"
                    loading={busy === one.package_id}
                    disabled={busy !== '' && busy !== one.package_id}
                    onClick={() => void choose(one)}
                  >
                    Choose<span className="sr-only"> {one.name}</span>
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </section>
      {!offer.cancelled_at && (
        <section className={classes.section} aria-label="Cancel subscription">
          <Title order={2} size="h4" mb={4}>
            Cancel subscription
          </Title>
          <Text size="sm" c="dimmed" mb="md">
            All campaigns and automatic top-ups stop, and the amount due so far is charged. Your data stays,
            and you can start again with any package.
          </Text>
          <Button
            variant="outline"
            color="red.9"
            className={classes.danger!}
            loading={busy === 'cancel'}
            disabled={busy !== '' && busy !== 'cancel'}
            onClick={() => void cancel()}
          >
            Cancel subscription
          </Button>
        </section>
      )}
    </div>
  );
}
