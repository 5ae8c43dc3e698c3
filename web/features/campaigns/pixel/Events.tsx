import { Button, Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MOST_EVENTS } from '../../../../contract/campaigns/pixel.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { reasonWords } from '../analytics/reasons.ts';
import classes from './pixel.module.css';
import { EVENT_TITLES, pathOf } from './words.ts';

type Event = Awaited<ReturnType<Client['pixel']['events']>>['data'][number];

/** How often the list is asked for while it is on the screen. */
const ASK_MS = 5_000;
/** How many are shown at first. */
const FEW = 10;

const columns: Column<Event>[] = [
  {
    key: 'page',
    title: 'Page',
    render: ({ title, url }) => (
      // Anyone who sends events chooses these texts, of any length and direction.
      <span className={classes.page} title={[title, url].filter(Boolean).join('\n')}>
        <bdi className={classes.title}>{title || pathOf(url)}</bdi>
        {title && <bdi className={classes.path}>{pathOf(url)}</bdi>}
      </span>
    ),
  },
  {
    key: 'event',
    phone: 'state',
    title: 'Event',
    width: 130,
    render: ({ event }) => <span className={classes.event}>{EVENT_TITLES[event]}</span>,
  },
  {
    key: 'outcome',
    phone: 'line',
    title: 'Result',
    width: 170,
    render: ({ outcome }) =>
      outcome === null ? 'Waiting' : outcome === 'lead' ? 'Lead' : reasonWords(outcome).title,
  },
  {
    key: 'email',
    title: 'Email',
    width: 90,
    hidden: true,
    render: ({ has_email }) => (has_email ? 'Hashed' : 'None'),
  },
  {
    key: 'at',
    phone: 'line',
    title: 'Received',
    width: 130,
    render: ({ received_at }) => <When at={received_at} relative />,
  },
];

/** The last events of a pixel, as they arrive. */
export function Events({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['pixel-events', id],
    queryFn: ({ signal }) => api.pixel.events({ campaign_id: id }, { signal }),
    refetchInterval: ASK_MS,
  });
  const [isWhole, setWhole] = useState(false);
  const refused = query.data?.refused ?? [];
  const all = query.data?.data ?? [];
  const shown = query.data && { ...query.data, data: isWhole ? all : all.slice(0, FEW) };
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        The last {MOST_EVENTS} of the past 7 days, updated every few seconds.
      </Text>
      {refused.length > 0 && (
        <div style={{ marginBottom: 12 }}>
          <Notice tone="info">
            Refused in the last two hours:{' '}
            {refused.map(({ reason, count }) => `${reasonWords(reason).title} (${num(count)})`).join(', ')}
          </Notice>
        </div>
      )}
      <DataTable
        bare
        label="Latest events"
        name="campaign.pixel-events"
        download={{ list: 'pixel-events', of: 'pixel.events', query: { campaign_id: id } }}
        columns={columns}
        // It is asked for all the time: a bar for each time would blink.
        query={{ ...query, data: shown, isFetching: query.isPending }}
        rowKey={(row) => row.id}
        empty={
          <EmptyState
            icon={<IconActivity size={32} stroke={1.4} />}
            title="No events yet"
            text="Open a page of the site with the pixel. Its event appears here within seconds."
          />
        }
      />
      {!isWhole && all.length > FEW && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={() => setWhole(true)}>
          Show all {all.length}
        </Button>
      )}
    </>
  );
}
