import { Button, Select, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { PhoneInput } from '../../../ui/PhoneInput.tsx';
import { SaveBar } from '../../../ui/SaveBar.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { loadPhones } from '../../../ui/usePhone.ts';
import MailKept from '../../operations/outbox/MailKept.tsx';
import { MODULE_NAMES, matrixOf, rightWords } from '../roles/model.ts';
import { roleQuery, rolesQuery } from '../roles/queries.ts';
import {
  ALL,
  type Person,
  roleWords,
  type StaffType,
  type StaffValues,
  SWITCHES,
  toWire,
  validate,
  valuesOf,
} from './model.ts';
import classes from './staff.module.css';

/** A member of the user's own company: who they are, what they may do, and what they are notified about. */
export function StaffForm(props: {
  known: Person | undefined;
  type: StaffType;
  mayEdit: boolean;
  onSaved: () => void;
  onClose: () => void;
}) {
  const { known, type } = props;
  const user = useUser();
  const isSelf = known?.id === user.id;
  const isOwnerMyself = user.grade.endsWith('.owner');
  // Only owners may change owners; the server enforces this, too.
  const mayEdit = props.mayEdit && (isOwnerMyself || known?.role !== 'owner');
  const hasPermissions = type === 'administrator' && user.company_kind === 'root';
  const form = useForm<StaffValues>({ initialValues: valuesOf(known), validateInputOnBlur: true, validate });
  const leave = useLeaveGuard(form.isDirty(), 'Your changes to this person will be lost.', ['person']);
  const isOwner = form.values.role === 'owner';

  const save = async (values: StaffValues) => {
    try {
      const phone = (await loadPhones()).wireOf(values.phone);
      if (!phone) return form.setFieldError('phone', messages.phoneInvalid);
      const given = {
        ...toWire(values, type, { permissions: hasPermissions && !isOwner }),
        company_id: user.company_id,
        phone: phone.phone,
        phone_country: phone.phone_country,
        phone_calling: phone.phone_calling,
      };
      const { message } = known
        ? await api.companies.update({ ...given, id: known.id, version: known.version })
        : await api.companies.create(given);
      leave();
      notifyDone(message);
      props.onSaved();
      props.onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };

  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <fieldset disabled={!mayEdit} className={classes.fields}>
        <Stack gap="md">
          <TextInput
            label="Full name"
            withAsterisk
            maxLength={600}
            autoComplete="off"
            {...form.getInputProps('full_name')}
          />
          <TextInput
            label="Email"
            description={
              isSelf
                ? 'Change your own address on your profile page.'
                : known
                  ? 'They sign in with this address. If it changes, the previous address is notified.'
                  : 'The invitation is sent to this address and is valid for 7 days.'
            }
            type="email"
            withAsterisk
            maxLength={200}
            autoComplete="off"
            disabled={isSelf}
            {...form.getInputProps('email')}
          />
          <PhoneInput required disabled={!mayEdit} {...form.getInputProps('phone')} />
          {type === 'administrator' && (
            <RoleSelect
              known={known}
              isSelf={isSelf}
              mayMakeOwners={isOwnerMyself}
              disabled={!mayEdit || isSelf}
              inputProps={form.getInputProps('role')}
              value={form.values.role}
            />
          )}
          <Title order={3} size="h5">
            Duties and limits
          </Title>
          {SWITCHES.filter((one) => (one.of as readonly StaffType[]).includes(type)).map((one) => (
            <Switch
              key={one.name}
              label={one.label}
              description={one.help}
              {...form.getInputProps(one.name, { type: 'checkbox' })}
              {...(one.name === 'campaigns_closed' && isOwner ? { disabled: true, checked: false } : {})}
              {...(one.name === 'campaigns_closed' && isSelf ? { disabled: true } : {})}
            />
          ))}
          {hasPermissions && !isOwner && (
            <>
              <Title order={3} size="h5">
                Custom permissions
              </Title>
              <Switch
                label="Report analytics"
                description={
                  isSelf ? 'You cannot change your own permissions.' : 'Access to the Report Analytics page.'
                }
                disabled={isSelf}
                {...form.getInputProps('report_analytics', { type: 'checkbox' })}
              />
              <Switch
                label="Use these permissions"
                description="When off, none of them apply until you turn this on again."
                disabled={isSelf}
                {...form.getInputProps('permission_active', { type: 'checkbox' })}
              />
            </>
          )}
          {!known && <MailKept />}
        </Stack>
      </fieldset>
      {mayEdit ? (
        <SaveBar isDirty={form.isDirty()}>
          <Button
            type="submit"
            disabled={Boolean(known) && !form.isDirty()}
            loading={form.submitting}
            {...keepFocus}
          >
            {known ? 'Save' : 'Add and invite'}
          </Button>
        </SaveBar>
      ) : (
        <Text size="sm" c="dimmed" mt="md">
          {known?.role === 'owner' && props.mayEdit
            ? 'Only an owner can change an owner.'
            : 'Your role does not allow changes here.'}
        </Text>
      )}
    </form>
  );
}

/** The available roles, and in a few words what the selected one allows. */
function RoleSelect(props: {
  known: Person | undefined;
  isSelf: boolean;
  mayMakeOwners: boolean;
  disabled: boolean;
  inputProps: object;
  value: string;
}) {
  const mayRead = useMay('role.read');
  const roles = useQuery({ ...rolesQuery, enabled: mayRead });
  const { known, value } = props;
  const chosen = roles.data?.roles.find((one) => one.id === value);
  const rows = useQuery({ ...roleQuery(value), enabled: Boolean(chosen) });
  const data = [
    ...(props.mayMakeOwners || known?.role === 'owner' ? [{ value: 'owner', label: 'Owner' }] : []),
    { value: ALL, label: 'All permissions' },
    ...(roles.data?.roles ?? []).map((role) => ({ value: role.id, label: role.role_name })),
  ];
  // A role that was removed in the meantime may still be assigned to this person.
  if (known && !data.some((one) => one.value === (known.role || ALL)))
    data.push({ value: known.role, label: roleWords(known) });
  const words =
    value === 'owner'
      ? 'Everything, including other owners.'
      : value === ALL
        ? 'Everything administrators can do.'
        : rows.data &&
          MODULE_NAMES.map((name) => `${name}: ${rightWords(matrixOf(rows.data)[name]).toLowerCase()}`).join(
            ' · ',
          );
  return (
    <Select
      label="Role"
      description={props.isSelf ? 'You cannot change your own role.' : words || 'What they can do.'}
      data={data}
      allowDeselect={false}
      withAsterisk
      searchable
      disabled={props.disabled}
      maxDropdownHeight={260}
      {...props.inputProps}
    />
  );
}
