import { ActionIcon, Button, Group, Menu, Skeleton, Stack, Text, Title } from '@mantine/core';
import {
  IconBraces,
  IconDots,
  IconEdit,
  IconFilter,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconSend,
  IconTable,
  IconTrash,
  IconWebhook,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { rulesWords } from '../../../../contract/campaigns/rules.ts';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { integrationsAt } from '../connections/whose.tsx';
import type { Connection } from '../connections/words.ts';
import { DeliveryLog } from './DeliveryLog.tsx';
import { DestinationModal } from './DestinationModal.tsx';
import classes from './delivery.module.css';
import { PayloadModal } from './PayloadModal.tsx';
import { FORMAT_WORDS } from './payloads.ts';
import { RulesModal } from './RulesModal.tsx';
import { SpreadsheetModal } from './Spreadsheet.tsx';
import { AddWebhook, EditWebhook } from './WebhookModals.tsx';
import { disabledWords, durationWords, isHeld, type Webhook } from './words.ts';

/** The destinations of a campaign and the log of the chosen one (`webhook` in the address, else the first). */
export function DeliveryTab({ campaignId, clientId }: { campaignId: string; clientId: string }) {
  const cache = useQueryClient();
  const mayWrite = useMay('integration.write');
  const [params, set] = useSearchParams();
  const user = useUser();
  /** What is being added: a webhook, or a destination through a connection. */
  const [adding, setAdding] = useState<'webhook' | Connection>();
  const query = useQuery({
    queryKey: ['webhooks', campaignId],
    queryFn: ({ signal }) => api.delivery.list({ campaign_id: campaignId }, { signal }),
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
  const connections = useQuery({
    queryKey: ['connections', 'of-campaign', clientId],
    queryFn: async ({ signal }) => {
      const lists = [api.connections.list({ company_id: clientId }, { signal })];
      // An agency may also use its own.
      if (user.company_id !== clientId && user.company_kind === 'agency')
        lists.push(api.connections.list({}, { signal }));
      return (await Promise.all(lists)).flatMap(({ data }) => data);
    },
    enabled: mayWrite,
  });
  /** The client whose connection a destination uses; undefined for one of one's own. */
  const ownerOf = (hook: Webhook) =>
    connections.data?.find(({ id, company_id }) => id === hook.connection_id && company_id === clientId)
      ?.company_id;
  const add = mayWrite && (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button leftSection={<IconPlus size={16} />}>Add destination</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconWebhook size={16} />} onClick={() => setAdding('webhook')}>
          Webhook
        </Menu.Item>
        {connections.data?.map((one) => (
          <Menu.Item
            key={one.id}
            leftSection={<IconPlugConnected size={16} />}
            disabled={one.state === 'broken'}
            onClick={() => setAdding(one)}
          >
            {one.name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to={'/integrations' as never}>
          Connect a service…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );

  return (
    <Stack gap="md">
      {query.error && !hooks ? (
        <ErrorState
          error={query.error}
          what="The destinations could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !hooks ? (
        <Skeleton height={132} />
      ) : hooks.length === 0 ? (
        <div className="card">
          <EmptyState
            icon={<IconPlugConnected size={32} stroke={1.4} />}
            title="Leads are not sent anywhere yet"
            text="Connect a CRM, a chat, or an email service, or send each lead to your own URL by webhook. Leads are in the dashboard either way."
            action={add}
          />
        </div>
      ) : (
        <>
          <Group justify="space-between" gap="xs">
            <Text size="sm" c="dimmed" style={{ flex: '1 1 240px' }}>
              Each lead is sent to every enabled destination whose rules match, and retried until it arrives,
              for up to three days.
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
                client={user.company_id === clientId ? undefined : ownerOf(hook)}
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
      {adding === 'webhook' && (
        <AddWebhook
          campaignId={campaignId}
          onAdded={(id) => {
            changed();
            choose(id);
          }}
          onClose={() => setAdding(undefined)}
        />
      )}
      {adding && adding !== 'webhook' && (
        <DestinationModal
          campaignId={campaignId}
          connection={adding}
          onSaved={(id) => {
            changed();
            choose(id);
          }}
          onClose={() => setAdding(undefined)}
        />
      )}
    </Stack>
  );
}

function HookCard(props: {
  hook: Webhook;
  isChosen: boolean;
  isMarked: boolean;
  /** Whose connection it uses, if it is a client's and an agency looks. */
  client: string | undefined;
  onChoose: () => void;
  onChanged: () => void;
}) {
  const { hook, onChanged } = props;
  const mayWrite = useMay('integration.write') && isHeld(hook);
  const [isEditing, setEditing] = useState(false);
  const [isRuling, setRuling] = useState(false);
  const [isShaping, setShaping] = useState(false);
  const [isSheet, setSheet] = useState(false);
  const isEnabled = hook.state === 'enabled';
  const isWebhook = hook.kind === 'webhook';
  const noun = isWebhook ? 'webhook' : 'destination';
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
        title: `Disable this ${noun}?`,
        body: `Leads that come in while it is disabled are not sent to ${hook.name}, and deliveries still being retried fail. You can resend failed deliveries after you enable it.`,
        verb: 'Disable',
      }));
    if (isSure)
      await change(() => api.delivery.update({ id: hook.id, state: isEnabled ? 'disabled' : 'enabled' }));
  };
  const remove = async () => {
    const isSure = await confirm({
      title: `Remove this ${noun} permanently?`,
      body: `Nothing more is sent to ${hook.name}.${isWebhook ? ' Its signing secret stops working.' : ' The connection stays for other campaigns.'} The leads stay in the dashboard.`,
      verb: 'Remove',
      danger: true,
    });
    if (isSure) await change(() => api.delivery.remove({ id: hook.id }));
  };
  const why = disabledWords(hook);
  return (
    <li className={`card ${classes.hook}`} data-on={props.isMarked || undefined}>
      <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
        <span className={classes.address}>{hook.name}</span>
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
        {hook.skipped > 0 && (
          <span>
            <b>{num(hook.skipped)}</b> skipped
          </span>
        )}
        {hook.payload_format !== 'standard' && (
          <span>
            Payload: <b>{FORMAT_WORDS[hook.payload_format].label}</b>
          </span>
        )}
      </div>
      {hook.rules && (
        <p className={classes.rules}>
          <IconFilter size={14} aria-hidden="true" />
          <span>
            <span className="sr-only">Rules: </span>
            {rulesWords(hook.rules)}
          </span>
        </p>
      )}
      {(hook.connection_state === 'broken' || hook.connection_state === 'paused') && (
        <div style={{ marginBottom: 12 }}>
          <Notice
            tone={hook.connection_state === 'broken' ? 'bad' : 'warn'}
            action={
              <Button
                component={Link}
                {...integrationsAt(props.client, hook.kind)}
                size="xs"
                variant="default"
              >
                {hook.connection_state === 'broken' ? 'Reconnect' : 'Open the connection'}
              </Button>
            }
          >
            {hook.connection_state === 'broken'
              ? 'The service no longer accepts the connection’s credentials. Leads wait and are delivered once you reconnect.'
              : 'The connection is paused. Leads wait and are delivered once you resume it.'}
          </Notice>
        </div>
      )}
      {!isHeld(hook) && (
        <Text c="dimmed" size="sm" mb="sm">
          This destination uses your agency’s connection, so your agency manages it.
        </Text>
      )}
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
        {mayWrite && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconFilter size={14} />}
            onClick={() => setRuling(true)}
          >
            Rules
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
              <ActionIcon variant="default" size={30} ml="auto" aria-label={`Actions for ${hook.name}`}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconEdit size={16} />} onClick={() => setEditing(true)}>
                {isWebhook ? 'Change address' : 'Settings and fields'}
              </Menu.Item>
              {hook.kind === 'google-sheets' && (
                <Menu.Item leftSection={<IconTable size={16} />} onClick={() => setSheet(true)}>
                  Spreadsheet
                </Menu.Item>
              )}
              {isWebhook && (
                <Menu.Item leftSection={<IconBraces size={16} />} onClick={() => setShaping(true)}>
                  Payload
                </Menu.Item>
              )}
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
      {isRuling && <RulesModal hook={hook} onSaved={onChanged} onClose={() => setRuling(false)} />}
      {isEditing && isWebhook && (
        <EditWebhook hook={hook} onSaved={onChanged} onClose={() => setEditing(false)} />
      )}
      {isShaping && <PayloadModal hook={hook} onSaved={onChanged} onClose={() => setShaping(false)} />}
      {isSheet && <SpreadsheetModal hook={hook} onClose={() => setSheet(false)} />}
      {isEditing && hook.connection_id && (
        <DestinationModal
          campaignId={hook.campaign_id}
          connection={{ id: hook.connection_id, vendor: hook.kind }}
          destination={hook}
          onSaved={onChanged}
          onClose={() => setEditing(false)}
        />
      )}
    </li>
  );
}
