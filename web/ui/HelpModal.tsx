import { ActionIcon, Button, Group, Modal, Text, Tooltip } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';

interface Help {
  title: string;
  /** The address of a video on this site (WebM), played in the modal; it shows and says the same as the description. */
  video: string;
  /** The text version, for users who cannot or do not want to watch. */
  description: ReactNode;
}

/** Explains what a page or an area does: a title, a video, and its description (spec product 2, help modal; UX-05). */
function HelpModal({ help, opened, onClose }: { help: Help; opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={help.title} size="lg" centered>
      <video
        src={help.video}
        controls
        muted
        playsInline
        preload="metadata"
        aria-label={`${help.title}, no sound, described below`}
        style={{
          display: 'block',
          width: '100%',
          aspectRatio: '16 / 9',
          borderRadius: 8,
          border: '1px solid var(--hairline)',
          background: 'var(--raised)',
        }}
      />
      <Text component="div" size="sm" mt="md">
        {help.description}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button data-autofocus variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Modal>
  );
}

/** The question mark next to a page's title that opens its help. */
export function HelpButton(help: Help) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Tooltip label="How this works">
        <ActionIcon
          variant="default"
          size={36}
          aria-label={`Help: ${help.title}`}
          onClick={() => setOpen(true)}
        >
          <IconHelpCircle size={18} />
        </ActionIcon>
      </Tooltip>
      <HelpModal help={help} opened={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
