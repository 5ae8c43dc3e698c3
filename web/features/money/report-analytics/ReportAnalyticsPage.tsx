import { Group, SegmentedControl, Select } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useUser } from '../../../api/user.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { PageZone, zoneWords } from '../../../ui/zone.ts';
import { dayIn } from '../../campaigns/analytics/range.ts';
import { LineDrawer } from '../ledger/LineDrawer.tsx';
import { Growth } from './Growth.tsx';
import { Parties } from './Parties.tsx';
import { COMPARE_WORDS, PERIODS, periodOf, spanWords } from './period.ts';
import { Result } from './Result.tsx';
import { Sales } from './Sales.tsx';
import { Under } from './Under.tsx';

const ReportSchedules = lazy(() => import('../report-schedules/ReportSchedules.tsx'));

/** A root's reports on its agencies, and an agency's on its clients: revenue, growth, value, and what under-performs. */
export default function ReportAnalyticsPage() {
  const user = useUser();
  const isRoot = user.company_kind === 'root';
  const [params, set] = useSearchParams();
  const today = dayIn(new Date(), user.time_zone);
  const period = periodOf(params, today);
  const tabs = [
    { value: 'sales', label: 'Revenue' },
    { value: 'parties', label: isRoot ? 'Agencies' : 'Clients' },
    { value: 'growth', label: 'Growth' },
    { value: 'under', label: 'Under-performing' },
  ];
  const tab = tabs.find((one) => one.value === params.tab)?.value ?? 'sales';
  const hasPeriod = tab === 'sales' || tab === 'parties';
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title={isRoot ? 'Report Analytics' : 'Reports'}
        line={`${isRoot ? 'How the platform is doing' : 'How your agency is doing'}, from the ledger. Days are in ${zoneWords(user.time_zone)}.`}
      />
      <Group mb="md" gap="sm" justify="space-between">
        <SegmentedControl
          aria-label="Report"
          value={tab}
          data={tabs}
          onChange={(next) => set({ tab: next === 'sales' ? undefined : next, row: undefined })}
          style={{ maxWidth: '100%', overflowX: 'auto' }}
        />
        {hasPeriod && (
          <Group gap="sm">
            <Select
              aria-label="Period"
              // Two dates do not fit into the width of the others, and a date that is cut reads like another one.
              w={period.value === 'days' ? 270 : 180}
              allowDeselect={false}
              data={[
                ...(period.value === 'days' ? [{ value: 'days', label: spanWords(period.asked) }] : []),
                ...PERIODS.map(({ value, label }) => ({ value, label })),
              ]}
              value={period.value}
              onChange={(value) =>
                value !== 'days' &&
                set({
                  period: value === PERIODS[0].value ? undefined : (value ?? undefined),
                  days: undefined,
                })
              }
            />
            <Select
              aria-label="Compare with"
              w={180}
              allowDeselect={false}
              data={Object.entries(COMPARE_WORDS).map(([value, label]) => ({ value, label }))}
              value={period.asked.compare}
              onChange={(value) => set({ compare: value === 'year' ? 'year' : undefined })}
            />
          </Group>
        )}
      </Group>
      {tab === 'sales' && (
        <>
          {isRoot && <Result asked={period.asked} />}
          <Sales asked={period.asked} />
        </>
      )}
      {tab === 'parties' && <Parties asked={period.asked} />}
      {tab === 'growth' && <Growth />}
      {tab === 'under' && <Under />}
      <Suspense>
        <ReportSchedules />
      </Suspense>
      <LineDrawer />
    </PageZone>
  );
}
