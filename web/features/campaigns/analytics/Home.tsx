import { Anchor, Text, Title } from '@mantine/core';
import { IconCheck, IconChevronRight } from '@tabler/icons-react';
import { queryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { maySee, modulePath } from '../../../../contract/routing/routing.ts';
import { modulesOf, type SignedIn } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useFacts } from '../../../api/user.ts';
import { money, num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import classes from './Home.module.css';

type Home = Awaited<ReturnType<Client['analytics']['home']>>;
type Item = Home['attention'][number];
type Step = NonNullable<Home['steps']>[number]['step'];

export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => api.analytics.home(undefined, { signal }),
});

const plural = (count: number, one: string, more: string) => `${num(count)} ${count === 1 ? one : more}`;

/** What is shown about each kind, and where it can be handled. */
const TOLD: Record<Item['kind'], (item: Item, isClient: boolean) => { text: string; to?: string }> = {
  own_payment: ({ count, amount_micros }, isClient) => ({
    text: `${plural(count, 'invoice', 'invoices')} could not be charged to your card: ${money(amount_micros ?? 0)} due`,
    to: `/configuration/invoices?status=failing${isClient ? '' : '&side=wholesale'}`,
  }),
  client_payment: ({ count, amount_micros }) => ({
    text: `${plural(count, 'invoice of a client', 'invoices of clients')} could not be charged: ${money(amount_micros ?? 0)} due`,
    to: '/configuration/invoices?status=failing',
  }),
  uninvoiced: ({ count }) => ({
    text: `${plural(count, 'client', 'clients')} could not be invoiced`,
    to: '/configuration/invoices',
  }),
  silent: ({ count }) => ({
    text: `${plural(count, 'site has', 'sites have')} sent no visits for longer than usual. Check that the pixel is still there`,
  }),
  balance_empty: ({ count }) => ({
    text: `${plural(count, 'campaign is', 'campaigns are')} paused because the balance is used up`,
  }),
  below_cost: ({ count }, isClient) => ({
    text: isClient
      ? `${plural(count, 'campaign waits', 'campaigns wait')} until your agency updates the price`
      : `${plural(count, 'campaign is', 'campaigns are')} paused until you update the price`,
  }),
  undelivered: ({ count }) => ({
    text: `${plural(count, 'lead', 'leads')} of the last seven days could not be delivered`,
    to: '/deliveries',
  }),
  transfer: ({ count }, isClient) => ({
    text: isClient
      ? 'Your account can move to another agency if you agree'
      : `${plural(count, 'transfer of a client waits', 'transfers of clients wait')} for your answer`,
    to: '/configuration/transfers',
  }),
};

/** What someone has to see to, each with the way there; nothing if all is well. */
export function Attention({ items }: { items: Home['attention'] }) {
  const facts = useFacts();
  if (items.length === 0) return null;
  const isClient = facts.user.company_kind === 'client';
  return (
    <section aria-label="Needs attention" className={classes.attention}>
      <Notice tone="warn" title="Needs attention">
        <ul className={classes.items}>
          {items.map((item) => {
            const { text, to } = TOLD[item.kind](item, isClient);
            const seen = to && maySee(to.split('?')[0]!, facts);
            return (
              <li key={item.kind}>
                {text}
                {seen ? (
                  <>
                    . <Go to={to}>View {nounOf(item)}</Go>
                  </>
                ) : (
                  <Campaigns item={item} facts={facts} />
                )}
              </li>
            );
          })}
        </ul>
      </Notice>
    </section>
  );
}

function nounOf({ kind, count }: Item): string {
  if (kind === 'undelivered') return 'deliveries';
  const noun = kind === 'transfer' ? 'transfer' : kind === 'uninvoiced' ? 'reason' : 'invoice';
  return count === 1 ? noun : `${noun}s`;
}

function Go({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to as '/'} inherit underline="always">
      {children}
    </Anchor>
  );
}

/** The campaigns that are meant, the first few by name. */
function Campaigns({ item, facts }: { item: Item; facts: SignedIn }) {
  const more = item.count - item.campaigns.length;
  return item.campaigns.map(({ campaign_id, campaign_name: campaignName, modules }, i) => {
    const module = modulesOf(facts).find((one) => one.module === modules);
    const list = module && modulePath(module.slug, 'campaign-management');
    return (
      <span key={campaign_id}>
        {i === 0 ? ': ' : ', '}
        {list && maySee(list, facts) ? (
          <Go to={`${list}?campaign=${campaign_id}`}>{campaignName}</Go>
        ) : (
          campaignName
        )}
        {i === item.campaigns.length - 1 && more > 0 && ` and ${num(more)} more`}
      </span>
    );
  });
}

