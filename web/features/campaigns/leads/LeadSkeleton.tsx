import { Skeleton, Stack } from '@mantine/core';

/** A skeleton shown while a lead is loading. */
export function LeadSkeleton() {
  return (
    <Stack gap="sm" aria-busy="true">
      <Skeleton height={24} width="50%" />
      {[80, 60, 70, 55, 65, 75].map((width) => (
        <Skeleton key={width} height={16} width={`${width}%`} />
      ))}
      <Skeleton height={120} mt="md" />
    </Stack>
  );
}
