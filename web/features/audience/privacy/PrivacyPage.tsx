import {
  Anchor,
  Button,
  Group,
  Radio,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import {
  CODE_MINUTES,
  KIND_WORDS,
  PRIVACY_KINDS,
  type PrivacyKind,
} from '../../../../contract/audience/privacy-rules.ts';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { useBrand } from '../../../brand/brand.ts';
import { dayWords } from '../../../ui/format.ts';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { AuthBox } from '../../accounts/auth/AuthBox.tsx';
import { useCaptcha } from '../../accounts/auth/Captcha.tsx';
import { accessOptionsQuery } from '../../accounts/auth/options.ts';
import { ASKED, ASKED_RULES } from './asked.ts';

const MailKept = lazy(() => import('../../operations/outbox/MailKept.tsx'));

const ABOUT: Record<PrivacyKind, string> = {
  opt_out: 'We stop selling and sharing it.',
  access: 'We email you what we know of you.',
  delete: 'We delete it, and do not collect it again.',
  correct: 'We correct what is wrong.',
};

/** /privacy: what people can ask about their own data, proven by a code sent to their address (BEY-07). */
export default function PrivacyPage() {
  const brand = useBrand();
  const [sent, setSent] = useState<{ id: string; email: string }>();
  const [due, setDue] = useState<string>();
  const hasSignal = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
  if (due)
    return (
      <AuthBox title="Request confirmed">
        <Notice tone="good" live="status">
          We answer by {dayWords(due.slice(0, 10), { year: 'numeric', month: 'long', day: 'numeric' })}, by
          email.
        </Notice>
        <Legal />
      </AuthBox>
    );
  if (sent) return <CodeStep {...sent} onDone={setDue} onBack={() => setSent(undefined)} />;
  return (
    <AuthBox
      title="Your privacy choices"
      line={`What ${brand.name} and the businesses that use it know of you is yours to see, correct, and delete.`}
    >
      {hasSignal && (
        <Notice tone="good">
          Opt-out preference signal honored: your browser sends Global Privacy Control, so your visits are not
          linked to you.
        </Notice>
      )}
      <AskForm onSent={setSent} />
      <Legal />
    </AuthBox>
  );
}

function Legal() {
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to={'/privacy-policy' as '/'} />}>
      Privacy policy
    </Anchor>
  );
}

function AskForm({ onSent }: { onSent: (sent: { id: string; email: string }) => void }) {
  const options = useQuery(accessOptionsQuery);
  const captcha = useCaptcha(options.data);
  const [problem, setProblem] = useState<string>();
  const form = useForm({
    initialValues: ASKED,
    validateInputOnBlur: true,
    validate: {
      ...ASKED_RULES,
      email: (email) =>
        looksLikeEmail(email.trim()) ? null : 'Enter the email address, such as name@company.com',
      agent_name: (name, { asked_by }) =>
        asked_by === 'self' || name.trim() ? null : 'Enter your name or company',
    },
  });
  const { kind, asked_by } = form.values;
  const isAgent = asked_by === 'agent';
  const send = form.onSubmit(
    async (values) => {
      setProblem(undefined);
      try {
        const { id } = await api.privacy.ask({ ...values, captcha_token: await captcha.answer() });
        onSent({ id, email: values.email.trim() });
      } catch (error) {
        if (error instanceof ApiError && !error.errors.captcha_token) showFormError(form, error);
        else setProblem(wordsOf(error));
      }
      captcha.renew();
    },
    (errors) => focusFirstWrong(form, errors),
  );
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        {problem && (
          <Notice tone="bad" live="alert">
            {problem}
          </Notice>
        )}
        <Radio.Group label="What do you want?" {...form.getInputProps('kind')}>
          <Stack gap="xs" mt={6}>
            {PRIVACY_KINDS.map((one) => (
              <Radio key={one} value={one} label={KIND_WORDS[one]} description={ABOUT[one]} />
            ))}
          </Stack>
        </Radio.Group>
        <div>
          <Text size="sm" fw={500} mb={4} id="asked-by">
            Who are you asking for?
          </Text>
          <SegmentedControl
            fullWidth
            aria-labelledby="asked-by"
            data={[
              { value: 'self', label: 'Myself' },
              { value: 'agent', label: 'Someone else' },
            ]}
            {...form.getInputProps('asked_by')}
          />
        </div>
        {isAgent && (
          <TextInput
            label="Your name or company"
            description="The code goes to the person you ask for."
            withAsterisk
            maxLength={255}
            {...form.getInputProps('agent_name')}
          />
        )}
        <TextInput
          label={isAgent ? 'Their name' : 'Name'}
          autoComplete={isAgent ? 'off' : 'name'}
          withAsterisk
          maxLength={255}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={isAgent ? 'Their email' : 'Email'}
          description="We look for what we know under this address."
          type="email"
          autoComplete={isAgent ? 'off' : 'email'}
          withAsterisk
          maxLength={70}
          {...form.getInputProps('email')}
        />
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput
            label="Phone"
            type="tel"
            autoComplete={isAgent ? 'off' : 'tel'}
            maxLength={40}
            {...form.getInputProps('phone')}
          />
          <TextInput
            label="State"
            placeholder="CA"
            autoComplete={isAgent ? 'off' : 'address-level1'}
            maxLength={2}
            {...form.getInputProps('state_code')}
          />
        </Group>
        <TextInput
          label="Address"
          autoComplete={isAgent ? 'off' : 'street-address'}
          maxLength={255}
          {...form.getInputProps('address')}
        />
        <Textarea
          label={kind === 'correct' ? 'What is wrong, and what is right?' : 'Anything else'}
          withAsterisk={kind === 'correct'}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={1000}
          {...form.getInputProps('details')}
        />
        {captcha.box}
        <Suspense fallback={null}>
          <MailKept />
        </Suspense>
        <Button type="submit" {...keepFocus} fullWidth loading={form.submitting}>
          Send code
        </Button>
      </Stack>
    </form>
  );
}

function CodeStep(props: { id: string; email: string; onDone: (due: string) => void; onBack: () => void }) {
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (code) => (/^\d{6}$/.test(code.trim()) ? null : 'Enter the six digits') },
  });
  const [problem, setProblem] = useState<string>();
  const send = form.onSubmit(
    async ({ code }) => {
      setProblem(undefined);
      try {
        props.onDone((await api.privacy.confirm({ id: props.id, code: code.trim() })).due_at);
      } catch (error) {
        if (error instanceof ApiError && error.errors.code) showFormError(form, error);
        else setProblem(wordsOf(error));
      }
    },
    (errors) => focusFirstWrong(form, errors),
  );
  return (
    <AuthBox
      title="Enter the code"
      line={`We sent six digits to ${props.email}. They are valid for ${CODE_MINUTES} minutes.`}
      problem={problem}
    >
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          <TextInput
            label="Code"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            maxLength={6}
            {...form.getInputProps('code')}
          />
          <Suspense fallback={null}>
            <MailKept />
          </Suspense>
          <Button type="submit" {...keepFocus} fullWidth loading={form.submitting}>
            Confirm request
          </Button>
          <Anchor component="button" type="button" size="sm" {...keepFocus} onClick={props.onBack}>
            Change the request
          </Anchor>
        </Stack>
      </form>
    </AuthBox>
  );
}
