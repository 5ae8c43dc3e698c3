import { Skeleton, Stack } from '@mantine/core';

/** What stands while a page's code or data is on its way: a header and a block of the usual size. */
export function PendingPage() {
  return (
    <Stack gap="xs" aria-busy="true" p={{ base: 0 }}>
      <Skeleton height={28} width={220} />
      <Skeleton height={14} width={320} maw="80%" />
      <Skeleton height={320} mt="lg" />
    </Stack>
  );
}
