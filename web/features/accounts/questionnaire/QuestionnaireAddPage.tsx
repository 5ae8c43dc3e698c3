import { Button, Checkbox, Chip, Input, Select, Stack, Text, Textarea } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import type { Questionnaire } from '../../../../contract/accounts/questionnaire.ts';
import { api } from '../../../api/client.ts';
import { userQuery } from '../../../api/user.ts';
import { SectionSkeleton } from '../../../ui/FormSection.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { type Answers, answerFault, answersOf, inputOf, QUESTIONS, type Question } from './model.ts';
import { questionnaireQuery } from './queries.ts';
import classes from './questionnaire.module.css';

/** The page to answer the questionnaire or change the answers (spec product 2; not for clients). */
export default function QuestionnaireAddPage() {
  const query = useQuery(questionnaireQuery);
  return (
    <>
      <PageHeader
        title="Questionnaire"
        line="Your answers help us set things up for the way you work. You can change them at any time."
      />
      {query.data !== undefined ? (
        <Sheet saved={query.data} />
      ) : query.error ? (
        <ErrorState
          error={query.error}
          what="The questionnaire could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : (
        <SectionSkeleton fields={8} />
      )}
    </>
  );
}

function Sheet({ saved }: { saved: Questionnaire | null }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<Answers>({
    initialValues: answersOf(saved),
    validateInputOnBlur: true,
    validate: Object.fromEntries(
      QUESTIONS.map((question) => [
        question.key,
        (answer: string | string[]) => answerFault(question, answer),
      ]),
    ),
  });
  const leave = useLeaveGuard(form.isDirty(), 'Your answers will be lost.');
  const save = async (answers: Answers) => {
    try {
      const { message } = await api.profile.saveQuestionnaire(inputOf(answers));
      await Promise.all([
        cache.invalidateQueries({ queryKey: questionnaireQuery.queryKey }),
        cache.invalidateQueries({ queryKey: userQuery.queryKey }),
      ]);
      leave();
      notifyDone(message);
      await navigate({ to: '/user/questionnaire' as '/' });
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form
      noValidate
      className={`card ${classes.sheet}`}
      onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}
    >
      <Stack gap="lg">
        {QUESTIONS.map((question) => (
          <Field key={question.key} question={question} form={form} />
        ))}
      </Stack>
      <div className={classes.foot}>
        <Button type="submit" loading={form.submitting} disabled={saved !== null && !form.isDirty()}>
          Save answers
        </Button>
      </div>
    </form>
  );
}

function Field({ question, form }: { question: Question; form: UseFormReturnType<Answers> }) {
  const { key, ask, kind, options } = question;
  const errorId = useId();
  const { value, error, onChange, ...input } = form.getInputProps(key);
  if (kind === 'one') {
    return (
      <Select
        label={ask}
        placeholder="Choose an answer"
        withAsterisk
        maw={420}
        data={[...options]}
        allowDeselect={false}
        maxDropdownHeight={260}
        {...input}
        error={error}
        value={value || null}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  }
  if (kind === 'yes') {
    return (
      <Checkbox
        label={ask}
        {...input}
        checked={value === 'T'}
        onChange={(event) => onChange(event.currentTarget.checked ? 'T' : 'F')}
      />
    );
  }
  if (kind === 'text') {
    return (
      <Textarea
        label={ask}
        autosize
        minRows={3}
        maxLength={2000}
        {...input}
        error={error}
        value={value}
        onChange={onChange}
      />
    );
  }
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }} aria-describedby={errorId}>
      <Input.Label component="legend" required labelElement="div" p={0}>
        {ask}
      </Input.Label>
      <Text size="xs" c="dimmed">
        Select all that apply.
      </Text>
      <Chip.Group multiple value={value} onChange={onChange}>
        <div className={classes.chips}>
          {options.map((option, at) => (
            <Chip
              key={option.value}
              value={option.value}
              size="sm"
              {...(at === 0 ? { 'data-path': (input as { 'data-path'?: string })['data-path'] } : {})}
            >
              {option.label}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      <div id={errorId} aria-live="polite">
        {error && <Input.Error mt={4}>{error}</Input.Error>}
      </div>
    </fieldset>
  );
}
