import { Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMay, useUser } from '../../api/user.ts';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** Of whom a second factor is required. */
export default function SecurityTab() {
  return (
    <SettingLoader name="secondfactor">
      {(setting, reload) => <SecurityForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function SecurityForm({ setting, onReload }: { setting: Setting<'secondfactor'>; onReload: () => void }) {
  const user = useUser();
  const isRoot = user.company_kind === 'root';
  const mayWrite = useMay('owner.write') && !user.isViewMode;
  const { people, owners, from } = setting.data;
  const form = useForm({ initialValues: { people, owners, from: from ?? '' } });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => values as never,
    labels: { people: 'your people', owners: isRoot ? 'owners' : 'owners of clients', from: 'from' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Switch
          label="Require a second factor of your people"
          description={
            isRoot
              ? 'Of everyone who works for the platform.'
              : 'Of everyone who works for your agency, you included.'
          }
          {...form.getInputProps('people', { type: 'checkbox' })}
        />
        <Switch
          mt="md"
          label={
            isRoot
              ? 'Require a second factor of the owners of agencies and clients'
              : 'Require a second factor of the owners of your clients'
          }
          description="Whoever has none sets one up at their next login, before anything else: a passkey, an authenticator app, or codes by e-mail."
          {...form.getInputProps('owners', { type: 'checkbox' })}
        />
        <TextInput
          mt="md"
          label="From"
          description="Until this day people are told and can go on. Empty: from now on."
          type="date"
          maw={240}
          {...form.getInputProps('from')}
        />
        <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}
