import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { loadPhones, type Phones } from '../../../ui/usePhone.ts';
import { inFormWords } from './model.ts';
import { saveStep, usePersonChanged } from './queries.ts';

interface StepForm<Values extends object> {
  form: UseFormReturnType<Values>;
  busy: boolean;
  onSubmit: (event?: React.FormEvent<HTMLFormElement>) => void;
}

/**
 * The form of one profile step: validated on blur and on save, then filled from the server's response. In the wizard, a
 * step without changes moves on without saving.
 */
export function useStepForm<Values extends object>(given: {
  step: 1 | 2;
  user: SessionUser;
  of: (user: SessionUser) => Values;
  /** The form's initial values, if they contain more than what is saved. */
  start?: (user: SessionUser) => Values;
  rules: UseFormInput<Values>['validate'];
  wire: (values: Values, phones: Phones) => Record<string, string>;
  onSaved: (message: string | undefined) => void;
  /** Called whenever it changes, for the page's leave guard. */
  onDirty?: (isDirty: boolean) => void;
  onBusy?: (busy: boolean) => void;
}): StepForm<Values> {
  const changed = usePersonChanged();
  const shown = given.start ?? given.of;
  const [busy, setOwnBusy] = useState(false);
  const setBusy = (next: boolean) => {
    setOwnBusy(next);
    given.onBusy?.(next);
  };
  const form = useForm<Values>({
    name: `step-${given.step}`,
    initialValues: shown(given.user),
    validateInputOnBlur: true,
    ...(given.rules ? { validate: given.rules } : {}),
  });
  const isDirty = form.isDirty();
  const { onDirty } = given;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change counts, not who is told
  useEffect(() => {
    onDirty?.(isDirty);
    return () => onDirty?.(false);
  }, [isDirty]);
  const fill = (user: SessionUser) => {
    const values = shown(user);
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
  };
  // A change from elsewhere is shown at once where nothing has been typed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what the server knows counts
  useEffect(() => {
    if (!isDirty) fill(given.user);
  }, [JSON.stringify(shown(given.user))]);

  const save = async (values: Values) => {
    if (JSON.stringify(values) === JSON.stringify(given.of(given.user))) {
      given.onSaved(undefined);
      return;
    }
    setBusy(true);
    try {
      const answer = await saveStep(given.step, given.wire(values, await loadPhones()));
      if (answer.result === 'error_email') {
        form.setFieldError('email', answer.message);
        form.getInputNode('email')?.focus();
        return;
      }
      if (answer.user) fill(answer.user);
      await changed();
      given.onSaved(answer.message);
    } catch (error) {
      showFormError(form, inFormWords(error));
    } finally {
      setBusy(false);
    }
  };
  return { form, busy, onSubmit: form.onSubmit(save, (errors) => focusFirstWrong(form, errors)) };
}
