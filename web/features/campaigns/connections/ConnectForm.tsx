import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import type { Vendor } from './words.ts';

interface Given {
  name?: string;
  credentials: Record<string, string>;
}

/**
 * What a service asks for. With a `name` it changes a connection: fields left empty keep what is stored. `save` throws
 * if the server refuses.
 */
export function ConnectForm(props: {
  vendor: Vendor;
  name?: string;
  verb: string;
  onCancel: (() => void) | undefined;
  save: (given: Given) => Promise<void>;
}) {
  const { vendor, name } = props;
  const isNew = name === undefined;
  const [refusal, setRefusal] = useState<string>();
  const form = useForm({
    initialValues: {
      name: name ?? '',
      credentials: Object.fromEntries(vendor.credentials.map((field) => [field.key, ''])) as Record<
        string,
        string
      >,
    },
    validate: {
      credentials: Object.fromEntries(
        vendor.credentials
          .filter((field) => isNew && !field.optional)
          .map((field) => [field.key, (value: string) => (value.trim() ? null : `Enter the ${field.label}`)]),
      ),
    },
  });
  const send = async (values: { name: string; credentials: Record<string, string> }) => {
    setRefusal(undefined);
    try {
      const given = Object.entries(values.credentials).filter(([, value]) => value.trim());
      await props.save({
        ...(values.name.trim() ? { name: values.name.trim() } : {}),
        credentials: Object.fromEntries(given),
      });
      form.reset();
    } catch (error) {
      // The service itself refused all of them together.
      if (error instanceof ApiError && error.errors.credentials) setRefusal(wordsOf(error));
      else showFormError(form, error, `${vendor.name} was not connected`);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        {vendor.credentials.map((field) => {
          const Input = field.secret ? PasswordInput : TextInput;
          return (
            <Input
              key={field.key}
              label={field.label}
              description={field.help}
              placeholder={isNew ? field.placeholder : 'Leave blank to keep it'}
              withAsterisk={isNew && !field.optional}
              autoComplete="off"
              maxLength={4000}
              {...form.getInputProps(`credentials.${field.key}`)}
            />
          );
        })}
        <TextInput
          label="Name of the connection"
          description="How it appears in campaigns. Leave blank to use the account’s name."
          maxLength={80}
          {...form.getInputProps('name')}
        />
        {refusal && (
          <Notice tone="bad" live="alert">
            {refusal}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          {props.onCancel && (
            <Button variant="default" onClick={props.onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={form.submitting} {...keepFocus}>
            {props.verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
