import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { notifyDone } from './notify.ts';

/**
 * Copies `text`; a full button with a `label`, otherwise an icon. `what` names it for screen readers; `done` is shown
 * as a notification; `onCopied` is called.
 */
export function CopyButton(props: {
  text: string;
  label?: string;
  what?: string;
  done?: string;
  onCopied?: () => void;
}) {
  const { text, label, what, done, onCopied } = props;
  const clipboard = useClipboard({ timeout: 1500 });
  const copy = () => {
    clipboard.copy(text);
    onCopied?.();
    if (done && !label) notifyDone(done);
  };
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  const words = clipboard.copied ? 'Copied' : clipboard.error ? 'Copy failed' : (label ?? 'Copy');
  if (label) {
    return (
      <Button variant="default" leftSection={<Icon size={16} />} onClick={copy}>
        <span aria-live="polite">{words}</span>
      </Button>
    );
  }
  return (
    <Tooltip label={words}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={clipboard.copied ? 'Copied' : `Copy ${what ?? 'text'}`}
        onClick={copy}
      >
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
