import type { UseFormReturnType } from '@mantine/form';
import { ApiError } from '../api/errors.ts';
import { notifyFailed } from './notify.ts';

/**
 * Shows a failed save's errors: field errors under their fields, with the first one focused; errors that match no field
 * of the form become a notification, under `title` if one is given.
 */
export function showFormError<Values extends object>(
  form: UseFormReturnType<Values>,
  error: unknown,
  title?: string,
): void {
  const fields = error instanceof ApiError ? error.errors : {};
  const known = Object.entries(fields).filter(([field]) => field.split('.')[0]! in form.getValues());
  if (known.length === 0) {
    notifyFailed(error, title);
    return;
  }
  form.setErrors(Object.fromEntries(known.map(([field, texts]) => [field, texts.join(' ')])));
  focusFirstWrong(form, Object.fromEntries(known));
}

/** For form.onSubmit's second argument: focuses the first invalid field, including list items ('months.0'). */
export function focusFirstWrong<Values extends object>(
  form: UseFormReturnType<Values>,
  errors: Record<string, unknown>,
): void {
  const wrong = Object.keys(errors);
  const first = Object.keys(form.getValues())
    .flatMap((field) => wrong.filter((one) => one === field || one.startsWith(`${field}.`)))
    .at(0);
  if (first) form.getInputNode(first)?.focus();
}

/**
 * For buttons and links of a form that validates on blur: `<Button {...keepFocus}>`. The field keeps the focus while
 * the mouse is down; otherwise its error would appear at that moment and move the button, and the click would miss it.
 */
export const keepFocus = { onMouseDown: (event: { preventDefault(): void }) => event.preventDefault() };
