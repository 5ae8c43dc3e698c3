import { Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMay, useUser } from '../../../api/user.ts';
import { DayInput } from '../../../ui/DayInput.tsx';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** Which users must have a second factor. */
export default function SecurityTab() {
  return (
    <SettingLoader name="second_factor">
      {(setting, reload) => <SecurityForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function SecurityForm({ setting, onReload }: { setting: Setting<'second_factor'>; onReload: () => void }) {
  const user = useUser();
  const isRoot = user.company_kind === 'root';
  const mayWrite = useMay('owner.write') && !user.in_view_mode;
  const { people, owners, from } = setting.data;
  const form = useForm({ initialValues: { people, owners, from: from ?? '' } });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => values,
    labels: { people: 'your users', owners: isRoot ? 'owners' : 'client owners', from: 'from' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Switch
          label="Require a second factor for your users"
          description={
            isRoot
              ? 'Applies to everyone who works for the platform.'
              : 'Applies to everyone who works for your agency, including you.'
          }
          {...form.getInputProps('people', { type: 'checkbox' })}
        />
        <Switch
          mt="md"
          label={
            isRoot
              ? 'Require a second factor for agency and client owners'
              : 'Require a second factor for your clients’ owners'
          }
          description="Anyone without one sets it up at their next sign-in, before anything else: a passkey, an authenticator app, or email codes."
          {...form.getInputProps('owners', { type: 'checkbox' })}
        />
        <DayInput
          mt="md"
          label="From"
          description="Until this day, users are notified and can continue. Leave blank to start now."
          maw={240}
          {...form.getInputProps('from')}
        />
        <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}
