import { Button, SegmentedControl, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlugConnected, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import classes from './integrations.module.css';
import { NeedsAttention } from './NeedsAttention.tsx';
import { integrationsAt, useWhose, Whose } from './whose.tsx';
import { type Connection, connectionWords, found, initials, type Vendor } from './words.ts';

const ALL = 'All';

/** The services that leads can be delivered to, and what could not be delivered (INTG-01, BEY-04). */
export default function IntegrationsPage() {
  const [words, setWords] = useState('');
  const [category, setCategory] = useState(ALL);
  const { client, company } = useWhose();
  const vendors = useQuery({
    queryKey: ['vendors'],
    queryFn: ({ signal }) => api.connections.vendors(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const connections = useQuery({
    queryKey: ['connections', 'all', client],
    queryFn: ({ signal }) => api.connections.list(company, { signal }),
    refetchInterval: 30_000,
  });
  const all = vendors.data?.data ?? [];
  const categories = [ALL, ...new Set(all.map((vendor) => vendor.category))];
  const shown = found(all, words, category === ALL ? null : category);
  const error = vendors.error ?? connections.error;
  const hooks = 'webhook signed address program zapier make'.includes(words.trim().toLowerCase());

  return (
    <>
      <PageHeader
        title="Integrations"
        line="Connect the services that should get your leads. One connection works for all your campaigns."
      />
      <Whose />
      <NeedsAttention connections={connections.data?.data ?? []} />
      {error && !(vendors.data && connections.data) ? (
        <ErrorState
          error={error}
          what="The integrations could not be loaded"
          onRetry={() => {
            void vendors.refetch();
            void connections.refetch();
          }}
        />
      ) : !vendors.data || !connections.data ? (
        <Skeleton height={240} />
      ) : (
        <Stack gap="md">
          <div style={{ display: 'flex', flexWrap: 'wrap', gap: 12 }}>
            <TextInput
              aria-label="Search services"
              placeholder="Search services"
              leftSection={<IconSearch size={16} />}
              value={words}
              onChange={(event) => setWords(event.currentTarget.value)}
              style={{ flex: '1 1 220px', maxWidth: 360 }}
            />
            <div style={{ maxWidth: '100%', overflowX: 'auto' }}>
              <SegmentedControl
                aria-label="Category"
                data={categories}
                value={category}
                onChange={setCategory}
              />
            </div>
          </div>
          <ul className={classes.grid}>
            {shown.map((vendor) => (
              <li key={vendor.id}>
                <VendorCard
                  vendor={vendor}
                  connections={connections.data.data.filter((one) => one.vendor === vendor.id)}
                />
              </li>
            ))}
            {category === ALL && hooks && (
              <li>
                <Link to={'/campaign' as never} className={`card ${classes.vendor}`}>
                  <div className={classes.top}>
                    <span className={classes.tile} aria-hidden="true">
                      <IconPlugConnected size={20} stroke={1.6} />
                    </span>
                    <div className={classes.grow}>
                      <Title order={2} size="h4">
                        Webhook
                      </Title>
                      <Text size="xs" c="dimmed">
                        Custom
                      </Text>
                    </div>
                  </div>
                  <Text size="sm">
                    Sends each lead, signed, to any address you choose. Open a campaign and choose Delivery.
                  </Text>
                </Link>
              </li>
            )}
          </ul>
          {shown.length === 0 && !hooks && (
            <EmptyState
              title="No service matches"
              text="A webhook reaches any other service: open a campaign and choose Delivery."
              action={
                <Button
                  variant="default"
                  onClick={() => {
                    setWords('');
                    setCategory(ALL);
                  }}
                >
                  Show all services
                </Button>
              }
            />
          )}
        </Stack>
      )}
    </>
  );
}

function VendorCard({ vendor, connections }: { vendor: Vendor; connections: Connection[] }) {
  const { client } = useWhose();
  const worst = connections.find((one) => one.state !== 'connected') ?? connections[0];
  const state = worst && connectionWords(worst);
  return (
    <Link {...integrationsAt(client, vendor.id)} className={`card ${classes.vendor}`}>
      <div className={classes.top}>
        <span className={classes.tile} aria-hidden="true">
          {initials(vendor.name)}
        </span>
        <div className={classes.grow}>
          <Title order={2} size="h4">
            {vendor.name}
          </Title>
          <Text size="xs" c="dimmed">
            {vendor.category}
            {vendor.unverified && ' · Unverified'}
          </Text>
        </div>
        {state && (
          <StatusBadge status={worst.state} tone={state.tone}>
            {connections.length > 1 && state.tone === 'good' ? `${connections.length} connected` : state.word}
          </StatusBadge>
        )}
      </div>
      <Text size="sm">{vendor.summary}</Text>
    </Link>
  );
}
