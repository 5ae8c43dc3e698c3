import { Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMay, useUser } from '../../../api/user.ts';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** Whether people may sign up on their own. */
export default function RegistrationTab() {
  return (
    <SettingLoader name="registration">
      {(setting, reload) => <RegistrationForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function RegistrationForm({ setting, onReload }: { setting: Setting<'registration'>; onReload: () => void }) {
  const isRoot = useUser().company_kind === 'root';
  const mayWrite = useMay('setting.write');
  const form = useForm({ initialValues: { open: setting.data.open } });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => values,
    labels: { open: form.values.open ? 'registration is open' : 'registration is closed' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Switch
          label="Allow registration"
          description={
            isRoot
              ? 'Anyone who registers at your address becomes an agency. Your agencies can open their own registration only while yours is open.'
              : 'Anyone who registers at your address becomes your client. This works only while the platform allows it.'
          }
          {...form.getInputProps('open', { type: 'checkbox' })}
        />
        <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}
