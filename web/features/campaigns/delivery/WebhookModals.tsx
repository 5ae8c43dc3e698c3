import { Button, Checkbox, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { type Webhook, webhookFault } from './words.ts';

/** Asks for an address; `save` throws if the server refuses it. */
function AddressForm(props: {
  initial: string;
  verb: string;
  save: (url: string) => Promise<void>;
  onClose: () => void;
}) {
  const form = useForm({
    initialValues: { url: props.initial },
    validateInputOnBlur: true,
    validate: { url: webhookFault },
  });
  const send = async ({ url }: { url: string }) => {
    try {
      await props.save(url.trim());
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
      <TextInput
        label="Address"
        description="Each lead is sent there as JSON by POST. The address must be reachable from the internet over HTTPS."
        placeholder="https://example.com/leads"
        inputMode="url"
        withAsterisk
        data-autofocus
        maxLength={2048}
        {...form.getInputProps('url')}
      />
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={form.submitting}>
          {props.verb}
        </Button>
      </Group>
    </form>
  );
}

/** Adds a webhook, then shows its secret, once. */
export function AddWebhook(props: {
  campaignId: string;
  onAdded: (id: string) => void;
  onClose: () => void;
}) {
  const [secret, setSecret] = useState<string>();
  const [isStored, setStored] = useState(false);
  const locked = secret !== undefined;
  return (
    <Modal
      opened
      onClose={props.onClose}
      centered
      title={locked ? 'Save the signing secret' : 'Add a webhook'}
      closeOnClickOutside={!locked}
      closeOnEscape={!locked}
      withCloseButton={!locked}
    >
      {secret === undefined ? (
        <AddressForm
          initial=""
          verb="Add webhook"
          onClose={props.onClose}
          save={async (url) => {
            const answer = await api.delivery.create({ campaign_id: props.campaignId, url });
            setSecret(answer.secret);
            props.onAdded(answer.data.id);
          }}
        />
      ) : (
        <Stack gap="md">
          <Text size="sm">
            The receiver uses this secret to verify that a lead comes from here. Each request is signed using
            the Standard Webhooks scheme (headers <Code>webhook-id</Code>, <Code>webhook-timestamp</Code>,{' '}
            <Code>webhook-signature</Code>).
          </Text>
          <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
            {secret}
          </Code>
          <Group>
            <CopyButton text={secret} label="Copy secret" />
          </Group>
          <Notice tone="warn">
            It is shown only once. If you lose it, remove the webhook and add it again.
          </Notice>
          <Checkbox
            label="I’ve saved it"
            checked={isStored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button disabled={!isStored} onClick={props.onClose}>
              Close
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

/** Changes a webhook's address; its secret stays the same. */
export function EditWebhook(props: { hook: Webhook; onSaved: () => void; onClose: () => void }) {
  return (
    <Modal opened onClose={props.onClose} centered title="Change the address">
      <AddressForm
        initial={props.hook.url ?? ''}
        verb="Save"
        onClose={props.onClose}
        save={async (url) => {
          const { message } = await api.delivery.update({ id: props.hook.id, url });
          notifyDone(message);
          props.onSaved();
          props.onClose();
        }}
      />
    </Modal>
  );
}
