import { Button, NumberInput, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { emailFault } from '../../../../contract/accounts/company-rules.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyFailed } from '../../../ui/notify.ts';
import { NOTHING, type Setting } from './model.ts';
import { SaveBar, SettingLoader, useSettingSave } from './SettingForm.tsx';
import classes from './settings.module.css';

const SECURITY = [
  { value: 'starttls', label: 'STARTTLS (usually port 587)' },
  { value: 'tls', label: 'TLS from the start (usually port 465)' },
  { value: 'none', label: 'None: emails and password are sent unencrypted' },
];
const LABELS = {
  host: 'server',
  port: 'port',
  security: 'security',
  username: 'user',
  password: 'password',
  password_set: 'password',
  from_name: 'sender name',
  from_address: 'sender address',
};
type Answer = Awaited<ReturnType<typeof api.settings.testEmail>>;

/** The mail server that sends the tenant's email (spec product 2, general-setting). */
export default function EmailTab() {
  return (
    <SettingLoader name="smtp">
      {(setting, reload) => <EmailForm setting={setting} onReload={reload} />}
    </SettingLoader>
  );
}

function EmailForm({ setting, onReload }: { setting: Setting<'smtp'>; onReload: () => void }) {
  const user = useUser();
  const mayWrite = useMay('owner.write') && !user.in_view_mode;
  const known = setting.data as Setting<'smtp'>['data'] & {
    password_set?: 'T' | 'F';
    platform_server?: 'T' | 'F';
  };
  const [hasPassword, setHasPassword] = useState(known.password_set === 'T');
  const [answer, setAnswer] = useState<Answer>();
  const [onlyPassword, setOnlyPassword] = useState(false);
  const [busy, setBusy] = useState<'greet' | 'send'>();
  const form = useForm({
    initialValues: {
      host: known.host,
      port: known.port,
      security: known.security,
      username: known.username,
      password: '',
      from_name: known.from_name,
      from_address: known.from_address,
    },
    validateInputOnBlur: true,
    validate: {
      from_address: (value, values) => (values.host.trim() ? emailFault(value) : null),
      port: (value) =>
        Number.isInteger(value) && value > 0 && value < 65_536 ? null : 'Enter a port such as 587',
    },
  });
  const state = useSettingSave({
    setting,
    form,
    toValue: (values) => values,
    labels: LABELS,
    onSaved: (value) => {
      setOnlyPassword(form.getValues().password !== '');
      setHasPassword((value as typeof known).password_set === 'T');
      form.setFieldValue('password', '');
      form.resetDirty({ ...form.getValues(), password: '' });
      setAnswer(undefined);
    },
  });
  const test = async (what: 'greet' | 'send') => {
    setBusy(what);
    setAnswer(undefined);
    try {
      setAnswer(
        what === 'greet'
          ? await api.settings.testSmtp({ smtp: form.getValues() })
          : await api.settings.testEmail({}),
      );
    } catch (error) {
      if (error instanceof ApiError && Object.keys(error.errors).length > 0) showFormError(form, error);
      else notifyFailed(error, 'The mail server could not be tested');
    } finally {
      setBusy(undefined);
    }
  };
  const shared =
    user.company_kind === 'root' ? 'the server set in SMTP_URL by the operator' : 'the platform’s';
  const hasHost = form.values.host.trim() !== '';
  return (
    <form onSubmit={state.save} noValidate>
      <fieldset disabled={!mayWrite} className={classes.fields}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            Codes, invitations, and notices are sent through this server, from your own address. Without one,
            they are sent through {shared}.
          </Text>
          {!mayWrite && (
            <Notice tone="info">
              Only the company owner, signed in as themselves, can change the mail server, because links to
              set a password are sent through it.
            </Notice>
          )}
          {known.platform_server === 'F' && !known.host && (
            <Notice tone="warn" title="No email is sent">
              The platform has no mail server, so codes, invitations, and notices are kept but not sent. Enter
              your own server here, or have the operator set SMTP_URL.
            </Notice>
          )}
          <TextInput
            label="Server"
            placeholder="smtp.example.com"
            description={`Leave blank to use ${shared}.`}
            maxLength={300}
            autoComplete="off"
            {...form.getInputProps('host')}
          />
          <Select
            label="Security"
            data={SECURITY}
            allowDeselect={false}
            {...form.getInputProps('security')}
          />
          <NumberInput
            label="Port"
            min={1}
            max={65_535}
            hideControls
            w={140}
            {...form.getInputProps('port')}
          />
          <TextInput label="User" maxLength={300} autoComplete="off" {...form.getInputProps('username')} />
          <PasswordInput
            label="Password"
            description={
              hasPassword
                ? 'A password is saved and encrypted. Enter a new one to change it, or when the server, port, or user changes.'
                : 'The password is encrypted and never shown again.'
            }
            maxLength={1024}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
            {...form.getInputProps('password')}
          />
          <TextInput
            label="Sender name"
            description="Leave blank to use your brand name."
            maxLength={300}
            {...form.getInputProps('from_name')}
          />
          <TextInput
            label="Sender address"
            type="email"
            withAsterisk={hasHost}
            maxLength={200}
            autoComplete="off"
            {...form.getInputProps('from_address')}
          />
          <div style={{ display: 'flex', gap: 8, flexWrap: 'wrap' }}>
            <Button
              variant="default"
              disabled={!hasHost || Boolean(busy)}
              loading={busy === 'greet'}
              onClick={() => void test('greet')}
            >
              Test sign-in
            </Button>
            <Button
              variant="default"
              disabled={state.isDirty || !hasHost || Boolean(busy)}
              loading={busy === 'send'}
              onClick={() => void test('send')}
            >
              Send a test email to {user.email}
            </Button>
          </div>
          {answer && (
            <Notice tone={answer.result === 'success' ? 'good' : 'bad'} title={answer.message} live="status">
              {answer.answer ||
                (answer.result === 'success' ? 'Nothing was sent.' : 'There was no response.')}
            </Notice>
          )}
          <SaveBar
            // A password is never read back, so a changed one does not show up as a difference.
            state={{
              ...state,
              saved: onlyPassword && state.saved === NOTHING ? 'Changed: password.' : state.saved,
            }}
            isSaving={form.submitting}
            onReload={onReload}
            mayWrite={mayWrite}
          />
        </Stack>
      </fieldset>
    </form>
  );
}
