import { NumberInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '../../../api/user.ts';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** The minimum confidence at which an agency is billed for a match. */
export default function ThresholdTab() {
  return (
    <SettingLoader name="billing_threshold">
      {(setting, reload) => <ThresholdForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function ThresholdForm(props: { setting: Setting<'billing_threshold'>; onReload: () => void }) {
  const { setting } = props;
  const mayWrite = useMay('setting.write');
  const cache = useQueryClient();
  const form = useForm<{ least_confidence: number | string }>({
    initialValues: { least_confidence: setting.data.least_confidence },
    validateInputOnBlur: true,
    validate: {
      least_confidence: (value) =>
        Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 99
          ? null
          : 'Enter a whole number from 0 to 99',
    },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => ({ least_confidence: Number(values.least_confidence) }),
    labels: { least_confidence: 'minimum billable confidence' },
    onSaved: () => void cache.invalidateQueries({ queryKey: ['least-confidence'] }),
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <NumberInput
          label="Minimum billable confidence"
          description="Matches below this confidence never become leads for your clients, whatever their campaigns allow, and cost nothing. They are counted among the visits and signals that did not become leads. This applies from now on. Your clients see it on their campaigns."
          min={0}
          max={99}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          suffix="%"
          styles={{ wrapper: { maxWidth: 360 } }}
          {...form.getInputProps('least_confidence')}
        />
        <SaveBar state={state} isSaving={form.submitting} onReload={props.onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}
