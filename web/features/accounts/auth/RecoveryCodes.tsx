import { Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { overlaysReady } from '../../../ui/overlays.ts';
import classes from './RecoveryCodes.module.css';

/** Shows recovery codes, which can only be shown once; resolves when they are dismissed. */
export async function showRecoveryCodes(codes: readonly string[]): Promise<void> {
  await overlaysReady();
  return new Promise((resolve) => {
    const id = modals.open({
      title: 'Save your recovery codes',
      centered: true,
      // A stray click or key must not lose them.
      closeOnClickOutside: false,
      closeOnEscape: false,
      withCloseButton: false,
      onClose: () => resolve(),
      children: <Codes codes={codes} onDone={() => modals.close(id)} />,
    });
  });
}

const fileOf = (codes: readonly string[]): string =>
  [
    `Recovery codes for ${location.host}`,
    'Each works once. Keep them in a safe place.',
    '',
    ...codes,
    '',
  ].join('\r\n');

function save(codes: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([fileOf(codes)], { type: 'text/plain' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: 'recovery-codes.txt' });
  link.click();
  URL.revokeObjectURL(url);
}

function Codes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Text size="sm">
        If you lose your second factor, you can sign in with one of these codes instead. Each code works once.
        They are shown only now, so keep them somewhere you can find without your phone.
      </Text>
      <div className={classes.sheet}>
        <Text size="sm" fw={600} mb="xs">
          Recovery codes for {location.host}
        </Text>
        <ul className={classes.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <Group gap="xs">
        <CopyButton text={codes.join('\n')} label="Copy" />
        <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => save(codes)}>
          Download
        </Button>
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
          Print
        </Button>
      </Group>
      <Group justify="flex-end">
        <Button onClick={onDone}>I have saved them</Button>
      </Group>
    </Stack>
  );
}
