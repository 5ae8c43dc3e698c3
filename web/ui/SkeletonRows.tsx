import { Skeleton, Stack } from '@mantine/core';

/** Rows that stand in while something loads; three unless told (spec calls 9). */
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
