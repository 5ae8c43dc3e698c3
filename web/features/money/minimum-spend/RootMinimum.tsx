import { Stack, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useId } from 'react';
import { FLAT_MINIMUM } from '../../../../contract/choices.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { Fields } from '../../../ui/Fields.tsx';
import { FormSection } from '../../../ui/FormSection.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import type { Setting } from '../../accounts/settings/model.ts';
import { Conflict, SettingLoader, useSettingSave } from '../../accounts/settings/SettingForm.tsx';
import { cents, centsFault } from './model.ts';

const LABELS = {
  status: 'minimum spend',
  first_month: 'first month',
  second_month: 'second month',
  monthly: 'every month after',
};

/** The minimum for agencies without a plan, if no plan is the default (the minimum_spend setting). */
export function RootMinimum({ defaultPlan }: { defaultPlan: string | undefined }) {
  return (
    <div style={{ marginTop: 24 }}>
      <SettingLoader name="minimum_spend">
        {(setting, reload) => <RootForm setting={setting} onReload={reload} defaultPlan={defaultPlan} />}
      </SettingLoader>
    </div>
  );
}

function RootForm(props: {
  setting: Setting<'minimum_spend'>;
  onReload: () => void;
  defaultPlan: string | undefined;
}) {
  const { setting, defaultPlan } = props;
  const formId = useId();
  const { data } = setting;
  // Nothing has been set yet, so the usual amount is suggested.
  const isNew = setting.version === 0;
  const form = useForm({
    initialValues: {
      status: data.status === 'T',
      first_month: data.first_month,
      second_month: data.second_month,
      monthly: isNew ? FLAT_MINIMUM : data.monthly,
    },
    validateInputOnBlur: true,
    validate: { first_month: centsFault, second_month: centsFault, monthly: centsFault },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => ({
      status: values.status ? ('T' as const) : ('F' as const),
      first_month: cents(values.first_month),
      second_month: cents(values.second_month),
      monthly: cents(values.monthly),
    }),
    labels: LABELS,
  });
  return (
    <FormSection
      title="Agencies without a plan"
      line="Minimum spend for agencies without their own plan, used while no plan is the default."
      save={{ formId, isDirty: state.isDirty, busy: form.submitting, onDiscard: () => form.reset() }}
    >
      <form id={formId} onSubmit={state.save} noValidate>
        <Stack gap="md">
          <Conflict words={state.conflict} onReload={props.onReload} />
          {defaultPlan && (
            <Notice tone="info">
              “{defaultPlan}” is the default plan and applies to these agencies, so these settings are not
              used right now.
            </Notice>
          )}
          <Switch
            label="Require a minimum spend"
            description="When off, these agencies have no minimum spend."
            {...form.getInputProps('status', { type: 'checkbox' })}
          />
          <Fields>
            <CurrencyInput
              label="First month"
              withAsterisk
              mayBeEmpty
              {...form.getInputProps('first_month')}
            />
            <CurrencyInput
              label="Second month"
              withAsterisk
              mayBeEmpty
              {...form.getInputProps('second_month')}
            />
            <CurrencyInput
              label="Every month after"
              withAsterisk
              mayBeEmpty
              {...form.getInputProps('monthly')}
            />
          </Fields>
          <span role="status" className="dim">
            {!state.isDirty && state.saved}
          </span>
        </Stack>
      </form>
    </FormSection>
  );
}
