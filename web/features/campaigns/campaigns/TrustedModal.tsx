import { Badge, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import classes from './campaigns.module.css';

type Trusted = Awaited<ReturnType<Client['held']['trusted']>>['data'][number];

/** Shows '203.0.113.7/32' as the single address that it is. */
const shown = (network: string): string => network.replace(/\/(32|128)$/, '');

/**
 * Addresses whose sign-ups are not held when many come from one place: the agency trusts them, and its client can
 * request it. `network` prefills the form, for an address from the list of held sign-ups.
 */
export default function TrustedModal(props: { campaignId: string; network?: string; onClose: () => void }) {
  const cache = useQueryClient();
  const { in_view_mode } = useUser();
  const mayTrust = useMay('visit.release') && !in_view_mode;
  const mayAsk = useMay('campaign.write') && !in_view_mode;
  const queryKey = ['trusted-addresses', props.campaignId];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.held.trusted({ campaign_id: props.campaignId }, { signal }),
  });
  const [busy, setBusy] = useState('');
  const form = useForm({
    initialValues: { network: props.network ?? '', note: '', every_campaign: false },
    validate: { network: (value) => (value.trim() ? null : 'Enter an address or a network') },
  });
  const refresh = () => cache.invalidateQueries({ queryKey });

  const save = async (values: typeof form.values) => {
    setBusy('new');
    try {
      const asked = { campaign_id: props.campaignId, ...values };
      const { message } = mayTrust ? await api.held.trust(asked) : await api.held.askTrust(asked);
      notifyDone(message);
      form.setValues({ network: '', note: '', every_campaign: false });
      await refresh();
    } catch (error) {
      showFormError(form, error);
    } finally {
      setBusy('');
    }
  };
  const act = async (row: Trusted, what: 'trust' | 'remove') => {
    if (
      what === 'remove' &&
      row.status === 'trusted' &&
      !(await confirm({
        title: `Remove ${shown(row.network)}?`,
        body: 'Its sign-ups are checked like all others from now on.',
        verb: 'Remove',
        danger: true,
      }))
    )
      return;
    setBusy(row.id);
    try {
      const { message } =
        what === 'trust'
          ? await api.held.trust({
              campaign_id: props.campaignId,
              network: row.network,
              every_campaign: row.campaign_id === null,
            })
          : await api.held.untrust({ id: row.id });
      notifyDone(message);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy('');
      await refresh();
    }
  };

  return (
    <Modal
      opened
      onClose={props.onClose}
      centered
      size="lg"
      title="Trusted addresses"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          An office or a call center can send many sign-ups. Sign-ups from a trusted address are not held for
          coming from one browser, address, or network.{' '}
          {mayTrust
            ? 'Trust only places you know. Anyone who sends from there can generate any number of leads that the client pays for.'
            : 'Your agency decides which addresses are trusted.'}
        </Text>
        {query.error ? (
          <ErrorState
            error={query.error}
            what="The addresses could not be loaded"
            onRetry={() => void query.refetch()}
          />
        ) : !query.data ? (
          <SkeletonRows />
        ) : query.data.data.length === 0 ? (
          <Text size="sm">No addresses are trusted yet.</Text>
        ) : (
          <ul className={classes.held} style={{ margin: 0 }} aria-label="Trusted addresses">
            {query.data.data.map((row) => (
              <li key={row.id} className={classes.heldRow}>
                <span className={classes.heldWhat}>
                  <span className={classes.heldWords} style={{ overflowWrap: 'anywhere' }}>
                    {shown(row.network)}
                  </span>
                  <Text
                    size="xs"
                    c="dimmed"
                    component="span"
                    display="block"
                    style={{ overflowWrap: 'anywhere' }}
                  >
                    {[row.note, row.campaign_id === null ? 'all campaigns of the client' : 'this campaign']
                      .filter(Boolean)
                      .join(', ')}
                  </Text>
                </span>
                {row.status === 'asked' && (
                  <Badge variant="default" tt="none">
                    {mayTrust ? 'Client request' : 'Requested'}
                  </Badge>
                )}
                {mayTrust && (
                  <Group gap="xs" wrap="nowrap">
                    {row.status === 'asked' && (
                      <Button size="xs" loading={busy === row.id} onClick={() => void act(row, 'trust')}>
                        Trust
                      </Button>
                    )}
                    <Button
                      variant="default"
                      size="xs"
                      loading={busy === row.id}
                      aria-label={`${row.status === 'asked' ? 'Decline' : 'Remove'} ${shown(row.network)}`}
                      onClick={() => void act(row, 'remove')}
                    >
                      {row.status === 'asked' ? 'Decline' : 'Remove'}
                    </Button>
                  </Group>
                )}
              </li>
            ))}
          </ul>
        )}
        {(mayTrust || mayAsk) && (
          <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
            <Stack gap="sm">
              <TextInput
                label="Address or network"
                description="For example 203.0.113.7 or 203.0.113.0/24"
                required
                maxLength={60}
                data-autofocus
                {...form.getInputProps('network')}
              />
              <TextInput
                label="Note"
                description="Whose address or network it is"
                maxLength={100}
                {...form.getInputProps('note')}
              />
              <Checkbox
                label="For all campaigns of the client"
                {...form.getInputProps('every_campaign', { type: 'checkbox' })}
              />
              <Group justify="flex-end" gap="xs">
                <Button variant="default" onClick={props.onClose} {...keepFocus}>
                  Close
                </Button>
                <Button type="submit" loading={busy === 'new'} {...keepFocus}>
                  {mayTrust ? 'Trust address' : 'Ask the agency'}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Stack>
    </Modal>
  );
}
