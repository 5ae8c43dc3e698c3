import type { UseFormReturnType } from '@mantine/form';
import { ApiError } from '../api/errors.ts';
import { notifyFailed } from './notify.ts';

/**
 * Puts a failed save where it belongs: messages per field under their fields, the first of them focused; what names
 * no field of the form becomes a notification, under `title` where one is given.
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

/** For form.onSubmit's second argument: focuses the first wrong field, also one of a list ('months.0'). */
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
 * the mouse is down, else its error would appear just then, move the button away, and the click would miss it.
 */
export const keepFocus = { onMouseDown: (event: { preventDefault(): void }) => event.preventDefault() };
