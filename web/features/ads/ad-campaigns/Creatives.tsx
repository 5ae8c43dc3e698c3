import {
  ActionIcon,
  Anchor,
  Button,
  FileInput,
  Group,
  Modal,
  Stack,
  Text,
  TextInput,
  Title,
  Tooltip,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlayerPause, IconPlayerPlay, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AD_SIZES, isClickUrl, MOST_ALT_TEXT } from '../../../../contract/ads/ad-rules.ts';
import type { Client } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { formOf, upload } from '../../../api/upload.ts';
import { useMay } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import type { AdCampaign } from './model.ts';

type Creative = Awaited<ReturnType<Client['creatives']['list']>>['data'][number];

/** The images of a campaign: what is shown, and where a click leads. */
export function Creatives({ ad }: { ad: AdCampaign }) {
  const client = useQueryClient();
  const mayWrite = useMay('campaign.write');
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['ads', 'creatives', ad.campaign_id],
    queryFn: ({ signal }) => api.creatives.list({ campaign_id: ad.campaign_id }, { signal }),
  });
  const change = async (creative: Creative, status: 'active' | 'paused' | 'removed') => {
    if (
      status === 'removed' &&
      !(await confirm({
        title: `Remove “${creative.name}”?`,
        body: 'It is no longer shown. What it did stays in the reports.',
        verb: 'Remove',
        danger: true,
      }))
    )
      return;
    try {
      await api.creatives.update({ id: creative.id, status });
      notifyDone(messages.updated);
    } catch (error) {
      notifyFailed(error);
    }
    await client.invalidateQueries({ queryKey: ['ads'] });
  };
  return (
    <section aria-label="Creatives">
      <Group justify="space-between" mb="sm">
        <Title order={4}>Creatives</Title>
        {mayWrite && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden="true" />}
            onClick={() => setAdding(true)}
          >
            Add image
          </Button>
        )}
      </Group>
      {!query.data && <SkeletonRows rows={2} />}
      {query.data?.data.length === 0 && (
        <Text size="sm" c="dimmed">
          No images yet. A campaign shows nothing without one.
        </Text>
      )}
      <Stack gap="sm">
        {query.data?.data.map((creative) => (
          <Group key={creative.id} wrap="nowrap" align="start">
            <img
              src={creative.image_url}
              alt={creative.alt_text}
              width={96}
              height={72}
              style={{ objectFit: 'contain' }}
            />
            <div style={{ flex: 1, minWidth: 0 }}>
              <Text size="sm" fw={600} truncate>
                {creative.name}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {creative.width} × {creative.height} ·{' '}
                <Anchor href={creative.click_url} target="_blank" rel="noreferrer noopener" inherit>
                  {creative.click_url}
                </Anchor>
              </Text>
              <StatusBadge status={creative.status} />
            </div>
            {mayWrite && (
              <Group gap={4} wrap="nowrap">
                <Tooltip label={creative.status === 'active' ? 'Pause' : 'Activate'}>
                  <ActionIcon
                    variant="subtle"
                    aria-label={`${creative.status === 'active' ? 'Pause' : 'Activate'} ${creative.name}`}
                    onClick={() => void change(creative, creative.status === 'active' ? 'paused' : 'active')}
                  >
                    {creative.status === 'active' ? (
                      <IconPlayerPause size={16} />
                    ) : (
                      <IconPlayerPlay size={16} />
                    )}
                  </ActionIcon>
                </Tooltip>
                <Tooltip label="Remove">
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={`Remove ${creative.name}`}
                    onClick={() => void change(creative, 'removed')}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </Tooltip>
              </Group>
            )}
          </Group>
        ))}
      </Stack>
      {isAdding && <AddCreative ad={ad} onClose={() => setAdding(false)} />}
    </section>
  );
}

function AddCreative({ ad, onClose }: { ad: AdCampaign; onClose: () => void }) {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const form = useForm<{ file: File | null; name: string; alt_text: string; click_url: string }>({
    initialValues: { file: null, name: '', alt_text: '', click_url: '' },
    validate: {
      file: (value) => (value ? null : 'Choose an image'),
      name: (value) => (value.trim() ? null : 'Enter a name'),
      alt_text: (value) => (value.trim() ? null : 'Say what the image shows'),
      click_url: (value) => (isClickUrl(value.trim()) ? null : 'Enter an address that starts with https://'),
    },
  });
  const save = async ({ file, ...texts }: typeof form.values) => {
    setBusy(true);
    try {
      await upload(
        '/ads/creatives',
        formOf('inputs.creativeForm', { campaign_id: ad.campaign_id, ...texts, file: file! }),
        {},
      );
      notifyDone(messages.added);
      await client.invalidateQueries({ queryKey: ['ads'] });
      onClose();
    } catch (error) {
      showFormError(form, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title="Add image" centered>
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <FileInput
            label="Image"
            description={`PNG, JPEG, or GIF up to 2 MB, in one of these sizes: ${AD_SIZES.join(', ')}. Of a GIF, the first frame is shown.`}
            accept="image/png,image/jpeg,image/gif"
            required
            {...form.getInputProps('file')}
            onChange={(file) => {
              form.setFieldValue('file', file);
              if (file && !form.values.name) form.setFieldValue('name', file.name.replace(/\.\w+$/, ''));
            }}
          />
          <TextInput label="Name" required maxLength={255} {...form.getInputProps('name')} />
          <TextInput
            label="Alternative text"
            description="What the image says, for people who cannot see it."
            required
            maxLength={MOST_ALT_TEXT}
            {...form.getInputProps('alt_text')}
          />
          <TextInput
            label="Click address"
            description="Where a click leads. Use a page that has the tag of a Site ID campaign."
            placeholder="https://"
            required
            maxLength={2000}
            {...form.getInputProps('click_url')}
          />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              Add image
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