const STEPS: Record<Step, { title: string; text: string }> = {
  client: {
    title: 'Add a client',
    text: 'Campaigns belong to clients, who can sign in and see their own leads.',
  },
  campaign: {
    title: 'Build a campaign',
    text: 'Choose a product, the site or the keywords, and what a lead has to include.',
  },
  pixel: {
    title: 'Put the pixel on the site',
    text: 'Open the campaign, copy its code, and check it there. Visits show here within a minute.',
  },
  lead: {
    title: 'Receive the first lead',
    text: 'A visitor who is recognized and meets the campaign’s rules becomes a lead.',
  },
};

/** Where each step is done. */
function placeOf(step: Step, facts: SignedIn): string | undefined {
  const slug = modulesOf(facts).find(({ module }) => module === 'local')?.slug;
  const places: Record<Step, (string | undefined)[]> = {
    client: ['/configuration/client-management'],
    campaign: ['/campaign-setup'],
    pixel: [slug && modulePath(slug, 'campaign-management'), '/campaign'],
    lead: [],
  };
  return places[step].find((to) => to && maySee(to, facts));
}

/** Leads that no one received: what the product brings, before it has. */
const SAMPLES = [
  { name: 'Jamie Rivera', email: 'jamie.rivera@mail.example', phone: '(312) 555-0142', place: 'Chicago, IL' },
  { name: 'Morgan Lee', email: 'morgan.lee@inbox.example', phone: '(503) 555-0117', place: 'Portland, OR' },
  { name: 'Priya Shah', email: 'priya.shah@post.example', phone: '(404) 555-0108', place: 'Atlanta, GA' },
];

/** The way to the first lead, and what leads look like until then. */
export function FirstSteps({ steps }: { steps: NonNullable<Home['steps']> }) {
  const facts = useFacts();
  const next = steps.find(({ is_done }) => !is_done)?.step;
  return (
    <div className={classes.first}>
      <section className="card" aria-label="Your first lead" style={{ padding: 16 }}>
        <Title order={2} size="h3" mb={4}>
          Your first lead
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          {num(steps.filter(({ is_done }) => is_done).length)} of {num(steps.length)} steps are done. New
          here?{' '}
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() =>
              void import('../../../ui/tour.ts').then(({ startTour }) => startTour(facts.user.company_kind))
            }
          >
            Take the tour
          </Anchor>
        </Text>
        <ol className={classes.steps}>
          {steps.map(({ step, is_done }, i) => {
            const { title, text } = STEPS[step];
            const to = placeOf(step, facts);
            return (
              <li key={step} data-next={step === next || undefined}>
                <span className={`num ${classes.mark}`} data-done={is_done || undefined} aria-hidden="true">
                  {is_done ? <IconCheck size={14} /> : i + 1}
                </span>
                <div>
                  {to && !is_done ? (
                    <Anchor component={Link} to={to as '/'} fw={500} className={classes.stepLink}>
                      {title}
                      <IconChevronRight size={14} aria-hidden="true" />
                    </Anchor>
                  ) : (
                    <Text fw={500}>{title}</Text>
                  )}
                  {is_done && <span className="sr-only">, done</span>}
                  <Text size="sm" c="dimmed">
                    {text}
                  </Text>
                </div>
              </li>
            );
          })}
        </ol>
      </section>
      <section className="card" aria-label="What leads look like" style={{ padding: 16, minWidth: 0 }}>
        <Title order={2} size="h3" mb={4}>
          What leads look like
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          Fictional people. Yours replace them with the first lead.
        </Text>
        <ul className={classes.samples}>
          {SAMPLES.map(({ name, email, phone, place }) => (
            <li key={email}>
              <div className={classes.sampleTop}>
                <Text fw={500}>{name}</Text>
                <StatusBadge status="none">Sample</StatusBadge>
              </div>
              <Text size="sm" c="dimmed" className="num">
                {email} · {phone} · {place}
              </Text>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
