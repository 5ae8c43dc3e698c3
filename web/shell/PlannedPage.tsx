import { Button } from '@mantine/core';
import { IconAd2, IconLayoutGrid } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { dashboardOf, maySee, modulePath, pageRow } from '../../contract/routing/routing.ts';
import { modulesOf, type SignedIn } from '../../contract/routing/routing-facts.ts';
import type { PageId } from '../../contract/routing/routing-pages.ts';
import { useFacts } from '../api/user.ts';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState } from '../ui/states.tsx';

interface Plan {
  /** What the page is for. */
  line: string;
  /** Why it is empty: what is missing so far, and what to use until then. */
  empty: string;
  text: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** What to do next; the first of these pages that the user may see. */
  next: ('campaigns' | 'dashboard' | 'people-import' | 'sessions' | 'profile' | 'general-setting')[];
}

const PLANS = {
  'banner-create': {
    line: 'Design a banner for your advertising campaigns.',
    empty: 'The banner designer is not available yet',
    text: 'Banners are shown by programmatic campaigns. Lead campaigns do not need one.',
    icon: IconAd2,
    next: ['campaigns', 'dashboard'],
  },
  'banner-list': {
    line: 'Every banner of your company, ready for a campaign.',
    empty: 'No banners',
    text: 'Banners are shown by programmatic campaigns, which are not available yet. Lead campaigns do not need one.',
    icon: IconAd2,
    next: ['campaigns', 'dashboard'],
  },
} as const satisfies Partial<Record<PageId, Plan>>;

export type PlannedId = keyof typeof PLANS;

const WORDS: Record<Plan['next'][number], string> = {
  campaigns: 'Go to campaigns',
  dashboard: 'Go to the dashboard',
  'people-import': 'Import people',
  sessions: 'View signed-in devices',
  profile: 'Go to your profile',
  'general-setting': 'Go to settings',
};

function addressOf(next: Plan['next'][number], facts: SignedIn): string | undefined {
  if (next === 'campaigns') {
    const [module] = modulesOf(facts);
    return module && modulePath(module.slug, 'campaign-management');
  }
  return next === 'dashboard' ? dashboardOf(facts) : pageRow(next).path;
}

/** A page that is not built yet: what it is for, why it is empty, and the one next step. */
export default function PlannedPage({ id }: { id: PlannedId }) {
  const facts = useFacts();
  const plan: Plan = PLANS[id];
  const step = plan.next
    .map((next) => ({ next, to: addressOf(next, facts) }))
    .find(({ to }) => to !== undefined && maySee(to, facts));
  const Icon = plan.icon ?? IconLayoutGrid;
  return (
    <>
      <PageHeader title={pageRow(id).title} line={plan.line} />
      <div className="card">
        <EmptyState
          icon={<Icon size={32} stroke={1.4} />}
          title={plan.empty}
          text={plan.text}
          action={
            step?.to && (
              <Button variant="default" renderRoot={(props) => <Link {...props} to={step.to as '/'} />}>
                {WORDS[step.next]}
              </Button>
            )
          }
        />
      </div>
    </>
  );
}
