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
    <SettingLoader name="agencydefaults">
      {(setting, reload) => <DefaultsForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function DefaultsForm({ setting, onReload }: { setting: Setting<'agencydefaults'>; onReload: () => void }) {
  const mayWrite = useMay('setting.write');
  const { modules } = useSetup();
  const names = useBrand().rootsidemenu;
  const form = useForm<{ rootPaymentTermsNewAgencies: string[]; agencyDefaultModules: string[] }>({
    initialValues: {
      rootPaymentTermsNewAgencies: [...setting.data.rootPaymentTermsNewAgencies],
      agencyDefaultModules: [...setting.data.agencyDefaultModules],
    },
    validate: {
      rootPaymentTermsNewAgencies: (value) => (value.length === 0 ? messages.selectPaymentTerm : null),
    },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => values as Setting<'agencydefaults'>['data'],
    labels: { rootPaymentTermsNewAgencies: 'payment terms', agencyDefaultModules: 'products' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Stack gap="md">
          <Checkbox.Group
            label="Payment terms for new agencies"
            description="Choose at least one. Existing agencies keep their payment terms. You can change those in the agency list."
            withAsterisk
            {...form.getInputProps('rootPaymentTermsNewAgencies')}
          >
            <Stack gap="xs" mt="xs">
              {PAYMENT_TERMS.map((term) => (
                <Checkbox key={term} value={term} label={term} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Checkbox.Group label="Products for new agencies" {...form.getInputProps('agencyDefaultModules')}>
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
