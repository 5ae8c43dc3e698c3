import { ActionIcon, Group, Modal, Stack, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { formOf, upload } from '../../../api/upload.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { FileDrop, type Sending } from '../../../ui/FileDrop.tsx';
import { notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import classes from './Editor.module.css';
import type { Media } from './model.ts';

/** The images of a company: chooses one, adds one, removes one. */
export function ImageLibrary(props: {
  companyId: string | undefined;
  onPick: (media: Media) => void;
  onClose: () => void;
}) {
  const { companyId } = props;
  const client = useQueryClient();
  const [sending, setSending] = useState<Sending>();
  const [fault, setFault] = useState<string>();
  const queryKey = ['banners', 'media', companyId];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.media.ofCompany(companyId ? { company_id: companyId } : {}, { signal }),
  });
  const add = async (file: File) => {
    const stop = new AbortController();
    setFault(undefined);
    setSending({ name: file.name, size: file.size, sent: 0, stop });
    try {
      const { data } = await upload<{ data: Media }>(
        '/media',
        formOf('inputs.mediaForm', {
          ...(companyId ? { company_id: companyId } : {}),
          name: file.name.replace(/\.\w+$/, '').slice(0, 80) || 'Image',
          file,
        }),
        {
          signal: stop.signal,
          onProgress: (sent) => setSending({ name: file.name, size: file.size, sent, stop }),
        },
      );
      await client.invalidateQueries({ queryKey });
      props.onPick(data);
    } catch (error) {
      if (!stop.signal.aborted) setFault(wordsOf(error));
    } finally {
      setSending(undefined);
    }
  };
  const remove = async (media: Media) => {
    const isSure = await confirm({
      title: `Remove “${media.name}”?`,
      body: 'Banners that use it need another image.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.media.update({ id: media.id, status: 'removed' });
    } catch (error) {
      notifyFailed(error);
    }
    await client.invalidateQueries({ queryKey });
  };
  return (
    <Modal opened onClose={props.onClose} title="Images" size="lg" centered>
      <Stack gap="md">
        <FileDrop
          title="Add an image"
          text="PNG, JPEG, GIF, WebP, or SVG, up to 2 MB."
          accept="image/png,image/jpeg,image/gif,image/webp,image/svg+xml"
          sending={sending}
          fault={fault}
          onFile={(file) => void add(file)}
          onMany={() => setFault('Add one image at a time.')}
        />
        {!query.data && <SkeletonRows rows={2} />}
        {query.data?.data.length === 0 && (
          <Text size="sm" c="dimmed">
            No images yet.
          </Text>
        )}
        <ul className={classes.picks}>
          {query.data?.data.map((media) => (
            <li key={media.id}>
              <button type="button" className={classes.pick} onClick={() => props.onPick(media)}>
                <img src={media.image_url} alt="" loading="lazy" />
                <span className={classes.layerName}>{media.name}</span>
              </button>
              <Group justify="space-between" mt={4} wrap="nowrap">
                <Text size="xs" c="dimmed">
                  {media.width} × {media.height}
                </Text>
                <Tooltip label="Remove">
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={`Remove ${media.name}`}
                    onClick={() => void remove(media)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </Tooltip>
              </Group>
            </li>
          ))}
        </ul>
      </Stack>
    </Modal>
  );
}
