import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { MODULES, RESERVED_SLUGS } from '../../../../contract/choices.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import type { Setting, SettingValue } from './model.ts';
import { SaveBar, SettingLoader, useBrandChanged, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

type Values = Record<string, string>;

const LABELS = Object.fromEntries(
  MODULES.flatMap(({ module, name }) => [
    [`${module}_name`, `name of ${name}`],
    [`${module}_url`, `address of ${name}`],
  ]),
);

function slugFault(value: string): string | null {
  const slug = value.trim().toLowerCase();
  if (slug === '') return null;
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(slug))
    return 'Use letters, digits, and hyphens, with no hyphen at either end';
  return (RESERVED_SLUGS as readonly string[]).includes(slug)
    ? 'A page already uses this address. Choose another one'
    : null;
}

/** What the modules are called here, and the first part of their pages' addresses. */
export default function ModulesTab() {
  return (
    <SettingLoader name="module_names">
      {(setting, reload) => <ModulesForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function ModulesForm({ setting, onReload }: { setting: Setting<'module_names'>; onReload: () => void }) {
  const user = useUser();
  const brand = useBrand();
  const brandChanged = useBrandChanged();
  const mayWrite = useMay('setting.write');
  const form = useForm<Values>({
    initialValues: setting.data as Values,
    validateInputOnBlur: true,
    validate: Object.fromEntries(MODULES.map(({ module }) => [`${module}_url`, slugFault])),
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => values as SettingValue<'module_names'>,
    labels: LABELS,
    onSaved: brandChanged,
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Text c="dimmed" size="sm">
          {user.company_kind === 'root'
            ? 'Also applies to your agencies unless they choose their own. '
            : 'Also applies to your clients. Leave blank to use the platform’s name. '}
          If you change an address, bookmarks to the old one stop working.
        </Text>
        {MODULES.map(({ module, ...global }) => {
          const inherited =
            user.company_kind === 'root' ? undefined : brand.root_modules.find((one) => one.type === module);
          return (
            <fieldset key={module} className={`${classes.fields} ${classes.module}`}>
              <legend className="sr-only">{global.name}</legend>
              <TextInput
                label={`Name of ${global.name}`}
                placeholder={inherited?.name ?? global.name}
                maxLength={60}
                {...form.getInputProps(`${module}_name`)}
              />
              <TextInput
                label={`Address of ${global.name}`}
                placeholder={inherited?.url ?? global.slug}
                leftSection="/"
                maxLength={60}
                autoCapitalize="none"
                spellCheck={false}
                {...form.getInputProps(`${module}_url`)}
              />
            </fieldset>
          );
        })}
        <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}
