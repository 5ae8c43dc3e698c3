import { Anchor, Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../../api/client.ts';
import { num } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import classes from './integrations.module.css';
import { integrationsAt, useWhose } from './whose.tsx';
import { type Connection, connectionWords } from './words.ts';

/** Connections that do not work, and the way to the leads that did not arrive; nothing if all is well (BEY-04). */
export function NeedsAttention({ connections }: { connections: readonly Connection[] }) {
  const { client, company } = useWhose();
  const query = useQuery({
    queryKey: ['undelivered', client],
    queryFn: ({ signal }) => api.delivery.undelivered(company, { signal }),
    refetchInterval: 30_000,
  });
  const broken = connections.filter((one) => one.state === 'broken');
  const stuck = (query.data?.data ?? []).reduce((sum, { leads }) => sum + leads, 0);
  if (broken.length === 0 && stuck === 0) return null;
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
            <Button component={Link} {...integrationsAt(client, one.vendor)} size="xs">
              Reconnect
            </Button>
          </li>
        ))}
        {stuck > 0 && (
          <li className={classes.stuck}>
            <Text className={classes.cause}>
              <span className="num">{num(stuck)}</span> {stuck === 1 ? 'lead has' : 'leads have'} not arrived.{' '}
              <Anchor component={Link} to={'/deliveries' as never} inherit underline="always">
                View deliveries
              </Anchor>
            </Text>
          </li>
        )}
      </ul>
    </section>
  );
}
