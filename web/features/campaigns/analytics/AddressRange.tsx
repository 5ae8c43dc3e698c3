import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import type { Range } from './range.ts';

const RangePicker = lazy(() => import('./RangePicker.tsx'));

/** The days that a page is about, kept in its address (`rangeOf` reads them). */
export function AddressRange({ range, today }: { range: Range & { days?: number }; today: string }) {
  const [, set] = useSearchParams();
  return (
    <Suspense fallback={<Skeleton height={36} width={320} />}>
      <RangePicker
        range={range}
        today={today}
        onDays={(count) =>
          set({ days: count === 30 ? undefined : String(count), from: undefined, to: undefined })
        }
        onRange={({ start, end }) => set({ from: start, to: end, days: undefined })}
      />
    </Suspense>
  );
}
