import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { FIRST_PACKAGE, MOST_PACKAGES } from '../../../../contract/accounts/package-rules.ts';
import { useMay } from '../../../api/user.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { DownloadData } from '../../../ui/DownloadData.tsx';
import { keepFocus } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import type { Setting } from './model.ts';
import { idOf, type PackageRow, packageFaults, packagesOf, rowsOf } from './packages.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** The packages that a root's agencies choose from, each with what it costs a month (CONF-06). */
export default function PackagesTab() {
  return (
    <SettingLoader name="packages">
      {(setting, reload) => <PackagesForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function PackagesForm({ setting, onReload }: { setting: Setting<'packages'>; onReload: () => void }) {
  const mayWrite = useMay('setting.write');
  // Keys of the saved rows: agencies may be using them, so their ids must stay.
  const [saved, setSaved] = useState(() => rowsOf(setting.data).map((row) => row.key));
  const count = useRef(0);
  const add = useRef<HTMLButtonElement>(null);
  const form = useForm<{ packages: PackageRow[] }>({
    initialValues: { packages: rowsOf(setting.data) },
    validateInputOnBlur: true,
    validate: (values) => packageFaults(values.packages),
  });
  const rows = form.values.packages;
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => packagesOf(values.packages),
    labels: { packages: 'packages' },
    onSaved: () => setSaved(form.getValues().packages.map((row) => row.key)),
  });
  const insert = () => {
    const key = `new ${count.current++}`;
    form.clearFieldError('packages');
    form.insertListItem('packages', { key, package_id: '', name: '', amount: '', description: '' });
    setTimeout(() => form.getInputNode(`packages.${rows.length}.name`)?.focus());
  };
  const remove = (at: number) => {
    form.clearErrors();
    form.removeListItem('packages', at);
    add.current?.focus();
  };
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            Your agencies choose one of these on their own settings page. Each agency pays once a month, in
            full, for the package it had when the month began. If you add a price to a free package, it is
            charged for the current month too. Any other price change applies starting next month.
          </Text>
          {rows.map((row, at) => {
            const title = row.name.trim() || 'New package';
            const isSaved = saved.includes(row.key);
            return (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own layout
              <div key={row.key} role="group" aria-label={title} className={`card ${classes.package}`}>
                <div className={classes.packageHead}>
                  <Text fw={600} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
                    {title}
                  </Text>
                  {!(isSaved && row.package_id === FIRST_PACKAGE) ? (
                    <Button
                      variant="subtle"
                      color="gray"
                      size="compact-sm"
                      style={{ flex: 'none' }}
                      onClick={() => remove(at)}
                      {...keepFocus}
                    >
                      Remove<span className="sr-only"> {title}</span>
                    </Button>
                  ) : (
                    <Text size="sm" c="dimmed" style={{ flex: 'none' }}>
                      Agencies start with this
                    </Text>
                  )}
                </div>
                <div className={classes.packageFields}>
                  <TextInput
                    label="Name"
                    withAsterisk
                    maxLength={300}
                    {...form.getInputProps(`packages.${at}.name`)}
                    onBlur={(event) => {
                      form.getInputProps(`packages.${at}.name`).onBlur?.(event);
                      if (!row.package_id.trim() && row.name.trim())
                        form.setFieldValue(
                          `packages.${at}.package_id`,
                          idOf(
                            row.name,
                            rows.map((one) => one.package_id),
                          ),
                        );
                    }}
                  />
                  <TextInput
                    label="ID"
                    description={
                      isSaved
                        ? 'It cannot be changed.'
                        : 'Identifies the package in the API. It cannot be changed once saved.'
                    }
                    withAsterisk={!isSaved}
                    readOnly={isSaved}
                    variant={isSaved ? 'filled' : 'default'}
                    maxLength={60}
                    autoComplete="off"
                    spellCheck={false}
                    {...form.getInputProps(`packages.${at}.package_id`)}
                  />
                  <CurrencyInput
                    label="Price per month"
                    description="Enter 0 for free."
                    withAsterisk
                    mayBeEmpty
                    maw="100%"
                    {...form.getInputProps(`packages.${at}.amount`)}
                  />
                </div>
                <TextInput
                  label="Description"
                  maxLength={300}
                  {...form.getInputProps(`packages.${at}.description`)}
                />
              </div>
            );
          })}
          {form.errors.packages && (
            <Notice tone="bad" title="Not saved" live="alert">
              The list {form.errors.packages}.
            </Notice>
          )}
          <Group gap="xs">
            <Button
              ref={add}
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden="true" />}
              disabled={rows.length >= MOST_PACKAGES}
              onClick={insert}
              {...keepFocus}
            >
              Add package
            </Button>
            {saved.length > 0 && <DownloadData list="packages" />}
            {state.isDirty && (
              <Button
                variant="subtle"
                color="gray"
                onClick={() => {
                  form.reset();
                  add.current?.focus();
                }}
                {...keepFocus}
              >
                Discard changes
              </Button>
            )}
          </Group>
          <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
        </Stack>
      </fieldset>
    </form>
  );
}
