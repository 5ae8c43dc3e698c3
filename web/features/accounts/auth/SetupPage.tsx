import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { focusFirstWrong } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { usePageTitle } from '../../../ui/usePageTitle.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import classes from './LoginPage.module.css';

const NO_LINK = 'This page needs the one-time link that the server prints when it starts without a company.';

/** Creates the first company and its owner, using the one-time link that the server printed. */
export default function SetupPage() {
  usePageTitle('Set up');
  const [isDone, setDone] = useState(false);
  const [params] = useSearchParams();
  const [problem, setProblem] = useState(params.token ? undefined : NO_LINK);
  const form = useForm({
    initialValues: { company_name: '', name: '', email: '', password: '', again: '' },
    validateInputOnBlur: true,
    validate: {
      company_name: (value) => (value.trim() ? null : 'Enter the company name'),
      name: (value) => (value.trim() ? null : 'Enter your name'),
      email: (value) =>
        looksLikeEmail(value.trim()) ? null : 'Enter your email address, such as name@company.com',
      password: (value) => (value.length >= 12 ? null : 'Use at least 12 characters'),
      again: (value, all) => (value === all.password ? null : 'Enter the same password as above'),
    },
  });
  const send = form.onSubmit(
    async ({ again: _, ...values }) => {
      setProblem(undefined);
      try {
        await api.auth.firstOwner({ ...values, token: params.token ?? '' });
        setDone(true);
      } catch (error) {
        const fields = error instanceof ApiError ? error.errors : {};
        const known = Object.entries(fields).filter(([field]) => field in form.getValues());
        form.setErrors(Object.fromEntries(known.map(([field, texts]) => [field, texts.join(' ')])));
        if (known.length === 0) setProblem(wordsOf(error));
        else form.getInputNode(known[0]![0])?.focus();
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );
  const noToken = !params.token;
  return (
    <main className={classes.page}>
      <form className={classes.box} onSubmit={send} noValidate>
        <Title order={1}>Set up</Title>
        <Text c="dimmed" size="sm">
          Create the first company and its owner. You can add everyone else later.
        </Text>
        <Stack gap="md" mt="lg">
          {problem && (
            <Alert icon={<IconAlertCircle size={18} />} role="alert" className={classes.problem}>
              {problem}
            </Alert>
          )}
          {isDone && (
            <Notice tone="good" live="status">
              {form.values.company_name.trim()} is set up. Sign in with {form.values.email.trim()} to get
              started.
            </Notice>
          )}
          {isDone || noToken ? (
            // A full page load: this page had no tenant, and the host may have one now.
            <Button component="a" href="/login" autoFocus variant={isDone ? 'filled' : 'default'}>
              Go to sign-in
            </Button>
          ) : (
            <>
              <TextInput
                label="Company name"
                autoComplete="organization"
                maxLength={255}
                autoFocus
                {...form.getInputProps('company_name')}
              />
              <TextInput
                label="Your name"
                autoComplete="name"
                maxLength={255}
                {...form.getInputProps('name')}
              />
              <TextInput
                label="Email"
                type="email"
                autoComplete="username"
                maxLength={70}
                {...form.getInputProps('email')}
              />
              <PasswordInput
                label="Password"
                description="At least 12 characters."
                autoComplete="new-password"
                maxLength={1024}
                visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
                {...form.getInputProps('password')}
              />
              <PasswordInput
                label="Confirm password"
                autoComplete="new-password"
                maxLength={1024}
                visibilityToggleButtonProps={{
                  'aria-label': 'Show or hide the password confirmation',
                  tabIndex: 0,
                }}
                {...form.getInputProps('again')}
              />
              <Button type="submit" fullWidth loading={form.submitting}>
                Create company
              </Button>
            </>
          )}
        </Stack>
      </form>
    </main>
  );
}
