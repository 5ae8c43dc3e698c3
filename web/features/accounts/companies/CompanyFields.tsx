import { Checkbox, Group, Select, Stack, Text, TextInput, type TextInputProps } from '@mantine/core';
import { companyFieldName, companyInputs } from '../../../../contract/accounts/company-fields.ts';
import { PhoneInput } from '../../../ui/PhoneInput.tsx';
import classes from './companies.module.css';
import { INPUT_MAX } from './companies.ts';
import type { CompanyForm as Form } from './form.ts';

/** A read-only field. */
const FIXED = {
  readOnly: true,
  variant: 'filled',
  description: 'Ask an administrator to change it.',
} satisfies TextInputProps;

/** Company, owner, email and phone, which both forms have. */
export function OwnerFields({ form, isAddressFixed = false }: { form: Form; isAddressFixed?: boolean }) {
  return (
    <>
      <TextInput
        label="Company Name"
        withAsterisk
        autoComplete="off"
        maxLength={INPUT_MAX}
        {...form.getInputProps('company_name')}
      />
      <TextInput
        label="Full Name"
        withAsterisk
        autoComplete="off"
        maxLength={INPUT_MAX}
        {...form.getInputProps('full_name')}
      />
      <TextInput
        label="Email"
        type="email"
        withAsterisk
        autoComplete="off"
        maxLength={120}
        {...(isAddressFixed ? FIXED : {})}
        {...form.getInputProps('email')}
      />
      <div className={classes.wide}>
        <PhoneInput required {...form.getInputProps('phone')} />
      </div>
    </>
  );
}

/** The company's subdomain of the platform's own domain. */
export function SubdomainField(props: { form: Form; suffix: string; isFixed?: boolean }) {
  const { form, suffix, isFixed = false } = props;
  return (
    <TextInput
      label="Subdomain"
      withAsterisk
      autoComplete="off"
      maxLength={100}
      description="Where its users and clients sign in."
      rightSection={
        <Text size="sm" c="dimmed" className={classes.suffix!} title={suffix}>
          {suffix}
        </Text>
      }
      rightSectionWidth={Math.min(180, 12 + suffix.length * 8)}
      rightSectionPointerEvents="none"
      {...(isFixed ? { ...FIXED, description: 'Ask an owner to change it.' } : {})}
      {...form.getInputProps('subdomain_name')}
    />
  );
}

/** A list of checkboxes, with the error below them. */
export function Ticks(props: {
  form: Form;
  field: 'selected_terms' | 'selected_modules';
  label: string;
  required?: boolean;
  choices: { value: string; label: string }[];
}) {
  const { form, field, choices } = props;
  return (
    <Checkbox.Group label={props.label} withAsterisk={props.required ?? false} {...form.getInputProps(field)}>
      <Group gap="md" mt={4}>
        {choices.map((one) => (
          <Checkbox key={one.value} value={one.value} label={one.label} />
        ))}
        {choices.length === 0 && (
          <Text size="sm" c="dimmed">
            No options available.
          </Text>
        )}
      </Group>
    </Checkbox.Group>
  );
}

/** A plan of minimum spend, or the platform's default one. */
export function PlanField(props: {
  form: Form;
  plans: { id: string; plan_name: string; default: 'T' | 'F' }[];
}) {
  const standard = props.plans.find((plan) => plan.default === 'T');
  return (
    <Select
      label="Minimum Spend Config"
      allowDeselect={false}
      data={[
        { value: '', label: standard ? `Default (${standard.plan_name})` : 'Default' },
        ...props.plans.map((plan) => ({ value: plan.id, label: plan.plan_name })),
      ]}
      {...props.form.getInputProps('plan_id')}
    />
  );
}

/** The switches of the edit form. */
export function Flags(props: {
  form: Form;
  kind: 'agency' | 'client';
  apiMode: boolean;
  /** Whether white labeling, the beta features, and the owner's notifications may be set. */
  owner: boolean;
}) {
  const { form } = props;
  return (
    <Stack gap="xs">
      {props.kind === 'agency' && props.owner && (
        <>
          <Checkbox
            label="White Labelling"
            description="Its own brand, domain, and email sender. If off, it shows the platform’s."
            {...form.getInputProps('white_labelling', { type: 'checkbox' })}
          />
          <Checkbox
            label="Beta features"
            description="Includes the agency in features offered to selected agencies."
            {...form.getInputProps('beta_user', { type: 'checkbox' })}
          />
        </>
      )}
      {props.apiMode && (
        <Checkbox
          label="Enable API Developer Mode"
          {...form.getInputProps('api_mode', { type: 'checkbox' })}
        />
      )}
      {props.kind === 'client' && (
        <>
          <Checkbox
            label="Disable adding campaigns"
            {...form.getInputProps('campaigns_closed', { type: 'checkbox' })}
          />
          <OwnFields {...props} step="edit" input="flag" />
          {props.owner && (
            <>
              <Checkbox
                label="Email notifications to the owner"
                description="About payments, limits, and balances."
                {...form.getInputProps('gets_notices', { type: 'checkbox' })}
              />
              <Checkbox
                label="No email to the owner"
                description="Only what their own account needs, such as sign-in codes."
                {...form.getInputProps('mail_off', { type: 'checkbox' })}
              />
            </>
          )}
        </>
      )}
    </Stack>
  );
}

/** The agency's own domain. */
export function DomainField({ form }: { form: Form }) {
  return (
    <TextInput
      label="Domain Name"
      placeholder="portal.example.com"
      autoComplete="off"
      maxLength={300}
      description="Its own domain, verified by DNS records later. Leave blank for none."
      {...form.getInputProps('domain')}
    />
  );
}

/** The inputs of the company's own fields (contract/accounts/company-fields.ts), one kind of input at a time. */
export function OwnFields(props: {
  form: Form;
  kind: 'agency' | 'client';
  step: 'add' | 'edit';
  input: 'text' | 'flag';
}) {
  const { form, input } = props;
  return companyInputs(props.kind, props.step)
    .filter(([, field]) => field.kind === input)
    .map(([name, field]) => {
      const words = { label: field.label!, ...(field.hint ? { description: field.hint } : {}) };
      const value = companyFieldName(name, field);
      return input === 'flag' ? (
        <Checkbox key={name} {...words} {...form.getInputProps(value, { type: 'checkbox' })} />
      ) : (
        <TextInput
          key={name}
          {...words}
          autoComplete="off"
          maxLength={INPUT_MAX}
          {...form.getInputProps(value)}
        />
      );
    });
}
