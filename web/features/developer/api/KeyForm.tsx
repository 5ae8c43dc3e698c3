import {
  Button,
  Checkbox,
  Group,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Grade } from '../../../../contract/accounts/permissions.ts';
import {
  API_SCOPES,
  type ApiScope,
  EXPIRIES,
  type KEY_MODES,
  mayScope,
  SCOPE_NAMES,
} from '../../../../contract/developer/developer-rules.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { showFormError } from '../../../ui/forms.ts';
import type { Shown } from './SecretModal.tsx';
import { expiryWords } from './words.ts';

interface Values {
  name: string;
  mode: (typeof KEY_MODES)[number];
  scopes: ApiScope[];
  expires_in_days: string;
}

/** Creates a key: its name, its permissions, and when it expires. */
export function KeyForm(props: { onMade: (shown: Shown) => void; onClose: () => void }) {
  const user = useUser();
  const [isBusy, setBusy] = useState(false);
  const form = useForm<Values>({
    initialValues: { name: '', mode: 'live', scopes: [], expires_in_days: '90' },
    validate: {
      name: (name) => (name.trim() ? null : 'Enter a name, such as CRM sync'),
      scopes: (scopes) => (scopes.length > 0 ? null : 'Choose at least one'),
    },
  });
  const save = async (values: Values) => {
    setBusy(true);
    try {
      const { data, secret_key } = await api.developer.makeKey({
        ...values,
        expires_in_days: values.expires_in_days === 'never' ? null : Number(values.expires_in_days),
      });
      props.onMade({ client_id: data.client_id, secret_key });
    } catch (error) {
      showFormError(form, error, 'Create the API key');
    } finally {
      setBusy(false);
    }
  };
  const scopes = SCOPE_NAMES.filter((scope) => mayScope(user.grade as Grade, user.module_permissions, scope));
  return (
    <Modal opened onClose={props.onClose} title="New API key" centered>
      <form onSubmit={form.onSubmit((values) => void save(values))} noValidate>
        <Stack gap="md">
          <TextInput
            label="Name"
            description="Helps you tell later which program uses it."
            withAsterisk
            data-autofocus
            maxLength={60}
            {...form.getInputProps('name')}
          />
          <div>
            <Text size="sm" fw={500} id="key-mode" mb={4}>
              Mode
            </Text>
            <SegmentedControl
              aria-labelledby="key-mode"
              fullWidth
              data={[
                { value: 'live', label: 'Live' },
                { value: 'test', label: 'Test' },
              ]}
              {...form.getInputProps('mode')}
            />
            <Text size="xs" c="dimmed" mt={4}>
              {form.values.mode === 'live'
                ? 'Works with your agency’s data.'
                : 'For testing. It never reaches your clients’ data.'}
            </Text>
          </div>
          <Checkbox.Group label="Permissions" withAsterisk {...form.getInputProps('scopes')}>
            <Stack gap={8} mt={8}>
              {scopes.map((scope) => (
                <Checkbox key={scope} value={scope} label={API_SCOPES[scope].label} description={scope} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Select
            label="Expires"
            allowDeselect={false}
            data={EXPIRIES.map((days) => ({
              value: days === null ? 'never' : String(days),
              label: expiryWords(days),
            }))}
            {...form.getInputProps('expires_in_days')}
          />
        </Stack>
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Create key
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
