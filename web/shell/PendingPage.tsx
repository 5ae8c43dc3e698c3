import { Skeleton } from '@mantine/core';
import { SkeletonRows } from '../ui/SkeletonRows.tsx';

/** Shown while a page's code or data is loading: a header and rows of the usual size. */
export function PendingPage() {
  return (
    <div aria-busy="true">
      <Skeleton height={28} width={220} mb="xs" />
      <Skeleton height={14} width={320} maw="80%" mb="xl" />
      <SkeletonRows height={56} />
    </div>
  );
}
