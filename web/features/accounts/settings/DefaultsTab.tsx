import { Checkbox, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { MODULES, PAYMENT_TERMS } from '../../../../contract/choices.ts';
import { messages } from '../../../../contract/messages.ts';
import { useMay, useSetup } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** What new agencies begin with: payment terms and products (spec product 3). */
export default function DefaultsTab() {
  return (
    <SettingLoader name="agency_defaults">
      {(setting, reload) => <DefaultsForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function DefaultsForm({ setting, onReload }: { setting: Setting<'agency_defaults'>; onReload: () => void }) {
  const mayWrite = useMay('setting.write');
  const { modules } = useSetup();
  const names = useBrand().root_modules;
  const form = useForm<{ default_terms: string[]; default_modules: string[] }>({
    initialValues: {
      default_terms: [...setting.data.default_terms],
      default_modules: [...setting.data.default_modules],
    },
    validate: {
      default_terms: (value) => (value.length === 0 ? messages.selectPaymentTerm : null),
    },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => values as Setting<'agency_defaults'>['data'],
    labels: { default_terms: 'payment terms', default_modules: 'products' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Stack gap="md">
          <Checkbox.Group
            label="Payment terms for new agencies"
            description="Choose at least one. Existing agencies keep their payment terms. You can change those in the agency list."
            withAsterisk
            {...form.getInputProps('default_terms')}
          >
            <Stack gap="xs" mt="xs">
              {PAYMENT_TERMS.map((term) => (
                <Checkbox key={term} value={term} label={term} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Checkbox.Group label="Products for new agencies" {...form.getInputProps('default_modules')}>
            <Stack gap="xs" mt="xs">
              {modules.map((module) => (
                <Checkbox
                  key={module}
                  value={module}
                  label={
                    names.find((one) => one.type === module)?.name ??
                    MODULES.find((one) => one.module === module)?.name ??
                    module
                  }
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
        </Stack>
      </fieldset>
    </form>
  );
}
