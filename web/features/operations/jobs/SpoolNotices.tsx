import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { When } from '../../../ui/Values.tsx';

type Spool = Awaited<ReturnType<Client['visitLog']['spools']>>['data'][number];

/** How often what waits is asked for, and from which age on it is worth a warning. */
const AGAIN_MS = 10_000;
const LATE_MS = 60_000;

const toneOf = (spool: Spool): 'bad' | 'warn' | 'info' => {
  if (spool.damaged > 0) return 'bad';
  const isLate = spool.oldest_at && Date.parse(spool.reported_at) - Date.parse(spool.oldest_at) > LATE_MS;
  return isLate ? 'warn' : 'info';
};

/** What the processes that accept visits keep on disk; nothing for roots that do not run the machines. */
export function SpoolNotices() {
  const { data } = useQuery({
    queryKey: ['background', 'spools'],
    queryFn: ({ signal }) => api.visitLog.spools({}, { signal }),
    refetchInterval: AGAIN_MS,
  });
  if (!data?.data.length) return null;
  return (
    <Stack gap="sm" mb="lg">
      {data.data.map((spool) => (
        <Notice
          key={spool.place}
          tone={toneOf(spool)}
          title={
            spool.records === 0
              ? 'All visits are in the database'
              : `Waiting for the database: ${num(spool.records)} ${spool.records === 1 ? 'request' : 'requests'} with visits`
          }
        >
          <span style={{ overflowWrap: 'anywhere' }}>{spool.place}</span>
          {spool.oldest_at && (
            <>
              , oldest from <When at={spool.oldest_at} />
            </>
          )}
          , reported <When at={spool.reported_at} />.
          {spool.damaged > 0 &&
            ` ${num(spool.damaged)} ${spool.damaged === 1 ? 'place' : 'places'} could not be read or stored. The folder “damaged” there has the bytes.`}
        </Notice>
      ))}
    </Stack>
  );
}
