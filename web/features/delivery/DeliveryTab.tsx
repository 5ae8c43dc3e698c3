import { ActionIcon, Button, Group, Menu, Skeleton, Stack, Text, Title } from '@mantine/core';
import {
  IconDots,
  IconEdit,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { wordsOf } from '../../api/errors.ts';
import { useMay } from '../../api/user.ts';
import { confirm } from '../../ui/confirm.tsx';
import { num } from '../../ui/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { useSearchParams } from '../../ui/useSearchParams.ts';
import { DeliveryLog } from './DeliveryLog.tsx';
import classes from './delivery.module.css';
import { AddWebhook, EditWebhook } from './WebhookModals.tsx';
import { disabledWords, durationWords, type Webhook } from './words.ts';

/** The webhooks of a campaign and the log of the chosen one (`webhook` in the address, else the first). */
export function DeliveryTab({ campaignId }: { campaignId: string }) {
  const cache = useQueryClient();
  const mayWrite = useMay('integration.write');
  const [params, set] = useSearchParams();
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['webhooks', campaignId],
    queryFn: ({ signal }) => api.delivery.list({ leadspeekID: campaignId }, { signal }),
    refetchInterval: 10_000,
  });
  const changed = () => {
    void cache.invalidateQueries({ queryKey: ['webhooks', campaignId] });
    void cache.invalidateQueries({ queryKey: ['deliveries'] });
  };
  const hooks = query.data?.data;
  const chosen = hooks?.find((hook) => hook.id === params.webhook) ?? hooks?.[0];
  const choose = (id: string) =>
    set({ webhook: id, log_page: undefined, log_state: undefined, log_q: undefined });
  const add = mayWrite && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  );

  return (
    <Stack gap="md">
      {query.error && !hooks ? (
        <ErrorState
          error={query.error}
          what="The webhooks could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !hooks ? (
        <Skeleton height={132} />
      ) : hooks.length === 0 ? (
        <div className="card">
          <EmptyState
            icon={<IconPlugConnected size={32} stroke={1.4} />}
            title="Leads are not sent anywhere yet"
            text="A webhook sends each lead, as it comes in, to your own address, such as a CRM, an automation, or your own program. The leads are in the dashboard either way."
            action={add}
          />
        </div>
      ) : (
        <>
          <Group justify="space-between" gap="xs">
            <Text size="sm" c="dimmed" style={{ flex: '1 1 240px' }}>
              Each lead is sent to every enabled webhook and retried until it arrives, for up to three days.
            </Text>
            {add}
          </Group>
          <ul className={classes.hooks}>
            {hooks.map((hook) => (
              <HookCard
                key={hook.id}
                hook={hook}
                isChosen={hook === chosen}
                isMarked={hook === chosen && hooks.length > 1}
                onChoose={() => choose(hook.id)}
                onChanged={changed}
              />
            ))}
          </ul>
        </>
      )}
      {chosen && (
        <section>
          <Title order={3} mb="xs">
            Delivery log
          </Title>
          <DeliveryLog key={chosen.id} hook={chosen} onChanged={changed} />
        </section>
      )}
      {isAdding && (
        <AddWebhook
          campaignId={campaignId}
          onAdded={(id) => {
            changed();
            choose(id);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Stack>
  );
}

function HookCard(props: {
  hook: Webhook;
  isChosen: boolean;
  isMarked: boolean;
  onChoose: () => void;
  onChanged: () => void;
}) {
  const { hook, onChanged } = props;
  const mayWrite = useMay('integration.write');
  const [isEditing, setEditing] = useState(false);
  const isEnabled = hook.state === 'enabled';
  const test = useMutation({
    mutationFn: () => api.delivery.test({ id: hook.id }),
    onSettled: onChanged,
  });
  const change = async (work: () => Promise<{ message: string }>) => {
    try {
      notifyDone((await work()).message);
    } catch (error) {
      notifyFailed(error);
    }
    onChanged();
  };
  const toggle = async () => {
    const isSure =
      !isEnabled ||
      (await confirm({
        title: 'Disable this webhook?',
        body: `Leads that come in while it is disabled are not sent to ${hook.url}, and deliveries still being retried fail. You can send failed deliveries again after you enable it.`,
        verb: 'Disable',
      }));
    if (isSure)
      await change(() => api.delivery.update({ id: hook.id, state: isEnabled ? 'disabled' : 'enabled' }));
  };
  const remove = async () => {
    const isSure = await confirm({
      title: 'Remove this webhook permanently?',
      body: `Nothing more is sent to ${hook.url}, and its signing secret stops working. The leads stay in the dashboard.`,
      verb: 'Remove',
      danger: true,
    });
    if (isSure) await change(() => api.delivery.remove({ id: hook.id }));
  };
  const why = disabledWords(hook);
  return (
    <li className={`card ${classes.hook}`} data-on={props.isMarked || undefined}>
      <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
        <span className={classes.address}>{hook.url}</span>
        <StatusBadge status={hook.state} />
      </Group>
      <div className={`${classes.counts} num`}>
        <span>
          <b>{num(hook.delivered)}</b> delivered
        </span>
        <span>
          <b>{num(hook.pending)}</b> pending
        </span>
        <span style={hook.failed ? { color: 'var(--bad)' } : undefined}>
          <b style={hook.failed ? { color: 'inherit' } : undefined}>{num(hook.failed)}</b> failed
        </span>
      </div>
      {why && (
        <div style={{ marginBottom: 12 }}>
          <Notice tone="bad">{why}</Notice>
        </div>
      )}
      <Group gap="xs">
        {mayWrite && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconSend size={14} />}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            Send test
          </Button>
        )}
        {!props.isChosen && (
          <Button size="xs" variant="default" onClick={props.onChoose}>
            Show log
          </Button>
        )}
        {mayWrite && (
          <Menu position="bottom-end" width={180}>
            <Menu.Target>
              <ActionIcon variant="default" size={30} ml="auto" aria-label={`Actions for ${hook.url}`}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconEdit size={16} />} onClick={() => setEditing(true)}>
                Change address
              </Menu.Item>
              <Menu.Item
                leftSection={isEnabled ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
                onClick={() => void toggle()}
              >
                {isEnabled ? 'Disable' : 'Enable'}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconTrash size={16} />}
                style={{ color: 'var(--bad)' }}
                onClick={() => void remove()}
              >
                Remove
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <div role="status">
        {!test.isPending && (test.data || test.error) && (
          <div style={{ marginTop: 12 }}>
            {test.error ? (
              <Notice tone="warn">{wordsOf(test.error)}</Notice>
            ) : (
              test.data && (
                <Notice
                  tone={test.data.result === 'success' ? 'good' : 'bad'}
                  title={test.data.result === 'success' ? 'Test delivered' : 'Test not delivered'}
                >
                  {test.data.message} It took {durationWords(test.data.duration_ms)}.
                </Notice>
              )
            )}
          </div>
        )}
      </div>
      {isEditing && <EditWebhook hook={hook} onSaved={onChanged} onClose={() => setEditing(false)} />}
    </li>
  );
}
