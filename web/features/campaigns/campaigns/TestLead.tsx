import { Button, Group, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';

/**
 * Sends a marked lead through the whole delivery path; at most once a minute, which the server enforces and reports.
 */
export function TestLead({ campaignId }: { campaignId: string }) {
  const cache = useQueryClient();
  const mayWrite = useMay('campaign.write');
  const [busy, setBusy] = useState(false);
  if (!mayWrite) return null;
  const send = async () => {
    setBusy(true);
    try {
      const { webhooks } = await api.leads.sendTestLead({ campaign_id: campaignId });
      notifyDone(
        webhooks === 0
          ? 'The test lead is in the lead list. The campaign has no webhook to send it to.'
          : `The test lead is on its way to ${webhooks === 1 ? '1 webhook' : `${num(webhooks)} webhooks`}.`,
      );
      for (const key of ['deliveries', 'webhooks', 'leads'])
        void cache.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      notifyFailed(error, 'Send a test lead');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Group justify="space-between" gap="xs" mb="md">
      <Text size="sm" c="dimmed" style={{ flex: '1 1 240px' }}>
        A test lead is fictional, marked as a test everywhere it appears, and costs nothing.
      </Text>
      <Button
        variant="default"
        loading={busy}
        leftSection={<IconSend size={16} aria-hidden="true" />}
        onClick={() => void send()}
      >
        Send test lead
      </Button>
    </Group>
  );
}
