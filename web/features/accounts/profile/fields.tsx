import { PasswordInput, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Fields } from '../../../ui/Fields.tsx';
import { PhoneInput } from '../../../ui/PhoneInput.tsx';
import { AddressFields } from './AddressFields.tsx';
import { type CompanyValues, type DetailsValues, isOther } from './model.ts';

/** Name, email, phone and address of a person. */
export function DetailsFields(props: { form: UseFormReturnType<DetailsValues>; email: string }) {
  const { form } = props;
  return (
    <Stack gap="md">
      <Fields>
        <TextInput
          label="Full Name"
          autoComplete="name"
          maxLength={300}
          withAsterisk
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Email"
          type="email"
          autoComplete="email"
          maxLength={120}
          withAsterisk
          {...form.getInputProps('email')}
        />
      </Fields>
      {isOther(form.values.email, props.email) && form.values.email && (
        <PasswordInput
          label="Your password"
          description="Required to change your email address."
          autoComplete="current-password"
          withAsterisk
          maxLength={1024}
          styles={{ wrapper: { maxWidth: 360 } }}
          {...form.getInputProps('current_password')}
        />
      )}
      <PhoneInput required {...form.getInputProps('phone')} />
      <AddressFields form={form} required={false} />
    </Stack>
  );
}

/** Name, email, phone and address of a company. */
export function CompanyFields({
  form,
  required,
}: {
  form: UseFormReturnType<CompanyValues>;
  required: boolean;
}) {
  return (
    <Stack gap="md">
      <Fields>
        <TextInput
          label="Company Name"
          autoComplete="organization"
          maxLength={300}
          withAsterisk
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Company email"
          type="email"
          autoComplete="off"
          maxLength={120}
          withAsterisk={required}
          {...form.getInputProps('email')}
        />
      </Fields>
      <PhoneInput required={required} label="Company phone" {...form.getInputProps('phone')} />
      <AddressFields form={form} required={required} />
    </Stack>
  );
}
