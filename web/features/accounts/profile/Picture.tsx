import { Avatar, Button, FileButton, Group, Text } from '@mantine/core';
import { IconPhoto, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { PICTURE, pictureFault } from './model.ts';
import { saveStep, usePersonChanged } from './queries.ts';

/**
 * The user's picture: it is uploaded as soon as it is chosen; if it is refused, the error is shown and the old one
 * stays.
 */
export function Picture() {
  const user = useUser();
  const changed = usePersonChanged();
  const [sending, setSending] = useState<string>();
  const [fault, setFault] = useState<string>();
  const reset = useRef<() => void>(null);
  useEffect(() => () => void (sending && URL.revokeObjectURL(sending)), [sending]);

  const send = async (picture: File | '') => {
    setFault(undefined);
    if (picture) {
      const wrong = pictureFault(picture);
      reset.current?.();
      if (wrong) {
        setFault(wrong);
        return;
      }
    }
    setSending(picture && URL.createObjectURL(picture));
    try {
      const { message } = picture
        ? await saveStep(undefined, {}, picture)
        : await saveStep(undefined, { remove_pict: 'T' });
      await changed();
      notifyDone(message);
    } catch (error) {
      const own = error instanceof ApiError ? error.errors.picture_url : undefined;
      setFault(own ? `The picture ${own.join(', and ')}.` : wordsOf(error));
    } finally {
      setSending(undefined);
    }
  };
  const isBusy = sending !== undefined;
  return (
    <div>
      <Group gap="md" wrap="nowrap" align="center">
        <Avatar
          size={72}
          radius="xl"
          src={sending || user.picture_url}
          name={user.name}
          color="gray"
          alt={user.picture_url ? 'Your picture' : ''}
        />
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <FileButton
              accept={PICTURE.types.join(',')}
              onChange={(file) => file && void send(file)}
              {...{ resetRef: reset }}
            >
              {(props) => (
                <Button
                  {...props}
                  variant="default"
                  leftSection={<IconPhoto size={16} aria-hidden="true" />}
                  loading={isBusy}
                >
                  {user.picture_url ? 'Replace picture' : 'Choose picture'}
                </Button>
              )}
            </FileButton>
            {user.picture_url && (
              <Button
                variant="subtle"
                color="gray"
                leftSection={<IconTrash size={16} aria-hidden="true" />}
                disabled={isBusy}
                onClick={async () => {
                  const isSure = await confirm({
                    title: 'Remove your picture?',
                    body: 'Your initials will be shown instead.',
                    verb: 'Remove',
                  });
                  if (isSure) void send('');
                }}
              >
                Remove
              </Button>
            )}
          </Group>
          <Text size="xs" c="dimmed" mt={4}>
            PNG, JPEG, or WebP, up to 2 MB and 24 million pixels. It is cropped to a square.
          </Text>
        </div>
      </Group>
      <div role="alert">
        {fault && (
          <Text size="sm" mt="xs" style={{ color: 'var(--bad)' }}>
            {fault}
          </Text>
        )}
      </div>
    </div>
  );
}
