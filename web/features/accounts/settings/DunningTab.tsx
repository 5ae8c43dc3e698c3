import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMay } from '../../../api/user.ts';
import { daysFault, daysOf } from './dunning.ts';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** When a root's system retries charging invoices after a failed payment. */
export default function DunningTab() {
  return (
    <SettingLoader name="dunning">
      {(setting, reload) => <DunningForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function DunningForm(props: { setting: Setting<'dunning'>; onReload: () => void }) {
  const { setting } = props;
  const mayWrite = useMay('setting.write');
  const form = useForm({
    initialValues: { retry_days: setting.data.retry_days.join(', ') },
    validateInputOnBlur: true,
    validate: { retry_days: daysFault },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => ({ retry_days: daysOf(values.retry_days) }),
    labels: { retry_days: 'retry days' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <TextInput
          label="Retry days"
          description="Days after the first failed payment, separated by commas. Applies to all invoices of your agencies and their clients. Campaigns pause after the last attempt."
          placeholder="1, 3, 5, 7"
          inputMode="numeric"
          styles={{ wrapper: { maxWidth: 360 } }}
          {...form.getInputProps('retry_days')}
        />
        <SaveBar state={state} isSaving={form.submitting} onReload={props.onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}
