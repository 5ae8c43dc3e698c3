import { Button, Group, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { modulePath } from '../../../../contract/routing/routing.ts';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useFacts, useMay, useUser } from '../../../api/user.ts';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/Values.tsx';
import classes from './integrations.module.css';
import { type Connection, connectionWords, type Undelivered } from './words.ts';

/** Connections that do not work, and leads that could not be delivered, by cause; nothing if all is well (BEY-04). */
export function NeedsAttention({ connections }: { connections: readonly Connection[] }) {
  const query = useQuery({
    queryKey: ['undelivered'],
    queryFn: ({ signal }) => api.delivery.undelivered({}, { signal }),
    refetchInterval: 30_000,
  });
  const broken = connections.filter((one) => one.state === 'broken');
  // What waits for a connection in this list is told with it.
  const stuck = (query.data?.data ?? []).filter(
    ({ state, connectionID }) => state === 'failed' || !broken.some(({ id }) => id === connectionID),
  );
  if (broken.length === 0 && stuck.length === 0) return null;
  return (
    <section style={{ marginBottom: 24 }}>
      <Title order={2} size="h3" mb="xs">
        Needs attention
      </Title>
      <ul className={`card ${classes.list}`} style={{ gap: 0 }}>
        {broken.map((one) => (
          <li key={one.id} className={classes.stuck}>
            <div className={classes.cause}>
              <Group gap="xs">
                <Text fw={500}>{one.name}</Text>
                <StatusBadge status="broken" tone="bad">
                  Reconnect
                </StatusBadge>
              </Group>
              <Text size="sm" c="dimmed">
                {connectionWords(one).line}
              </Text>
            </div>
            <Button component={Link} to={`/integrations/${one.vendor}` as never} size="xs">
              Reconnect
            </Button>
          </li>
        ))}
        {stuck.map((one) => (
          <Stuck key={`${one.id} ${one.state} ${one.cause}`} row={one} />
        ))}
      </ul>
    </section>
  );
}

function Stuck({ row }: { row: Undelivered }) {
  const cache = useQueryClient();
  const mayWrite = useMay('integration.write');
  const [isBusy, setBusy] = useState(false);
  const user = useUser();
  const facts = useFacts();
  const modules = modulesOf(facts);
  const module = modules.find((one) => one.module === row.leadspeekType) ?? modules[0];
  const list = module ? modulePath(module.slug, 'campaign-management') : '/campaign';
  const resend = async () => {
    setBusy(true);
    try {
      notifyDone((await api.delivery.replay({ id: row.id, cause: row.cause })).message);
    } catch (error) {
      notifyFailed(error);
    }
    setBusy(false);
    void cache.invalidateQueries({ queryKey: ['undelivered'] });
  };
  return (
    <li className={classes.stuck}>
      <div className={classes.cause}>
        <Text fw={500}>
          <span className="num">{num(row.leads)}</span> {row.leads === 1 ? 'lead' : 'leads'} of{' '}
          {row.campaign_name} {row.state === 'waiting' ? 'waiting for' : 'not delivered to'} {row.name}
        </Text>
        <Text size="sm" c="dimmed">
          {user.company_kind !== 'client' && `${row.company_name}. `}
          {row.state === 'waiting'
            ? 'Delivered as soon as the connection is reconnected or resumed.'
            : row.cause || 'No reason was recorded.'}
        </Text>
        <Text size="xs" c="dimmed">
          Since <When at={row.first_at} />
        </Text>
      </div>
      <Group gap="xs">
        <Button
          component={Link}
          to={list as never}
          search={
            {
              campaign: row.leadspeekID,
              tab: 'delivery',
              webhook: row.id,
              log_state: row.state === 'failed' ? 'failed' : 'pending',
            } as never
          }
          size="xs"
          variant="default"
        >
          Show log
        </Button>
        {mayWrite && row.state === 'failed' && (
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
