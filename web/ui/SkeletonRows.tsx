import { Skeleton, Stack } from '@mantine/core';

/** Placeholder rows shown while something loads; three by default (spec calls 9). */
export function SkeletonRows({ rows = 3, height = 40 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows that are all alike
        <Skeleton key={i} height={height} />
      ))}
    </Stack>
  );
}
