import { Button, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import type { RoleModule } from '../../../../contract/accounts/users.ts';
import { api } from '../../../api/client.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { SaveBar } from '../../../ui/SaveBar.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import {
  FLAG_WORDS,
  FLAGS,
  type Matrix,
  MODULE_LINES,
  MODULE_NAMES,
  matrixOf,
  peopleWords,
  rowsOf,
  tick,
} from './model.ts';
import { type Role, rolesChanged } from './queries.ts';
import classes from './roles.module.css';

/** The name of a role and what it allows in each module. */
export function RoleForm(props: {
  known: Role | undefined;
  rows: RoleModule[];
  mayEdit: boolean;
  onClose: () => void;
}) {
  const { known: role, mayEdit } = props;
  const cache = useQueryClient();
  const form = useForm<{ role_name: string; modules: Matrix }>({
    initialValues: { role_name: role?.role_name ?? '', modules: matrixOf(props.rows) },
    validateInputOnBlur: true,
    validate: {
      role_name: (value) =>
        !value.trim() ? 'Enter a name' : value.trim().length > 255 ? 'Use up to 255 characters' : null,
    },
  });
  const { modules } = form.values;
  const leave = useLeaveGuard(form.isDirty(), 'Your changes to this role will be lost.', ['role']);
  const save = async (values: typeof form.values) => {
    try {
      const given = { role_name: values.role_name.trim(), modules: rowsOf(values.modules) };
      const { message } = role
        ? await api.roles.update({ ...given, role_id: role.id })
        : await api.roles.add(given);
      await rolesChanged(cache);
      leave();
      notifyDone(message);
      props.onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="lg">
        <TextInput
          label="Name"
          withAsterisk={mayEdit}
          maxLength={300}
          readOnly={!mayEdit}
          {...form.getInputProps('role_name')}
        />
        <table className={classes.matrix}>
          <caption className="sr-only">What this role allows in each module</caption>
          <thead>
            <tr>
              <th scope="col">
                <span className="sr-only">Module</span>
              </th>
              {FLAGS.map((name) => (
                <th key={name} scope="col">
                  {FLAG_WORDS[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {MODULE_NAMES.map((module) => (
              <tr key={module}>
                <th scope="row">
                  {module}
                  <span>{MODULE_LINES[module]}</span>
                </th>
                {FLAGS.map((name) => (
                  <td key={name}>
                    <div>
                      <Checkbox
                        aria-label={`${module}: ${FLAG_WORDS[name].toLowerCase()}`}
                        disabled={!mayEdit}
                        checked={modules[module][name]}
                        onChange={(event) =>
                          form.setFieldValue(
                            'modules',
                            tick(modules, module, name, event.currentTarget.checked),
                          )
                        }
                      />
                    </div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <Text size="sm" c="dimmed">
          {role
            ? role.people > 0
              ? `${peopleWords(role.people)} ${role.people === 1 ? 'holds' : 'hold'} this role. Your changes apply to them within seconds.`
              : 'No one has this role.'
            : 'Assign this role to people in the administrator list.'}
        </Text>
      </Stack>
      {mayEdit && (
        <SaveBar isDirty={form.isDirty()}>
          <Button type="submit" disabled={Boolean(role) && !form.isDirty()} loading={form.submitting}>
            {role ? 'Save' : 'Add role'}
          </Button>
        </SaveBar>
      )}
    </form>
  );
}
