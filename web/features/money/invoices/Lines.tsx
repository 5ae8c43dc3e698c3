import { Button, Group, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { TransferKind } from '../../../../contract/money/ledger.ts';
import { api } from '../../../api/client.ts';
import { DownloadData } from '../../../ui/DownloadData.tsx';
import { num } from '../../../ui/format.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { Money, When } from '../../../ui/Values.tsx';
import { kindWords } from '../ledger/words.ts';
import classes from './invoices.module.css';
import type { Invoice } from './words.ts';

type Line = Invoice['lines'][number];

/** The lines of an invoice; each opens to the events under it. */
export function Lines({ invoice }: { invoice: Invoice }) {
  if (invoice.lines.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No lines.
      </Text>
    );
  }
  return invoice.lines.map((line) => <LineRow key={line.line} id={invoice.id} line={line} />);
}

function LineRow({ id, line }: { id: string; line: Line }) {
  const [isOpen, setOpen] = useState(false);
  const region = useId();
  const words = (
    <>
      <div>
        {line.event_count > 0 &&
          (isOpen ? (
            <IconChevronDown size={14} aria-hidden="true" />
          ) : (
            <IconChevronRight size={14} aria-hidden="true" />
          ))}{' '}
        {line.description}
        <Text size="xs" c="dimmed">
          {line.campaign_name && !line.description.includes(line.campaign_name) && `${line.campaign_name} · `}
          {num(line.quantity)} at <Money micros={line.unit_micros} unit />
          {line.event_count > 0 &&
            `, ${line.event_count === 1 ? '1 event' : `${num(line.event_count)} events`}`}
        </Text>
      </div>
      <div>
        <Money micros={line.amount_micros} unit />
      </div>
    </>
  );
  return (
    <div className={classes.line}>
      {line.event_count > 0 ? (
        <UnstyledButton
          className={`${classes.row} ${classes.open}`}
          aria-expanded={isOpen}
          aria-controls={region}
          onClick={() => setOpen(!isOpen)}
        >
          {words}
        </UnstyledButton>
      ) : (
        <div className={classes.row}>{words}</div>
      )}
      <div id={region} className={isOpen ? classes.events : undefined}>
        {isOpen && <Events id={id} line={line.line} />}
      </div>
    </div>
  );
}

/** The events behind a line, newest first. */
function Events({ id, line }: { id: string; line: number }) {
  const query = useInfiniteQuery({
    queryKey: ['invoices', 'events', id, line],
    queryFn: ({ signal, pageParam }) =>
      api.invoices.events({ id, line, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor,
  });
  if (query.error && !query.data) {
    return (
      <ErrorState
        error={query.error}
        what="The events could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!query.data) {
    return (
      <Stack gap="xs" aria-busy="true">
        <Skeleton height={32} />
        <Skeleton height={32} />
      </Stack>
    );
  }
  return (
    <>
      <Group justify="flex-end">
        <DownloadData list="invoice-events" of="invoices.events" query={{ id, line }} compact />
      </Group>
      {query.data.pages.flatMap(({ data }) =>
        data.map((event) => (
          <div key={event.id} className={classes.row}>
            <div>
              {event.name ?? (event.lead_id ? 'Erased person' : kindWords(event.kind as TransferKind))}
              <Text size="xs" c="dimmed">
                {event.kind !== 'lead' && event.name ? `${kindWords(event.kind as TransferKind)} · ` : ''}
                <When at={event.created_at} />
              </Text>
            </div>
            <div>
              <Money micros={event.amount_micros} unit />
            </div>
          </div>
        )),
      )}
      {query.hasNextPage && (
        <Button
          variant="default"
          size="compact-sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older events
        </Button>
      )}
    </>
  );
}
