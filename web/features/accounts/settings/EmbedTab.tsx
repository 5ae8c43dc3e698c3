import { Radio, Stack, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMay, useUser } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import { Notice } from '../../../ui/Notice.tsx';
import type { Setting, SettingValue } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

type Values = SettingValue<'embed_code'>;

const PLACES = {
  head: ['Head', 'For scripts that other scripts depend on, such as analytics.'],
  body: ['Body', 'Before all page content.'],
  footer: ['Footer', 'After all page content, such as a chat.'],
} as const;

/** Code that the agency embeds in the pages of its own host. */
export default function EmbedTab() {
  return (
    <SettingLoader name="embed_code">
      {(setting, reload) => <EmbedForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function EmbedForm({ setting, onReload }: { setting: Setting<'embed_code'>; onReload: () => void }) {
  const { subdomain, domain } = useBrand();
  const { in_view_mode } = useUser();
  const mayWrite = useMay('embed.write') && !in_view_mode;
  const form = useForm<Values>({
    initialValues: setting.data,
    validate: {
      code: (value) => (value.length > 20_000 ? 'Use 20,000 characters or fewer' : null),
    },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => values,
    labels: { place: 'Place', code: 'Code' },
  });
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Stack gap="md">
          <Notice tone="warn" title="Only paste code you trust">
            It runs for everyone who is signed in at {domain || subdomain} and can do anything they can. It
            doesn’t run on pages where people sign in, set a password, enter a card, or manage their account
            and settings. It never runs in view mode.
          </Notice>
          {!mayWrite && (
            <Notice tone="info">
              Only the company owner, signed in as themselves, can change this code.
            </Notice>
          )}
          <Radio.Group label="Place" {...form.getInputProps('place')}>
            <Stack gap="xs" mt={4}>
              {Object.entries(PLACES).map(([value, [label, description]]) => (
                <Radio key={value} value={value} label={label} description={description} />
              ))}
            </Stack>
          </Radio.Group>
          <Textarea
            label="Code"
            description="HTML and scripts. External scripts must use HTTPS. Leave blank for none."
            autosize
            minRows={8}
            maxRows={24}
            spellCheck={false}
            className={classes.code}
            {...form.getInputProps('code')}
          />
        </Stack>
        <SaveBar state={state} isSaving={form.submitting} onReload={onReload} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}
