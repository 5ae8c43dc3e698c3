import { Button, Group, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { When } from '../../../ui/Values.tsx';
import classes from '../connections/integrations.module.css';
import { integrationsAt } from '../connections/whose.tsx';
import type { Undelivered as Row } from '../connections/words.ts';

/** What could not be delivered, by destination and cause; nothing if all is well. */
export function Undelivered() {
  const query = useQuery({
    queryKey: ['undelivered'],
    queryFn: ({ signal }) => api.delivery.undelivered({}, { signal }),
    refetchInterval: 30_000,
  });
  const rows = query.data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        Needs attention
      </Title>
      <ul className={`card ${classes.list}`} style={{ gap: 0 }}>
        {rows.map((row) => (
          <Stuck key={`${row.id} ${row.state} ${row.cause}`} row={row} />
        ))}
      </ul>
    </section>
  );
}

const SAYS: Record<Row['state'], string> = {
  failed: 'not delivered to',
  retrying: 'delayed on the way to',
  waiting: 'waiting for',
};

function Stuck({ row }: { row: Row }) {
  const cache = useQueryClient();
  const mayWrite = useMay('integration.write');
  const [isBusy, setBusy] = useState(false);
  const [, set] = useSearchParams();
  const user = useUser();
  const keeper = (row.connection_company_id !== user.company_id && row.connection_company_id) || undefined;
  const resend = async () => {
    setBusy(true);
    try {
      notifyDone((await api.delivery.replay({ id: row.id, cause: row.cause })).message);
    } catch (error) {
      notifyFailed(error);
    }
    setBusy(false);
    for (const key of ['undelivered', 'deliveries', 'destinations'])
      void cache.invalidateQueries({ queryKey: [key] });
  };
  return (
    <li className={classes.stuck}>
      <div className={classes.cause}>
        <Text fw={500}>
          <span className="num">{num(row.leads)}</span> {row.leads === 1 ? 'lead' : 'leads'} of{' '}
          {row.campaign_name} {SAYS[row.state]} {row.name}
        </Text>
        <Text size="sm" c="dimmed">
          {user.company_kind !== 'client' && `${row.company_name}. `}
          {row.state === 'waiting'
            ? 'Delivered as soon as the connection is reconnected or resumed.'
            : row.cause || 'No reason was recorded.'}
          {row.state === 'retrying' && ' More attempts follow.'}
        </Text>
        <Text size="xs" c="dimmed">
          Since <When at={row.first_at} />
        </Text>
      </div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            set({
              destination: row.id,
              state: row.state === 'failed' ? 'failed' : 'waiting',
              cause: row.state === 'waiting' ? undefined : row.cause || undefined,
              page: undefined,
            })
          }
        >
          Show
        </Button>
        {row.state === 'waiting' && row.connection_id && mayWrite && (
          <Button component={Link} {...integrationsAt(keeper, row.kind)} size="xs">
            Open the connection
          </Button>
        )}
        {mayWrite && row.may_resend && row.state === 'failed' && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={isBusy}
            onClick={() => void resend()}
          >
            Resend
          </Button>
        )}
      </Group>
    </li>
  );
}
