import { Checkbox, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { AGENCY_ENTRIES, CLIENT_ENTRIES, type OptionalEntry } from '../../../../contract/accounts/sidebar.ts';
import { linkName } from '../../../../contract/routing/routing-menu.ts';
import { useMay, useUser } from '../../../api/user.ts';
import type { Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

/** Which optional entries a root's agencies see in their sidebar, and an agency's clients in theirs (spec product 3, CONF-03). */
export default function SidebarTab() {
  const isRoot = useUser().company_kind === 'root';
  return isRoot ? (
    <SettingLoader name="agency_sidebar">
      {(setting, reload) => <SidebarForm setting={setting} entries={AGENCY_ENTRIES} onReload={reload} />}
    </SettingLoader>
  ) : (
    <SettingLoader name="client_sidebar">
      {(setting, reload) => <SidebarForm setting={setting} entries={CLIENT_ENTRIES} onReload={reload} />}
    </SettingLoader>
  );
}

type Name = 'agency_sidebar' | 'client_sidebar';

function SidebarForm({
  setting,
  entries,
  onReload,
}: {
  setting: Setting<Name>;
  entries: readonly OptionalEntry[];
  onReload: () => void;
}) {
  const isRoot = useUser().company_kind === 'root';
  const mayWrite = useMay('setting.write');
  const hidden: readonly string[] = setting.data.hidden;
  const form = useForm<{ shown: string[] }>({
    initialValues: { shown: entries.filter((entry) => !hidden.includes(entry)) },
  });
  const state = useSettingSave<Name, { shown: string[] }>({
    setting,
    form,
    toValue: ({ shown }) =>
      ({ hidden: entries.filter((entry) => !shown.includes(entry)) }) as Setting<Name>['data'],
    labels: { hidden: 'sidebar' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Checkbox.Group
          label={
            isRoot ? 'What your agencies see in their sidebar' : 'What your clients see in their sidebar'
          }
          description={`${
            isRoot ? 'For all agencies' : 'For all clients'
          }, if their roles and products include the page. Changes appear when they reload a page. Anyone who knows a page’s address can still open it. Profile, Card Setting, General Settings, Statement, and Invoices are always shown.`}
          {...form.getInputProps('shown')}
        >
          <Stack gap="xs" mt="sm">
            {entries.map((entry) => (
              <Checkbox key={entry} value={entry} label={linkName(entry)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}
