import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { messages } from '../../../../contract/messages.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';

/** A key's client id and secret, the only time the secret is shown. */
export interface Shown {
  client_id: string;
  secret_key: string;
}

function Copied(props: { label: string; value: string; done: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.value);
      notifyDone(props.done);
    } catch {
      notifyFailed('Copying failed. Select the text and copy it manually.');
    }
  };
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        label={props.label}
        value={props.value}
        readOnly
        style={{ flex: 1, minWidth: 0 }}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button variant="default" aria-label={`Copy ${props.label}`} onClick={() => void copy()}>
        Copy
      </Button>
    </Group>
  );
}

/**
 * Shows a secret once. It closes only with its button, so that a stray click cannot lose it.
 * @param about what it is for, and how to get another one
 */
export function SecretModal(props: {
  title: string;
  about: string;
  values: { label: string; value: string; done: string }[];
  onClose: () => void;
}) {
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      size="lg"
      centered
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Notice tone="warn" title="This is the only time the secret is shown">
          {props.about}
        </Notice>
        {props.values.map((one) => (
          <Copied key={one.label} {...one} />
        ))}
      </Stack>
      <Group justify="flex-end" mt="lg">
        <Button onClick={props.onClose}>I’ve saved it</Button>
      </Group>
    </Modal>
  );
}

/** Shows a key's secret once. */
export function KeySecretModal({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  return (
    <SecretModal
      title="Save your secret key"
      about="Keep it on your own server, never in a web page or an app. If you lose it, rotate the key."
      values={[
        { label: 'Client ID', value: shown.client_id, done: messages.clientIdCopied },
        { label: 'Secret Key', value: shown.secret_key, done: messages.secretKeyCopied },
      ]}
      onClose={onClose}
    />
  );
}
