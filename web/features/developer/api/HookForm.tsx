import { Button, Checkbox, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ALL_EVENTS, HOOK_EVENT_NAMES, HOOK_EVENTS } from '../../../../contract/developer/hook-events.ts';
import { api } from '../../../api/client.ts';
import { showFormError } from '../../../ui/forms.ts';
import type { Hook } from './words.ts';

interface Values {
  url: string;
  description: string;
  which: 'all' | 'some';
  types: string[];
}

/** Adds a webhook endpoint, or changes one. */
export function HookForm(props: {
  of?: Hook | undefined;
  /** `secret`: of a new one, shown only once. */
  onDone: (message: string, secret?: string) => void;
  onClose: () => void;
}) {
  const { of } = props;
  const [isBusy, setBusy] = useState(false);
  const form = useForm<Values>({
    initialValues: {
      url: of?.url ?? '',
      description: of?.description ?? '',
      which: !of || of.types.includes(ALL_EVENTS) ? 'all' : 'some',
      types: of?.types.filter((type) => type !== ALL_EVENTS) ?? [],
    },
    validate: {
      url: (url) => (URL.canParse(url) ? null : 'Enter an address such as https://example.com/webhooks'),
      types: (types, { which }) => (which === 'some' && types.length === 0 ? 'Choose at least one' : null),
    },
  });
  const save = async ({ url, description, which, types }: Values) => {
    setBusy(true);
    const given = {
      url,
      description,
      types: which === 'all' ? [ALL_EVENTS] : types,
    } as Parameters<typeof api.developer.makeHook>[0];
    try {
      if (of) props.onDone((await api.developer.changeHook({ id: of.id, ...given })).message);
      else {
        const { message, secret } = await api.developer.makeHook(given);
        props.onDone(message, secret);
      }
    } catch (error) {
      showFormError(form, error, of ? 'Change the endpoint' : 'Add the endpoint');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={props.onClose} title={of ? 'Edit endpoint' : 'New endpoint'} centered>
      <form onSubmit={form.onSubmit((values) => void save(values))} noValidate>
        <Stack gap="md">
          <TextInput
            label="URL"
            description="Your server’s address. It must start with https."
            withAsterisk
            data-autofocus
            maxLength={2048}
            {...form.getInputProps('url')}
          />
          <TextInput
            label="Description"
            description="Leave blank for none."
            maxLength={200}
            {...form.getInputProps('description')}
          />
          <Radio.Group label="Events" {...form.getInputProps('which')}>
            <Stack gap={8} mt={8}>
              <Radio value="all" label="All events, including future ones" />
              <Radio value="some" label="Only these events" />
            </Stack>
          </Radio.Group>
          {form.values.which === 'some' && (
            <Checkbox.Group aria-label="Events to send" {...form.getInputProps('types')}>
              <Stack gap={8} pl="md">
                {HOOK_EVENT_NAMES.map((type) => (
                  <Checkbox key={type} value={type} label={type} description={HOOK_EVENTS[type].title} />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <Text size="xs" c="dimmed">
            Events about leads include people’s personal data.
          </Text>
        </Stack>
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {of ? 'Save' : 'Add endpoint'}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
